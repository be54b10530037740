"""Run the search for one person after the other, in slices that can be paused."""

from typing import NamedTuple

import numpy as np

from p2ce.arrays import Int32Array, IntArray
from p2ce.jit import entry, kernel
from p2ce.scores.leaf_groups import best_lift, sort_into_groups
from p2ce.scores.one_instance import instance_of
from p2ce.scores.reachable_leaves import reach_leaves
from p2ce.solver.box_costs import cheapest_change, join, price_corner, quantum
from p2ce.solver.explore_box import explore_box, list_axes
from p2ce.solver.open_boxes import has_room, pop_box, push_box
from p2ce.solver.pareto_front import is_beaten
from p2ce.solver.workspace import (
    BEATEN,
    BOUND,
    BOXES,
    BOXES_FULL,
    CHOSEN,
    COUNTERS,
    DONE,
    FREE,
    FRESH,
    FRONT_FULL,
    LIVE,
    MONOTONE,
    OPEN,
    PAUSED,
    RESULTS_FULL,
    ROOT_PUSHED,
    SIZE,
    STARTED,
    TIRED,
    USED,
    WORK,
)


class Results(NamedTuple):
    """What was found for the people of a batch, one person's points after the other's."""

    points: Int32Array  # (room, axes)
    first: IntArray  # (n + 1,) points of person p are first[p] .. first[p + 1] - 1
    counters: IntArray  # (n, COUNTERS)


def new_results(people: int, axes: int, room: int) -> Results:
    return Results(
        points=np.zeros((room, axes), dtype=np.int32),
        first=np.zeros(people + 1, dtype=np.int64),
        counters=np.zeros((people, COUNTERS), dtype=np.int64),
    )


def with_more_results(results: Results) -> Results:
    """Double the room for points, keeping those written."""
    larger = np.zeros((2 * len(results.points), results.points.shape[1]), dtype=np.int32)
    larger[: len(results.points)] = results.points
    return results._replace(points=larger)


@kernel
def start_instance(flat, me, rules, work):
    """Forget the last person, and sort this one's leaves by what must change to reach them."""
    for i in range(work.counters.shape[0]):
        work.counters[i] = 0
    work.front.used[0] = 0
    work.front.used[1] = 0
    state = work.state
    state[STARTED] = 1
    state[SIZE] = 1
    state[FRESH] = 1
    state[MONOTONE] = 1
    state[TIRED] = 0
    state[ROOT_PUSHED] = 0
    state[OPEN] = 0
    state[FREE] = 0
    state[USED] = 0
    live = 0
    box = work.box
    for a in range(work.live.shape[0]):
        position = me.positions[a]
        box.cell[a] = position.here
        box.axes[a] = a
        box.spans[a].low = position.lowest
        box.spans[a].high = position.highest
        box.spans[a].must = 0
        for m in range(me.joins.shape[0]):
            work.least[m, a] = cheapest_change(me, m, a, box.spans[a])
            for i in range(position.lowest, position.highest + 1):
                if me.prices[m, a, i].cost != me.prices[m, a, i].envelope:
                    state[MONOTONE] = 0
        if position.lowest < position.highest:
            work.live[live] = a
            live += 1
    state[LIVE] = live
    if rules.listed > 0 and flat.scores[0].last_tree > flat.scores[0].first_tree:
        axes = work.live.shape[0]
        count, visited = reach_leaves(
            flat, 0, me, box.spans, box.axes, axes, rules.listed, work.walk, work.groups.reached
        )
        work.counters[WORK] += 8 * visited
        sort_into_groups(work.groups, count, axes)
    note_own_total(flat, me, work)
    release_box(me, box)


@kernel
def note_own_total(flat, me, work):
    """Note where the first score stands today, and how far each axis alone can lift an additive one."""
    total = me.limits[0].base
    table = flat.scores[0].table
    if table >= 0:
        for a in range(work.gain.shape[0]):
            position = me.positions[a]
            own = me.gains[table, a, position.here]
            total += own
            best = -(1 << 40)
            for i in range(position.lowest, position.highest + 1):
                if i != position.here:
                    best = max(best, me.gains[table, a, i] - own)
            work.gain[a] = best
    else:
        for tree in range(flat.scores[0].first_tree, flat.scores[0].last_tree):
            total += work.groups.own[tree]
    work.own_total[0] = total


@kernel
def support_is_infeasible(flat, me, size, work):
    """Tell whether no choice of values for the axes of the box at hand can reach the first threshold."""
    lift = 0
    if flat.scores[0].table >= 0:
        for k in range(size):
            lift += work.gain[work.box.axes[k]]
    else:
        lift, visited = best_lift(work.groups, work.box.axes, size, work.box.spans.shape[0], work.lifted)
        work.counters[WORK] += visited
    return work.own_total[0] + lift < me.limits[0].reject_below


@kernel
def release_box(me, box):
    """Put every axis back to the current value."""
    for a in range(box.spans.shape[0]):
        box.spans[a].low = me.positions[a].here
        box.spans[a].high = me.positions[a].here
        box.spans[a].must = 0


@kernel
def next_support(me, work):
    """Move on to the next set of axes that the front does not beat already; False when none is left.

    A set whose cheapest changes are beaten takes all its extensions with it, since costs only grow.
    """
    state = work.state
    size = state[SIZE]
    live = state[LIVE]
    if size > live:
        return False
    part = work.sums.part
    depth = size - 1
    if state[FRESH]:
        state[FRESH] = 0
        depth = 0
        state[CHOSEN] = -1
    state[CHOSEN + depth] += 1
    while True:
        if state[CHOSEN + depth] > live - size + depth:
            depth -= 1
            if depth < 0:
                return False
            state[CHOSEN + depth] += 1
            continue
        a = work.live[state[CHOSEN + depth]]
        for m in range(me.joins.shape[0]):
            before = part[depth, m] if depth > 0 else 0.0
            part[depth + 1, m] = join(me.joins[m] == 1, before, work.least[m, a])
            work.sums.trial[m] = quantum(part[depth + 1, m])
        if is_beaten(work.front, work.sums.trial):
            work.counters[BOXES] += 1
            work.counters[BEATEN] += 1
            state[CHOSEN + depth] += 1
            continue
        if depth == size - 1:
            return True
        depth += 1
        state[CHOSEN + depth] = state[CHOSEN + depth - 1] + 1


@kernel
def take_support(me, work):
    """Make the listed support the box at hand, over all its candidates."""
    size = work.state[SIZE]
    for k in range(size):
        a = work.live[work.state[CHOSEN + k]]
        work.box.axes[k] = a
        work.box.spans[a].low = me.positions[a].lowest
        work.box.spans[a].high = me.positions[a].highest
        work.box.spans[a].must = 1
    return size


@kernel
def take_everything(me, work):
    """Make the whole grid the box at hand."""
    for a in range(work.box.spans.shape[0]):
        work.box.spans[a].low = me.positions[a].lowest
        work.box.spans[a].high = me.positions[a].highest


@kernel
def is_settled(rules, listed, state):
    """Tell whether nothing is open, listed or not met yet."""
    everything_met = state[ROOT_PUSHED] == 1 or rules.max_changes <= listed
    return everything_met and state[OPEN] == 0 and state[SIZE] > listed


@kernel
def run_instance(flat, me, rules, work, budget):
    """Search until the person is settled, the budget of work is spent, or room is short."""
    state = work.state
    stop = work.counters[WORK] + budget
    listed = min(rules.listed, rules.max_changes)
    most_parts = work.votes.shape[2] + 1
    while work.counters[WORK] <= stop:
        if is_settled(rules, listed, state):
            return DONE
        if not has_room(work, most_parts):
            return BOXES_FULL
        work.counters[WORK] += 50
        listing = state[SIZE] <= listed
        best_first = not listing
        key = 0.0
        if state[OPEN] > 0:
            key = pop_box(work, best_first)
            size = list_axes(me, work.box)
        elif listing:
            if not next_support(me, work):
                state[SIZE] += 1
                state[FRESH] = 1
                continue
            size = take_support(me, work)
            if rules.bounds and support_is_infeasible(flat, me, size, work):
                work.counters[BOXES] += 1
                work.counters[BOUND] += 1
                release_box(me, work.box)
                continue
        else:
            state[ROOT_PUSHED] = 1
            take_everything(me, work)
            size = list_axes(me, work.box)
        # Points with fewer changes than are listed have been met one support at a time.
        least = 0 if listing or listed == 0 else listed + 1
        settled = explore_box(flat, me, rules, size, least, listing, best_first, work)
        if not settled:
            # What is left of the box after trimming is still to be searched.
            push_box(work, key, best_first)
        release_box(me, work.box)
        if not settled:
            return FRONT_FULL
    return DONE if is_settled(rules, listed, state) else PAUSED


@entry
def price_open(people, p, work, cheapest):
    """Write the least that a point of any open box may cost in each objective."""
    me = instance_of(people, p)
    for at in range(work.state[OPEN]):
        for a in range(work.box.spans.shape[0]):
            work.box.spans[a] = work.boxes[work.queue[at].slot, a]
        size = list_axes(me, work.box)
        if price_corner(me, work.box, size, 0, work.sums) >= 0:
            for m in range(cheapest.shape[0]):
                cheapest[m] = min(cheapest[m], work.sums.total[m])
    release_box(me, work.box)


@kernel
def keep_results(p, work, results):
    """Write the person's front behind those before; False when there is no room."""
    count = work.front.used[0]
    begin = results.first[p]
    if begin + count > results.points.shape[0]:
        return False
    for point in range(count):
        for a in range(results.points.shape[1]):
            results.points[begin + point, a] = work.front.points[point, a]
    results.first[p + 1] = begin + count
    for i in range(work.counters.shape[0]):
        results.counters[p, i] = work.counters[i]
    return True


@entry
def run_many(flat, people, p, stop, rules, work, results, budget):
    """Settle people p, p + 1, … up to ``stop``; return the first one not settled, and why."""
    while p < stop:
        me = instance_of(people, p)
        if work.state[STARTED] == 0:
            start_instance(flat, me, rules, work)
            budget -= work.counters[WORK]
        spent = work.counters[WORK]
        code = run_instance(flat, me, rules, work, budget)
        if code != DONE:
            return p, code
        if not keep_results(p, work, results):
            return p, RESULTS_FULL
        work.state[STARTED] = 0
        budget -= work.counters[WORK] - spent
        p += 1
        if budget < 0:
            return p, PAUSED
    return p, DONE
