"""Put people on the grid: where each stands, and which candidates each may use."""

from dataclasses import dataclass

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, Int32Array
from p2ce.grid.base_grid import BaseGrid


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
    shape = current.shape
    position = np.empty(shape, dtype=np.int32)
    inserted = np.empty(shape, dtype=np.bool_)
    values = np.empty((*shape, grid.width))
    for axis, base in enumerate(grid.values):
        here = current[:, axis]
        at = np.searchsorted(base, here)
        new = base[np.minimum(at, len(base) - 1)] != here
        position[:, axis] = at
        inserted[:, axis] = new
        values[:, axis] = spread_table(base, grid.width)[at + new * (len(base) + 1)]
        # An inserted value stands alone at its index; at the end of the axis it is repeated instead.
        rows = np.flatnonzero(new)
        values[rows, axis, at[rows]] = here[rows]
        beyond = np.flatnonzero(at == len(base))
        values[beyond, axis, len(base) :] = here[beyond, None]
    lengths = np.array([len(base) for base in grid.values], dtype=np.int32)
    count = lengths + inserted
    zero = np.zeros_like(position)
    return Placement(
        current=current,
        position=position,
        inserted=inserted,
        lowest=np.where(grid.direction > 0, position, zero),
        highest=np.where(grid.direction < 0, position, count - 1).astype(np.int32, copy=False),
        values=values,
        count=count.astype(np.int32, copy=False),
    )


def spread_table(base: FloatArray, width: int) -> FloatArray:
    """Give the candidate rows for every place a person may stand, so that placing is one lookup.

    Row ``at`` is for someone who stands on candidate ``at``; row ``at + len(base) + 1`` leaves index
    ``at`` to a value between two candidates.
    """
    size = len(base)
    index = np.arange(width)
    plain = np.minimum(index, size - 1)
    at = np.arange(size + 1)[:, None]
    shifted = np.minimum(index - (index > at), size - 1)
    rows: FloatArray = base[np.concatenate([np.broadcast_to(plain, (size + 1, width)), shifted])]
    return rows
