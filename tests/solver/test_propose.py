"""Check what the kernels put into the mail: every cell that may matter once, and nothing else."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from p2ce.arrays import IntArray
from p2ce.scores.flat_arrays import flatten_scores, lay_out_instances
from p2ce.solver import propose as kernels
from p2ce.solver import workspace as ws
from p2ce.solver.brute_force import point_costs
from p2ce.solver.engine import rules_of
from p2ce.solver.lanes import (
    Lane,
    Mail,
    lane_with_larger_front,
    lane_with_more_boxes,
    new_lane,
    new_mail,
    new_scratch,
)
from tests.properties.amount import examples
from tests.properties.random_problems import Problem, make_problem, problems

LIMITS = st.sampled_from([1, 2, 3, None])
NEVER = float("inf")


class Drive:
    """One person's search by hand: propose, look at the mail, cut the boxes in it, go on."""

    def __init__(self, problem: Problem, max_changes: int | None, leaf: int, ties: bool = False) -> None:
        self.problem = problem
        self.layout = flatten_scores([], problem.grid, np.zeros(problem.people.shape[1]))
        self.people = lay_out_instances(
            self.layout, problem.grid, problem.placement, problem.tables, problem.people
        )
        rules = rules_of(max_changes=max_changes, keep_ties=ties, use_bounds=True)
        self.rules = rules._replace(dense_cells=leaf)
        self.lane: Lane = new_lane(self.people)
        self.scratch = new_scratch(self.layout, self.people, self.rules)
        self.mail: Mail = new_mail(self.people, 4096, 64)

    def step(self, quota: int, worth: float = NEVER, budget: int = 10**9) -> bool:
        """Fill the mail once; tell whether anything is open."""
        self.mail.used[:] = 0
        code = ws.BOXES_FULL
        while code == ws.BOXES_FULL:
            code = kernels.propose(
                self.layout.flat,
                self.people,
                0,
                self.rules,
                self.lane,
                self.scratch,
                self.mail,
                quota - int(self.mail.used[0]),
                8 - int(self.mail.used[1]),
                worth,
                budget,
            )
            if code == ws.BOXES_FULL:
                self.lane = lane_with_more_boxes(self.lane)
        for at in range(int(self.mail.used[1])):
            if self.lane.state[ws.OPEN] + 2 > len(self.lane.queue):
                self.lane = lane_with_more_boxes(self.lane)
            kernels.cut_mailed_box(self.people, 0, self.lane, self.scratch, self.mail, at)
        return code != ws.DONE or bool(self.mail.used[1])

    def cells(self) -> list[tuple[int, ...]]:
        return [tuple(cell) for cell in self.mail.points[: self.mail.used[0]].tolist()]

    def accept(self, valid: IntArray) -> None:
        taken, ties = 0, self.rules.keep_ties
        while (taken := kernels.accept(self.lane, self.mail, valid, taken, ties)) < len(valid):
            self.lane = lane_with_larger_front(self.lane)

    def cheapest_open(self) -> IntArray:
        cheapest = np.full(len(self.people.joins), np.inf)
        kernels.price_open_lane(self.people, 0, self.lane, self.scratch, cheapest)
        return cheapest


def all_cells(problem: Problem, max_changes: int | None) -> set[tuple[int, ...]]:
    place = problem.placement
    spans = [range(low, high + 1) for low, high in zip(place.lowest[0], place.highest[0], strict=True)]
    here = place.position[0].tolist()
    most = problem.axes if max_changes is None else max_changes
    return {
        cell
        for cell in product(*spans)
        if 1 <= sum(now != then for now, then in zip(cell, here, strict=True)) <= most
    }


@examples(60)
@given(
    problem=problems,
    max_changes=LIMITS,
    leaf=st.sampled_from([1, 4, 64]),
    quota=st.integers(1, 50),
    worth=st.sampled_from([2.0, 20.0, NEVER]),
    budget=st.sampled_from([0, 400, 10**9]),
)
def test_while_nothing_is_accepted_every_cell_is_proposed_once(
    problem: Problem, max_changes: int | None, leaf: int, quota: int, worth: float, budget: int
) -> None:
    drive = Drive(problem, max_changes, leaf)
    seen: list[tuple[int, ...]] = []
    going = True
    while going:
        going = drive.step(quota, worth, budget)
        assert drive.mail.used[0] < quota + leaf
        seen += drive.cells()
        if drive.mail.used[0]:
            cells = drive.mail.points[: drive.mail.used[0]]
            np.testing.assert_array_equal(
                drive.mail.quanta[: len(cells)], point_costs(cells, problem.tables, 0)
            )
            walked = np.abs(cells - problem.placement.position[0]).sum(axis=1)
            np.testing.assert_array_equal(drive.mail.steps[: len(cells)], walked)
            assert (drive.mail.owner[: len(cells)] == 0).all()
    assert len(seen) == len(set(seen))
    assert set(seen) == all_cells(problem, max_changes)
    assert drive.lane.counters[ws.SCORED] == len(seen)
    assert drive.lane.state[ws.OPEN] == 0


@examples(60)
@given(
    problem=problems,
    max_changes=LIMITS,
    ties=st.booleans(),
    seed=st.integers(0, 1000),
    quota=st.integers(1, 20),
    worth=st.sampled_from([2.0, NEVER]),
)
def test_what_is_never_proposed_is_beaten(
    problem: Problem, max_changes: int | None, ties: bool, seed: int, quota: int, worth: float
) -> None:
    rng = np.random.default_rng(seed)
    drive = Drive(problem, max_changes, 4, ties)
    seen: set[tuple[int, ...]] = set()
    going = True
    while going:
        going = drive.step(quota, worth)
        seen |= set(drive.cells())
        valid = np.flatnonzero(rng.random(int(drive.mail.used[0])) < 0.3)
        drive.accept(valid)
    front = drive.lane.front
    costs, walked = front.costs[: front.used[0], :-1], front.costs[: front.used[0], -1]
    for cell in all_cells(problem, max_changes) - seen:
        mine = point_costs(np.array([cell], dtype=np.int32), problem.tables, 0)[0]
        no_dearer = (costs <= mine).all(axis=1)
        # Equal costs count only where ties are not wanted, and the front's point comes first.
        assert (no_dearer & (costs < mine).any(axis=1)).any() or (not ties and no_dearer.any())
    points = front.points[: front.used[0]]
    np.testing.assert_array_equal(costs, point_costs(points, problem.tables, 0))
    np.testing.assert_array_equal(walked, np.abs(points - problem.placement.position[0]).sum(axis=1))
    for row in costs:
        assert not ((costs <= row).all(axis=1) & (costs < row).any(axis=1)).any()


@examples(40)
@given(problem=problems, max_changes=LIMITS, steps=st.integers(0, 6), quota=st.integers(1, 10))
def test_nothing_that_is_open_costs_less_than_said(
    problem: Problem, max_changes: int | None, steps: int, quota: int
) -> None:
    drive = Drive(problem, max_changes, 4)
    seen: set[tuple[int, ...]] = set()
    for _ in range(steps + 1):
        drive.step(quota)
        seen |= set(drive.cells())
    left = all_cells(problem, max_changes) - seen
    if not left:
        return
    cells = np.array(sorted(left), dtype=np.int32)
    totals = problem.tables.totals(np.zeros(len(cells), dtype=np.int64), cells)
    assert (drive.cheapest_open() <= totals.min(axis=0)).all()


def test_a_person_who_cannot_move_has_no_cells() -> None:
    problem = make_problem(1, columns=3, axes=3, people=1, scores=1, objectives=1)
    drive = Drive(problem, None, 4)
    drive.people.positions["lowest"] = drive.people.positions["here"]
    drive.people.positions["highest"] = drive.people.positions["here"]
    assert not drive.step(10)
    assert drive.mail.used[0] == 0
