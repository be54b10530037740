"""The evaluation of scores in batches outside the kernel: verdicts, boxes and prepared scores."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int8Array, Int32Array, IntArray

if TYPE_CHECKING:
    from p2ce.engine.grid.base_grid import BaseGrid
    from p2ce.engine.grid.placement import Placement

# The verdicts of a score on a cell. Inside the error band, only the user's own model can decide.
REJECT, UNDECIDED, ACCEPT = np.int8(-1), np.int8(0), np.int8(1)


class Boxes(NamedTuple):
    """Boxes of the grid: nodes of the branch and bound."""

    low: Int32Array  # (boxes, axes) first candidate allowed on each axis
    high: Int32Array  # (boxes, axes) last one
    must: BoolArray  # (boxes, axes) the current value is excluded, even if it lies inside
    changes_left: IntArray  # (boxes,) how many of the axes that may stay may change together


def some_boxes(boxes: Boxes, which: IntArray) -> Boxes:
    """Return some of the boxes."""
    return Boxes(
        low=boxes.low[which],
        high=boxes.high[which],
        must=boxes.must[which],
        changes_left=boxes.changes_left[which],
    )


class Verdicts(NamedTuple):
    """The verdicts of a score on cells, and its values."""

    verdict: Int8Array  # (cells,) REJECT, UNDECIDED or ACCEPT
    value: FloatArray  # (cells,)


def verdicts(value: FloatArray, margin: FloatArray, accept_from: float, reject_below: float) -> Int8Array:
    """Compare values that may be off by ``margin`` with the thresholds; non-finite values are undecided."""
    verdict = np.full(len(value), UNDECIDED)
    verdict[value >= np.nextafter(accept_from + margin, np.inf)] = ACCEPT
    verdict[value < np.nextafter(reject_below - margin, -np.inf)] = REJECT
    verdict[~np.isfinite(value) | ~np.isfinite(margin)] = UNDECIDED
    return verdict


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Placed:
    """A batch of instances on the grid, in the columns of one score."""

    grid: "BaseGrid"  # with the score's numbering of columns
    placement: "Placement"
    instances: FloatArray  # (n, columns)
    rows: Callable[[IntArray, Int32Array], FloatArray]  # cells (cells, axes) of instances as rows
    is_grouped: bool = False  # whether an axis moves several columns; then only ``rows`` returns their values
    # (n, axes, width) known values of a black box for single changes, NaN where unknown.
    known: FloatArray | None = None


def placed_on(grid: "BaseGrid", placement: "Placement", instances: FloatArray) -> Placed:
    """Return the batch of instances (n, columns) on a grid where every axis moves one column."""
    from p2ce.engine.grid.placement import point_rows

    return Placed(
        grid=grid,
        placement=placement,
        instances=instances,
        rows=lambda owner, cells: point_rows(grid.columns, instances, placement.values, owner, cells),
    )


class PreparedScore(Protocol):
    """A score that is prepared for a batch of instances on the grid."""

    @property
    def bounds_boxes(self) -> bool:
        """Whether `infeasible` can ever return True."""
        ...

    def evaluate(self, instance: IntArray, cells: Int32Array, *, until: float | None = None) -> Verdicts:
        """Evaluate cells (cells, axes) of the instances (cells,), all in one batch.

        Raise `OutOfTime` if ``until`` has passed, by the clock of `time.perf_counter`.
        """
        ...

    def verify(self, instance: IntArray, cells: Int32Array) -> Verdicts:
        """Evaluate cells from scratch, as exactly as possible; UNDECIDED where the score proves nothing."""
        ...

    def infeasible(self, instance: IntArray, boxes: Boxes) -> BoolArray:
        """Mark the boxes in which the score provably rejects every cell."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowScore:
    """A score without a bound for boxes, evaluated on whole rows."""

    evaluate_rows: Callable[[FloatArray], Verdicts]
    placed: Placed
    bounds_boxes: bool = False

    def evaluate(
        self,
        instance: IntArray,
        cells: Int32Array,
        *,
        until: float | None = None,  # noqa: ARG002
    ) -> Verdicts:
        """Evaluate the rows of the cells."""
        return self.evaluate_rows(self.placed.rows(instance, cells))

    def verify(self, instance: IntArray, cells: Int32Array) -> Verdicts:
        """Evaluate the rows of the cells."""
        return self.evaluate_rows(self.placed.rows(instance, cells))

    def infeasible(self, instance: IntArray, boxes: Boxes) -> BoolArray:  # noqa: ARG002
        """Prune nothing."""
        return np.zeros(len(instance), dtype=np.bool_)


def undecided(count: int) -> Verdicts:
    """Return undecided verdicts for ``count`` cells."""
    return Verdicts(np.full(count, UNDECIDED), np.full(count, np.nan))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Decided:
    """A prepared score; the user's own object decides the cells inside its error band."""

    score: PreparedScore
    decider: PreparedScore

    @property
    def bounds_boxes(self) -> bool:
        return self.score.bounds_boxes

    def evaluate(self, instance: IntArray, cells: Int32Array, *, until: float | None = None) -> Verdicts:
        """Evaluate cells with the score, and the few undecided ones with the decider."""
        verdict, value = self.score.evaluate(instance, cells)
        open_cells = np.flatnonzero(verdict == UNDECIDED)
        if len(open_cells):
            decided = self.decider.evaluate(instance[open_cells], cells[open_cells], until=until)
            verdict = verdict.copy()
            verdict[open_cells] = decided.verdict
        return Verdicts(verdict, value)

    def verify(self, instance: IntArray, cells: Int32Array) -> Verdicts:
        """Evaluate cells with the score alone, from scratch."""
        return self.score.verify(instance, cells)

    def infeasible(self, instance: IntArray, boxes: Boxes) -> BoolArray:
        """Bound the boxes with the score."""
        return self.score.infeasible(instance, boxes)
