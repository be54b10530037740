"""Collect the monotone constraints with which a model was fitted.

A constraint of +1 means that the score of the second class, or the predicted number, never decreases when the
feature increases. Boosters and scikit-learn's trees store their constraints by position or by name.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from p2ce.base.calls.library import library_class
from p2ce.models.decisions.adapter import Adapter
from p2ce.models.decisions.row_format import attribute_of
from p2ce.models.decisions.target_arguments import class_index, is_range
from p2ce.models.families.lightgbm.model_text import split_text
from p2ce.models.families.sklearn.own_threshold import best_of
from p2ce.policy.features.feature import Direction

log = logging.getLogger("p2ce")

BOOSTER = frozenset({"Booster"})
SKLEARN = ("HistGradientBoosting", "DecisionTree", "ExtraTree", "RandomForest", "ExtraTrees")


def favourable_constraints(model: Any, parsed: Sequence[Adapter], target: Any) -> dict[str, Direction]:
    """Return the features that all models constrain, with the direction that favours the target."""
    models = list(model) if isinstance(model, list | tuple) else [model]
    found = [_favourable(one, adapter, target) for one, adapter in zip(models, parsed, strict=True)]
    return {
        name: direction
        for name, direction in found[0].items()
        if all(other.get(name) == direction for other in found[1:])
    }


def _favourable(model: Any, parsed: Adapter, target: Any) -> dict[str, Direction]:
    sign = -_sign_of(parsed, target) if parsed.negated else _sign_of(parsed, target)
    if not sign:
        return {}
    try:
        constraints = _constraints(best_of(model), parsed.columns)
    except Exception as error:  # an unknown form of the setting: nothing is claimed about it
        log.debug("The monotone constraints of the model could not be parsed: %s", error)
        return {}
    return {
        name: Direction(sign * constraint)
        for name, constraint in constraints.items()
        if constraint in (-1, 1) and name in parsed.columns
    }


def _sign_of(parsed: Adapter, target: Any) -> int:
    """Return 1 if the target requires a higher output of the model, -1 for a lower one, 0 for neither."""
    if is_range(target):
        low, high = (end is not None and bool(np.isfinite(end)) for end in target)
        return int(low) - int(high)
    if len(parsed.classes) != 2:
        return 0
    return 1 if class_index(parsed.classes, target) == 1 else -1


def _constraints(model: Any, columns: Sequence[str]) -> dict[str, int]:
    """Return a model's constraints by column; empty if there are none."""
    if library_class(model, root="lightgbm", names=_named("LGBM")):
        model = model.booster_
    if library_class(model, root="xgboost", names=_named("XGB")):
        model = model.get_booster()
    if library_class(model, root="lightgbm", names=BOOSTER):
        header, _ = split_text(model.model_to_string(num_iteration=1))
        return _by_place(header.get("monotone_constraints", "").split(), columns)
    if library_class(model, root="xgboost", names=BOOSTER):
        booster = json.loads(model.save_config())["learner"]["gradient_booster"]
        text = booster.get("tree_train_param", {}).get("monotone_constraints", "()")
        return _by_place([one for one in text.strip("()").split(",") if one.strip()], columns)
    if library_class(model, root="catboost", names=frozenset({"CatBoost", *_named("CatBoost")})):
        by_place = model.get_all_params().get("monotone_constraints") or {}
        return {columns[int(place)]: int(constraint) for place, constraint in by_place.items()}
    if library_class(model, root="sklearn", names=_named(*SKLEARN)):
        given = attribute_of(model, "monotonic_cst")
        if isinstance(given, Mapping):
            return {str(name): int(constraint) for name, constraint in given.items()}
        return {} if given is None else _by_place(list(given), columns)
    return {}


def _named(*families: str) -> frozenset[str]:
    return frozenset(f"{family}{kind}" for family in families for kind in ("Classifier", "Regressor"))


def _by_place(constraints: Sequence[Any], columns: Sequence[str]) -> dict[str, int]:
    """Pair constraints with columns; if there are fewer, they apply to the first columns, as in XGBoost."""
    return {name: int(one) for name, one in zip(columns, constraints, strict=False)}
