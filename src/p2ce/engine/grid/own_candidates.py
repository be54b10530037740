"""Restrict an instance's candidates to a range of its own, whose ends are candidates too.

A range may lie to one side of the instance's current value, which stays a candidate in any case.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.tables.codebook import MISSING


class OwnRanges(NamedTuple):
    """The range, ends included, in which new values of each instance must lie; infinite for none."""

    low: FloatArray  # (n, m)
    high: FloatArray  # (n, m)
    with_ends: BoolArray  # (m,) whether the ends of the ranges are candidates, besides those of the grid


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OwnEnds:
    """Candidates of single instances that are not on the grid: the ends of their own ranges."""

    low_slot: Int32Array  # (n, m) the index of the lower end among the instance's candidates; -1 for none
    low: FloatArray  # (n, m) the lower end, or the current value if it is no candidate
    high_slot: Int32Array  # (n, m)
    high: FloatArray  # (n, m)
    # (n, m) whether the indices of the grid's candidates differ from those of an instance without a range.
    is_moved: BoolArray
    keeps_missing: (
        Int32Array  # (n, m) 1 where a missing value, which no range excludes, is the first candidate
    )
    below: Int32Array  # (n, m) 1 where the lower end is the first candidate, or the next one after a missing
    first_down: Int32Array  # (n, m) index in ``grid.down`` of the first candidate inside the range

    def of(self, instances: IntArray) -> "OwnEnds":
        """Return the ends of some of the instances."""
        return OwnEnds(**{name: getattr(self, name)[instances] for name in self.__slots__})

    def downwards(self, slot: IntArray) -> IntArray:
        """Return the index in ``grid.down`` of the candidates (width,) of each instance: (n, m, width)."""
        begin = (self.keeps_missing + self.below)[..., None]
        listed = slot - begin + self.first_down[..., None]
        return np.asarray(np.where(slot < self.keeps_missing[..., None], 0, listed))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OwnCandidates:
    """The candidates of instances inside their own ranges, as `Placement` describes them."""

    position: Int32Array  # (n, m)
    shift: Int32Array  # (n, m)
    count: Int32Array  # (n, m)
    ends: OwnEnds


def own_candidates(grid: BaseGrid, current: FloatArray, ranges: OwnRanges) -> OwnCandidates:
    """List the candidates of instances at current (n, m) inside their own ranges.

    In this order: a missing value, if it is a candidate at all; the lower end; the grid's candidates below
    the current value; the upper end, if the whole range is below; the current value; the lower end, if the
    whole range is above; the grid's candidates above; the upper end.
    """
    shape = current.shape
    below, above, first_down, past_down, first_up, past_up, keeps_missing = (
        np.zeros(shape, dtype=np.int32) for _ in range(7)
    )
    is_low, is_high = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    for axis, base in enumerate(grid.values):
        downs, ups = base[grid.down[axis]], base[grid.up[axis]]
        here, low, high = current[:, axis], ranges.low[:, axis], ranges.high[:, axis]
        below[:, axis] = np.searchsorted(downs, here, side="left")
        above[:, axis] = np.searchsorted(ups, here, side="right")
        if len(downs) and downs[0] == MISSING:
            keeps_missing[:, axis] = (low > MISSING) & (here != MISSING)
        last = np.minimum(below[:, axis], np.searchsorted(downs, high, side="right"))
        past_down[:, axis] = np.maximum(last, keeps_missing[:, axis])
        begin = np.minimum(np.searchsorted(downs, low, side="left"), past_down[:, axis])
        first_down[:, axis] = np.maximum(begin, keeps_missing[:, axis])
        first_up[:, axis] = np.maximum(above[:, axis], np.searchsorted(ups, low, side="left"))
        past_up[:, axis] = np.maximum(first_up[:, axis], np.searchsorted(ups, high, side="right"))
        known = base[base != MISSING]
        if ranges.with_ends[axis] and len(known):
            for end, found in ((low, is_low), (high, is_high)):
                is_listed = np.where(end < here, np.isin(end, downs), np.isin(end, ups))
                # An end narrows the candidates of the grid.
                inside = (known[0] < end) & (end < known[-1]) & (low <= high)
                found[:, axis] = inside & ~is_listed & (end != here) & ~np.isin(end, grid.special[axis])
    is_high &= ~(is_low & (ranges.low == ranges.high))
    low_below, high_below = is_low & (ranges.low < current), is_high & (ranges.high < current)
    low_above, high_above = is_low & ~low_below, is_high & ~high_below
    before = keeps_missing + low_below
    position = before + past_down - first_down + high_below
    up_from = position + 1 + low_above
    count = up_from + past_up - first_up + high_above
    shift = up_from - first_up
    is_moved = is_low | is_high | (before != first_down) | (position != below) | (shift != below + 1 - above)
    return OwnCandidates(
        position=position.astype(np.int32),
        shift=shift.astype(np.int32),
        count=count.astype(np.int32),
        ends=OwnEnds(
            low_slot=np.where(low_below, keeps_missing, np.where(low_above, position + 1, -1)).astype(
                np.int32
            ),
            low=np.where(is_low, ranges.low, current),
            high_slot=np.where(high_below, position - 1, np.where(high_above, count - 1, -1)).astype(
                np.int32
            ),
            high=np.where(is_high, ranges.high, current),
            is_moved=is_moved,
            keeps_missing=keeps_missing,
            below=low_below.astype(np.int32),
            first_down=first_down,
        ),
    )
