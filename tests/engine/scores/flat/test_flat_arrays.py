"""Check the flat arrays: cuts, views, ticks, and that kernels score as the slow twin does."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.scores.flat.flat_arrays import SCORE_BITS, ScoreLayout, flatten_scores, tick_for
from p2ce.engine.scores.flat.score_cells import score_points
from p2ce.engine.scores.score import FlatScore, Spending, score_rows
from p2ce.engine.scores.trees.forest import leaves_reached
from tests.populations.small_scores import flat
from tests.properties.amount import examples
from tests.properties.random_problems import Problem, problem_of, problems, ruled_problems


def every_cell(problem: Problem, person: int) -> np.ndarray:
    """List all candidates, also those that a direction forbids."""
    counts = problem.placement.count[person].tolist()
    return np.array(list(product(*map(range, counts))), dtype=np.int32).reshape(-1, problem.axes)


@examples(60)
@given(problem=problems)
def test_points_are_scored_to_the_bit_as_the_slow_twin_scores_them(problem: Problem) -> None:
    for person in range(len(problem.people)):
        cells = every_cell(problem, person)
        owner = np.full(len(cells), person)
        row = np.empty(problem.people.shape[1])
        for s, score in enumerate(problem.scores):
            out = np.empty(len(cells))
            score_points(problem.layout.flat, s, problem.flat_people, owner, cells, row, out)
            np.testing.assert_array_equal(out, score_rows(score, problem.rows(person, cells)))


@examples(60)
@given(problem=problems, kept=st.integers(0, 3), is_moved=st.booleans())
def test_a_layout_is_the_same_if_another_one_shares_its_trees(
    problem: Problem, kept: int, is_moved: bool
) -> None:
    """The other one is on a coarser grid, and has further scores, or trees in other ticks."""
    grid, sample = problem.grid, np.zeros(problem.people.shape[1])
    coarse = BaseGrid.from_candidates(
        {name: axis[::2] for name, axis in zip(grid.names, grid.values, strict=True)},
        columns=columns_of(grid, len(sample)),
    )
    scores = [replace(one, offset=one.offset + 1e6 * is_moved) for one in problem.scores]
    other = flatten_scores(scores, coarse, sample)
    before = other.flat.details.tobytes()
    again = flatten_scores(problem.scores[:kept], grid, sample, like=other)
    assert_same(again, flatten_scores(problem.scores[:kept], grid, sample))
    assert other.flat.details.tobytes() == before
    if len(again.flat.nodes):
        assert np.shares_memory(again.flat.nodes, other.flat.nodes) != is_moved


def columns_of(grid: BaseGrid, count: int) -> list[str]:
    """Name all columns, those of the grid's axes as their axes."""
    names = [f"column {number}" for number in range(count)]
    for name, column in zip(grid.names, grid.columns.tolist(), strict=True):
        names[column] = name
    return names


def assert_same(layout: ScoreLayout, other: ScoreLayout) -> None:
    for name, array in layout.flat._asdict().items():
        assert array.tobytes() == getattr(other.flat, name).tobytes(), name  # thresholds of leaves are NaN
    np.testing.assert_array_equal(layout.span, other.span)
    assert (layout.leaves, layout.deepest) == (other.leaves, other.deepest)


@examples(60)
@given(problem=problems)
def test_limits_in_ticks_never_contradict_the_thresholds(problem: Problem) -> None:
    """What ticks reject scores below ``reject_below``, and what they accept reaches ``accept_from``."""
    layout = problem.layout.flat
    for person in range(len(problem.people)):
        cells = every_cell(problem, person)
        low, high = problem.placement.lowest[person], problem.placement.highest[person]
        cells = cells[((cells >= low) & (cells <= high)).all(axis=1)]
        rows = problem.rows(person, cells)
        for s, score in enumerate(problem.scores):
            limit = problem.flat_people.thresholds[person, s]
            ticks = np.full(len(cells), limit["base"])
            if score.forest is not None:
                ticks = ticks + tree_ticks(problem, s, score, rows)
            if score.weights is not None:
                gains = problem.flat_people.gains[person, layout.scores[s]["table"]]
                ticks = ticks + gains[np.arange(problem.axes), cells].sum(axis=1)
            exact = score_rows(score, rows)
            assert (exact[ticks < limit["reject_below"]] < score.reject_below).all()
            assert (exact[ticks >= limit["accept_from"]] >= score.accept_from).all()


@pytest.mark.parametrize("weights", [[0.1], [1.0], [0.1, 0.7, -0.3, 1.3]])
def test_what_lies_a_float_beside_a_threshold_is_undecided_in_ticks(weights: list[float]) -> None:
    """Random problems rarely have a score that lies within a tick of a threshold, and not on it."""
    names = list("abcd")[: len(weights)]
    grid = BaseGrid.from_candidates({name: [0, 1, 3] for name in names}, columns=names)
    score = flat(len(names), offset=0.3, weights=weights)
    (value,) = score_rows(score, np.full((1, len(names)), 3.0))
    score = replace(score, accept_from=np.nextafter(value, np.inf), reject_below=value)
    found = problem_of(grid, np.zeros((1, len(names))), [score]).flat_people
    limit = found.thresholds[0, 0]
    assert limit["reject_below"] <= limit["base"] + found.gains[0, 0, :, 2].sum() < limit["accept_from"]


def tree_ticks(problem: Problem, s: int, score: FlatScore, rows: np.ndarray) -> np.ndarray:
    """Add up the ticks of the leaves that rows fall into."""
    reached = leaves_reached(score.forest, score.see(rows))
    whole = np.rint(score.forest.value / tick_for(problem.layout.span[s]))
    return whole[reached].sum(axis=1).astype(np.int64)


@pytest.mark.parametrize("span", [1.0, 0.7, 1e-30, 1e30, 3.0, 2.0**20])
def test_a_tick_lets_the_span_fill_the_bits(span: float) -> None:
    tick = float(tick_for(span))
    assert span / tick < 2.0**SCORE_BITS
    assert span / tick >= 2.0 ** (SCORE_BITS - 2)
    assert np.frexp(tick)[0] == 0.5  # a power of two


@pytest.mark.parametrize("limit", [-np.inf, np.inf])
def test_infinite_thresholds_are_taken_without_a_warning(limit: float) -> None:
    grid = BaseGrid.from_candidates({"a": [0, 1, 2]}, columns=["a"])
    for accept_from in (limit, np.nextafter(limit, 0.0)):
        score = flat(1, max(limit, accept_from), min(limit, accept_from), weights=[1e-3])
        limits = problem_of(grid, np.zeros((1, 1)), [score]).flat_people.thresholds[0, 0]
        assert (limits["reject_below"] < limits["base"]) == (limit < 0)


@examples(80)
@given(problem=ruled_problems)
def test_budgets_are_tables_that_add_up_to_the_slow_sum(problem: Problem) -> None:
    """For whole costs ticks decide as the sum does, since limits lie half way between whole numbers."""
    layout = problem.layout.flat
    assert (layout.scores["table"] >= 0).tolist() == [score.forest is None for score in problem.scores]
    for person in range(len(problem.people)):
        cells = every_cell(problem, person)
        low, high = problem.placement.lowest[person], problem.placement.highest[person]
        cells = cells[((cells >= low) & (cells <= high)).all(axis=1)]
        rows = problem.rows(person, cells)
        before = np.repeat(problem.people[person : person + 1], len(cells), axis=0)
        for s, score in enumerate(problem.scores):
            if score.spending is None:
                continue
            limit = problem.flat_people.thresholds[person, s]
            gains = problem.flat_people.gains[person, layout.scores[s]["table"]]
            ticks = limit["base"] + gains[np.arange(problem.axes), cells].sum(axis=1)
            keeps = -score.spending.of_row(before, rows) >= score.reject_below
            np.testing.assert_array_equal(ticks >= limit["reject_below"], keeps)
            np.testing.assert_array_equal(ticks >= limit["accept_from"], keeps)


def budget_of(costs: np.ndarray, limit: float) -> FlatScore:
    """Make a budget that charges each column by the value it has: costs (columns, values)."""
    spending = Spending(
        columns=tuple(range(len(costs))),
        of=lambda column, values, current: costs[column, values.astype(np.int64)],
    )
    return flat(len(costs), -limit, spending=spending)


@pytest.mark.parametrize("scale", [1.0, 1000.0, 1e-3])
def test_a_value_that_alone_keeps_a_budget_does_so_wherever_it_stands(scale: float) -> None:
    """Also in a column that cannot change, and next to others that take all they can."""
    grid = BaseGrid.from_candidates({"a": [0, 1], "b": [0, 1]}, columns=["a", "b", "fixed"])
    costs = np.array([[7.0, -np.inf], [9.0, -3.0], [2.0, -np.inf]]) * scale
    people = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    found = problem_of(grid, people, [budget_of(costs, 0.5 * scale)]).flat_people
    for person, row in enumerate(people):
        for cell in product(range(2), range(2)):
            spent = sum(costs[column, int(value)] for column, value in enumerate((*cell, row[2])))
            ticks = found.thresholds[person, 0]["base"] + found.gains[person, 0, [0, 1], cell].sum()
            assert (ticks >= found.thresholds[person, 0]["reject_below"]) == (spent <= 0.5 * scale)


def test_a_candidate_that_nobody_may_use_widens_no_ticks() -> None:
    """Someone may only go up: what lies below, however expensive, is not a reason to count more coarsely."""
    costs = np.array([[1e12, 0.0, 1.0]])
    up = BaseGrid.from_candidates({"a": [0, 1, 2]}, columns=["a"], direction={"a": 1})
    found = problem_of(up, np.array([[1.0]]), [budget_of(costs, 0.5)]).flat_people
    limit = found.thresholds[0, 0]
    assert limit["base"] + found.gains[0, 0, 0, 1] >= limit["accept_from"]
    assert limit["base"] + found.gains[0, 0, 0, 2] < limit["reject_below"]
