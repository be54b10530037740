"""Rules and missing values in boxes, by examples; `properties/test_search_is_exact.py` states the law."""

from typing import Any

import numpy as np

from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import place
from p2ce.engine.scores.flat.score_cells import score_points
from p2ce.engine.scores.score import FlatScore, Spending
from p2ce.engine.solver.branch_and_bound import Settings, make_settings, solve
from p2ce.engine.solver.fronts import RULE
from p2ce.tables.codebook import MISSING
from tests.populations.small_scores import flat, forest
from tests.properties.random_problems import Problem, problem_of

EXACT = make_settings(max_changes=None, keep_ties=False, use_bounds=True)


def solved(
    scores: list[FlatScore], grid: BaseGrid, people: np.ndarray, settings: Settings = EXACT
) -> tuple[Any, Problem]:
    """Search by distance, a missing value lying one below zero."""
    placement = place(grid, people)
    values, current = (
        np.where(part == MISSING, -1.0, part) for part in (placement.values, placement.current)
    )
    problem = problem_of(grid, people, scores, [np.abs(values - current[:, :, None])])
    return solve(problem.layout, problem.flat_people, settings), problem


def test_a_rule_that_nothing_keeps_ends_the_search_at_once() -> None:
    """Its bound needs no walk through trees: whole boxes fall before anything is scored."""
    names = [f"f{i}" for i in range(6)]
    grid = BaseGrid.from_candidates({name: range(8) for name in names}, columns=names)
    never = Spending(columns=(0,), of=lambda column, values, current: np.ones(values.shape))
    scores = [flat(6, 1.0, weights=np.ones(6)), flat(6, -0.5, spending=never)]
    found, _ = solved(scores, grid, np.zeros((1, 6)))
    assert len(found.points) == 0
    assert found.finished.all()
    assert found.counters[0, RULE] > 0


def test_budgets_speak_of_where_a_person_stands() -> None:
    """The same cells are within the budget of one person and beyond that of the other."""
    grid = BaseGrid.from_candidates({"a": range(5)}, columns=["a"])
    near = Spending(columns=(0,), of=lambda column, values, current: np.abs(values - current))
    scores = [flat(1, 3.0, weights=[1.0]), flat(1, -2.5, spending=near)]
    found, problem = solved(scores, grid, np.array([[1.0], [0.0]]))
    assert np.diff(found.first).tolist() == [1, 0]
    assert problem.placement.values[0, 0, found.points[0]].tolist() == [3.0]


def test_a_missing_value_ends_at_the_leaf_that_it_reaches() -> None:
    """Minus infinity is below every threshold; a leaf has none to be below.

    Were a leaf's threshold minus infinity, which no number is below, a missing value would go on to the
    node behind the leaf.
    """
    grid = BaseGrid.from_candidates({"a": [MISSING, 0.0, 1.0, 2.0]}, columns=["a", "b"])
    # Missing goes left to the first leaf; behind it stand a split and two other leaves.
    score = flat(2, 3.0, forest=forest(*[(0, -0.5, 1.0, (0, 1.5, 0.25, 5.0))] * 3))
    people = np.array([[1.0, MISSING], [0.0, 7.0], [MISSING, MISSING]])
    found, problem = solved([score], grid, people)
    for person, row in enumerate(people):
        cells = np.arange(problem.placement.count[person, 0], dtype=np.int32)[:, None]
        out = np.empty(len(cells))
        score_points(
            problem.layout.flat, 0, problem.flat_people, np.full(len(cells), person), cells, np.empty(2), out
        )
        assert out.tolist() == [3.0, 0.75, 0.75, 15.0], row
    # One goes up to 2, the other down to a value that is missing; the third is accepted as it is.
    assert np.diff(found.first)[:2].tolist() == [1, 1]
    assert problem.placement.values[0, 0, found.points[0]].tolist() == [2.0]
    assert problem.placement.values[1, 0, found.points[1]].tolist() == [MISSING]
