"""Check that constraints of every booster are found, and turned towards the target."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from p2ce.models.monotone_constraints import favourable_constraints
from p2ce.models.parse_model import parse_model
from tests.optional import LazyLibrary, needs

lightgbm = LazyLibrary("lightgbm")

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.normal(size=(300, 3)), columns=["a", "b", "c"])
LABEL = (FRAME["a"] - FRAME["b"] + RNG.normal(size=300) > 0).astype(int)


def fitted(library: str, constraints: Any) -> Any:
    if library == "lightgbm":
        model: Any = lightgbm.LGBMClassifier(
            n_estimators=4, monotone_constraints=constraints, verbose=-1, n_jobs=1
        )
    elif library == "xgboost":
        xgboost = needs("xgboost")
        model = xgboost.XGBClassifier(n_estimators=4, monotone_constraints=constraints, n_jobs=1)
    elif library == "catboost":
        catboost = needs("catboost")
        model = catboost.CatBoostClassifier(
            iterations=4, monotone_constraints=constraints, verbose=0, allow_writing_files=False
        )
    else:
        model = HistGradientBoostingClassifier(max_iter=4, monotonic_cst=constraints)
    return model.fit(FRAME, LABEL)


def found(model: Any, target: Any) -> dict[str, int]:
    models = model if isinstance(model, list) else [model]
    parsed = [parse_model(one, reference=FRAME, target=target) for one in models]
    return {name: int(one) for name, one in favourable_constraints(model, parsed, target).items()}


BY_PLACE = [1, -1, 0]
BY_NAME = {"a": 1, "b": -1}
STATED = [
    ("lightgbm", BY_PLACE),
    ("xgboost", tuple(BY_PLACE)),
    ("xgboost", BY_NAME),
    ("catboost", BY_PLACE),
    ("catboost", BY_NAME),
    ("sklearn", BY_PLACE),
    ("sklearn", BY_NAME),
]


@pytest.mark.parametrize(("library", "constraints"), STATED)
def test_constraints_point_to_the_target(library: str, constraints: Any) -> None:
    model = fitted(library, constraints)
    assert found(model, 1) == {"a": 1, "b": -1}
    assert found(model, 0) == {"a": -1, "b": 1}


@pytest.mark.parametrize("library", ["lightgbm", "xgboost", "catboost", "sklearn"])
def test_without_constraints_nothing_is_claimed(library: str) -> None:
    assert found(fitted(library, None), 1) == {}


def test_a_bare_booster_keeps_its_constraints() -> None:
    booster = fitted("lightgbm", BY_PLACE).booster_
    again = lightgbm.Booster(model_str=booster.model_to_string())
    assert found(again, 1) == {"a": 1, "b": -1}
    xgb = fitted("xgboost", tuple(BY_PLACE)).get_booster()
    assert found(xgb, 1) == {"a": 1, "b": -1}


def test_a_range_with_one_end_has_a_direction() -> None:
    model = HistGradientBoostingRegressor(max_iter=4, monotonic_cst=BY_PLACE).fit(FRAME, FRAME["a"])
    assert found(model, (0.0, None)) == {"a": 1, "b": -1}
    assert found(model, (None, 0.0)) == {"a": -1, "b": 1}
    assert found(model, (-1.0, 1.0)) == {}


def test_several_models_have_to_agree() -> None:
    assert found([fitted("lightgbm", BY_PLACE), fitted("sklearn", [1, 0, 0])], 1) == {"a": 1}
