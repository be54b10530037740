"""The bound of a box covers every point of it that the search could still complete it to."""

from itertools import product
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from p2ce.compiled.evaluate import score_rows
from p2ce.compiled.person import person_of
from p2ce.search.engine import rules_of
from p2ce.search.explore import list_axes, upper_bound
from p2ce.search.methods import METHODS
from p2ce.search.pricing import price_corner
from p2ce.search.workspace import Workspace, new_workspace
from tests.properties.amount import examples
from tests.properties.random_problems import Problem, problems


@njit(_nrt=False)
def bound_of_box(flat, people, p, s, changes_left, work):
    """Give the bound of the box at hand in ticks."""
    me = person_of(people, p)
    size = list_axes(me, work.box)
    bound, _ = upper_bound(flat, s, me, work.box, size, changes_left, False, work.reached, work)
    return bound


@njit(_nrt=False)
def corner_of_box(people, p, least, work):
    """Write the lower corner of the box at hand; give how many axes must change in it."""
    me = person_of(people, p)
    return price_corner(me, work.box, list_axes(me, work.box), least, work.sums)


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
        work.box.index[axis] = here
    return allowed


def random_box(problem: Problem, seed: int) -> tuple[Workspace, np.ndarray, np.ndarray, np.ndarray]:
    """Give a workspace with a box, all its points, what changed in each, and what had to."""
    rules = rules_of(METHODS["exact"], max_changes=None, keep_ties=False, use_bounds=True)
    work = new_workspace(problem.layout, problem.flat_people, rules)
    allowed = put_random_box(problem, work, np.random.default_rng(seed))
    cells = np.array(list(product(*allowed)), dtype=np.int32).reshape(-1, problem.axes)
    here = problem.placement.position[0]
    forced = np.array([at not in choices for at, choices in zip(here.tolist(), allowed, strict=True)])
    return work, cells, cells != here, forced


@examples(150)
@given(problem=problems, seed=st.integers(0, 10**6), changes_left=st.integers(0, 6))
def test_upper_bound_covers_every_completion(problem: Problem, seed: int, changes_left: int) -> None:
    work, cells, changed, forced = random_box(problem, seed)
    completions = cells[(changed & ~forced).sum(axis=1) <= changes_left]
    rows = problem.rows(0, completions)
    for s, score in enumerate(problem.scores):
        bound = bound_of_box(problem.layout.flat, problem.flat_people, 0, s, changes_left, work)
        limit = problem.flat_people.limits[0, s]
        if not len(rows):
            continue
        best = score_rows(score, rows).max()
        # What the search does with it: a box is dropped when its bound is surely refused.
        assert best < score.maybe or bound >= limit["refused_below"]
        # And as a number, up to the rounding of the ticks that the limit allows for.
        ticks = ticks_per_unit(problem, s)
        doubt = score.forest.tree_count if score.forest is not None else score.column_count
        assert bound >= best * ticks - doubt - 2


def ticks_per_unit(problem: Problem, s: int) -> float:
    """Read the size of a tick off a leaf, or off the largest gain."""
    score: Any = problem.scores[s]
    flat = problem.layout.flat
    if score.forest is not None:
        from p2ce.compiled.flat import tick_for

        return 1.0 / float(tick_for(problem.layout.span[s]))
    gains = problem.flat_people.gains[0, flat.scores[s]["table"]]
    seen = problem.flat_people.seen[0, flat.scores[s]["looks_at"]]
    worth = score.weights[problem.grid.columns][:, None] * seen
    at = np.unravel_index(np.argmax(np.abs(gains)), gains.shape)
    if gains[at] == 0:
        return 0.0
    # Ticks are powers of two.
    return float(2.0 ** np.rint(np.log2(gains[at] / worth[at])))


@examples(150)
@given(problem=problems, seed=st.integers(0, 10**6), least=st.integers(0, 4))
def test_lower_corner_is_below_every_point(problem: Problem, seed: int, least: int) -> None:
    work, cells, changed, forced = random_box(problem, seed)
    points = cells[changed.sum(axis=1) >= least]
    must_change = corner_of_box(problem.flat_people, 0, least, work)
    if not len(points):
        return
    assert must_change == forced.sum()
    steps = problem.tables.steps[0][:, np.arange(problem.axes), points]  # (objectives, points, axes)
    totals = np.where(problem.tables.joins[:, None] == 1, steps.max(axis=2, initial=0), steps.sum(axis=2))
    assert (work.sums.total[:, None] <= totals).all()
