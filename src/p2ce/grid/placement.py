"""Put people on the grid: where each stands, and which candidates each may use."""

from dataclasses import dataclass, fields

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.grid.base_grid import BaseGrid
from p2ce.problem.coding import MISSING


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Placement:
    """A batch of n people on a grid of m axes.

    A person's candidates on an axis are the grid's own and the current value, ascending. The grid's
    candidate j has index j if its value is below the current one, else j + inserted.
    """

    current: FloatArray  # (n, m) value of today
    position: Int32Array  # (n, m) index of the current value among the person's candidates
    inserted: BoolArray  # (n, m) True where the grid itself lacks the current value
    lowest: Int32Array  # (n, m) first index the person may use
    highest: Int32Array  # (n, m) last index the person may use; lowest <= position <= highest
    values: FloatArray  # (n, m, width) the candidates, the last one repeated up to the width
    count: Int32Array  # (n, m) number of candidates

    def __len__(self) -> int:
        return len(self.current)

    def of(self, who: IntArray) -> "Placement":
        """Take some of the people."""
        return Placement(**{part.name: getattr(self, part.name)[who] for part in fields(self)})


def place(grid: BaseGrid, people: FloatArray) -> Placement:
    """Put people, rows of all the model's columns, on the grid.

    >>> down = {"Loan": -1}
    >>> grid = BaseGrid.from_candidates({"Loan": [500, 1000]}, columns=["Age", "Loan"], direction=down)
    >>> placed = place(grid, np.array([[41.0, 700.0]]))
    >>> placed.values.tolist(), placed.lowest.tolist(), placed.highest.tolist()
    ([[[500.0, 700.0, 1000.0]]], [[0]], [[1]])
    """
    people = np.asarray(people, dtype=np.float64)
    current = np.ascontiguousarray(people[:, grid.columns])
    position = np.empty(current.shape, dtype=np.int32)
    inserted = np.empty(current.shape, dtype=np.bool_)
    for axis, base in enumerate(grid.values):
        here = current[:, axis]
        at = np.searchsorted(base, here)
        position[:, axis] = at
        inserted[:, axis] = base[np.minimum(at, len(base) - 1)] != here
    count = grid.lengths + inserted
    lowest = np.where(grid.direction > 0, position, np.int32(0))
    highest = np.where(grid.direction < 0, position, count - 1)
    missing = current == MISSING
    if missing.any():
        # Nobody goes up or down from a missing value: it becomes known, or it stays.
        lowest = np.where(missing, position, lowest)
        highest = np.where(missing, np.where(grid.fillable, count - 1, position), highest)
    return Placement(
        current=current,
        position=position,
        inserted=inserted,
        lowest=lowest,
        highest=highest.astype(np.int32, copy=False),
        values=spread(grid.table, current, position, inserted, grid.lengths),
        count=count.astype(np.int32, copy=False),
    )


def spread(
    table: FloatArray, current: FloatArray, position: Int32Array, inserted: BoolArray, lengths: IntArray
) -> FloatArray:
    """Insert each person's own value (n, m) into the axes' candidates: table (m, width) → (n, m, width).

    The table repeats the last candidate of an axis up to the width, and so does the answer. It may hold
    what a score sees of the candidates, in any order; ``lengths`` (m,) is how many there are.
    """
    axes, width = table.shape
    slot = np.arange(width, dtype=np.int32)
    beyond = inserted[..., None] & (slot > position[..., None])
    flat = (np.arange(axes, dtype=np.int32) * width)[:, None] + slot - beyond
    values: FloatArray = table.ravel()[flat]
    rows, columns = np.nonzero(inserted)
    at = position[rows, columns]
    values[rows, columns, at] = current[rows, columns]
    # Someone who stands beyond the last candidate is the last one.
    for row, column in zip(*np.nonzero(inserted & (position == lengths)), strict=True):
        values[row, column, position[row, column] :] = current[row, column]
    return values


def point_rows(
    columns: IntArray, values: FloatArray, candidates: FloatArray, owner: IntArray, points: Int32Array
) -> FloatArray:
    """Write points (cells, axes) of people (n, d) as whole rows; ``candidates`` are (n, axes, width)."""
    rows = values[owner]
    axes = np.arange(points.shape[1])
    rows[:, columns] = candidates[owner[:, None], axes, points]
    return rows
