"""Check the search whose kernel evaluates the leaves: growing, many instances, stopping, what is open."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.base.comparing import quanta
from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import Join, place
from p2ce.engine.scores.flat.flat_arrays import FlatInstances
from p2ce.engine.solver import search_driver
from p2ce.engine.solver.branch_and_bound import Progress, make_settings, solve
from p2ce.engine.solver.brute_force import sort_points
from p2ce.engine.solver.fronts import WORK
from tests.populations.small_scores import flat
from tests.properties.amount import examples
from tests.properties.random_problems import Problem, make_problem, problem_of, problems

EXACT = make_settings(max_changes=None, keep_ties=False, use_bounds=True)


def large_front(points: int) -> Problem:
    """Make a problem whose front has about so many points: two goods that cost against each other."""
    values = list(range(points))
    grid = BaseGrid.from_candidates({"a": values, "b": values}, columns=["a", "b"])
    people = np.zeros((3, 2))
    placement = place(grid, people)
    away = placement.values - placement.current[:, :, None]
    free = np.zeros_like(away)
    costs = [np.where(np.arange(2)[:, None] == axis, away, free) for axis in range(2)]
    return problem_of(grid, people, [flat(2, points - 1.0, weights=[1, 1])], costs, [Join.SUM, Join.SUM])


@pytest.mark.parametrize("use_bounds", [True, False])
def test_fronts_and_results_grow_as_needed(use_bounds: bool) -> None:
    problem = large_front(150)  # more than there is room for at first
    settings = make_settings(max_changes=None, keep_ties=False, use_bounds=use_bounds)
    found = solve(problem.layout, problem.flat_people, settings)
    assert np.diff(found.first).tolist() == [150] * 3
    for person in range(3):
        points = found.points[found.first[person] : found.first[person + 1]]
        got = sort_points(points, problem.tables, problem.placement, person)
        assert got.sum(axis=1).tolist() == [149] * 150


def only(problem: Problem, person: int) -> FlatInstances:
    """Return one of the people, without the others."""
    shared = {"joins", "excluded", "first_excluded"}
    return problem.flat_people._replace(
        **{
            name: array[[person]]
            for name, array in problem.flat_people._asdict().items()
            if name not in shared
        },
        first_excluded=np.zeros(2, dtype=np.int64),
    )


def test_nobody_to_search_for() -> None:
    problem = make_problem(1, columns=3, axes=3, people=0, scores=1, objectives=2)
    found = solve(problem.layout, problem.flat_people, EXACT)
    assert (len(found.points), found.first.tolist()) == (0, [0])


@examples(60)
@given(problem=problems, stops_after=st.integers(0, 8), max_changes=st.integers(1, 6), ties=st.booleans())
def test_stopping_anywhere_keeps_valid_points_and_says_what_is_open(
    problem: Problem, stops_after: int, max_changes: int, ties: bool
) -> None:
    settings = make_settings(max_changes=max_changes, keep_ties=ties, use_bounds=True)
    settings = settings._replace(dense_cells=4)
    heard: list[Progress] = []

    def listen(news: Progress) -> bool:
        heard.append(news)
        return len(heard) <= stops_after

    excluded = [[cell] for cell in problem.placement.position.tolist()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_driver, "LONG_SLICE", 60)
        found = solve(problem.layout, problem.with_excluded(excluded), settings, listener=listen)
    assert len(heard) <= stops_after + 1
    for person in range(len(problem.people)):
        whole = problem.true_front(person, max_changes=max_changes, keep_ties=True, excluded=excluded[person])
        mine = found.points[found.first[person] : found.first[person + 1]]
        if found.finished[person]:
            assert found.open_boxes[person] == 0
            assert {tuple(cell) for cell in mine.tolist()} <= {tuple(cell) for cell in whole.tolist()}
            continue
        assert found.open_boxes[person] >= 1
        have = {tuple(cell) for cell in mine.tolist()}
        for cell in whole.tolist():
            if tuple(cell) in have:
                continue
            total = totals_of(problem, person, cell)
            covered = any(
                (quanta(totals_of(problem, person, other)) <= quanta(total)).all() for other in mine.tolist()
            )
            # A point of the front that is not there yet must be in what is open.
            assert covered or (found.open_totals[person] <= total * (1.0 + 2.0**-40)).all()


@examples(30)
@given(problem=problems, share=st.floats(0.0, 1.2), piece=st.sampled_from([60, 5_000, 10**9]))
def test_a_limit_of_work_ends_a_search_at_the_same_box_in_any_company(
    problem: Problem, share: float, piece: int
) -> None:
    settings = EXACT._replace(dense_cells=4)
    whole = solve(problem.layout, problem.flat_people, settings)
    most = (share * whole.counters[:, WORK]).astype(np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_driver, "LONG_SLICE", piece)
        together = solve(problem.layout, problem.flat_people, settings, work_limits=most)
    for person in range(len(problem.people)):
        alone = solve(
            problem.layout,
            only(problem, person),
            settings,
            work_limits=most[[person]],
            time_limits=np.full(1, 600.0),
        )
        mine = together.points[together.first[person] : together.first[person + 1]]
        np.testing.assert_array_equal(alone.points, mine)
        np.testing.assert_array_equal(alone.counters[0], together.counters[person])
        np.testing.assert_array_equal(alone.open_totals[0], together.open_totals[person])
        assert alone.open_boxes[0] == together.open_boxes[person]
        assert alone.finished[0] == together.finished[person]
        assert together.finished[person] == (together.open_boxes[person] == 0)
        # Who is not finished has gone beyond the limit, by one box; who is, had enough.
        if not together.finished[person]:
            assert together.counters[person, WORK] > most[person]
        if most[person] >= whole.counters[person, WORK]:
            assert together.finished[person]


def test_the_room_that_others_needed_changes_no_work() -> None:
    """A full front explores a box twice: with a limit, everyone begins with the same room."""
    problem = large_front(150)
    whole = solve(problem.layout, only(problem, 0), EXACT)
    for share in (0.3, 0.7, 0.9, 1.0):
        most = np.full(3, int(share * whole.counters[0, WORK]))
        found = solve(problem.layout, problem.flat_people, EXACT, work_limits=most)
        assert len(set(np.diff(found.first).tolist())) == 1
        assert len(np.unique(found.counters, axis=0)) == 1
        assert found.finished.tolist() == [share == 1.0] * 3


def totals_of(problem: Problem, person: int, cell: list[int]) -> np.ndarray:
    return problem.tables.totals(np.array([person]), np.array([cell], dtype=np.int32))[0]


def test_no_time_means_nothing_is_looked_at() -> None:
    problem = make_problem(3, columns=4, axes=4, people=2, scores=2, objectives=2)
    found = solve(problem.layout, problem.flat_people, EXACT, time_limits=np.zeros(len(problem.people)))
    assert not found.finished.any()
    assert len(found.points) == 0
    assert (found.counters == 0).all()
    assert (found.open_boxes >= 1).all()
