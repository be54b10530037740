"""Settle what is asked of models with several classes, and of regressors, the same way for all families.

One class of several must win, or reach a probability; a prediction must lie in a range. Each is a handful
of scores that all have to reach their thresholds, and one call of the model that tells the least lead.
"""

import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.decisions.model_adapter import (
    DECISION,
    LEAD,
    Evaluate,
    ModelAdapter,
    Request,
    class_index,
    decision_threshold,
)
from p2ce.errors import InvalidArgument, InvalidTarget, InvalidThreshold
from p2ce.scores.assemble import largest_leaves
from p2ce.scores.error_bands import Reported, first_score, summation_error, sure_and_maybe, widened
from p2ce.scores.forest import Forest
from p2ce.scores.score import CompiledScore, Score
from p2ce.visible import echoed

# The user's own call that gives one column per class: frame → (n, classes).
EvaluateAll: TypeAlias = Callable[[pd.DataFrame], Any]
# Where an argmax meets a tie, an earlier class wins: the target is behind by as little as there is.
BEHIND = float(np.nextafter(0.0, -1.0))
# A forest that adds nothing, for a model in which not a single tree was grown.
NO_TREES = Forest(
    root=np.zeros(1, dtype=np.int32),
    feature=np.full(1, -1, dtype=np.int32),
    threshold=np.zeros(1),
    right=np.full(1, -1, dtype=np.int32),
    value=np.zeros(1),
)


def refuse_scale(request: Request, offered: tuple[str, ...], *, name: str) -> None:
    """Refuse a scale that the model does not report on: ``offered`` are the ones it does."""
    if request.scale is None or request.scale in offered:
        return
    known = " or ".join(f"scale={echoed(scale)}" for scale in offered)
    raise InvalidArgument(
        f"scale={echoed(request.scale)} asks for what this {name} does not report. "
        + (f"Pass {known}, or leave scale out." if known else "Leave scale out.")
    )


# Several classes


def leads(values: FloatArray, index: int) -> FloatArray:
    """Tell how far a class is ahead of the best other: (n, classes) → (n,); 0 or more where argmax picks it.

    >>> leads(np.array([[0.25, 0.5, 0.25], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]), 1).tolist()
    [0.25, -5e-324, 0.0]
    """
    # Floats that differ never subtract to zero, so that the sign is exact.
    values = np.asarray(values, dtype=np.float64)
    ahead: FloatArray = values[:, index] - np.delete(values, index, axis=1).max(axis=1)
    if index == 0:
        return ahead
    tied = (ahead == 0.0) & (values[:, :index].max(axis=1) == values[:, index])
    return np.where(tied, BEHIND, ahead)


def wins_ask(ask_all: EvaluateAll, index: int) -> Evaluate:
    """Build the call that tells a class's lead, from the one that reports all classes."""
    return lambda frame: leads(ask_all(frame), index)


def class_ask(ask_all: EvaluateAll, index: int) -> Evaluate:
    """Build the call that tells one class's column."""
    return lambda frame: np.asarray(np.asarray(ask_all(frame))[:, index], dtype=np.float64)


def softmax_wins(band: float, *, single: bool) -> tuple[float, float]:
    """Give ``sure`` and ``maybe`` on a difference of margins, target minus other, for the target to win.

    ``band`` bounds how far the library's own two margins together may be from our difference. A target that
    is ahead of all others by the gap is the largest margin M: its power is exp(0), all others are at most
    exp(-gap), and 32 half units between them outlast the error of exp (8) and of the division. A target
    behind any other by the gap is behind the largest one, by the same argument. All scores sure: it wins.
    """
    gap = 32.0 * _unit(single)
    return widened(gap, -gap, band)


def softmax_reaches(
    threshold: float, classes: int, *, band: float, largest: float, single: bool
) -> tuple[float, float]:
    """Give ``sure`` (never) and ``maybe`` on target minus other, for the probability to reach a threshold.

    P = e_t / Σ e is at most e_t / (e_t + e_k), so each difference must reach logit(threshold), outwards.
    ``largest`` bounds every margin's magnitude: the differences from the largest margin, of which exp is
    taken, are rounded relative to themselves.
    """
    if threshold < (1e-30 if single else 1e-290):  # powers this small may have been flushed to zero
        return math.inf, -math.inf
    unit = _unit(single)
    # Rounded are the sum of the powers, each power (by 8 units), and the division.
    above = 1.0 + 2.0 * (classes + 4) * unit

    def reaches(lead: float) -> bool:
        with np.errstate(over="ignore"):
            other = float(np.exp(np.float64(-lead))) * (1.0 - 32.0 * unit)
        return above / (1.0 + other) >= threshold

    return widened(math.inf, first_score(reaches), band + 8.0 * unit * largest)


def _unit(single: bool) -> float:
    """Half a unit in the last place of 1.0."""
    return 2.0**-24 if single else 2.0**-53


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """One class's additive margin: ``offset`` plus a leaf of each tree of ``forest``.

    ``error`` bounds how far the library's own margin, as rounded by it, is from this sum in real numbers.
    """

    offset: float = 0.0
    forest: Forest | None  # None where no tree was grown
    error: float

    @property
    def largest(self) -> float:
        """Bound the margin's magnitude."""
        return abs(self.offset) + (0.0 if self.forest is None else float(largest_leaves(self.forest).sum()))


def difference_score(
    target: Margin,
    other: Margin,
    *,
    columns: int,
    limits: Callable[[float], tuple[float, float]],
    name: str = "model",
) -> CompiledScore:
    """Score how far the target's margin is ahead of another class's.

    ``limits`` turns the band, by which the library's difference may be off from ours, into ``sure`` and
    ``maybe``; the band covers both library margins and the float64 sum over the trees of both.
    """
    forest = joined(target.forest, other.forest)
    ours = summation_error(forest.tree_count + 3, target.largest + other.largest)
    accept_from, reject_below = limits(target.error + other.error + ours)
    return CompiledScore(
        name=name,
        column_count=columns,
        offset=target.offset - other.offset,
        forest=forest,
        accept_from=accept_from,
        reject_below=reject_below,
    )


def joined(plus: Forest | None, minus: Forest | None) -> Forest:
    """Put the trees of one forest, and those of another with all values negated, into one."""
    if plus is None or minus is None:
        return (plus or NO_TREES) if minus is None else negated(minus)
    shift = len(plus.feature)
    return Forest(
        root=np.concatenate([plus.root, minus.root + np.int32(shift)]),
        feature=np.concatenate([plus.feature, minus.feature]),
        threshold=np.concatenate([plus.threshold, minus.threshold]),
        right=np.concatenate(
            [plus.right, np.where(minus.right < 0, -1, minus.right + shift).astype(np.int32)]
        ),
        value=np.concatenate([plus.value, -minus.value]),
    )


def negated(forest: Forest) -> Forest:
    """Turn all leaf values of a forest around."""
    return Forest(
        root=forest.root,
        feature=forest.feature,
        threshold=forest.threshold,
        right=forest.right,
        value=-forest.value,
    )


# Regressors


class Range(NamedTuple):
    """The wanted predictions, ends included; an infinite end is open."""

    low: float
    high: float

    def leads(self, predicted: FloatArray) -> FloatArray:
        """Tell how far predictions (n,) lie inside: at least 0 there, below 0 outside, by the nearer end."""
        predicted = np.asarray(predicted, dtype=np.float64)
        ends = []
        if self.low > -np.inf:
            ends.append(predicted - self.low)
        if self.high < np.inf:
            ends.append(self.high - predicted)
        nearest: FloatArray = np.minimum.reduce(ends)
        return nearest


class End(NamedTuple):
    """One end of a range as thresholds on ``sign`` times the score of the prediction."""

    sign: float
    accept_from: float
    reject_below: float


def read_range(request: Request, *, name: str) -> Range:
    """Check the target of a regressor: a pair (low, high), of which one may be None or infinite."""
    target = request.target
    if request.threshold is not None:
        raise InvalidThreshold(
            f"This {name} is a regressor, whose wanted range is the target: "
            f"threshold={echoed(request.threshold)} has no meaning. Pass target=(low, high) and no threshold."
        )
    refuse_scale(request, (), name=f"{name}, a regressor,")
    if not isinstance(target, tuple | list) or len(target) != 2:
        raise InvalidTarget(
            f"This {name} is a regressor: pass target=(low, high), the wanted range of its prediction, with "
            f"None for an open end; got {echoed(target)}."
        )
    low, high = (_end(end, open_end) for end, open_end in zip(target, (-math.inf, math.inf), strict=True))
    if math.isinf(low) and math.isinf(high):
        raise InvalidTarget(
            f"target={echoed(target)} asks for nothing. Give at least one end of the wanted range as a "
            "number."
        )
    if low > high:
        raise InvalidTarget(
            f"target=(low, high) has its ends in ascending order; got {echoed(target)}. Exchange them."
        )
    return Range(low, high)


def score_or_range(
    request: Request,
    read: Callable[[Request], ModelAdapter],
    *,
    classes: tuple[Any, ...] = (0, 1),
    name: str,
) -> ModelAdapter:
    """Parse a number that may be the score of a class: a Booster does not say what its numbers mean.

    With a threshold, the number is the score of the second of two classes, and minus the number that of
    the first, as for decision functions. ``number >= t`` is the range from t on, and ``-number >= t`` the one
    up to -t, which ``read`` parses. Without a threshold the target has to be a range.
    """
    target = request.target
    if isinstance(target, tuple | list):
        return read(request)
    if request.threshold is None:
        raise InvalidTarget(
            f"This {name} predicts numbers that are no probabilities. Where they are scores of a class, pass "
            f"threshold=, from which on they stand for class {echoed(classes[-1])} (0.0 for log-odds); "
            "otherwise target=(low, high), their wanted range, with None for an open end. Got "
            f"target={echoed(target)} alone."
        )
    refuse_scale(request, (DECISION,), name=name)
    threshold = decision_threshold(request.threshold)
    first = class_index(classes, target) == 0
    wanted = (None, -threshold) if first else (threshold, None)
    found = read(replace(request, target=wanted, threshold=None, scale=None))
    number, lead = found.predict, found.report
    assert number is not None
    return replace(
        found,
        scale=DECISION,
        threshold=threshold,
        classes=classes,
        ask=(lambda frame: -number(frame)) if first else number,
        predict=None,
        report=None if lead is None or found.score is None else lambda scores: lead(scores) + threshold,
    )


def _end(end: Any, open_end: float) -> float:
    if end is None:
        return open_end
    is_number = isinstance(end, numbers.Real) and not isinstance(end, bool | np.bool_)
    if not is_number or math.isnan(end) or float(end) == -open_end:
        raise InvalidTarget(
            f"The ends of target=(low, high) are numbers, or None for an open end; got {echoed(end)}."
        )
    return float(end)


def range_ask(predict: Evaluate, wanted: Range) -> Evaluate:
    """Build the call that tells how far inside the range predictions lie."""
    return lambda frame: wanted.leads(predict(frame))


def range_ends(wanted: Range, reported: Reported, *, band: float) -> tuple[End, ...]:
    """Turn the ends that are not open into thresholds on the score, or for the upper one on minus it.

    ``reported`` gives what the library may predict for a score, lowest and highest, and never decreases.
    ``band`` bounds how far the library's own score, as rounded by it, may be from ours.
    """
    ends = []
    if wanted.low > -math.inf:
        ends.append(End(1.0, *widened(*sure_and_maybe(reported, wanted.low), band)))
    if wanted.high < math.inf:

        def turned(score: float) -> tuple[float, float]:
            low, high = reported(-score)
            return -high, -low

        ends.append(End(-1.0, *widened(*sure_and_maybe(turned, -wanted.high), band)))
    return tuple(ends)


def range_model(
    wanted: Range,
    scores: Sequence[Score],
    *,
    family: str,
    columns: tuple[str, ...],
    predict: Evaluate,
    report: Callable[[FloatArray], FloatArray] | None,
    tolerance: float,
    reach: FloatArray | None = None,
) -> ModelAdapter:
    """Put together a regressor whose prediction must lie in a range, one score for each closed end."""
    return ModelAdapter(
        family=family,
        score=scores[0],
        also=tuple(scores[1:]),
        columns=columns,
        scale=LEAD,
        threshold=0.0,
        classes=(),
        ask=range_ask(predict, wanted),
        predict=predict,
        report=report,
        tolerance=tolerance,
        reach=reach,
    )


def exponential(margin: Callable[[float], float], *, single: bool) -> Reported:
    """Bound exp of a margin as a library computes it: within 8 half units, which no exp in use exceeds.

    ``margin`` is the exact IEEE arithmetic between the score and the exponential. Close to zero, where
    numbers have fewer digits, nothing is known but that the prediction is about zero.
    """
    kind = np.float32 if single else np.float64
    unit = 8.0 * _unit(single)
    least = 1e-36 if single else 1e-300

    def reported(score: float) -> tuple[float, float]:
        with np.errstate(all="ignore"):
            power = np.exp(np.float64(margin(score)))
            low = float(kind(power * (1.0 - unit))) if power >= least else 0.0
            high = float(kind(max(power * (1.0 + unit), least)))
        return low, high

    return reported
