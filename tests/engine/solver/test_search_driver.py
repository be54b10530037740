"""Check the search with external scores: which cells they get, growth, and whether bounding boxes pays."""

import numpy as np
import pytest

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import Join, Placement, place, tabulate_costs
from p2ce.engine.scores.external import ACCEPT, REJECT, UNDECIDED, Boxes, PreparedScore, Verdicts
from p2ce.engine.scores.flat.flat_arrays import FlatInstances, ScoreLayout, flatten_scores, lay_out_instances
from p2ce.engine.solver import search_driver
from p2ce.engine.solver.branch_and_bound import ExternalScores, make_settings, solve
from p2ce.engine.solver.external_scores import CELL_WORK
from p2ce.engine.solver.fronts import EXTERNAL, SCORED, WORK
from p2ce.engine.solver.search_driver import BOXES_AT_ONCE, BoundingBenefit

SETTINGS = make_settings(max_changes=None, keep_ties=False, use_bounds=True)
NAMES = ["a", "b", "c"]


class ProblemRecord:
    """People on a small cube, who pay for each column by its distance, and for all of them together."""

    def __init__(self, people: int = 1, size: int = 6, *, apart: bool = False) -> None:
        self.grid = BaseGrid.from_candidates({name: range(size) for name in NAMES}, columns=NAMES)
        self.values = np.zeros((people, 3))
        self.placement: Placement = place(self.grid, self.values)
        away = self.placement.values - self.placement.current[:, :, None]
        each = [np.where(np.arange(3)[:, None] == axis, away, 0.0) for axis in range(3)]
        costs = each if apart else [away]
        self.tables = tabulate_costs(costs, [Join.SUM] * len(costs), self.placement)
        self.layout: ScoreLayout = flatten_scores([], self.grid, np.zeros(3))
        self.people: FlatInstances = lay_out_instances(self.layout, self.placement, self.tables, self.values)

    def rows(self, owner: IntArray, points: Int32Array) -> FloatArray:
        return self.placement.values[owner[:, None], np.arange(3), points]


class Sum(PreparedScore):
    """Accepts what sums to enough; notes what it was evaluated about."""

    bounds_boxes = False

    def __init__(self, problem: ProblemRecord, enough: float, weights: tuple[float, ...] = (1, 1, 1)) -> None:
        self.problem, self.enough, self.weights = problem, enough, np.array(weights, dtype=float)
        self.evaluated: list[tuple[int, ...]] = []
        self.calls: list[int] = []
        self.bounded = 0

    def evaluate(self, owner: IntArray, points: Int32Array, *, until: float | None = None) -> Verdicts:
        self.calls.append(len(points))
        self.evaluated += [(p, *cell) for p, cell in zip(owner.tolist(), points.tolist(), strict=True)]
        value = self.problem.rows(owner, points) @ self.weights
        return Verdicts(np.where(value >= self.enough, ACCEPT, REJECT), value)

    def infeasible(self, owner: IntArray, boxes: Boxes) -> BoolArray:
        self.bounded += len(owner)
        most = self.problem.rows(owner, boxes.high) @ np.maximum(self.weights, 0.0)
        return np.asarray(most < self.enough)


class Each(Sum):
    """Requires another value of each person."""

    def __init__(self, problem: ProblemRecord, needed: list[float]) -> None:
        super().__init__(problem, 0.0)
        self.needed = np.array(needed)

    def evaluate(self, owner: IntArray, points: Int32Array, *, until: float | None = None) -> Verdicts:
        value = super().evaluate(owner, points, until=until).value
        return Verdicts(np.where(value >= self.needed[owner], ACCEPT, REJECT), value)

    def infeasible(self, owner: IntArray, boxes: Boxes) -> BoolArray:
        self.bounded += len(owner)
        return np.asarray(self.problem.rows(owner, boxes.high).sum(axis=1) < self.needed[owner])


def outside(problem: ProblemRecord, *scores: Sum, instances: list[int] | None = None) -> ExternalScores:
    """Number the scores from 0, and record all; the search may be of some instances only."""
    return ExternalScores(
        scores=dict(enumerate(scores)),
        recorded=range(len(scores)),
        instances=np.arange(len(problem.values)) if instances is None else np.array(instances),
    )


def test_a_score_hears_only_of_what_those_before_it_let_pass() -> None:
    problem = ProblemRecord()
    first, second = Sum(problem, 6.0), Sum(problem, 4.0, (2, 0, 1))
    found = solve(problem.layout, problem.people, SETTINGS, outside(problem, first, second))
    passed = {cell for cell in first.evaluated if sum(cell[1:]) >= 6}
    assert set(second.evaluated) == passed
    assert len(second.evaluated) == len(set(second.evaluated))
    assert len(first.evaluated) == len(set(first.evaluated)) == found.counters[0, SCORED]
    rows = problem.rows(np.zeros(len(found.points), dtype=int), found.points)
    np.testing.assert_array_equal(found.recorded[0], rows.sum(axis=1))
    np.testing.assert_array_equal(found.recorded[1], rows @ [2, 0, 1])


def test_values_are_recorded_under_the_number_of_their_requirement() -> None:
    problem = ProblemRecord()
    first, second = Sum(problem, 6.0), Sum(problem, 4.0, (2, 0, 1))
    external = ExternalScores(scores={7: first, 3: second}, recorded=[3], instances=np.arange(1))
    found = solve(problem.layout, problem.people, SETTINGS, external)
    assert list(found.recorded) == [3]
    rows = problem.rows(np.zeros(len(found.points), dtype=int), found.points)
    np.testing.assert_array_equal(found.recorded[3], rows @ [2, 0, 1])
    assert len(first.evaluated) > len(second.evaluated) > 0  # evaluated in the order of the mapping


def test_in_doubt_a_cell_goes_on() -> None:
    problem = ProblemRecord()
    accept_from = Sum(problem, 6.0)

    class Doubting(Sum):
        def evaluate(self, owner: IntArray, points: Int32Array, *, until: float | None = None) -> Verdicts:
            said = super().evaluate(owner, points, until=until)
            return Verdicts(np.where(said.verdict == ACCEPT, UNDECIDED, REJECT), said.value)

    found = solve(problem.layout, problem.people, SETTINGS, outside(problem, Doubting(problem, 6.0)))
    expected = solve(problem.layout, problem.people, SETTINGS, outside(problem, accept_from))
    np.testing.assert_array_equal(found.points, expected.points)
    assert len(found.points)


def test_fronts_and_boxes_grow_as_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_driver, "SMALL_BOX_CELLS", 1)
    problem = ProblemRecord(people=2, size=16, apart=True)
    found = solve(problem.layout, problem.people, SETTINGS, outside(problem, Sum(problem, 15.0)))
    cells = [(i, j, 15 - i - j) for i in range(16) for j in range(16 - i)]
    assert len(cells) > 128  # more than there is room for at first
    for person in range(2):
        points = found.points[found.first[person] : found.first[person + 1]]
        assert {tuple(point) for point in points.tolist()} == set(cells)


@pytest.mark.parametrize("active", [1, 2, 64])
def test_people_share_the_calls(active: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_driver, "ACTIVE_INSTANCES", active)
    problem = ProblemRecord(people=9)
    score = Sum(problem, 9.0)
    found = solve(problem.layout, problem.people, SETTINGS, outside(problem, score))
    assert found.finished.all()
    assert set(np.diff(found.first).tolist()) == {1}
    if active == 64:
        assert len(score.calls) < 9  # several people in each


def people_of(problem: ProblemRecord, *who: int) -> FlatInstances:
    """Return some of the people, without the others."""
    shared = {"joins", "excluded", "first_excluded"}
    parts = {name: array for name, array in problem.people._asdict().items() if name not in shared}
    return problem.people._replace(
        **{name: array[list(who)] for name, array in parts.items()},
        first_excluded=np.zeros(len(who) + 1, dtype=np.int64),
    )


@pytest.mark.parametrize("cells", [1, 50, 300, 1_500, 10_000])
@pytest.mark.parametrize("active", [2, 64])
@pytest.mark.parametrize("has_bound", [False, True])
def test_a_limit_of_work_ends_a_search_at_the_same_cell_in_any_company(
    cells: int, active: int, has_bound: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_driver, "ACTIVE_INSTANCES", active)
    for constant, value in {"HARD_CELLS": 100, "SMALL_BOX_CELLS": 16, "CELLS_PER_BOUND": 2}.items():
        monkeypatch.setattr(search_driver, constant, value)
    problem = ProblemRecord(people=5, size=14)
    most = CELL_WORK * cells * np.arange(1, 6)
    # Each needs another sum: some are settled early, and leave the others alone.
    needed = [30.0, 8.0, 25.0, 36.0, 37.0]
    monkeypatch.setattr(Each, "bounds_boxes", has_bound)
    together = Each(problem, needed)
    found = solve(problem.layout, problem.people, SETTINGS, outside(problem, together), work_limits=most)
    for person in range(5):
        mine = Each(problem, needed)  # prepared for all, and numbered so
        alone = solve(
            problem.layout,
            people_of(problem, person),
            SETTINGS,
            outside(problem, mine, instances=[person]),
            work_limits=most[[person]],
        )
        assert mine.evaluated == [one for one in together.evaluated if one[0] == person]
        np.testing.assert_array_equal(alone.counters[0], found.counters[person])
        assert alone.finished[0] == found.finished[person]
        np.testing.assert_array_equal(alone.open_totals[0], found.open_totals[person])
        points = found.points[found.first[person] : found.first[person + 1]]
        np.testing.assert_array_equal(alone.points, points)
        # A limit is exceeded by no more than a leaf and a round of bounds.
        assert len(mine.evaluated) <= cells * (person + 1) + 16
        if not found.finished[person]:
            assert found.counters[person, WORK] > most[person]
            assert found.open_boxes[person] >= 1
    assert found.finished.all() == (cells == 10_000)


def test_a_bound_spares_cells_once_somebody_is_hard(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = ProblemRecord(size=30)
    plain = Sum(problem, 85.0)
    expected = solve(problem.layout, problem.people, SETTINGS, outside(problem, plain))
    monkeypatch.setattr(search_driver, "HARD_CELLS", 0)
    for constant, value in {"SMALL_BOX_CELLS": 8, "BATCH_CELLS": 8, "LEAST_QUOTA": 1}.items():
        monkeypatch.setattr(search_driver, constant, value)
    monkeypatch.setattr(Sum, "bounds_boxes", True)
    bounded = Sum(problem, 85.0)
    found = solve(problem.layout, problem.people, SETTINGS, outside(problem, bounded))
    np.testing.assert_array_equal(found.points, expected.points)
    assert bounded.bounded > 0
    assert found.counters[0, EXTERNAL] > 0
    assert len(bounded.evaluated) < len(plain.evaluated) / 2
    # Without bounds evaluated for, no one is evaluated for one.
    silent = Sum(problem, 85.0)
    settings = SETTINGS._replace(bounds=False)
    again = solve(problem.layout, problem.people, settings, outside(problem, silent))
    assert silent.bounded == 0
    np.testing.assert_array_equal(again.points, expected.points)


def test_a_bound_that_never_helps_is_computed_less_and_less() -> None:
    worth = BoundingBenefit()
    start = worth.least
    for _ in range(3):
        worth.learn(BOXES_AT_ONCE, 0.0)
    assert worth.least == start * 4.0**3
    for _ in range(20):
        worth.learn(BOXES_AT_ONCE, 1e9)
    assert worth.least == start  # never below what patience asks for
    worth.learn(1, 0.0)
    assert worth.least == start  # one box is too few to judge by
