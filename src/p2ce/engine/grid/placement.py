"""Place instances on the grid: the position of each, the candidates that it may use, and what these cost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum

import numpy as np

from p2ce.base.arrays import FloatArray, Int32Array, IntArray
from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.own_candidates import OwnEnds, OwnRanges, own_candidates
from p2ce.errors import InvalidObjective
from p2ce.tables.codebook import MISSING


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Placement:
    """A batch of n instances on a grid of m axes.

    An instance's candidates on an axis are, in ascending order: the grid's candidates below that are
    reachable downwards, the current value, and the grid's candidates above that are reachable upwards. If the
    instance has a range of its own, they are those inside, and perhaps the ends of the range.
    """

    current: FloatArray  # (n, m) the current values
    position: Int32Array  # (n, m) index of the current value among the instance's candidates
    # (n, m) the difference between a candidate's index for the instance and its index in ``grid.up``
    shift: Int32Array
    lowest: Int32Array  # (n, m) first index that the instance may use
    highest: Int32Array  # (n, m) last index that the instance may use; lowest <= position <= highest
    source: IntArray  # (n, m, slots) the index of each candidate in the grid's flat table
    values: FloatArray  # (n, m, slots) the candidates; the last one is repeated to fill the slots
    count: Int32Array  # (n, m) number of candidates
    own_ends: OwnEnds | None = None  # of the instances' own ranges, if they have any

    def __len__(self) -> int:
        return len(self.current)

    def of(self, instances: IntArray) -> "Placement":
        """Return the placement of some of the instances."""
        parts = {part.name: getattr(self, part.name) for part in fields(self)}
        ends = parts.pop("own_ends")
        return Placement(
            **{name: part[instances] for name, part in parts.items()},
            own_ends=None if ends is None else ends.of(instances),
        )


def place(grid: BaseGrid, values: FloatArray, ranges: OwnRanges | None = None) -> Placement:
    """Place instances, rows of all the model's columns, on the grid.

    ``ranges`` holds the range that each instance must stay in on each axis. It never adds a candidate outside
    the candidates of the grid.

    >>> down = {"Loan": -1}
    >>> grid = BaseGrid.from_candidates({"Loan": [500, 1000]}, columns=["Age", "Loan"], direction=down)
    >>> placed = place(grid, np.array([[41.0, 700.0]]))
    >>> placed.values.tolist(), placed.lowest.tolist(), placed.highest.tolist()
    ([[[500.0, 700.0, 1000.0]]], [[0]], [[1]])
    """
    values = np.asarray(values, dtype=np.float64)
    current = np.ascontiguousarray(values[:, grid.columns])
    position = np.empty(current.shape, dtype=np.int32)
    passed = np.empty(current.shape, dtype=np.int32)  # how many of ``grid.up`` are not above the instance
    for axis, base in enumerate(grid.values):
        here = current[:, axis]
        position[:, axis] = np.searchsorted(base[grid.down[axis]], here, side="left")
        passed[:, axis] = np.searchsorted(base[grid.up[axis]], here, side="right")
    shift = position + 1 - passed
    count = shift + np.array([len(up) for up in grid.up], dtype=np.int32)
    slots, ends = grid.slots, None
    if ranges is not None:
        own = own_candidates(grid, current, ranges)
        position, shift, count, ends = own.position, own.shift, own.count, own.ends
        slots = max(slots, int(count.max(initial=0)))
    lowest: Int32Array = np.where(grid.direction > 0, position, np.int32(0))
    highest = np.where(grid.direction < 0, position, count - 1)
    missing = current == MISSING
    if missing.any():
        # A missing value has no up or down: it is filled in, or it stays missing.
        lowest = np.where(missing, position, lowest)
        highest = np.where(missing, np.where(grid.fillable, count - 1, position), highest)
    for axis, codes in enumerate(grid.special):
        # A special code, which is not a number, has no up or down either.
        if len(codes) and (apart := np.isin(current[:, axis], codes)).any():
            leaves = bool(grid.leaves_special[axis])
            lowest[apart, axis] = 0 if leaves else position[apart, axis]
            highest[apart, axis] = count[apart, axis] - 1 if leaves else position[apart, axis]
    # Every candidate's place in the grid's flat table; the one of the current value does not count.
    slot = np.arange(slots, dtype=np.int64)
    above = np.clip(slot - shift[..., None], 0, grid.slots - 1) + grid.slots
    below = slot if ends is None else np.clip(ends.downwards(slot), 0, grid.slots - 1)
    axis_start = np.arange(len(grid.names), dtype=np.int64)[:, None] * (2 * grid.slots)
    source: IntArray = grid.reachable.ravel()[axis_start + np.where(slot < position[..., None], below, above)]
    return Placement(
        current=current,
        position=position,
        shift=shift,
        lowest=lowest,
        highest=highest.astype(np.int32, copy=False),
        source=source,
        values=spread(
            grid.table,
            current,
            source,
            position,
            count,
            () if ends is None else ((ends.low_slot, ends.low), (ends.high_slot, ends.high)),
        ),
        count=count,
        own_ends=ends,
    )


def spread(
    table: FloatArray,
    current: FloatArray,
    source: IntArray,
    position: Int32Array,
    count: Int32Array,
    ends: Sequence[tuple[Int32Array, FloatArray]] = (),
) -> FloatArray:
    """Look up the grid's candidates in a table (m, width), and insert each instance's current value.

    The table may hold a score's inputs for the candidates, in any order; ``current`` (n, m) then holds its
    inputs for the instances. ``ends`` are the slots and the inputs of candidates that only an instance has.
    The last candidate is repeated to fill the slots: (n, m, slots).
    """
    values: FloatArray = table.ravel()[source]
    np.put_along_axis(values, position[..., None].astype(np.int64), current[..., None], axis=2)
    if ends:
        for slot, end in ends:
            row, column = np.nonzero(slot >= 0)
            values[row, column, slot[row, column]] = end[row, column]
        last = np.take_along_axis(values, count[..., None].astype(np.int64) - 1, axis=2)
        np.copyto(values, last, where=np.arange(values.shape[2]) >= count[..., None])
        return values
    # An instance beyond the last candidate has its current value as the last one.
    for row, column in zip(*np.nonzero(position == count - 1), strict=True):
        values[row, column, position[row, column] :] = current[row, column]
    return values


def cell_rows(
    columns: IntArray, values: FloatArray, candidates: FloatArray, instance: IntArray, cells: Int32Array
) -> FloatArray:
    """Return cells (cells, axes) of instances (n, d) as full rows; ``candidates`` are (n, axes, width)."""
    rows = values[instance]
    axes = np.arange(cells.shape[1])
    rows[:, columns] = candidates[instance[:, None], axes, cells]
    return rows


def seen_ends(
    see: Callable[[FloatArray], FloatArray],
    columns: IntArray,
    placement: Placement,
    values: FloatArray,
    inputs: IntArray,
    axis_of: IntArray,
) -> tuple[tuple[Int32Array, FloatArray], ...]:
    """Return the slots of the instances' own ends, and a view's ``inputs`` of them, each of an axis.

    Views work column by column, so one row per instance shows all its lower ends, and one all its upper ends.
    """
    ends = placement.own_ends
    assert ends is not None
    found = []
    for slot, end in ((ends.low_slot, ends.low), (ends.high_slot, ends.high)):
        rows = values.copy()
        rows[:, columns] = end
        found.append((slot[:, axis_of], np.asarray(see(rows), dtype=np.float64)[:, inputs]))
    return tuple(found)


class Join(StrEnum):
    """How the costs of the features are combined into one."""

    SUM = "sum"
    MAX = "max"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CostTables:
    """The cost of each candidate for each instance of a batch, exactly as the objective returns it.

    A cell's *total* joins its costs axis by axis, in the order of the axes. This class and the kernels
    compute the same float64, bit for bit, so two cells tie in both or in neither.
    ``p2ce.base.comparing`` defines when two totals count as equal.

    ``envelope`` is the least cost of moving at least that far. To the right of the current index, it is the
    minimum of the steps from there to the highest allowed index; to the left, down to the lowest. Entries
    outside the allowed indices are 0 and have no meaning.
    """

    steps: FloatArray  # (n, M, m, width) for n instances, M objectives, m axes
    envelope: FloatArray  # (n, M, m, width)
    joins: Int32Array  # (M,) 0 sum, 1 max
    # (n, M) factors that bring the totals of all objectives to one order of magnitude, so they can be added.
    # Only the best-first order depends on them, no result does.
    shares: FloatArray

    def totals(self, instance: IntArray, cells: Int32Array) -> FloatArray:
        """Return the totals (cells, objectives) of cells (cells, axes) of instances (cells,)."""
        joined = np.zeros((len(cells), len(self.joins)))
        by_max = self.joins == 1
        for axis in range(cells.shape[1]):
            cost = self.steps[instance, :, axis, cells[:, axis]]
            joined = np.where(by_max, np.maximum(joined, cost), joined + cost)
        return joined


def tabulate_costs(costs: Sequence[FloatArray], joins: Sequence[Join], placement: Placement) -> CostTables:
    """Lay out the costs of M objectives, each (n, m, width).

    >>> from p2ce.engine.grid import BaseGrid
    >>> placed = place(BaseGrid.from_candidates({"a": [0, 1, 2]}, columns=["a"]), np.array([[1.0]]))
    >>> tables = tabulate_costs([np.array([[[3.0, 0.0, 1.0, 0.0]]])], [Join.SUM], placed)
    >>> tables.totals(np.array([0, 0]), np.array([[0], [2]], dtype=np.int32)).tolist()
    [[3.0], [1.0]]
    """
    from p2ce.engine.grid.cost_kernel import fill_costs  # Numba is imported only where it is used

    count, axes, width = placement.values.shape
    shape = (count, len(costs), axes, width)
    steps, envelope = np.empty(shape), np.empty(shape)
    shares = np.empty((count, len(costs)))
    middle = np.empty(axes)
    for objective, (cost, join) in enumerate(zip(costs, joins, strict=True)):
        fill_costs(
            cost,
            placement.lowest,
            placement.highest,
            placement.position,
            objective,
            join is Join.MAX,
            middle,
            steps,
            envelope,
            shares,
        )
    if np.isnan(shares).any():
        raise InvalidObjective(
            "The costs of an instance add up to more than float64 can hold. Rescale the objective."
        )
    codes = np.array([join is Join.MAX for join in joins], dtype=np.int32)
    return CostTables(steps=steps, envelope=envelope, joins=codes, shares=shares)
