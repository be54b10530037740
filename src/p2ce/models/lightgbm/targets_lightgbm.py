"""Read LightGBM models that predict one of several classes, or a number."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

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
from p2ce.models.lightgbm.booster_parts import FAMILY, Parts
from p2ce.models.lightgbm.model_text import read_tree
from p2ce.models.sklearn.fitted_attributes import asks
from p2ce.scores.assemble import assemble_forest
from p2ce.scores.error_bands import Reported, exactly, logistic, summation_error, sure_and_maybe, widened
from p2ce.scores.score import CompiledScore
from p2ce.visible import echoed

AS_IT_IS = ("regression", "regression_l1", "huber", "fair", "quantile", "mape")
EXPONENTIAL = ("poisson", "gamma", "tweedie")
SEVERAL = ("multiclass", "multiclassova")
_UNIT = 2.0**-53


# Several classes


def read_several(parts: Parts, request: Request) -> ModelAdapter:
    """Read one margin per class: the trees of a round belong to the classes in turn."""
    count = parts.per_round
    classes = plain_classes(parts.model.classes_) if parts.kind == "LGBMClassifier" else tuple(range(count))
    if len(classes) != count:
        raise UnsupportedModel(
            f"This {parts.kind} has {len(classes)} classes but grew trees for {count}. Leave num_class to it."
        )
    index = class_index(classes, request.target)
    ask_all: Callable[[pd.DataFrame], Any] = lambda frame: parts.call(parts.feed(frame))  # noqa: E731
    one_by_one = parts.objective == "multiclassova"
    if request.threshold is not None and one_by_one:
        return _read_one_of_several(parts, index, classes, ask_all, request)
    margins = [_margin(parts, parts.blocks[place::count]) for place in range(count)]
    limits: Callable[[float], tuple[float, float]]
    threshold = None if request.threshold is None else probability_threshold(request.threshold)
    largest = max(margin.largest for margin in margins)
    if threshold is not None:
        asked = threshold
        limits = lambda band: softmax_reaches(asked, count, band=band, largest=largest, single=False)  # noqa: E731
    elif one_by_one:
        sigmoid = float(parts.options.get("sigmoid", "1"))
        highest = max(_highest(margin) for margin in margins)
        limits = lambda band: _sigmoid_wins(band, sigmoid, highest, largest)  # noqa: E731
    else:
        limits = lambda band: softmax_wins(band, single=False)  # noqa: E731
    scores = [
        difference_score(margins[index], other, columns=len(parts.columns), limits=limits)
        for place, other in enumerate(margins)
        if place != index
    ]
    of_class = class_ask(ask_all, index)
    return ModelAdapter(
        family=FAMILY,
        score=scores[0],
        also=tuple(scores[1:]),
        decides=threshold is None,
        columns=parts.columns,
        scale=LEAD if threshold is None else PROBABILITY,
        threshold=0.0 if threshold is None else threshold,
        classes=classes,
        ask=wins_ask(ask_all, index) if threshold is None else of_class,
        report=None,
        tolerance=1e-12,
        predict=of_class,
    )


def _margin(parts: Parts, blocks: Sequence[dict[str, str]]) -> Margin:
    """Read one class's trees, divided where LightGBM reports their mean.

    LightGBM adds them from zero, then divides; we divide each leaf. Both round once more than the sum does.
    """
    forest = assemble_forest([read_tree(block, parts.seen, factor=1.0 / parts.divisor) for block in blocks])
    exact = Margin(forest=forest, error=0.0)
    return Margin(forest=forest, error=summation_error(len(blocks) + 4, exact.largest))


def _highest(margin: Margin) -> float:
    """Bound a margin from above."""
    assert margin.forest is not None
    leaves = np.where(margin.forest.feature < 0, margin.forest.value, -np.inf)
    return float(np.maximum.reduceat(leaves, margin.forest.root).sum())


def _sigmoid_wins(band: float, sigmoid: float, highest: float, largest: float) -> tuple[float, float]:
    """Give the limits for one class's 1 / (1 + exp(-s·m)) to be above another's.

    ln P grows by at least s / (1 + exp(s·m)) per unit of margin, which is least at the highest margin. A
    growth of 64 half units outlasts the errors of exp (8 each) and of the addition and the division. The
    product s·m is rounded relative to itself.
    """
    top = sigmoid * max(highest, 0.0)
    if top > 30.0 or sigmoid * largest > 700.0:
        raise UnsupportedModel(
            f"LightGBM's margins here reach {highest:.3g}, where probabilities of one class against the rest "
            "are all 1 to float64, so that they do not tell which class wins."
        )
    gap = 64.0 * _UNIT * (1.0 + math.exp(top)) / sigmoid * 1.01 + 8.0 * _UNIT * largest
    return widened(gap, -gap, band)


def _read_one_of_several(
    parts: Parts,
    index: int,
    classes: tuple[Any, ...],
    ask_all: EvaluateAll,
    request: Request,
) -> ModelAdapter:
    """Read one class of a one-against-the-rest model: its probability is its own margin's, nothing else."""
    sigmoid, divisor = float(parts.options.get("sigmoid", "1")), parts.divisor
    threshold = probability_threshold(request.threshold)
    blocks = parts.blocks[index :: len(classes)]
    accept_from, reject_below = sure_and_maybe(
        logistic(complement=False, margin=lambda total: sigmoid * (total / divisor)), threshold
    )
    forest = assemble_forest([read_tree(block, parts.seen) for block in blocks])
    return ModelAdapter(
        family=FAMILY,
        score=CompiledScore(
            name="model",
            column_count=len(parts.columns),
            forest=forest,
            accept_from=accept_from,
            reject_below=reject_below,
        ),
        columns=parts.columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=classes,
        ask=class_ask(ask_all, index),
        report=lambda scores: np.asarray(expit(sigmoid * (scores / divisor))),
        tolerance=1e-12,
    )


# Regressors


def read_regressor(parts: Parts, request: Request) -> ModelAdapter:
    """Read the prediction: LightGBM adds the trees from zero in float64, so that we repeat it bit by bit."""
    wanted = read_range(request, name=f"LightGBM {parts.kind}")
    reported, report = _prediction(parts)
    ends = range_ends(wanted, reported, band=0.0)
    forest = assemble_forest([read_tree(block, parts.seen) for block in parts.blocks])
    scores = [
        CompiledScore(
            name="model",
            column_count=len(parts.columns),
            forest=forest if end.sign > 0 else negated(forest),
            accept_from=end.accept_from,
            reject_below=end.reject_below,
        )
        for end in ends
    ]
    predict = asks(parts.call, parts.feed, None)
    # A lead is as large as the prediction, or the prediction is no farther out than twice the range.
    scale = max([1.0, *(abs(end) for end in wanted if math.isfinite(end))])
    return range_model(
        wanted,
        scores,
        family=FAMILY,
        columns=parts.columns,
        predict=predict,
        report=lambda scores: wanted.leads(report(scores * ends[0].sign)),
        tolerance=1e-12 * scale,
    )


def _prediction(parts: Parts) -> tuple[Reported, Callable[[FloatArray], FloatArray]]:
    """Say what LightGBM predicts for a sum over the trees: its possible range, and for many at once."""
    divisor = parts.divisor
    squared = "sqrt" in parts.options
    if parts.objective in ("", *AS_IT_IS) and not squared:
        return exactly(lambda total: total / divisor), lambda totals: totals / divisor
    if parts.objective == "regression" and squared:
        # Two IEEE products, both monotone.
        return (
            exactly(lambda total: math.copysign(total / divisor, 1.0) * (total / divisor)),
            lambda totals: np.abs(totals / divisor) * (totals / divisor),
        )
    if parts.objective in EXPONENTIAL:
        return exponential(lambda total: total / divisor, single=False), lambda totals: np.exp(
            totals / divisor
        )
    raise UnsupportedModel(
        f"LightGBM with objective {echoed(parts.objective)} cannot be read as a regressor. "
        f"Readable are {', '.join(AS_IT_IS + EXPONENTIAL)}."
    )
