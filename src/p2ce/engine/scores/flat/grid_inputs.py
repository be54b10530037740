"""Compute a score's inputs for the grid's candidates, for example after a scaler or a cast."""

from collections.abc import Callable

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.engine.grid.base_grid import BaseGrid


def see_base(see: Callable[[FloatArray], FloatArray], grid: BaseGrid, sample: FloatArray) -> FloatArray:
    """Transform every base candidate, all axes at once: (axes, width). Views work column by column.

    ``sample`` (columns,) is any valid row; it fills the columns other than the candidate's own.
    """
    rows = np.tile(sample, (grid.width, 1))
    rows[:, grid.columns] = grid.table.T
    return np.ascontiguousarray(see(rows)[:, grid.columns].T, dtype=np.float64)
