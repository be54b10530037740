"""The evaluation of scores in batches outside the kernel: verdicts, boxes and prepared scores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int8Array, Int32Array, IntArray

if TYPE_CHECKING:
    from p2ce.engine.grid.base_grid import BaseGrid
    from p2ce.engine.grid.placement import Placement

# The verdicts of a score on a cell, for kernels and arrays. Inside the error band, only the user's own model
# can decide. The least of several verdicts is that of all scores together.
REJECT, UNDECIDED, ACCEPT = np.int8(-1), np.int8(0), np.int8(1)


class Boxes(NamedTuple):
    """Boxes of the grid: nodes of the branch and bound."""

    low: Int32Array  # (boxes, axes) first candidate allowed on each axis
    high: Int32Array  # (boxes, axes) last one
    must: BoolArray  # (boxes, axes) the current value is excluded, even if it lies inside
    changes_left: IntArray  # (boxes,) how many of the axes that may stay may change together


def some_boxes(boxes: Boxes, which: IntArray | slice) -> Boxes:
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


def verdicts_at(
    value: FloatArray, accept_from: float | FloatArray, reject_below: float | FloatArray
) -> Int8Array:
    """Compare values (n,) with certified thresholds, one for all values or one for each."""
    return np.where(value >= accept_from, ACCEPT, np.where(value < reject_below, REJECT, UNDECIDED))


def verdicts_within(
    value: FloatArray, margin: FloatArray, accept_from: float, reject_below: float
) -> Int8Array:
    """Compare values that may be off by ``margin`` with the thresholds; non-finite values are undecided."""
    verdict = verdicts_at(
        value, np.nextafter(accept_from + margin, np.inf), np.nextafter(reject_below - margin, -np.inf)
    )
    verdict[~np.isfinite(value) | ~np.isfinite(margin)] = UNDECIDED
    return verdict


def undecided(count: int) -> Verdicts:
    """Return undecided verdicts for ``count`` cells."""
    return Verdicts(np.full(count, UNDECIDED), np.full(count, np.nan))


class PreparedScore(Protocol):
    """A score that is prepared for a batch of instances on the grid."""

    @property
    def bounds_boxes(self) -> bool:
        """Whether `infeasible` can ever return True."""
        return False

    def evaluate(self, instance: IntArray, cells: Int32Array, *, until: float | None = None) -> Verdicts:
        """Evaluate cells (cells, axes) of the instances (cells,), all in one batch.

        Raise `LimitReached` if ``until`` has passed, by the clock of `time.perf_counter`.
        """
        ...

    def prove(self, instance: IntArray, cells: Int32Array) -> Verdicts:  # noqa: ARG002
        """Evaluate cells from scratch, as exactly as possible, without a call of the user's own object.

        The verdict is UNDECIDED where the score proves nothing.
        """
        return undecided(len(cells))

    def infeasible(self, instance: IntArray, boxes: Boxes) -> BoolArray:  # noqa: ARG002
        """Mark the boxes in which the score provably rejects every cell."""
        return np.zeros(len(instance), dtype=np.bool_)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Placed:
    """A batch of instances on the grid, in the columns of one score."""

    grid: "BaseGrid"  # with the score's numbering of columns
    placement: "Placement"
    instances: FloatArray  # (n, columns)
    rows: Callable[[IntArray, Int32Array], FloatArray]  # cells (cells, axes) of instances as rows
    # Whether an axis moves several columns; then only ``rows`` returns their values, unless the score is laid
    # out for such axes.
    is_grouped: bool = False
    # The values (n, levels, members) of each chain of linked features, for a score laid out with chains.
    chains: Sequence[FloatArray] = ()
    # (n, axes, width) known values of a black box for single changes, NaN where unknown.
    known: FloatArray | None = None
    # The user's own model, for the cells inside the score's error band; None if verification decides them.
    decider: PreparedScore | None = None


def placed_on(grid: "BaseGrid", placement: "Placement", instances: FloatArray) -> Placed:
    """Return the batch of instances (n, columns) on a grid where every axis moves one column."""
    from p2ce.engine.grid.placement import cell_rows

    return Placed(
        grid=grid,
        placement=placement,
        instances=instances,
        rows=lambda instance, cells: cell_rows(grid.columns, instances, placement.values, instance, cells),
    )


def decided(
    found: Verdicts, placed: Placed, instance: IntArray, cells: Int32Array, until: float | None
) -> Verdicts:
    """Let the decider, if there is one, evaluate the few cells that are undecided."""
    left = np.flatnonzero(found.verdict == UNDECIDED)
    if placed.decider is None or not len(left):
        return found
    verdict = found.verdict.copy()
    verdict[left] = placed.decider.evaluate(instance[left], cells[left], until=until).verdict
    return found._replace(verdict=verdict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedRows(PreparedScore):
    """A score without a bound for boxes, evaluated on whole rows."""

    evaluate_rows: Callable[[FloatArray], Verdicts]
    placed: Placed

    def evaluate(self, instance: IntArray, cells: Int32Array, *, until: float | None = None) -> Verdicts:
        """Evaluate the rows of the cells, and let the decider evaluate undecided ones."""
        return decided(self.prove(instance, cells), self.placed, instance, cells, until)

    def prove(self, instance: IntArray, cells: Int32Array) -> Verdicts:
        """Evaluate the rows of the cells."""
        return self.evaluate_rows(self.placed.rows(instance, cells))
