"""A forest whose inputs each depend on one column, in no known order: it is scored outside the kernel.

The kernel cuts axes into intervals, so it needs inputs that rise or fall along their columns. Here only the
values of the inputs at the candidates are known. A box bounds each input by its smallest and largest value at
the candidates of the box, and each tree by the largest leaf that such inputs reach. The leaves are added in
the order of the trees, and rounding never reverses an order, so no cell of the box scores higher, in floating
point too.

An input may be off by ``slack``. A value this close to a threshold may go to either side, and so may one
beyond ``limit``, or one that the library would reject, which is NaN. A cell with such a value is undecided,
and a box counts both sides.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.engine.scores.external import (
    UNDECIDED,
    Boxes,
    Placed,
    PreparedRows,
    PreparedScore,
    Verdicts,
    decided,
    verdicts_at,
)
from p2ce.engine.scores.score import Bound, require_ordered
from p2ce.engine.scores.trees.forest import Forest, leaves_reached


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InputForestScore:
    """The score is ``offset`` plus one leaf of each tree, added in that order, over what ``see`` returns.

    ``see`` converts codes (n, d) to inputs (n, inputs), with −inf for a missing one. Input j depends only on
    column ``sources[j]``.
    """

    name: str
    column_count: int
    forest: Forest
    offset: float
    accept_from: float
    reject_below: float
    see: Callable[[FloatArray], FloatArray]
    sources: IntArray  # (inputs,)
    slack: FloatArray  # (inputs,)
    limit: FloatArray  # (inputs,)

    def __post_init__(self) -> None:
        require_ordered(self.name, self.accept_from, self.reject_below)

    @property
    def bound(self) -> Bound:
        """Boxes are bounded by the leaves that their inputs reach."""
        return Bound.TREE_LEAVES

    @property
    def flat(self) -> None:
        """None: it is evaluated in batches outside the kernel."""
        return

    def evaluate_rows(self, rows: FloatArray) -> Verdicts:
        """Evaluate rows of codes in the slow and obvious way."""
        seen = self.see(np.asarray(rows, dtype=np.float64))
        value = np.full(len(seen), self.offset)
        reached = leaves_reached(self.forest, seen)
        for tree in range(self.forest.tree_count):
            value = value + self.forest.value[reached[:, tree]]
        verdict = verdicts_at(value, self.accept_from, self.reject_below)
        verdict[self._is_unsure(seen)] = UNDECIDED
        return Verdicts(verdict, value)

    def _is_unsure(self, seen: FloatArray) -> BoolArray:
        """Return which rows have an input that may lie on either side of some threshold of the forest."""
        unsure = np.zeros(len(seen), dtype=np.bool_)
        feature = self.forest.feature
        for j in np.unique(feature[feature >= 0]).tolist():
            values, slack = seen[:, j], self.slack[j]
            unsure |= np.isnan(values) | (np.isfinite(values) & (np.abs(values) > self.limit[j]))
            if slack > 0.0:
                cuts = np.unique(self.forest.threshold[feature == j])
                cuts = np.concatenate([[-np.inf], cuts, [np.inf]])
                place = np.searchsorted(cuts[1:-1], values)
                with np.errstate(invalid="ignore"):
                    near = np.minimum(values - cuts[place], cuts[place + 1] - values) <= slack
                unsure |= near & np.isfinite(values)
        return unsure

    def prepare(self, placed: Placed) -> PreparedScore:
        """See all candidates of a batch; if columns are grouped, cells are evaluated as rows."""
        if placed.is_grouped:
            return PreparedRows(evaluate_rows=self.evaluate_rows, placed=placed)
        from p2ce.engine.scores.network.network_batch import inputs_by_axis, see_inputs

        instances = np.ascontiguousarray(placed.instances, dtype=np.float64)
        inputs, axis_of = inputs_by_axis(self.sources, placed.grid.columns)
        own, seen = see_inputs(self.see, placed.grid, placed.placement, instances, inputs, axis_of)
        return PreparedInputForest(
            score=self,
            placed=placed,
            inputs=inputs,
            axis_of=axis_of,
            own=own,
            seen=np.ascontiguousarray(seen),
            position=np.ascontiguousarray(placed.placement.position, dtype=np.int32),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedInputForest(PreparedScore):
    """A forest over inputs, prepared for n instances: the inputs of every candidate."""

    score: InputForestScore
    placed: Placed
    inputs: IntArray  # (moving,) inputs of the columns that may change
    axis_of: IntArray  # (moving,) the axis of each of these inputs
    own: FloatArray  # (n, inputs) the inputs at the current values
    seen: FloatArray  # (n, moving, candidates)
    position: Int32Array  # (n, axes)

    @property
    def bounds_boxes(self) -> bool:
        return True

    def evaluate(self, instance: IntArray, cells: Int32Array, *, until: float | None = None) -> Verdicts:
        """Compare the values of cells with the thresholds, and let the decider evaluate undecided ones."""
        from p2ce.engine.scores.input_forest_kernel import score_cells

        score, forest = self.score, self.score.forest
        value, unsure = np.empty(len(cells)), np.zeros(len(cells), dtype=np.bool_)
        score_cells(
            forest.root,
            forest.feature,
            forest.threshold,
            forest.right,
            forest.value,
            score.offset,
            score.slack,
            score.limit,
            self.inputs,
            self.axis_of,
            self.own,
            self.seen,
            np.ascontiguousarray(instance, dtype=np.int64),
            np.ascontiguousarray(cells, dtype=np.int32),
            np.empty(self.own.shape[1]),
            value,
            unsure,
        )
        verdict = verdicts_at(value, score.accept_from, score.reject_below)
        verdict[unsure] = UNDECIDED
        return decided(Verdicts(verdict, value), self.placed, instance, cells, until)

    def prove(self, instance: IntArray, cells: Int32Array) -> Verdicts:
        """Evaluate the rows of the cells from scratch."""
        return self.score.evaluate_rows(self.placed.rows(instance, cells))

    def infeasible(self, instance: IntArray, boxes: Boxes) -> BoolArray:
        """Mark the boxes whose largest sum of reachable leaves is rejected."""
        from p2ce.engine.scores.input_forest_kernel import bound_boxes

        score, forest = self.score, self.score.forest
        highest = np.empty(len(boxes.low))
        room = np.empty((2, self.own.shape[1]))
        bound_boxes(
            forest.root,
            forest.feature,
            forest.threshold,
            forest.right,
            forest.value,
            score.offset,
            score.slack,
            score.limit,
            self.inputs,
            self.axis_of,
            self.own,
            self.seen,
            self.position,
            np.ascontiguousarray(instance, dtype=np.int64),
            np.ascontiguousarray(boxes.low, dtype=np.int32),
            np.ascontiguousarray(boxes.high, dtype=np.int32),
            np.ascontiguousarray(boxes.must),
            np.ascontiguousarray(boxes.changes_left, dtype=np.int64),
            room,
            np.empty(len(forest.feature)),
            highest,
        )
        return np.asarray(highest < score.reject_below)
