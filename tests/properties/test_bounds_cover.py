"""The bound of a box covers every point of it that the search could still complete it to."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from p2ce.comparing import quanta
from p2ce.scores.flat_arrays import tick_for
from p2ce.scores.one_instance import instance_of
from p2ce.scores.reachable_leaves import highest_total
from p2ce.scores.score_rows import leaves_reached, score_rows
from p2ce.solver.box_costs import price_corner, price_with
from p2ce.solver.engine import rules_of
from p2ce.solver.explore_box import is_infeasible, list_axes
from p2ce.solver.workspace import Workspace, new_workspace
from tests.properties.amount import examples
from tests.properties.random_problems import Problem, problems


@njit(_nrt=False)
def box_is_hopeless(flat, people, p, s, changes_left, work):
    """Return whether the box at hand would be dropped by the bound of score ``s``."""
    me = instance_of(people, p)
    return is_infeasible(flat, s, me, work.box, list_axes(me, work.box), changes_left, work)


@njit(_nrt=False)
def bound_of_trees(flat, people, p, s, changes_left, work):
    """Give the bound of a forest's part over the box at hand, in ticks."""
    me = instance_of(people, p)
    bound, _ = highest_total(flat, s, me, work.box.spans, changes_left, work.walk, -(1 << 62))
    return bound


@njit(_nrt=False)
def corner_of_box(people, p, least, work):
    """Write the lower corner of the box at hand; give how many axes must change in it."""
    me = instance_of(people, p)
    return price_corner(me, work.box, list_axes(me, work.box), least, work.sums)


@njit(_nrt=False)
def corner_with(people, p, least, axis, candidate, work):
    """Write the corner of the box's points at one candidate; False where the axis cannot move."""
    me = instance_of(people, p)
    size = list_axes(me, work.box)
    forced = price_corner(me, work.box, size, least, work.sums)
    for k in range(size):
        if work.box.axes[k] == axis:
            price_with(me, work.box, size, k, candidate, least - forced, work.sums)
            return True
    return False


def put_random_box(problem: Problem, work: Workspace, rng: np.random.Generator) -> list[list[int]]:
    """Make a random box the one at hand; give the candidates that it allows on every axis."""
    placement = problem.placement
    allowed = []
    for axis in range(problem.axes):
        here = int(placement.position[0, axis])
        low, high = sorted(rng.integers(placement.lowest[0, axis], placement.highest[0, axis] + 1, size=2))
        kind = rng.random()
        must = False
        if kind < 0.25:
            low = high = here  # this axis stays
        elif kind < 0.5:
            low, high = min(low, here), max(high, here)
            must = bool(low < high and rng.random() < 0.5)
        span = work.box.spans[axis]
        span["low"], span["high"], span["must"] = low, high, must
        allowed.append([index for index in range(int(low), int(high) + 1) if not (must and index == here)])
        work.box.cell[axis] = here
    return allowed


def random_box(problem: Problem, seed: int) -> tuple[Workspace, np.ndarray, np.ndarray, np.ndarray]:
    """Give a workspace with a box, all its points, what changed in each, and what had to."""
    rules = rules_of(max_changes=None, keep_ties=False, use_bounds=True)
    work = new_workspace(problem.layout, problem.flat_people, rules)
    allowed = put_random_box(problem, work, np.random.default_rng(seed))
    cells = np.array(list(product(*allowed)), dtype=np.int32).reshape(-1, problem.axes)
    here = problem.placement.position[0]
    forced = np.array([at not in choices for at, choices in zip(here.tolist(), allowed, strict=True)])
    return work, cells, cells != here, forced


@examples(200)
@given(problem=problems, seed=st.integers(0, 10**6), changes_left=st.integers(0, 6))
def test_a_box_is_dropped_only_if_every_completion_is_rejected(
    problem: Problem, seed: int, changes_left: int
) -> None:
    work, cells, changed, forced = random_box(problem, seed)
    completions = cells[(changed & ~forced).sum(axis=1) <= changes_left]
    if not len(completions):
        return
    rows = problem.rows(0, completions)
    for s, score in enumerate(problem.scores):
        if box_is_hopeless(problem.layout.flat, problem.flat_people, 0, s, changes_left, work):
            assert score_rows(score, rows).max() < score.reject_below


@examples(200)
@given(problem=problems, seed=st.integers(0, 10**6), changes_left=st.integers(0, 6))
def test_the_bound_of_trees_covers_every_completion(problem: Problem, seed: int, changes_left: int) -> None:
    work, cells, changed, forced = random_box(problem, seed)
    completions = cells[(changed & ~forced).sum(axis=1) <= changes_left]
    if not len(completions):
        return
    rows = problem.rows(0, completions)
    for s, score in enumerate(problem.scores):
        if score.forest is None:
            continue
        bound = bound_of_trees(problem.layout.flat, problem.flat_people, 0, s, changes_left, work)
        leaves = leaves_reached(score.forest, score.see(rows))
        ticks = np.rint(score.forest.value / tick_for(problem.layout.span[s]))[leaves]
        assert bound >= ticks.sum(axis=1).max()
        # It is no looser than it says: the best leaf of every tree that some completion reaches.
        assert bound <= ticks.max(axis=0).sum()


@examples(150)
@given(problem=problems, seed=st.integers(0, 10**6), least=st.integers(0, 4))
def test_lower_corner_is_below_every_point(problem: Problem, seed: int, least: int) -> None:
    work, cells, changed, forced = random_box(problem, seed)
    points = cells[changed.sum(axis=1) >= least]
    must_change = corner_of_box(problem.flat_people, 0, least, work)
    if not len(points):
        return
    assert must_change == forced.sum()
    totals = problem.tables.totals(np.zeros(len(points), dtype=np.int64), points)
    assert (work.sums.corner <= quanta(totals)).all()


@examples(150)
@given(problem=problems, seed=st.integers(0, 10**6), least=st.integers(0, 4))
def test_a_candidate_is_cut_off_only_if_all_its_points_cost_that_much(
    problem: Problem, seed: int, least: int
) -> None:
    work, cells, changed, _ = random_box(problem, seed)
    points = cells[changed.sum(axis=1) >= least]
    if not len(points):
        return
    costs = quanta(problem.tables.totals(np.zeros(len(points), dtype=np.int64), points))
    here = problem.placement.position[0]
    for axis in range(problem.axes):
        for candidate in np.unique(points[:, axis]).tolist():
            if candidate != here[axis] and corner_with(problem.flat_people, 0, least, axis, candidate, work):
                assert (work.sums.trial <= costs[points[:, axis] == candidate]).all()
