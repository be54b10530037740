"""Prepare trees whose leaves are lines for a batch of instances."""

from dataclasses import dataclass

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.engine.scores.external import (
    Boxes,
    Placed,
    PreparedScore,
    Verdicts,
    decided,
)
from p2ce.engine.scores.linear_trees.linear_forest import LinearTreesScore


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedLinearTrees(PreparedScore):
    """Trees whose leaves are lines, prepared for a batch."""

    score: LinearTreesScore
    placed: Placed

    @property
    def bounds_boxes(self) -> bool:
        return True

    def evaluate(self, instance: IntArray, cells: Int32Array, *, until: float | None = None) -> Verdicts:
        """Compare cells with the thresholds, and let the decider evaluate undecided ones."""
        return decided(self.prove(instance, cells), self.placed, instance, cells, until)

    def prove(self, instance: IntArray, cells: Int32Array) -> Verdicts:
        """Compare cells with the thresholds."""
        return self.score.evaluate_rows(self.placed.rows(instance, cells))

    def infeasible(self, instance: IntArray, boxes: Boxes) -> BoolArray:
        """Mark the boxes in which every cell is provably rejected."""
        return np.asarray(self.highest(instance, boxes) < self.score.infeasible_below())

    def highest(self, instance: IntArray, boxes: Boxes) -> FloatArray:
        """Bound the sum from above over boxes, up to rounding: (boxes,)."""
        from p2ce.engine.scores.linear_trees.linear_tree_kernels import highest_sums

        placed = self.placed
        top = np.empty(len(instance))
        highest_sums(
            np.ascontiguousarray(placed.placement.values),
            np.ascontiguousarray(placed.instances, dtype=np.float64),
            np.ascontiguousarray(placed.placement.position, dtype=np.int32),
            np.ascontiguousarray(placed.grid.columns, dtype=np.int64),
            np.ascontiguousarray(instance, dtype=np.int64),
            np.ascontiguousarray(boxes.low, dtype=np.int32),
            np.ascontiguousarray(boxes.high, dtype=np.int32),
            np.ascontiguousarray(boxes.must, dtype=np.bool_),
            np.ascontiguousarray(boxes.changes_left, dtype=np.int64),
            self.score.leaves,
            np.empty((3, placed.instances.shape[1])),
            top,
        )
        return top
