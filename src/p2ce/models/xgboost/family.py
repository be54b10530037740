"""Read an XGBoost Booster, XGBClassifier or XGBRegressor, or the random forests of either kind."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from p2ce.adapters.library import library_class
from p2ce.arrays import FloatArray
from p2ce.decisions.model_adapter import (
    PROBABILITY,
    Evaluate,
    ModelAdapter,
    Request,
    binary_index,
    plain_classes,
    probability_threshold,
    second_class_or_first,
)
from p2ce.decisions.targets import refuse_scale, score_or_range
from p2ce.errors import UnsupportedModel
from p2ce.models.sklearn.fitted_attributes import asks
from p2ce.models.xgboost.booster_json import CLASSIFIERS, FAMILY, NAMES, REGRESSORS, Parts, take_apart
from p2ce.models.xgboost.targets_xgboost import NUMBERS, SEVERAL, read_regressor, read_several
from p2ce.models.xgboost.trees import is_plain, library_rounding, our_rounding, start_of
from p2ce.scores.error_bands import logistic, sure_and_maybe, widened
from p2ce.scores.score import CompiledScore
from p2ce.visible import echoed

_OBJECTIVES = ("binary:logistic", "reg:logistic")


def recognises(model: object) -> bool:
    """Tell an XGBoost Booster, a classifier or a regressor."""
    return library_class(model, root="xgboost", names=NAMES) is not None


def read(model: Any, request: Request) -> ModelAdapter:
    """Read two classes, one class of several, or a predicted number, by the model's objective."""
    # It guesses at labels that it does not know, by rules of its own.
    return replace(_read(take_apart(model, request), request), knows_unseen_categories=False)


def _read(parts: Parts, request: Request) -> ModelAdapter:
    if parts.kind in REGRESSORS:
        return read_regressor(parts, request)
    if parts.kind == "Booster" and parts.objective in NUMBERS:
        # Trained by an objective of one's own, it says reg:squarederror, and predicts the sum as well.
        name = f"XGBoost {parts.kind}"
        return score_or_range(request, lambda wanted: read_regressor(parts, wanted), name=name)
    refuse_scale(request, (PROBABILITY,), name=f"XGBoost {parts.kind}")
    if parts.objective in SEVERAL and parts.groups > 2:
        return read_several(parts, request)
    return _read_two(parts, request)


def _read_two(parts: Parts, request: Request) -> ModelAdapter:
    classifier = parts.kind in CLASSIFIERS
    classes = plain_classes(parts.model.classes_) if classifier else (0, 1)
    if parts.objective not in _OBJECTIVES:
        raise UnsupportedModel(
            f"XGBoost with objective {echoed(parts.objective)} does not report the probability of one "
            "class out of two. Fit with objective='binary:logistic'."
        )
    index = binary_index(classes, request.target, family=FAMILY)
    sign = 1.0 if index == 1 else -1.0
    forest = parts.forest(0, sign)
    start, start_error = start_of(parts.learner, 0, "logistic")
    threshold = probability_threshold(request.threshold)
    largest = abs(start) + start_error
    band = start_error + our_rounding(forest, largest)
    band += library_rounding(forest, largest, in_order=is_plain(parts.learner))
    accept_from, reject_below = widened(
        *sure_and_maybe(logistic(complement=index == 0, single=True), threshold), band
    )
    of_target = second_class_or_first(index)
    return ModelAdapter(
        family=FAMILY,
        score=CompiledScore(
            name="model",
            column_count=len(parts.columns),
            offset=sign * start,
            forest=forest,
            accept_from=accept_from,
            reject_below=reject_below,
        ),
        columns=parts.columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=classes,
        ask=asks(parts.model.predict_proba, parts.feed, index) if classifier else _ask(parts, index),
        report=lambda scores: of_target(np.asarray(expit(scores * sign))),
        tolerance=1e-6 + band,
    )


def _ask(parts: Parts, index: int) -> Evaluate:
    def ask(frame: pd.DataFrame) -> FloatArray:
        second = parts.predict(frame)
        # Subtracted in float32, as XGBClassifier does for its first class.
        return np.asarray(second if index == 1 else np.float32(1.0) - second, dtype=np.float64)

    return ask
