"""Two people on a small grid, and cells of theirs: for scores that are computed outside the compiled loop."""

from typing import Any

import numpy as np

from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import cell_rows, place
from p2ce.engine.scores.external import placed_on

NAMES = ["a", "b", "c", "d"]
GRID = BaseGrid.from_candidates({"a": [-1, 0, 1], "c": [-2, 0, 2, 4], "d": [0, 1]}, columns=NAMES)
PEOPLE = np.array([[0.0, 1.0, 0.0, 1.0], [0.25, -1.0, 3.0, 0.0]])


def laid_out(score: Any, people: np.ndarray = PEOPLE) -> Any:
    return score.prepare(placed_on(GRID, place(GRID, people), people))


def some_cells(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return cells of both people and the same cells as rows."""
    placement = place(GRID, PEOPLE)
    rng = np.random.default_rng(0)
    owner = rng.integers(0, 2, count)
    points = rng.integers(0, placement.count[owner]).astype(np.int32)
    return owner, points, cell_rows(GRID.columns, PEOPLE, placement.values, owner, points)
