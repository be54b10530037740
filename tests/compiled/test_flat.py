"""Check the flat arrays: cuts, views, ticks, and that kernels score as the slow twin does."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given

from p2ce.compiled.evaluate import score_rows
from p2ce.compiled.flat import SCORE_BITS, flatten_scores, tick_for
from p2ce.compiled.points import score_points
from p2ce.compiled.score import CompiledScore
from tests.properties.amount import examples
from tests.properties.random_problems import Problem, problems


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
@given(problem=problems)
def test_limits_in_ticks_never_contradict_the_thresholds(problem: Problem) -> None:
    """Whatever is refused by ticks scores below ``maybe``, and what is accepted by them reaches ``sure``."""
    flat = problem.layout.flat
    for person in range(len(problem.people)):
        cells = every_cell(problem, person)
        low, high = problem.placement.lowest[person], problem.placement.highest[person]
        cells = cells[((cells >= low) & (cells <= high)).all(axis=1)]
        rows = problem.rows(person, cells)
        for s, score in enumerate(problem.scores):
            limit = problem.flat_people.limits[person, s]
            ticks = np.full(len(cells), limit["base"])
            if score.forest is not None:
                ticks = ticks + tree_ticks(problem, s, score, rows)
            if score.weights is not None:
                gains = problem.flat_people.gains[person, flat.scores[s]["table"]]
                ticks = ticks + gains[np.arange(problem.axes), cells].sum(axis=1)
            exact = score_rows(score, rows)
            assert (exact[ticks < limit["refused_below"]] < score.maybe).all()
            assert (exact[ticks >= limit["accepted_from"]] >= score.sure).all()


def tree_ticks(problem: Problem, s: int, score: CompiledScore, rows: np.ndarray) -> np.ndarray:
    """Add up the ticks of the leaves that rows fall into."""
    from p2ce.compiled.evaluate import leaves_reached

    reached = leaves_reached(score.forest, score.see(rows))
    whole = np.rint(score.forest.value / tick_for(problem.layout.span[s]))
    return whole[reached].sum(axis=1).astype(np.int64)


@pytest.mark.parametrize("span", [1.0, 0.7, 1e-30, 1e30, 3.0, 2.0**20])
def test_a_tick_lets_the_span_fill_the_bits(span: float) -> None:
    tick = float(tick_for(span))
    assert span / tick < 2.0**SCORE_BITS
    assert span / tick >= 2.0 ** (SCORE_BITS - 2)
    assert np.frexp(tick)[0] == 0.5  # a power of two


def test_nothing_to_span_still_has_a_tick() -> None:
    assert float(tick_for(0.0)) > 0.0


def test_scores_of_one_view_share_it() -> None:
    from p2ce.grid.base_grid import BaseGrid

    def double(rows: np.ndarray) -> np.ndarray:
        return rows * 2.0

    grid = BaseGrid.from_candidates({"a": [0, 1, 2]}, columns=["a"])
    plain = CompiledScore(name="plain", column_count=1, weights=np.ones(1), sure=0.0, maybe=0.0)
    seen = CompiledScore(name="seen", column_count=1, weights=np.ones(1), sure=0.0, maybe=0.0, see=double)
    layout = flatten_scores([plain, seen, plain], grid, np.zeros(1))
    assert len(layout.views) == 2
    assert layout.flat.scores["looks_at"].tolist() == [0, 1, 0]
    assert np.ravel(layout.base_seen[1])[:3].tolist() == [0.0, 2.0, 4.0]


@pytest.mark.parametrize("limit", [-np.inf, np.inf])
def test_infinite_thresholds_are_taken_without_a_warning(limit: float) -> None:
    from p2ce.compiled.costs import Join, tabulate
    from p2ce.compiled.flat import lay_out_people
    from p2ce.grid.base_grid import BaseGrid
    from p2ce.grid.placement import place

    grid = BaseGrid.from_candidates({"a": [0, 1, 2]}, columns=["a"])
    for sure in (limit, np.nextafter(limit, 0.0)):
        maybe = min(limit, sure)
        score = CompiledScore(
            name="always", column_count=1, weights=np.full(1, 1e-3), sure=max(limit, sure), maybe=maybe
        )
        people = np.zeros((1, 1))
        placement = place(grid, people)
        tables = tabulate([placement.values.copy()], [Join.SUM], placement)
        layout = flatten_scores([score], grid, np.zeros(1))
        limits = lay_out_people(layout, grid, placement, tables, people).limits[0, 0]
        assert (limits["refused_below"] < limits["base"]) == (limit < 0)
