"""The bound of a box covers every point of it that the search could still complete it to."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from p2ce.base.comparing import quanta
from p2ce.engine.kernels.jit import entry
from p2ce.engine.scores.external import ACCEPT, REJECT
from p2ce.engine.scores.flat.flat_arrays import tick_for
from p2ce.engine.scores.flat.reachable_leaves import highest_total
from p2ce.engine.scores.flat.score_cells import instance_of
from p2ce.engine.scores.score import score_rows
from p2ce.engine.scores.trees.forest import leaves_reached
from p2ce.engine.solver.box_axes import list_axes
from p2ce.engine.solver.box_costs import price_corner, price_with
from p2ce.engine.solver.branch_and_bound import make_settings
from p2ce.engine.solver.fronts import COUNTERS
from p2ce.engine.solver.search_state import Scratch, new_scratch
from p2ce.engine.solver.upper_bounds import best_gains, is_infeasible, verdict_of
from tests.properties.amount import examples
from tests.properties.random_problems import Problem, problems, ruled_problems


@entry
def box_is_infeasible(flat, instances, p, s, changes_left, scratch, counters):
    """Return whether the bound of score ``s`` prunes the box at hand."""
    instance = instance_of(instances, p)
    box = scratch.box
    size = list_axes(instance, box)
    few, walk = scratch.sums.few, scratch.walk
    return is_infeasible(flat, s, instance, box.spans, box.axes, size, changes_left, few, walk, counters)


@entry
def bound_of_trees(flat, instances, p, s, changes_left, scratch):
    """Return the bound of a forest's part over the box at hand, in ticks."""
    instance = instance_of(instances, p)
    bound, _ = highest_total(flat, s, instance, scratch.box.spans, changes_left, scratch.walk, -(1 << 62))
    return bound


@entry
def bound_of_sums(instances, p, table, changes_left, scratch):
    """Return the bound of an additive score over the box at hand, in ticks."""
    instance = instance_of(instances, p)
    box = scratch.box
    size = list_axes(instance, box)
    return best_gains(instance, table, box.spans, box.axes, size, changes_left, scratch.sums.few)


@entry
def judge_ticks(instances, p, s, ticks, verdicts):
    """Write the verdict of score ``s`` on every total of ticks."""
    for n in range(ticks.shape[0]):
        verdicts[n] = verdict_of(instance_of(instances, p), s, ticks[n])


@entry
def corner_of_box(instances, p, least, scratch):
    """Write the lower corner of the box at hand; give how many axes must change in it."""
    instance = instance_of(instances, p)
    return price_corner(instance, scratch.box, list_axes(instance, scratch.box), least, scratch.sums)


@entry
def corner_with(instances, p, least, axis, candidate, scratch):
    """Write the corner of the box's points at one candidate; False where the axis cannot move."""
    instance = instance_of(instances, p)
    size = list_axes(instance, scratch.box)
    forced = price_corner(instance, scratch.box, size, least, scratch.sums)
    for k in range(size):
        if scratch.box.axes[k] == axis:
            price_with(instance, scratch.box, size, k, candidate, least - forced, scratch.sums)
            return True
    return False


def ticks_of(problem: Problem, s: int, cells: np.ndarray) -> np.ndarray:
    """Add up what the candidates of the first person's cells, or their leaves, add to a score: (cells,)."""
    forest = problem.scores[s].forest
    if forest is None:
        gains = problem.flat_people.gains[0, problem.layout.flat.scores[s]["table"]]
        return gains[np.arange(problem.axes), cells].sum(axis=1, dtype=np.int64)
    leaves = leaves_reached(forest, problem.scores[s].see(problem.rows(0, cells)))
    return np.rint(forest.value / tick_for(problem.layout.span[s]))[leaves].sum(axis=1).astype(np.int64)


def put_random_box(problem: Problem, scratch: Scratch, rng: np.random.Generator) -> list[list[int]]:
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
        span = scratch.box.spans[axis]
        span["low"], span["high"], span["must"] = low, high, must
        allowed.append([index for index in range(int(low), int(high) + 1) if not (must and index == here)])
        scratch.box.cell[axis] = here
    return allowed


def random_box(problem: Problem, seed: int) -> tuple[Scratch, np.ndarray, np.ndarray, np.ndarray]:
    """Return scratch with a box, all its points, what changed in each, and what had to."""
    settings = make_settings(max_changes=None, keep_ties=False, use_bounds=True)
    scratch = new_scratch(problem.layout, problem.flat_people, settings)
    allowed = put_random_box(problem, scratch, np.random.default_rng(seed))
    cells = np.array(list(product(*allowed)), dtype=np.int32).reshape(-1, problem.axes)
    here = problem.placement.position[0]
    forced = np.array([at not in choices for at, choices in zip(here.tolist(), allowed, strict=True)])
    return scratch, cells, cells != here, forced


@examples(120)
@given(problem=problems, seed=st.integers(0, 10**6), changes_left=st.integers(0, 6))
def test_a_box_is_pruned_only_if_every_completion_is_rejected(
    problem: Problem, seed: int, changes_left: int
) -> None:
    scratch, cells, changed, forced = random_box(problem, seed)
    completions = cells[(changed & ~forced).sum(axis=1) <= changes_left]
    if not len(completions):
        return
    rows = problem.rows(0, completions)
    for s, score in enumerate(problem.scores):
        counters = np.zeros(COUNTERS, dtype=np.int64)
        if box_is_infeasible(problem.layout.flat, problem.flat_people, 0, s, changes_left, scratch, counters):
            assert score_rows(score, rows).max() < score.reject_below
        if score.forest is None:
            continue
        bound = bound_of_trees(problem.layout.flat, problem.flat_people, 0, s, changes_left, scratch)
        leaves = leaves_reached(score.forest, score.see(rows))
        ticks = np.rint(score.forest.value / tick_for(problem.layout.span[s]))[leaves]
        assert bound >= ticks.sum(axis=1).max()
        # It is not a looser than it says: the best leaf of every tree that some completion reaches.
        assert bound <= ticks.max(axis=0).sum()


@examples(80)
@given(problem=ruled_problems, seed=st.integers(0, 10**6), changes_left=st.integers(1, 3))
def test_the_bound_of_a_sum_is_its_best_completion(problem: Problem, seed: int, changes_left: int) -> None:
    scratch, cells, changed, forced = random_box(problem, seed)
    completions = cells[(changed & ~forced).sum(axis=1) <= changes_left]
    if not len(completions):
        return
    for s, score in enumerate(problem.scores):
        if score.forest is None:
            table = problem.layout.flat.scores[s]["table"]
            bound = bound_of_sums(problem.flat_people, 0, table, changes_left, scratch)
            assert bound == ticks_of(problem, s, completions).max()


@examples(40)
@given(problem=problems, seed=st.integers(0, 10**6))
def test_a_cell_is_judged_in_ticks_only_where_its_value_leaves_no_doubt(problem: Problem, seed: int) -> None:
    _, cells, _, _ = random_box(problem, seed)
    rows = problem.rows(0, cells)
    for s, score in enumerate(problem.scores):
        verdicts = np.empty(len(cells), dtype=np.int8)
        judge_ticks(problem.flat_people, 0, s, ticks_of(problem, s, cells), verdicts)
        values = score_rows(score, rows)
        assert (values[verdicts == ACCEPT] >= score.accept_from).all()
        assert (values[verdicts == REJECT] < score.reject_below).all()


@examples(240)
@given(problem=problems, seed=st.integers(0, 10**6), least=st.integers(0, 4))
def test_the_corner_of_a_box_or_candidate_is_below_all_its_points(
    problem: Problem, seed: int, least: int
) -> None:
    scratch, cells, changed, forced = random_box(problem, seed)
    points = cells[changed.sum(axis=1) >= least]
    must_change = corner_of_box(problem.flat_people, 0, least, scratch)
    if not len(points):
        return
    assert must_change == forced.sum()
    costs = quanta(problem.tables.totals(np.zeros(len(points), dtype=np.int64), points))
    assert (scratch.sums.corner <= costs).all()
    # A candidate is cut off only if all its points cost that much.
    here = problem.placement.position[0]
    for axis in range(problem.axes):
        for candidate in np.unique(points[:, axis]).tolist():
            if candidate != here[axis] and corner_with(
                problem.flat_people, 0, least, axis, candidate, scratch
            ):
                assert (scratch.sums.trial <= costs[points[:, axis] == candidate]).all()
