"""Combine scores to a number that never falls in any of them, and make a score of the number."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.engine.scores.combined.combined_score import CombinedScore
from p2ce.engine.scores.error_bands import summation_error
from p2ce.engine.scores.network.network import NetworkScore
from p2ce.engine.scores.network.network_layers import Layer
from p2ce.engine.scores.score import FlatScore
from p2ce.engine.scores.trees.float_bisection import first_true
from p2ce.errors import InvalidModel

PartScore: TypeAlias = FlatScore | NetworkScore
# The lowest and the highest number that a library may report: (n,), (n,).
Ends: TypeAlias = tuple[FloatArray, FloatArray]


class ReportedNumber(NamedTuple):
    """What a library may report for values of scores (n, scores)."""

    ends: Callable[[FloatArray], Ends]
    # Of a single score: the number is its value times ``slope``, off by at most ``error``. Otherwise None.
    slope: float | None = None
    error: float = np.inf


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Combination:
    """A number that a library reports, as a function of parts that never falls in any of them.

    ``reported`` returns the ends of the number for values of the parts (n, parts). They hold for the values
    beyond too: the number is at least ``reported(v)[0]`` for all values from v on, and at most
    ``reported(v)[1]`` for all values up to v. The thresholds of the parts have no meaning here.
    """

    parts: tuple[PartScore, ...]
    reported: Callable[[FloatArray], Ends]
    # Of a single part: the number is its value times ``slope``, and off by at most ``error``. Otherwise None.
    slope: float | None = None
    error: float = np.inf

    @property
    def of_parts(self) -> ReportedNumber:
        """What is reported for values of the parts."""
        return ReportedNumber(self.reported, self.slope, self.error)


def only(part: PartScore, reported: Callable[[FloatArray], Ends] | None = None) -> Combination:
    """Return the number of one part: what a library reports for its values (n,), by default these."""
    of = reported or _itself
    return Combination(parts=(part,), reported=lambda values: of(values[:, 0]))


def through(number: Combination, link: Callable[[FloatArray], Ends]) -> Combination:
    """Apply a function that never falls to a number; ``link`` returns the ends of its result."""

    def reported(values: FloatArray) -> Ends:
        low, high = number.reported(values)
        return link(low)[0], link(high)[1]

    return replace(number, reported=reported, slope=None, error=np.inf)


def joined(numbers: Sequence[Combination], reported: Callable[[FloatArray], Ends]) -> Combination:
    """Join several numbers by a function of them, (n, numbers), that never falls in any.

    A part that several of them share is evaluated once.
    """
    parts: list[PartScore] = []
    places = []
    for number in numbers:
        mine = []
        for part in number.parts:
            same = [at for at, known in enumerate(parts) if known is part]
            mine.append(same[0] if same else len(parts))
            if not same:
                parts.append(part)
        places.append(np.array(mine, dtype=np.int64))

    def of(values: FloatArray) -> Ends:
        ends = [number.reported(values[:, at]) for number, at in zip(numbers, places, strict=True)]
        low, high = (np.column_stack(side) for side in zip(*ends, strict=True))
        return reported(low)[0], reported(high)[1]

    return Combination(parts=tuple(parts), reported=of)


def minus(number: Combination) -> Combination:
    """Return minus a number, as a function of the negated parts."""

    def reported(values: FloatArray) -> Ends:
        low, high = number.reported(-values)
        return -high, -low

    return replace(number, parts=tuple(map(minus_part, number.parts)), reported=reported)


def minus_part(part: PartScore) -> PartScore:
    """Return minus a part. Its values are negated exactly, and its thresholds have no meaning."""
    if isinstance(part, NetworkScore):
        last = part.layers[-1]
        minus_last = Layer(
            weights=-last.weights,
            bias=-last.bias,
            size=last.size,
            bias_size=last.bias_size,
            extra_steps=last.extra_steps,
        )
        return replace(part, layers=(*part.layers[:-1], minus_last))
    if part.spending is not None:
        raise InvalidModel("A budget is a separate score and no part of another. State it alone.")
    return replace(
        part,
        offset=-part.offset,
        forest=None if part.forest is None else replace(part.forest, value=-part.forest.value),
        weights=None if part.weights is None else -part.weights,
    )


def total(numbers: Sequence[Combination], *, weights: Sequence[float] | None = None) -> Combination:
    """Add numbers, times weights of 0 or more, in any order: each product may be rounded."""
    scale = np.ones(len(numbers)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not (np.isfinite(scale).all() and (scale >= 0).all()):
        raise InvalidModel(
            f"The weights of a total must be numbers of 0 or more, got {scale.tolist()}. Turn the "
            "number of a negative weight, with `minus`."
        )

    def reported(values: FloatArray) -> Ends:
        terms = values * scale
        added = terms.sum(axis=1)
        # The library's sum and ours; products are rounded before they are added.
        error = 2.0 * summation_error(len(scale) + 2, 1.0) * np.abs(terms).sum(axis=1)
        return np.nextafter(added - error, -np.inf), np.nextafter(added + error, np.inf)

    return joined(numbers, reported)


def highest_of(numbers: Sequence[Combination]) -> Combination:
    """Return the largest of several numbers."""
    return joined(numbers, lambda values: _itself(values.max(axis=1)))


def lowest_of(numbers: Sequence[Combination]) -> Combination:
    """Return the smallest of several numbers."""
    return joined(numbers, lambda values: _itself(values.min(axis=1)))


def score_of(
    number: Combination, *, accept_from: float, reject_below: float, name: str = "model"
) -> PartScore | CombinedScore:
    """Return the score of a number that must reach a threshold, with certified thresholds on the number.

    With one part, it is that part, with thresholds on its own values.
    """
    if len(number.parts) > 1:
        return CombinedScore(
            name=name,
            column_count=number.parts[0].column_count,
            parts=number.parts,
            reported=number.reported,
            accept_from=accept_from,
            reject_below=reject_below,
        )

    def ends(value: float) -> tuple[float, float]:
        with np.errstate(all="ignore"):
            low, high = number.reported(np.array([[value]]))
        return float(low[0]), float(high[0])

    accepted = first_true(lambda value: ends(value)[0] >= accept_from)
    kept = first_true(lambda value: not ends(value)[1] < reject_below)
    return replace(number.parts[0], name=name, accept_from=accepted, reject_below=min(kept, accepted))


def _itself(values: FloatArray) -> Ends:
    return values, values


# The value of a combined score is the number itself.
ITSELF = ReportedNumber(lambda values: _itself(values[:, 0]))
