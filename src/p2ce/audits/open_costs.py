"""State what cheapest options may cost where searches are open, and between which ends a quantile then lies.

A search is open in one of two ways. Either an option was found and a cheaper one is not excluded: the
cheapest costs at least what is proven and at most what was found, since every option is verified before it is
reported. Or no option was found: there may be none, or one that costs anything from the proven least on.

A *completion* says how every open search ends. Its quantile q is at most v exactly if the sum over all people
with an option, of 1 - q for a cost of at most v and of -q for any other cost, is 0 or more: then at least the
share q pays v or less. In this sum, every person adds a term, whatever the others do:

    the cost is proven      1 - q if cost <= v, else -q
    an option was found     at most 1 - q if low <= v, else -q;    at least 1 - q if high <= v, else -q
    none was found          at most 1 - q if low <= v, else 0 (no option);    at least -q (any cost)

So the sum is largest where each term is, and least where each term is. The least quantile of all completions
is the least v at which the largest sum reaches 0; the greatest is the least v at which the least sum does.
Where no v is enough, the quantile has no upper end: it is infinite. The same holds for people who are counted
several times, as in a resample, and for some of the people, as in a permuted group.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from p2ce.arrays import FloatArray, IntArray

LOW, HIGH = 0, 1  # the ends of a range
CLASSES = 6  # open people are put into this many classes by either end, where these are many


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Costs:
    """What the cheapest options of some people cost in one objective."""

    found: FloatArray  # ordered: of all people for whom an option was found
    known: FloatArray  # ordered: of those for whom it is proven that nothing costs less
    # All others, in classes that are the same for all groups.
    low: FloatArray  # (classes,) the least that their cheapest option may cost
    high: FloatArray  # (classes,) what it costs at most; infinite where none was found, and there may be none
    people: IntArray  # (classes,)

    @property
    def with_option(self) -> int:
        """How many people have an option for certain."""
        return len(self.found)

    @property
    def without(self) -> int:
        """For how many people no option was found, and none is excluded."""
        return int(self.people[np.isinf(self.high)].sum())

    @property
    def is_open(self) -> bool:
        """Whether the cost of some person is not known."""
        return bool(self.people.any())


class Terms(NamedTuple):
    """What each class adds for one end of a range: `gains` from `levels` on, less `shares` always."""

    levels: FloatArray
    gains: FloatArray
    shares: FloatArray


def terms_of(low: FloatArray, high: FloatArray, quantile: float, end: int) -> Terms:
    """List the extreme terms of open people: the largest for the end `LOW`, the least for `HIGH`."""
    if end == HIGH:
        return Terms(high, np.ones(len(high)), np.full(len(high), quantile))
    may_have_none = np.isinf(high)
    return Terms(low, np.where(may_have_none, 1.0 - quantile, 1.0), np.where(may_have_none, 0.0, quantile))


def quantile_range(costs: Costs, quantile: float) -> tuple[float, float]:
    """Return the least and the greatest quantile of all completions.

    >>> some = Costs(
    ...     found=np.array([1.0, 2.0, 4.0]), known=np.array([1.0, 2.0, 4.0]),
    ...     low=np.array([1.5]), high=np.array([np.inf]), people=np.array([2]),
    ... )
    >>> quantile_range(some, 0.5)
    (1.5, 4.0)
    """
    return _end(costs, quantile, LOW), _end(costs, quantile, HIGH)


def _end(costs: Costs, quantile: float, end: int) -> float:
    levels, gains, shares = terms_of(costs.low, costs.high, quantile, end)
    some = costs.people > 0
    values = np.concatenate([costs.known, levels[some]])
    order = np.argsort(values, kind="stable")
    sums = np.cumsum(np.concatenate([np.ones(len(costs.known)), (gains * costs.people)[some]])[order])
    target = quantile * len(costs.known) + float((shares * costs.people).sum())
    return float(values[order][np.searchsorted(sums, target)])  # quarters are exact, so no tolerance


def count_below(costs: Costs, values: FloatArray, end: int) -> tuple[IntArray, IntArray]:
    """Count the people whose cost is at most each of some values, at one end of what it may be.

    Those who have an option for certain come first, then those for whom none was found.
    """
    levels = costs.low if end == LOW else costs.high
    is_below = levels <= np.asarray(values)[..., None]
    may_have_none = np.isinf(costs.high)
    certain = np.searchsorted(costs.known, values, side="right") + is_below @ (costs.people * ~may_have_none)
    return certain, is_below @ (costs.people * may_have_none)


def classes_of(low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Put open people into classes: the ends of each, and the class of every person.

    People with equal ends are one class. Where these are too many, those with similar ends are put together;
    a class has the least `low` and the greatest `high` of its people, which can only widen a range.
    """
    pairs, index = np.unique(np.column_stack([low, high]), axis=0, return_inverse=True)
    index = index.reshape(-1)
    if len(pairs) <= CLASSES**2:
        return pairs[:, 0], pairs[:, 1], index
    cells = [
        cell
        # `pairs` are ordered, so parts are too; people who may have no option are kept apart.
        for part in (np.flatnonzero(np.isfinite(pairs[:, 1])), np.flatnonzero(np.isinf(pairs[:, 1])))
        for row in np.array_split(part, CLASSES)
        for cell in np.array_split(row[np.argsort(pairs[row, 1], kind="stable")], CLASSES)
        if len(cell)
    ]
    class_of = np.empty(len(pairs), dtype=np.int64)
    for number, cell in enumerate(cells):
        class_of[cell] = number
    ends = np.array([(pairs[cell, 0].min(), pairs[cell, 1].max()) for cell in cells])
    return ends[:, 0], ends[:, 1], class_of[index]
