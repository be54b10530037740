"""Read XGBoost models that predict one of several classes, or a number."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, softmax

from p2ce.arrays import FloatArray
from p2ce.decisions.model_adapter import (
    LEAD,
    PROBABILITY,
    ModelAdapter,
    Request,
    class_index,
    plain_classes,
    probability_threshold,
)
from p2ce.decisions.targets import (
    EvaluateAll,
    Margin,
    class_ask,
    difference_score,
    exponential,
    negated,
    range_ends,
    range_model,
    read_range,
    softmax_reaches,
    softmax_wins,
    wins_ask,
)
from p2ce.errors import UnsupportedModel
from p2ce.models.xgboost.booster_json import CLASSIFIERS, FAMILY, Parts
from p2ce.models.xgboost.trees import is_plain, library_rounding, our_rounding, start_of
from p2ce.scores.error_bands import Reported, exactly, logistic
from p2ce.scores.score import CompiledScore
from p2ce.visible import echoed

SEVERAL = ("multi:softprob", "multi:softmax")
_AS_IT_IS = (
    "reg:squarederror",
    "reg:absoluteerror",
    "reg:pseudohubererror",
    "reg:squaredlogerror",
    "reg:quantileerror",
)
_EXPONENTIAL = ("count:poisson", "reg:gamma", "reg:tweedie")
_LOGISTIC = ("reg:logistic", "binary:logistic")
NUMBERS = _AS_IT_IS + _EXPONENTIAL


# Several classes


def read_several(parts: Parts, request: Request) -> ModelAdapter:
    """Read one margin per class."""
    count = parts.groups
    classes = plain_classes(parts.model.classes_) if parts.kind in CLASSIFIERS else tuple(range(count))
    if len(classes) != count:
        raise UnsupportedModel(
            f"This {parts.kind} has {len(classes)} classes but grew trees for {count}. Leave num_class to it."
        )
    index = class_index(classes, request.target)
    margins = [_margin(parts, group) for group in range(count)]
    largest = max(margin.largest for margin in margins)
    threshold = None if request.threshold is None else probability_threshold(request.threshold)

    def limits(band: float) -> tuple[float, float]:
        if threshold is None:
            return softmax_wins(band, single=True)
        return softmax_reaches(threshold, count, band=band, largest=largest, single=True)

    scores = [
        difference_score(margins[index], other, columns=len(parts.columns), limits=limits)
        for group, other in enumerate(margins)
        if group != index
    ]
    in_favour, probabilities = _calls(parts)
    of_class = class_ask(probabilities, index)
    return ModelAdapter(
        family=FAMILY,
        score=scores[0],
        also=tuple(scores[1:]),
        decides=threshold is None,
        columns=parts.columns,
        scale=LEAD if threshold is None else PROBABILITY,
        threshold=0.0 if threshold is None else threshold,
        classes=classes,
        ask=wins_ask(in_favour, index) if threshold is None else of_class,
        report=None,
        tolerance=1e-6 * max(1.0, largest),
        predict=of_class,
    )


def _margin(parts: Parts, group: int) -> Margin:
    forest = parts.forest(group)
    start, error = start_of(parts.learner, group, "none")
    error += library_rounding(forest, abs(start), in_order=is_plain(parts.learner))
    return Margin(offset=start, forest=forest, error=error)


def _calls(parts: Parts) -> tuple[EvaluateAll, EvaluateAll]:
    """Give the call whose largest column is the class that ``predict`` chooses, and that for probabilities.

    With multi:softmax, XGBoost chooses by the margins, and the probabilities are made of them afterwards.
    """

    def margins(frame: pd.DataFrame) -> Any:
        return parts.predict(frame, margin=True).reshape(len(frame), -1)

    def probabilities(frame: pd.DataFrame) -> Any:
        if parts.kind in CLASSIFIERS:
            return parts.model.predict_proba(parts.feed(frame))
        if parts.objective == "multi:softmax":
            return softmax(margins(frame), axis=1)  # as XGBClassifier does
        return parts.predict(frame)

    return (margins if parts.objective == "multi:softmax" else probabilities), probabilities


# Regressors


def read_regressor(parts: Parts, request: Request) -> ModelAdapter:
    """Read the prediction, up to the rounding of XGBoost's float32 sum."""
    wanted = read_range(request, name=f"XGBoost {parts.kind}")
    link, reported, report = _prediction(parts)
    start, start_error = start_of(parts.learner, 0, link)
    forest = parts.forest(0)
    largest = abs(start) + start_error
    band = start_error + our_rounding(forest, largest)
    band += library_rounding(forest, largest, in_order=is_plain(parts.learner))
    ends = range_ends(wanted, reported, band=band)
    scores = [
        CompiledScore(
            name="model",
            column_count=len(parts.columns),
            offset=end.sign * start,
            forest=forest if end.sign > 0 else negated(forest),
            accept_from=end.accept_from,
            reject_below=end.reject_below,
        )
        for end in ends
    ]

    def predict(frame: pd.DataFrame) -> FloatArray:
        return np.asarray(parts.predict(frame), dtype=np.float64)

    # A lead is as large as the prediction, or the prediction is no farther out than twice the range.
    scale = max([1.0, *(abs(end) for end in wanted if math.isfinite(end))])
    return range_model(
        wanted,
        scores,
        family=FAMILY,
        columns=parts.columns,
        predict=predict,
        report=lambda scores: wanted.leads(report(scores * ends[0].sign)),
        tolerance=(4e-6 + 4.0 * band) * scale,
    )


def _prediction(parts: Parts) -> tuple[str, Reported, Callable[[FloatArray], FloatArray]]:
    """Say what the base score is, and what XGBoost predicts for a margin: its possible range, and roughly."""
    if parts.objective in _AS_IT_IS:
        return "none", exactly(float), lambda margins: margins
    if parts.objective in _EXPONENTIAL:
        return "exponential", exponential(float, single=True), np.exp
    if parts.objective in _LOGISTIC:
        return "logistic", logistic(complement=False, single=True), lambda margins: np.asarray(expit(margins))
    raise UnsupportedModel(
        f"XGBoost with objective {echoed(parts.objective)} cannot be read as a regressor. "
        f"Readable are {', '.join(NUMBERS)}."
    )
