"""Check the slow twin on problems that can be worked out by hand."""

import numpy as np

from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import Join, place, tabulate_costs
from p2ce.engine.solver.brute_force import brute_force
from tests.populations.small_scores import flat

# Two features that add up to at least 3.
GRID = BaseGrid.from_candidates({"a": [0, 1, 2, 3], "b": [0, 1, 2, 3]}, columns=["a", "b"])
SCORE = flat(2, 3.0, weights=[1.0, 1.0])
PEOPLE = np.zeros((1, 2))
PLACEMENT = place(GRID, PEOPLE)
AWAY = np.abs(PLACEMENT.values - PLACEMENT.current[:, :, None])


def front(costs: list[np.ndarray], joins: list[Join], **changed: object) -> list[list[float]]:
    tables = tabulate_costs(costs, joins, PLACEMENT)
    settings = {"max_changes": 2, **changed}
    found = brute_force([SCORE], GRID, PLACEMENT, tables, PEOPLE, 0, **settings)
    return PLACEMENT.values[0, [0, 1], found].tolist()


def test_the_largest_step_is_smallest_when_both_move() -> None:
    assert front([AWAY], [Join.MAX]) == [[1.0, 2.0]]
    assert front([AWAY], [Join.MAX], keep_ties=True) == [[1.0, 2.0], [2.0, 1.0], [2.0, 2.0]]


def test_trade_off_between_largest_step_and_number_of_changes() -> None:
    moved = (AWAY > 0) * 1.0
    assert front([AWAY, moved], [Join.MAX, Join.SUM]) == [[1.0, 2.0], [0.0, 3.0]]


def test_a_limit_on_changes() -> None:
    assert front([AWAY], [Join.SUM], max_changes=1, keep_ties=True) == [[0.0, 3.0], [3.0, 0.0]]


def test_excluded_cells_give_way() -> None:
    excluded = [[0, 3], [1, 2]]
    assert front([AWAY], [Join.SUM], excluded=excluded) == [[2.0, 1.0]]


def test_nothing_is_enough() -> None:
    tables = tabulate_costs([AWAY], [Join.SUM], PLACEMENT)
    impossible = flat(2, 9.0, weights=[1.0, 1.0])
    assert brute_force([impossible], GRID, PLACEMENT, tables, PEOPLE, 0, max_changes=2).shape == (0, 2)
