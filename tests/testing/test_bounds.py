"""Cells of a box are those that the search could complete it to, and no others."""

from itertools import product

import numpy as np
import pytest

from p2ce.engine.grid import BaseGrid, place
from p2ce.testing.bounds import BoxOf, cells_of, random_boxes


def possible(box: BoxOf, here: np.ndarray) -> set[tuple[int, ...]]:
    """List completions straight from the definition."""
    found = set()
    for cell in product(*(range(low, high + 1) for low, high in zip(box.low, box.high, strict=True))):
        moved = np.array(cell) != here
        decided = (box.must == 1) | (box.low > here) | (box.high < here)
        if (moved | (box.must == 0)).all() and (moved & ~decided).sum() <= box.left:
            found.add(tuple(cell))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_all_cells_where_they_are_few_and_some_where_they_are_many(seed: int) -> None:
    rng = np.random.default_rng(seed)
    grid = BaseGrid.from_candidates(
        {name: range(5) for name in "abcd"}, columns=list("abcd"), direction={"b": 1}
    )
    placement = place(grid, rng.integers(0, 5, (3, 4)) + 0.5 * rng.integers(0, 2, (3, 4)))
    for box in random_boxes(placement, 40, rng):
        here = placement.position[box.instance]
        truth = possible(box, here)
        assert {tuple(cell) for cell in cells_of(box, here, 10_000, rng).tolist()} == truth
        assert {tuple(cell) for cell in cells_of(box, here, 12, rng).tolist()} <= truth
        assert (box.low >= placement.lowest[box.instance]).all()
        assert (box.high <= placement.highest[box.instance]).all()
