"""Settle what is asked of boosted trees, whose margins, one per class, are sums over trees."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.decisions.model_adapter import (
    DECISION,
    LEAD,
    PROBABILITY,
    Evaluate,
    ModelAdapter,
    Request,
    class_index,
    decision_threshold,
    probability_threshold,
)
from p2ce.decisions.targets import (
    EvaluateAll,
    Margin,
    class_ask,
    difference_score,
    negated,
    range_ends,
    range_model,
    read_range,
    refuse_scale,
    softmax_reaches,
    wins_ask,
)
from p2ce.errors import UnsupportedModel
from p2ce.scores.error_bands import Reported, sure_and_maybe, widened
from p2ce.scores.score import CompiledScore


@dataclass(frozen=True, slots=True, kw_only=True)
class Boosted:
    """Boosted trees as read: the margins, and how the model itself is asked for them."""

    family: str
    columns: tuple[str, ...]
    margins: tuple[Margin, ...]  # of the second of two classes, of each of more, or of the predicted number
    band: float  # how far the library's margin may be from the float64 sum of offset and leaves, in order
    tolerance: float = 1e-12

    def score(self, margin: Margin, sign: float, limits: tuple[float, float]) -> CompiledScore:
        """Write ``sign`` times one margin as a score."""
        accept_from, reject_below = limits
        forest = margin.forest if sign > 0.0 or margin.forest is None else negated(margin.forest)
        return CompiledScore(
            name="model",
            column_count=len(self.columns),
            offset=sign * margin.offset,
            forest=forest,
            weights=np.zeros(len(self.columns)) if forest is None else None,
            accept_from=accept_from,
            reject_below=reject_below,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Classes:
    """What boosted trees say about classes, and by which calls.

    ``link`` bounds the probability that the library reports for the margin of the second of two classes,
    or with True the probability of the first one for minus the margin; ``report`` computes the former.
    """

    names: tuple[Any, ...]
    ask_margins: (
        EvaluateAll  # frame → (n,) for two classes, else (n, classes); argmax of these is what predict gives
    )
    ask_probabilities: EvaluateAll  # frame → (n, classes)
    decides: bool  # the margins are the model's decision_function
    link: Callable[[bool], Reported]
    report: Callable[[FloatArray], FloatArray]
    each_alone: bool = False  # of several classes, each has the link to itself, instead of a softmax over all
    slack: float = 0.0  # on differences of margins, for a softmax less precise than NumPy's


def read_classes(boosted: Boosted, classes: Classes, request: Request) -> ModelAdapter:
    """Read boosted trees that tell classes apart."""
    offered = (PROBABILITY, DECISION) if classes.decides else (PROBABILITY,)
    refuse_scale(request, offered, name=f"{boosted.family} model")
    index = class_index(classes.names, request.target)
    if len(classes.names) < 2:
        raise UnsupportedModel(
            f"This {boosted.family} model knows one class only, so that there is nothing to reach. "
            "Fit it on rows of at least two classes."
        )
    if request.scale == DECISION:
        return _read_decision(boosted, classes, index, decision_threshold(request.threshold))
    if len(classes.names) == 2:
        return _read_probability(boosted, classes, index, probability_threshold(request.threshold))
    if request.threshold is None:
        return _read_winner(boosted, classes, index)
    threshold = probability_threshold(request.threshold)
    if classes.each_alone:
        return _read_probability(boosted, classes, index, threshold)
    return _read_softmax(boosted, classes, index, threshold)


def _read_probability(boosted: Boosted, classes: Classes, index: int, threshold: float) -> ModelAdapter:
    """Read a probability that follows from one margin."""
    two = len(classes.names) == 2
    complement = two and index == 0
    sign = -1.0 if complement else 1.0
    limits = widened(*sure_and_maybe(classes.link(complement), threshold), boosted.band)

    def report(scores: FloatArray) -> FloatArray:
        second = np.asarray(classes.report(scores * sign))
        return 1.0 - second if complement else second

    return ModelAdapter(
        family=boosted.family,
        score=boosted.score(boosted.margins[0 if two else index], sign, limits),
        columns=boosted.columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=classes.names,
        ask=class_ask(classes.ask_probabilities, index),
        report=report,
        tolerance=boosted.tolerance,
    )


def _read_decision(boosted: Boosted, classes: Classes, index: int, threshold: float) -> ModelAdapter:
    """Read the decision function: the margin itself, of the first of two classes minus the margin."""
    two = len(classes.names) == 2
    sign = -1.0 if two and index == 0 else 1.0
    margin = boosted.margins[0 if two else index]

    def ask(frame: Any) -> FloatArray:
        found = np.asarray(classes.ask_margins(frame), dtype=np.float64)
        return sign * found if two else found[:, index].copy()

    return ModelAdapter(
        family=boosted.family,
        score=boosted.score(margin, sign, widened(threshold, threshold, boosted.band)),
        columns=boosted.columns,
        scale=DECISION,
        threshold=threshold,
        classes=classes.names,
        ask=ask,
        report=_as_it_is,
        tolerance=boosted.tolerance * max(1.0, margin.largest),
    )


def _read_winner(boosted: Boosted, classes: Classes, index: int) -> ModelAdapter:
    """Read that one class has the largest margin, which is what ``predict`` goes by."""
    scores = _differences(boosted, index, _strictly)
    return ModelAdapter(
        family=boosted.family,
        score=scores[0],
        also=scores[1:],
        columns=boosted.columns,
        scale=LEAD,
        threshold=0.0,
        classes=classes.names,
        ask=wins_ask(classes.ask_margins, index),
        report=None,
        tolerance=boosted.tolerance,
        predict=class_ask(classes.ask_probabilities, index),
    )


def _read_softmax(boosted: Boosted, classes: Classes, index: int, threshold: float) -> ModelAdapter:
    """Read what a probability needs: to be far enough ahead of each other class."""
    largest = max(margin.largest + margin.error for margin in boosted.margins)

    def limits(band: float) -> tuple[float, float]:
        return softmax_reaches(
            threshold, len(classes.names), band=band + classes.slack, largest=largest, single=False
        )

    scores = _differences(boosted, index, limits)
    ask = class_ask(classes.ask_probabilities, index)
    return ModelAdapter(
        family=boosted.family,
        score=scores[0],
        also=scores[1:],
        decides=False,
        columns=boosted.columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=classes.names,
        ask=ask,
        report=None,
        tolerance=boosted.tolerance,
        predict=ask,
    )


def _strictly(band: float) -> tuple[float, float]:
    """Be sure only of what is strictly ahead, and refuse what is strictly behind: ties are for the model."""
    return math.nextafter(band, math.inf), math.nextafter(-band, -math.inf)


def _differences(
    boosted: Boosted, index: int, limits: Callable[[float], tuple[float, float]]
) -> tuple[CompiledScore, ...]:
    target = boosted.margins[index]
    others = boosted.margins[:index] + boosted.margins[index + 1 :]
    count = len(boosted.columns)
    return tuple(difference_score(target, other, columns=count, limits=limits) for other in others)


def read_number(
    boosted: Boosted, request: Request, *, predict: Evaluate, reported: Reported | None
) -> ModelAdapter:
    """Read boosted trees that predict a number: the margin, or what ``reported`` says of the margin."""
    wanted = read_range(request, name=f"{boosted.family} model")
    (margin,) = boosted.margins
    link = reported if reported is not None else _identity
    ends = range_ends(wanted, link, band=boosted.band)
    scores = [boosted.score(margin, end.sign, (end.accept_from, end.reject_below)) for end in ends]
    sign = ends[0].sign
    return range_model(
        wanted,
        scores,
        family=boosted.family,
        columns=boosted.columns,
        predict=predict,
        report=(lambda found: wanted.leads(sign * found)) if reported is None else None,
        tolerance=boosted.tolerance * max(1.0, margin.largest),
    )


def _identity(score: float) -> tuple[float, float]:
    return score, score


def _as_it_is(values: FloatArray) -> FloatArray:
    return values
