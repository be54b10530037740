"""Accepted cells that are known before a search begins: its first incumbents."""

from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray


class Incumbents(NamedTuple):
    """Cells that every score accepts, in any order; the search drops the dominated ones."""

    instance: IntArray  # (cells,)
    points: Int32Array  # (cells, axes)
    quanta: IntArray  # (cells, objectives) costs, as the integers that are compared
    steps: IntArray  # (cells,) grid steps moved
    said: FloatArray  # (cells, scores) values of the evaluators that keep them

    def taken(self, which: BoolArray) -> "Incumbents":
        """Return some of the cells."""
        return Incumbents(*(part[which] for part in self))  # type: ignore[arg-type]

    def and_those(self, others: "Incumbents") -> "Incumbents":
        """Return these cells and the others."""
        both = zip(self, others, strict=True)
        return Incumbents(*(np.concatenate(parts) for parts in both))  # type: ignore[arg-type]

    def without(self, instance: IntArray, cells: Int32Array) -> "Incumbents":
        """Return the cells without some."""
        gone = {bytes(key) for key in _keys(instance, cells)}
        return self.taken(
            np.array([bytes(key) not in gone for key in _keys(self.instance, self.points)], dtype=np.bool_)
        )

    def of(self, who: IntArray) -> "Incumbents":
        """Return the cells of some instances, in ascending order, and number the instances from 0."""
        mine = self.taken(np.isin(self.instance, who))
        return mine._replace(instance=np.searchsorted(who, mine.instance))


def _keys(instance: IntArray, cells: Int32Array) -> Int32Array:
    return np.column_stack([instance, cells]).astype(np.int32)
