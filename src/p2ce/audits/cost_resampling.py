"""Draw quantiles of bootstrap resamples without drawing the resamples.

A resample of size m from n ordered costs is m uniform numbers u, each of which stands for the cost at place
floor(n u). The j-th smallest of m uniform numbers is Beta(j, m - j + 1), so that a quantile takes one draw
however many people there are. Where the median of a group and that of the whole are compared, both come from
the same resample: the second is found by cutting the costs again and again, and drawing only how many people
of either part lie below each cut. The tests compare this with resamples that are drawn person by person.
"""

from dataclasses import dataclass

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, IntArray
from p2ce.audits.metrics import HALF


def place_of(quantile: float, size: IntArray) -> IntArray:
    """Count at which place of so many ordered costs, from 1, at least the share `quantile` is reached."""
    places: IntArray = np.maximum(np.ceil(quantile * size - 1e-9), 1).astype(np.int64)
    return places


def quantile_of(ordered: FloatArray, quantile: float) -> float:
    """Give the least cost that at least this share of people do not exceed; somebody has it.

    >>> quantile_of(np.array([1.0, 2.0, 4.0, 9.0]), 0.5)
    2.0
    """
    return float(ordered[int(place_of(quantile, np.array(len(ordered)))) - 1])


def resampled_quantiles(
    ordered: FloatArray, sizes: IntArray, quantile: float, rng: np.random.Generator
) -> FloatArray:
    """Draw a quantile of one resample of each size."""
    return ordered[_at(_uniform_order_statistic(quantile, sizes, rng), len(ordered))]


def resampled_medians(
    is_mine: BoolArray, my_sizes: IntArray, other_sizes: IntArray, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Draw the median of a group's resample, and that of the whole to which the same resample belongs.

    ``is_mine`` says of everybody, in the order of costs, whether they are of the group. The group and the
    others are resampled apart: (b,) sizes of either. Gives places in the order of costs.
    """
    places = np.flatnonzero(is_mine)
    mine = len(places)
    below = np.concatenate([[0], np.cumsum(is_mine)])  # people of the group before a place
    uniform = _uniform_order_statistic(HALF, my_sizes, rng)
    at = _at(uniform, mine)
    found = places[at]
    before = place_of(HALF, my_sizes) - 1  # people of the group below its median
    # The first cut is at the group's own median.
    others_before = _binomial(other_sizes, found - at, np.full_like(at, len(is_mine) - mine), rng)
    target = place_of(HALF, my_sizes + other_sizes)
    rank = target - before - others_before  # of the whole's median: 1 where it is the group's
    left = rank < 1
    brackets = _Brackets(
        low=np.where(left, 0, found),
        high=np.where(left, found + 1, len(is_mine)),
        my_low=np.where(left, 0.0, uniform * mine),
        my_high=np.where(left, uniform * mine, float(mine)),
        other_low=np.where(left, 0, found - at),
        other_high=np.where(left, found - at, len(is_mine) - mine),
        mine=np.where(left, before, my_sizes - before - 1),
        others=np.where(left, others_before, other_sizes - others_before),
        target=np.where(left, target, rank - 1),
    )
    whole = np.where(rank == 1, found, 0)
    open_ones = np.flatnonzero(rank != 1)
    steps = 0
    while open_ones.size:
        now = brackets.taken(open_ones)
        done = now.high - now.low <= 1
        whole[open_ones[done]] = now.low[done]
        open_ones, now = open_ones[~done], now.taken(np.flatnonzero(~done))
        if open_ones.size:
            # Where the target is expected, and every third time in the middle, which ends for certain.
            share = HALF if steps % 3 == 2 else now.target / (now.mine + now.others + 1)
            guess = now.low + ((now.high - now.low) * share).astype(np.int64)
            brackets.put(open_ones, now.cut(np.clip(guess, now.low + 1, now.high - 1), below, rng))
        steps += 1
    return found, whole


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Brackets:
    """Places between which the median of the whole lies, one bracket per draw."""

    low: IntArray  # places, the last not included
    high: IntArray
    my_low: FloatArray  # people of the group below each end; a fraction, where an end is inside a person
    my_high: FloatArray
    other_low: IntArray  # the same of the others
    other_high: IntArray
    mine: IntArray  # how many of either resample lie inside
    others: IntArray
    target: IntArray  # which of these is the median, from 1

    def taken(self, places: IntArray) -> "_Brackets":
        return _Brackets(**{name: getattr(self, name)[places] for name in self.__slots__})

    def put(self, places: IntArray, new: "_Brackets") -> None:
        for name in self.__slots__:
            getattr(self, name)[places] = getattr(new, name)

    def cut(self, middle: IntArray, below: IntArray, rng: np.random.Generator) -> "_Brackets":
        """Draw how many lie below the cut, and keep the side on which the median is."""
        my_middle = below[middle]
        other_middle = middle - my_middle
        my_left = _binomial(self.mine, my_middle - self.my_low, self.my_high - self.my_low, rng)
        other_left = _binomial(
            self.others, other_middle - self.other_low, self.other_high - self.other_low, rng
        )
        left = self.target <= my_left + other_left
        return _Brackets(
            low=np.where(left, self.low, middle),
            high=np.where(left, middle, self.high),
            my_low=np.where(left, self.my_low, my_middle),
            my_high=np.where(left, my_middle, self.my_high),
            other_low=np.where(left, self.other_low, other_middle),
            other_high=np.where(left, other_middle, self.other_high),
            mine=np.where(left, my_left, self.mine - my_left),
            others=np.where(left, other_left, self.others - other_left),
            target=np.where(left, self.target, self.target - my_left - other_left),
        )


def _uniform_order_statistic(quantile: float, sizes: IntArray, rng: np.random.Generator) -> FloatArray:
    places = place_of(quantile, sizes)
    return rng.beta(places, sizes - places + 1)


def _at(uniform: FloatArray, people: int) -> IntArray:
    return np.minimum((uniform * people).astype(np.int64), people - 1)


def _binomial(
    sizes: IntArray, part: FloatArray | IntArray, whole: FloatArray | IntArray, rng: np.random.Generator
) -> IntArray:
    """Draw how many of so many fall into a part; nobody falls into a part of nothing."""
    share = np.divide(part, whole, out=np.zeros(len(sizes)), where=whole > 0)
    return rng.binomial(sizes, np.clip(share, 0.0, 1.0))
