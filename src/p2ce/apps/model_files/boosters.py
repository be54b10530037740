"""Load boosted trees from the files that LightGBM, XGBoost and CatBoost write themselves."""

import json
from pathlib import Path
from typing import Any

from p2ce.apps.model_files.lightgbm_text import checked_text


def load_lightgbm(path: Path) -> Any:
    """Load a text file, after a look whether its trees are sound."""
    import lightgbm

    return lightgbm.Booster(model_str=checked_text(path.read_bytes(), str(path)))


def load_xgboost(path: Path) -> Any:
    """Load JSON or UBJ: as the classifier or regressor that saved it, else as a Booster.

    An estimator stops after its best iteration, a Booster does not.
    """
    import xgboost

    booster = xgboost.Booster(model_file=str(path))
    saved = booster.attr("scikit_learn")
    kind = json.loads(saved).get("_estimator_type") if saved else None
    if kind not in ("classifier", "regressor"):
        return booster
    estimator = xgboost.XGBClassifier() if kind == "classifier" else xgboost.XGBRegressor()
    estimator.load_model(str(path))
    return estimator


def load_catboost(path: Path) -> Any:
    """Load cbm."""
    return _load_catboost(path, "cbm")


def load_catboost_json(path: Path) -> Any:
    """Load CatBoost's JSON, which it can read for models of numbers only."""
    return _load_catboost(path, "json")


def _load_catboost(path: Path, form: str) -> Any:
    import catboost

    any_kind = catboost.CatBoost().load_model(str(path), format=form)
    # Only a classifier has classes; the class of the object decides how p2ce reads it.
    classes = any_kind.classes_
    classifies = classes is not None and len(classes) > 0
    made = catboost.CatBoostClassifier() if classifies else catboost.CatBoostRegressor()
    return made.load_model(str(path), format=form)
