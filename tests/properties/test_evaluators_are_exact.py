"""A search with external scores finds the front of brute force, and evaluates no cell twice."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.base.arrays import BoolArray, Int32Array, IntArray
from p2ce.engine.scores.external import ACCEPT, REJECT, Boxes, PreparedScore, Verdicts
from p2ce.engine.scores.flat.flat_arrays import FlatInstances, flatten_scores, lay_out_instances
from p2ce.engine.scores.score import FlatScore, score_rows
from p2ce.engine.solver import search_driver
from p2ce.engine.solver.branch_and_bound import ExternalScores, Fronts, Progress, make_settings, solve
from tests.properties.amount import examples
from tests.properties.random_problems import Problem, make_problem, problems

LIMITS = st.one_of(st.none(), st.integers(1, 6))
# Small numbers make many batches, many boxes and many bounds out of small problems.
SMALL = {"SMALL_BOX_CELLS": 4, "ACTIVE_INSTANCES": 2, "BATCH_CELLS": 2, "LEAST_QUOTA": 1, "HARD_CELLS": 0}


class Outside(PreparedScore):
    """A score of the problem, computed outside; its bound looks at every completion of a box."""

    bounds_boxes = False

    def __init__(self, problem: Problem, score: FlatScore, *, bounded: bool = False) -> None:
        self.problem, self.score, self.bounds_boxes = problem, score, bounded
        self.seen: set[tuple[int, ...]] = set()

    def _accepts(self, person: int, cells: Int32Array) -> BoolArray:
        return np.asarray(score_rows(self.score, self.problem.rows(person, cells)) >= self.score.reject_below)

    def evaluate(self, owner: IntArray, points: Int32Array, *, until: float | None = None) -> Verdicts:
        accepted = np.array(
            [self._accepts(p, cell[None])[0] for p, cell in zip(owner, points, strict=True)], dtype=bool
        )
        for p, cell in zip(owner.tolist(), points.tolist(), strict=True):
            assert (p, *cell) not in self.seen, "a cell is judged once"
            self.seen.add((p, *cell))
        return Verdicts(np.where(accepted, ACCEPT, REJECT), np.where(accepted, 1.0, 0.0))

    def infeasible(self, owner: IntArray, boxes: Boxes) -> BoolArray:
        found = []
        for at, person in enumerate(owner.tolist()):
            here = self.problem.placement.position[person]
            spans = [range(low, high + 1) for low, high in zip(boxes.low[at], boxes.high[at], strict=True)]
            cells = []
            for cell in product(*spans):
                moved = np.array(cell) != here
                decided = boxes.must[at] | (boxes.low[at] > here) | (boxes.high[at] < here)
                if (moved | ~boxes.must[at]).all() and (moved & ~decided).sum() <= boxes.changes_left[at]:
                    cells.append(cell)
            array = np.array(cells, dtype=np.int32).reshape(len(cells), len(here))
            found.append(not self._accepts(person, array).any())
        return np.array(found, dtype=bool)


def parts_of(problem: Problem, inside: int, *, bounded: bool) -> tuple[list[FlatScore], list[Outside]]:
    """Compile the first scores, and compute the others outside."""
    inside = min(inside, len(problem.scores) - 1)
    return list(problem.scores[:inside]), [
        Outside(problem, score, bounded=bounded) for score in problem.scores[inside:]
    ]


def search(
    problem: Problem,
    inside: int,
    settings: object,
    *,
    bounded: bool,
    excluded: FlatInstances | None = None,
    **more: object,
) -> tuple[Fronts, list[Outside]]:
    scores, outside = parts_of(problem, inside, bounded=bounded)
    layout = flatten_scores(scores, problem.grid, np.zeros(problem.people.shape[1]))
    people = lay_out_instances(layout, problem.placement, problem.tables, problem.people)
    if excluded is not None:
        people = people._replace(excluded=excluded.excluded, first_excluded=excluded.first_excluded)
    external = ExternalScores(
        scores=dict(enumerate(outside, start=inside)),
        recorded=range(inside, inside + len(outside)),
        instances=np.arange(len(problem.people)),
    )
    return solve(layout, people, settings, external, **more), outside


@pytest.fixture(params=[{}, SMALL], ids=["as it is", "small"])
def in_steps(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in request.param.items():
        monkeypatch.setattr(search_driver, name, value)


def assert_exact(problem: Problem, found: Fronts, settings: object, excluded: list[list[list[int]]]) -> None:
    assert found.finished.all()
    for person, mine in enumerate(excluded):
        expected = problem.true_front(
            person, max_changes=settings.max_changes, keep_ties=settings.keep_ties, excluded=mine
        )
        np.testing.assert_array_equal(problem.front_of(found, person), expected)


@pytest.mark.usefixtures("in_steps")
@examples(50)
@given(
    problem=problems,
    inside=st.integers(0, 2),
    max_changes=LIMITS,
    ties=st.booleans(),
    bounded=st.booleans(),
    use_bounds=st.booleans(),
)
def test_front_equals_brute_force(
    problem: Problem, inside: int, max_changes: int | None, ties: bool, bounded: bool, use_bounds: bool
) -> None:
    """Cells that are rejected afterwards give way to the next best."""
    settings = make_settings(max_changes=max_changes, keep_ties=ties, use_bounds=use_bounds)
    excluded: list[list[list[int]]] = [[] for _ in problem.people]
    for _ in range(2):
        found, _ = search(
            problem, inside, settings, bounded=bounded, excluded=problem.with_excluded(excluded)
        )
        assert_exact(problem, found, settings, excluded)
        assert len(found.recorded) == len(problem.scores) - min(inside, len(problem.scores) - 1)
        for values in found.recorded.values():
            np.testing.assert_array_equal(values, np.ones(len(found.points)))
        for person, mine in enumerate(excluded):
            mine += found.points[found.first[person] : found.first[person + 1]][::2].tolist()


@pytest.mark.usefixtures("in_steps")
@examples(30)
@given(problem=problems, batches_heard=st.integers(0, 4))
def test_a_listener_that_stops_leaves_what_is_open_said(problem: Problem, batches_heard: int) -> None:
    settings = make_settings(max_changes=None, keep_ties=False, use_bounds=True)
    heard: list[Progress] = []

    def listen(news: Progress) -> bool:
        heard.append(news)
        return len(heard) <= batches_heard

    found, outside = search(problem, 0, settings, bounded=False, listener=listen)
    assert len(found.finished) == len(problem.people)
    assert (found.open_boxes[~found.finished] >= 1).all()
    assert (found.open_boxes[found.finished] == 0).all()
    for score in outside:
        for person in range(len(problem.people)):
            points = found.points[found.first[person] : found.first[person + 1]]
            assert score._accepts(person, points).all()


def test_no_time_leaves_everything_open() -> None:
    problem = make_problem(3, columns=4, axes=4, people=3, scores=2, objectives=2)
    settings = make_settings(max_changes=3, keep_ties=False, use_bounds=True)
    found, outside = search(problem, 1, settings, bounded=False, time_limits=np.zeros(3))
    assert not found.finished.any()
    assert (found.open_boxes == 1).all()
    assert not outside[0].seen
