"""Bound the costs of cheapest options if searches are open, and the range of a quantile of these costs.

A search is open in one of two ways. Either an option was found, but a cheaper one may exist: the cheapest
costs at least the proven minimum and at most the found cost, since every option is verified before it is
reported. Or no option was found: there may be none, or one of any cost from the proven minimum.

A *completion* is one outcome for every open search. Its quantile q is at most v exactly if the following sum
over all people with an option is at least 0: 1 - q for a cost of at most v, and -q for any other cost. Then
at least the share q needs v or less. Every person adds a term to this sum, independently of the others:

    the cost is proven      1 - q if cost <= v, else -q
    an option was found     at most 1 - q if low <= v, else -q;    at least 1 - q if high <= v, else -q
    none was found          at most 1 - q if low <= v, else 0 (no option);    at least -q (any cost)

So the sum is largest if every term is, and smallest if every term is. The least quantile of all completions
is the least v at which the largest sum reaches 0. The greatest is the least v at which the smallest sum does.
If no v is enough, the greatest quantile is infinite. The same holds if people are counted several times, as
in a resample, and for a subset of the people, as in a permuted group.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray

LOW, HIGH = 0, 1  # the ends of a range
CLASSES = 6  # if there are many, people with open costs are grouped into this many classes by either end


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Costs:
    """The costs of some people's cheapest options in one objective."""

    found: FloatArray  # sorted: of all people with a found option
    known: FloatArray  # sorted: of those whose found option is proven to be the cheapest
    # All others, in classes that are the same for all groups.
    low: FloatArray  # (classes,) the least possible cost of their cheapest option
    high: (
        FloatArray  # (classes,) its greatest possible cost; infinite if none was found, and there may be none
    )
    people: IntArray  # (classes,)

    @property
    def with_option(self) -> int:
        """The number of people who certainly have an option."""
        return len(self.found)

    @property
    def without(self) -> int:
        """The number of people without a found option, who may have one."""
        return int(self.people[np.isinf(self.high)].sum())

    @property
    def is_open(self) -> bool:
        """Whether the cost of any person is unknown."""
        return bool(self.people.any())


class CostTerms(NamedTuple):
    """The terms of each class for one end of a range: `gains` from `levels` on, always minus `shares`."""

    levels: FloatArray
    gains: FloatArray
    shares: FloatArray


def terms_of(low: FloatArray, high: FloatArray, quantile: float, end: int) -> CostTerms:
    """Return the extreme terms of people with open costs: the largest for `LOW`, the smallest for `HIGH`."""
    if end == HIGH:
        return CostTerms(high, np.ones(len(high)), np.full(len(high), quantile))
    may_have_none = np.isinf(high)
    return CostTerms(
        low, np.where(may_have_none, 1.0 - quantile, 1.0), np.where(may_have_none, 0.0, quantile)
    )


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
    """Count the people whose cost is at most each of these values, at one end of its range.

    Return first the people who certainly have an option, then those without a found option.
    """
    levels = costs.low if end == LOW else costs.high
    is_below = levels <= np.asarray(values)[..., None]
    may_have_none = np.isinf(costs.high)
    certain = np.searchsorted(costs.known, values, side="right") + is_below @ (costs.people * ~may_have_none)
    return certain, is_below @ (costs.people * may_have_none)


def cost_classes(low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Group people with open costs into classes, and return the ends of each class and each person's class.

    People with equal ends form one class. If there are too many, classes with similar ends are merged. A
    class has the least `low` and the greatest `high` of its people, which can only widen a range.
    """
    pairs, index = np.unique(np.column_stack([low, high]), axis=0, return_inverse=True)
    index = index.reshape(-1)
    if len(pairs) <= CLASSES**2:
        return pairs[:, 0], pairs[:, 1], index
    cells = [
        cell
        # `pairs` are sorted, so parts are too. People who may have no option are kept apart.
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
