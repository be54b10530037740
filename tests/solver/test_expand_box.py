"""Rules and missing values: the search finds the front that brute force finds, under every setting."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.grid.base_grid import BaseGrid
from p2ce.grid.candidate_costs import Join
from p2ce.grid.placement import place
from p2ce.scores.assemble import assemble_forest
from p2ce.scores.score import FlatScore, Spending
from p2ce.scores.score_cells import score_points
from p2ce.scores.tree_nodes import TreeNodes
from p2ce.solver.branch_and_bound import Settings, make_settings, solve
from p2ce.solver.counters import RULE
from p2ce.tables.codebook import MISSING
from tests.properties.amount import examples
from tests.properties.random_problems import Problem, problem_of, ruled_problems
from tests.properties.test_search_is_exact import (
    LIMITS,
    VARIANTS,
    assert_exact,
    settings_from,
    where_they_stand,
)


@pytest.mark.parametrize("variant", VARIANTS)
@examples(40)
@given(problem=ruled_problems, max_changes=LIMITS, ties=st.booleans())
def test_front_equals_brute_force(
    variant: str, problem: Problem, max_changes: int | None, ties: bool
) -> None:
    settings = settings_from(variant, max_changes=max_changes, ties=ties)
    assert_exact(problem, settings, where_they_stand(problem))


@examples(40)
@given(
    problem=ruled_problems,
    variant=st.sampled_from(sorted(VARIANTS)),
    max_changes=LIMITS,
)
def test_refused_cells_give_way_to_the_next_best(
    problem: Problem, variant: str, max_changes: int | None
) -> None:
    settings = settings_from(variant, max_changes=max_changes, ties=False)
    bans = where_they_stand(problem)
    for _ in range(3):
        fronts = assert_exact(problem, settings, bans)
        bans = [[*mine, *front[::2].tolist()] for mine, front in zip(bans, fronts, strict=True)]


EXACT = make_settings(max_changes=None, keep_ties=False, use_bounds=True)


def asked(
    scores: list[FlatScore], grid: BaseGrid, people: np.ndarray, settings: Settings = EXACT
) -> tuple[Any, Problem]:
    """Search by distance, a missing value lying one below zero."""
    placement = place(grid, people)
    values, current = (
        np.where(part == MISSING, -1.0, part) for part in (placement.values, placement.current)
    )
    costs = [np.abs(values - current[:, :, None])]
    problem = problem_of(grid, people, scores, placement, costs, [Join.SUM])
    return solve(problem.layout, problem.flat_people, settings), problem


def test_a_rule_that_nothing_keeps_ends_the_search_at_once() -> None:
    """Its bound needs no walk through trees: whole boxes fall before anything is scored."""
    names = [f"f{i}" for i in range(6)]
    grid = BaseGrid.from_candidates({name: range(8) for name in names}, columns=names)
    model = FlatScore(name="sum", column_count=6, weights=np.ones(6), accept_from=1.0, reject_below=1.0)
    never = FlatScore(
        name="never",
        column_count=6,
        spending=Spending(columns=(0,), of=lambda column, values, current: np.ones(values.shape)),
        accept_from=-0.5,
        reject_below=-0.5,
    )
    found, _ = asked([model, never], grid, np.zeros((1, 6)))
    assert len(found.points) == 0
    assert found.finished.all()
    assert found.counters[0, RULE] > 0


def test_budgets_speak_of_where_a_person_stands() -> None:
    """The same cells are within the budget of one person and beyond that of the other."""
    grid = BaseGrid.from_candidates({"a": range(5)}, columns=["a"])
    model = FlatScore(
        name="at least 3", column_count=1, weights=np.ones(1), accept_from=3.0, reject_below=3.0
    )
    near = FlatScore(
        name="not far",
        column_count=1,
        spending=Spending(columns=(0,), of=lambda column, values, current: np.abs(values - current)),
        accept_from=-2.5,
        reject_below=-2.5,
    )
    found, problem = asked([model, near], grid, np.array([[1.0], [0.0]]))
    assert np.diff(found.first).tolist() == [1, 0]
    assert problem.placement.values[0, 0, found.points[0]].tolist() == [3.0]


def test_a_missing_value_ends_at_the_leaf_that_it_reaches() -> None:
    """Minus infinity is below every threshold; a leaf has none to be below.

    Were a leaf's threshold minus infinity, which no number is below, a missing value would go on to the
    node behind the leaf.
    """
    grid = BaseGrid.from_candidates({"a": [MISSING, 0.0, 1.0, 2.0]}, columns=["a", "b"])
    # Missing goes left to the first leaf; behind it stand a split and two other leaves.
    tree = TreeNodes(
        left=np.array([1, -1, 3, -1, -1]),
        right=np.array([2, -1, 4, -1, -1]),
        feature=np.zeros(5, dtype=np.int64),
        threshold=np.array([-0.5, 0.0, 1.5, 0.0, 0.0]),
        value=np.array([0.0, 1.0, 0.0, 0.25, 5.0]),
    )
    forest = assemble_forest([tree] * 3)
    score = FlatScore(name="trees", column_count=2, forest=forest, accept_from=3.0, reject_below=3.0)
    people = np.array([[1.0, MISSING], [0.0, 7.0], [MISSING, MISSING]])
    found, problem = asked([score], grid, people)
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
