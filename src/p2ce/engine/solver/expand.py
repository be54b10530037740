"""Expand the boxes of one instance after another, in slices of work that can be paused."""

from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import Int32Array, IntArray
from p2ce.engine.kernels.jit import branching_entry, entry, kernel
from p2ce.engine.scores.flat.flat_arrays import FlatInstances, FlatScores
from p2ce.engine.scores.flat.score_cells import Instance, instance_of
from p2ce.engine.solver.box_axes import list_axes, release_box
from p2ce.engine.solver.box_costs import cheapest_change, price_corner
from p2ce.engine.solver.evaluation_queue import EvaluationQueue
from p2ce.engine.solver.expand_box import expand_box
from p2ce.engine.solver.fronts import BOUND, BOXES, COUNTERS, WORK
from p2ce.engine.solver.list_supports import next_support, prepare_supports, support_is_infeasible
from p2ce.engine.solver.open_boxes import pop_box, push_box
from p2ce.engine.solver.pareto_front import add_point, is_dominated
from p2ce.engine.solver.search_state import (
    BOXES_FULL,
    DONE,
    FREE,
    FRESH,
    FRONT_FULL,
    IMPLAUSIBLE_LEAVES,
    LIVE,
    MONOTONE,
    OPEN,
    PAUSED,
    RESULTS_FULL,
    ROOT_PUSHED,
    SIZE,
    STARTED,
    USED,
    CurrentBox,
    Scratch,
    SearchState,
    doubled,
)
from p2ce.engine.solver.settings import Settings
from p2ce.engine.solver.split_box import split_by_cost

# Points of a box have at least one change: the instance itself is not a counterfactual.
ONE_CHANGE = 1


class Results(NamedTuple):
    """The fronts of a batch: the points of all instances, one instance after another."""

    points: Int32Array  # (room, axes)
    first: IntArray  # (n + 1,) points of instance i are first[i] .. first[i + 1] - 1
    counters: IntArray  # (n, COUNTERS)


def new_results(instances: int, axes: int, room: int) -> Results:
    return Results(
        points=np.zeros((room, axes), dtype=np.int32),
        first=np.zeros(instances + 1, dtype=np.int64),
        counters=np.zeros((instances, COUNTERS), dtype=np.int64),
    )


def with_more_results(results: Results) -> Results:
    """Double the room for points, keeping those written."""
    return results._replace(points=doubled(results.points))


@branching_entry
def expand(
    flat: FlatScores,
    instances: FlatInstances,
    number: int,
    end: int,
    settings: Settings,
    search: SearchState,
    scratch: Scratch,
    queue: EvaluationQueue | None,
    alone: bool | None,
    results: Results,
    budget: int,
) -> tuple[int, int]:
    """Solve the instances from ``number`` to before ``end``; return the first unsolved one, and why it is so.

    With a ``queue``, an expansion also ends when its quota is filled. An instance's front is then complete
    only after the queued cells have been evaluated, so the instance stays in ``search``. Without a queue, the
    kernel decides ``alone``, which is then True; with one, it is None. Numba tests at compile time whether an
    argument is None, but only if it is. So each path has an argument, and the code of the other path is not
    compiled.
    """
    while number < end:
        instance = instance_of(instances, number)
        if queue is not None:
            stand_still(instance, scratch.box)  # other instances have used the scratch
        if search.state[STARTED] == 0:
            start_instance(flat, instance, settings, search, scratch)
            budget -= search.counters[WORK]
        spent = search.counters[WORK]
        code = expand_instance(flat, instance, number, settings, search, scratch, queue, alone, budget)
        if code != DONE:
            return number, code
        if alone is not None:
            if not keep_results(number, search, results):
                return number, RESULTS_FULL
            search.state[STARTED] = 0
        budget -= search.counters[WORK] - spent
        number += 1
        if budget < 0:
            return number, PAUSED
    return number, DONE


@kernel
def stand_still(instance: Instance, box: CurrentBox) -> None:
    """Set the current box and cell to the current values of the instance."""
    release_box(instance, box)
    for a in range(box.cell.shape[0]):
        box.cell[a] = instance.positions[a].here


@kernel
def start_instance(
    flat: FlatScores, instance: Instance, settings: Settings, search: SearchState, scratch: Scratch
) -> None:
    """Reset the search state for a new instance."""
    for i in range(search.counters.shape[0]):
        search.counters[i] = 0
    search.front.used[0] = 0
    search.front.used[1] = 0
    state = search.state
    state[STARTED] = 1
    state[SIZE] = 1
    state[FRESH] = 1
    state[MONOTONE] = 1
    state[IMPLAUSIBLE_LEAVES] = 0
    state[ROOT_PUSHED] = 0
    state[OPEN] = 0
    state[FREE] = 0
    state[USED] = 0
    live = 0
    box = scratch.box
    supports = search.supports
    for a in range(supports.live.shape[0]):
        position = instance.positions[a]
        box.cell[a] = position.here
        box.axes[a] = a
        box.spans[a].low = position.lowest
        box.spans[a].high = position.highest
        box.spans[a].must = 0
        for m in range(instance.joins.shape[0]):
            supports.least[m, a] = cheapest_change(instance, m, a, box.spans[a])
            for i in range(position.lowest, position.highest + 1):
                if instance.prices[m, a, i].cost != instance.prices[m, a, i].envelope:
                    state[MONOTONE] = 0
        if position.lowest < position.highest:
            supports.live[live] = a
            live += 1
    state[LIVE] = live
    if settings.listed > 0:
        prepare_supports(flat, instance, box, settings.listed, search, scratch.walk)
    release_box(instance, box)


@kernel
def is_settled(settings: Settings, listed: int, state: IntArray) -> bool:
    """Return whether no box is open and no support is left to list."""
    everything_met = state[ROOT_PUSHED] == 1 or settings.max_changes <= listed
    return everything_met and state[OPEN] == 0 and state[SIZE] > listed


@kernel
def expand_instance(
    flat: FlatScores,
    instance: Instance,
    number: int,
    settings: Settings,
    search: SearchState,
    scratch: Scratch,
    queue: EvaluationQueue | None,
    alone: bool | None,
    budget: int,
) -> int:
    """Search until nothing is open, the budget of work or the quota is used up, or an array is full.

    The listed supports come first, fewest changes first, each with its parts as a stack. Then comes the whole
    grid, best first.
    """
    box = scratch.box
    state = search.state
    counters = search.counters
    stop = counters[WORK] + budget
    listed = min(settings.listed, settings.max_changes)
    while counters[WORK] <= stop:
        if is_settled(settings, listed, state):
            return DONE
        if queue is not None:  # noqa: SIM102 - pruned at compile time where it is None
            if queue.used[0] >= queue.quota.cells or queue.used[1] >= queue.quota.boxes:
                return PAUSED
        if state[OPEN] + 2 > search.heap.shape[0]:  # a split opens two boxes
            return BOXES_FULL
        counters[WORK] += 50
        listing = state[SIZE] <= listed
        best_first = not listing
        key = 0.0
        if state[OPEN] > 0:
            key = pop_box(search, box, best_first)
            size = list_axes(instance, box)
        elif listing:
            if not next_support(instance, box, search, scratch.sums):
                state[SIZE] += 1
                state[FRESH] = 1
                continue
            size = state[SIZE]
            if settings.bounds and support_is_infeasible(
                flat, instance, box, size, search.supports, counters
            ):
                counters[BOXES] += 1
                counters[BOUND] += 1
                release_box(instance, box)
                continue
        else:
            state[ROOT_PUSHED] = 1
            for a in range(box.spans.shape[0]):
                box.spans[a].low = instance.positions[a].lowest
                box.spans[a].high = instance.positions[a].highest
            size = list_axes(instance, box)
        # Points with at most ``listed`` changes have already been visited, one support at a time.
        least = 0 if listing else listed + ONE_CHANGE
        settled = expand_box(
            flat, instance, number, settings, size, least, listing, best_first, search, scratch, queue, alone
        )
        if not settled:
            # The rest of the box after trimming must still be searched.
            push_box(search, box, key, best_first)
        release_box(instance, box)
        if not settled:
            return FRONT_FULL
    return DONE if is_settled(settings, listed, state) else PAUSED


@kernel
def keep_results(number: int, search: SearchState, results: Results) -> bool:
    """Append the instance's front to the results; return False if there is no room."""
    count = search.front.used[0]
    begin = results.first[number]
    if begin + count > results.points.shape[0]:
        return False
    for point in range(count):
        for a in range(results.points.shape[1]):
            results.points[begin + point, a] = search.front.points[point, a]
    results.first[number + 1] = begin + count
    for i in range(search.counters.shape[0]):
        results.counters[number, i] = search.counters[i]
    return True


@entry
def split_queued_box(
    instances: FlatInstances,
    number: int,
    settings: Settings,
    search: SearchState,
    scratch: Scratch,
    queue: EvaluationQueue,
    at: int,
) -> None:
    """Split a queued box that no score could prune, and open its parts; there must be room for two."""
    instance = instance_of(instances, number)
    box = scratch.box
    for a in range(box.spans.shape[0]):
        box.spans[a] = queue.spans[at, a]
    size = list_axes(instance, box)
    least = min(settings.listed, settings.max_changes) + ONE_CHANGE
    price_corner(instance, box, size, least, scratch.sums)
    split_by_cost(instance, box, size, least, True, search, scratch.sums)


@entry
def offer_evaluated(
    search: SearchState, queue: EvaluationQueue, accepted: IntArray, first: int, keep_ties: bool
) -> int:
    """Offer accepted queued cells to the front, from ``first`` on; return where it was full, or the end."""
    count: int = accepted.shape[0]
    for j in range(first, count):
        at = accepted[j]
        costs = queue.quanta[at]
        if is_dominated(search.front, costs):
            continue
        if not add_point(search.front, costs, queue.steps[at], queue.points[at], keep_ties):
            return j
    return count
