"""Check what the kernels put into the evaluation queue: every cell that may matter once, and nothing else."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.engine.scores.flat.flat_arrays import flatten_scores, lay_out_instances
from p2ce.engine.solver import expand as kernels
from p2ce.engine.solver import search_state as ss
from p2ce.engine.solver.branch_and_bound import make_settings
from p2ce.engine.solver.brute_force import point_costs
from p2ce.engine.solver.evaluation_queue import Quota, new_queue
from p2ce.engine.solver.fronts import SCORED
from p2ce.engine.solver.search_driver import cheapest_open
from tests.properties.amount import examples
from tests.properties.random_problems import Problem, make_problem, problems

LIMITS = st.sampled_from([1, 2, 3, None])
NEVER = float("inf")


class Drive:
    """The search of one instance by hand: expand, look at the queue, split the boxes in it, go on."""

    def __init__(
        self, problem: Problem, max_changes: int | None, leaf: int, ties: bool = False, listed: int = 0
    ) -> None:
        self.problem = problem
        self.layout = flatten_scores([], problem.grid, np.zeros(problem.people.shape[1]))
        self.instances = lay_out_instances(self.layout, problem.placement, problem.tables, problem.people)
        settings = make_settings(max_changes=max_changes, keep_ties=ties, use_bounds=True)
        self.settings = settings._replace(dense_cells=leaf, listed=min(listed, settings.max_changes))
        self.search = ss.new_search(self.layout, self.instances, self.settings)
        self.scratch = ss.new_scratch(self.layout, self.instances, self.settings)
        self.queue = new_queue(self.instances, 4096, 64)
        self.results = kernels.new_results(len(problem.people), problem.axes, 8)

    def step(self, quota: int, worth: float = NEVER, budget: int = 10**9) -> bool:
        """Fill the queue once, and return whether anything is open."""
        self.queue.used[:] = 0
        queue = self.queue._replace(quota=Quota(cells=quota, boxes=8, worth_bounding=worth))
        code = ss.BOXES_FULL
        while code == ss.BOXES_FULL:
            _, code = kernels.expand(
                self.layout.flat,
                self.instances,
                0,
                1,
                self.settings,
                self.search,
                self.scratch,
                queue,
                None,
                self.results,
                budget,
            )
            if code == ss.BOXES_FULL:
                self.search = ss.with_more_boxes(self.search)
        for at in range(int(queue.used[1])):
            if self.search.state[ss.OPEN] + 2 > len(self.search.heap):
                self.search = ss.with_more_boxes(self.search)
            kernels.split_queued_box(self.instances, 0, self.settings, self.search, self.scratch, queue, at)
        return code != ss.DONE or bool(queue.used[1])

    def cells(self) -> list[tuple[int, ...]]:
        return [tuple(cell) for cell in self.queue.points[: self.queue.used[0]].tolist()]

    def accept(self, valid: IntArray) -> None:
        taken, ties = 0, self.settings.keep_ties
        while (taken := kernels.offer_evaluated(self.search, self.queue, valid, taken, ties)) < len(valid):
            self.search = ss.with_larger_front(self.search)

    def cheapest_open(self) -> FloatArray:
        return cheapest_open(self.instances, 0, self.search)


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
    listed=st.integers(0, 3),
)
def test_while_nothing_is_accepted_every_cell_is_queued_once(
    problem: Problem, max_changes: int | None, leaf: int, quota: int, worth: float, budget: int, listed: int
) -> None:
    drive = Drive(problem, max_changes, leaf, listed=listed)
    seen: list[tuple[int, ...]] = []
    going = True
    while going:
        going = drive.step(quota, worth, budget)
        assert drive.queue.used[0] < quota + leaf
        seen += drive.cells()
        if drive.queue.used[0]:
            cells = drive.queue.points[: drive.queue.used[0]]
            np.testing.assert_array_equal(
                drive.queue.quanta[: len(cells)], point_costs(cells, problem.tables, 0)
            )
            walked = np.abs(cells - problem.placement.position[0]).sum(axis=1)
            np.testing.assert_array_equal(drive.queue.steps[: len(cells)], walked)
            assert (drive.queue.instance[: len(cells)] == 0).all()
    assert len(seen) == len(set(seen))
    assert set(seen) == all_cells(problem, max_changes)
    assert drive.search.counters[SCORED] == len(seen)
    assert drive.search.state[ss.OPEN] == 0


@examples(40)
@given(problem=problems, max_changes=LIMITS, steps=st.integers(0, 6), quota=st.integers(1, 10))
def test_no_open_box_costs_less_than_its_bound(
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
    drive.instances.positions["lowest"] = drive.instances.positions["here"]
    drive.instances.positions["highest"] = drive.instances.positions["here"]
    assert not drive.step(10)
    assert drive.queue.used[0] == 0
