"""Collect the cheapest cells that are still worth asking about, for scores that are computed outside."""

import numpy as np

from p2ce.jit import entry, kernel
from p2ce.scores.one_instance import instance_of
from p2ce.solver.box_costs import (
    corner_is_covered,
    corner_key,
    is_decided,
    price_corner,
    trim_box,
)
from p2ce.solver.explore_box import best_gains, is_infeasible, list_axes, stay_where_undecided
from p2ce.solver.lanes import Desk
from p2ce.solver.leaf import mail_leaf, screen_leaf
from p2ce.solver.open_boxes import has_room, pop_box, push_box
from p2ce.solver.pareto_front import add_point, is_beaten
from p2ce.solver.workspace import (
    BEATEN,
    BOUND,
    BOXES,
    BOXES_FULL,
    DONE,
    ESTIMATE,
    FREE,
    OPEN,
    PAUSED,
    RULE,
    STARTED,
    TOO_MANY,
    USED,
    WORK,
)


@kernel
def desk_of(lane, scratch):
    """Lay a lane and the scratch out side by side."""
    return Desk(
        lane.state,
        lane.counters,
        lane.front,
        lane.boxes,
        lane.queue,
        scratch.box,
        scratch.sums,
        scratch.walk,
        scratch.row,
    )


@kernel
def open_everything(me, work):
    """Begin with the whole grid as the one open box."""
    state = work.state
    state[STARTED] = 1
    state[OPEN] = 0
    state[FREE] = 0
    state[USED] = 0
    for a in range(work.box.spans.shape[0]):
        position = me.positions[a]
        work.box.spans[a].low = position.lowest
        work.box.spans[a].high = position.highest
        work.box.spans[a].must = 0
    push_box(work, 0.0, True)


@kernel
def count_cells(me, box, size, changes_left):
    """Count the cells of a box, or rather bound their number: as a float, since it may be any size."""
    cells = 1.0
    others = 0.0
    open_axes = 0
    for k in range(size):
        span = box.spans[box.axes[k]]
        if is_decided(span, me.positions[box.axes[k]].here):
            cells *= span.high - span.low + 1
        else:
            others += span.high - span.low
            open_axes += 1
    for _ in range(min(changes_left, open_axes)):
        cells *= 1.0 + others
    return cells


@kernel
def estimate_is_low(flat, me, box, size, changes_left, work):
    """Tell whether the estimate of every cell of the box misses the threshold; False without an estimate."""
    s = flat.scores.shape[0]
    if me.limits.shape[0] == s:
        return False
    table = me.gains.shape[0] - 1
    best = best_gains(me, table, box, size, changes_left, work.sums.few)
    return best < me.limits[s].reject_below - me.limits[s].base


@kernel
def no_score_can_pass(flat, me, box, size, changes_left, rules, forests, work):
    """Apply every compiled bound to a box; ``forests`` says whether to walk the trees too."""
    if not rules.bounds:
        return False
    if estimate_is_low(flat, me, box, size, changes_left, work):
        work.counters[ESTIMATE] += 1
        return True
    for s in range(flat.scores.shape[0]):
        if flat.scores[s].table < 0 and not forests:
            continue
        if is_infeasible(flat, s, me, box, size, changes_left, work):
            is_rule = flat.scores[s].table >= flat.weights.shape[0]
            work.counters[RULE if is_rule else BOUND + min(s, 2)] += 1
            return True
    return False


@kernel
def mail_box(p, box, changes_left, mail):
    """Put a box into the mail, for the scores that can bound it."""
    at = mail.used[1]
    mail.used[1] += 1
    mail.box_owner[at] = p
    mail.changes_left[at] = changes_left
    for a in range(box.spans.shape[0]):
        mail.spans[at, a] = box.spans[a]


@kernel
def push_part(me, box, size, work):
    """Open what the spans of the box at hand now say, unless it holds no point."""
    if price_corner(me, box, size, 1, work.sums) < 0:
        return
    push_box(work, corner_key(me, work.sums), True)


@kernel
def push_parts(me, box, size, work):
    """Cut a box in two: an undecided axis stays or changes, a decided one goes near or far.

    The parts are made so that their cheapest cells differ: best first then meets cells in the order of cost.
    """
    chosen = -1
    cheapest = 0.0
    for k in range(size):
        a = box.axes[k]
        if not is_decided(box.spans[a], me.positions[a].here):
            least = 0.0
            for m in range(me.joins.shape[0]):
                least += max(box.nearest[m, k], 0.0) * me.shares[m]
            if chosen < 0 or least < cheapest:
                chosen = a
                cheapest = least
    if chosen >= 0:
        span = box.spans[chosen]
        here = me.positions[chosen].here
        low = span.low
        high = span.high
        span.must = 1
        push_part(me, box, size, work)
        span.must = 0
        span.low = here
        span.high = here
        push_part(me, box, size, work)
        span.low = low
        span.high = high
        return
    widest = -1.0
    for k in range(size):
        a = box.axes[k]
        span = box.spans[a]
        here = me.positions[a].here
        if span.low == span.high:
            continue
        spread = 0.0
        if span.low < here < span.high:
            spread = np.inf  # two sides are two intervals
        else:
            near = span.low if span.low > here else span.high
            far = span.high if span.low > here else span.low
            if here == span.low or here == span.high:
                near = here
            for m in range(me.joins.shape[0]):
                more = me.prices[m, a, far].envelope - me.prices[m, a, near].envelope
                spread += more * me.shares[m]
        if spread > widest:
            widest = spread
            chosen = a
    span = box.spans[chosen]
    here = me.positions[chosen].here
    low = span.low
    high = span.high
    cut = here + 1 if low < here < high else (low + high + 1) // 2
    span.high = cut - 1
    push_part(me, box, size, work)
    span.low = cut
    span.high = high
    push_part(me, box, size, work)
    span.low = low


@entry
def propose(flat, people, p, rules, lane, scratch, mail, quota, box_quota, worth_bounding, budget):
    """Go on with a person until so many cells or boxes are in the mail, work is spent, or nothing is open.

    Boxes of at least ``worth_bounding`` cells are mailed instead of cut, so that a foreign score can bound
    them first. Returns DONE when nothing is open, BOXES_FULL when room is short, else PAUSED.
    """
    me = instance_of(people, p)
    work = desk_of(lane, scratch)
    box = work.box
    counters = work.counters
    if work.state[STARTED] == 0:
        open_everything(me, work)
    cells = mail.used[0] + quota
    boxes = mail.used[1] + box_quota
    stop = counters[WORK] + budget
    while mail.used[0] < cells and mail.used[1] < boxes and counters[WORK] <= stop:
        if work.state[OPEN] == 0:
            return DONE
        if not has_room(work, 2):
            return BOXES_FULL
        pop_box(work, True)
        counters[BOXES] += 1
        counters[WORK] += 50
        size = list_axes(me, box)
        # Too many changes, or dearer than what is known. The person's own point is no answer: one change
        # at least.
        forced = price_corner(me, box, size, 1, work.sums)
        if forced > rules.max_changes:
            counters[TOO_MANY] += 1
            continue
        if forced == rules.max_changes:
            size = stay_where_undecided(me, box)
            forced = price_corner(me, box, size, 1, work.sums)
        if forced < 0 or corner_is_covered(me, box, rules.keep_ties, work.front, work.sums.corner):
            counters[BEATEN] += 1
            continue
        if trim_box(me, box, size, 1 - forced, work.sums, work.front):
            size = list_axes(me, box)
            forced = price_corner(me, box, size, 1, work.sums)
            if forced < 0:
                counters[BEATEN] += 1
                continue
        left = rules.max_changes - forced
        decided = forced == size
        volume = count_cells(me, box, size, left)
        small = decided and volume <= rules.dense_cells
        if no_score_can_pass(flat, me, box, size, left, rules, decided and not small, work):
            continue
        if small:
            if screen_leaf(flat, me, box, size, int(volume), scratch, work):
                mail_leaf(flat, me, p, box, size, int(volume), rules, scratch, work, mail)
        elif volume >= worth_bounding:
            mail_box(p, box, left, mail)
        else:
            push_parts(me, box, size, work)
    return PAUSED


@entry
def cut_mailed_box(people, p, lane, scratch, mail, at):
    """Open the parts of a box that no foreign score could rule out; there must be room for two."""
    me = instance_of(people, p)
    work = desk_of(lane, scratch)
    for a in range(work.box.spans.shape[0]):
        work.box.spans[a] = mail.spans[at, a]
    size = list_axes(me, work.box)
    price_corner(me, work.box, size, 1, work.sums)
    push_parts(me, work.box, size, work)


@entry
def accept(lane, mail, valid, first, keep_ties):
    """Offer the valid cells of the mail to the lane's front; return how many until it was full."""
    for j in range(first, valid.shape[0]):
        at = valid[j]
        costs = mail.quanta[at]
        if is_beaten(lane.front, costs):
            continue
        if not add_point(lane.front, costs, mail.steps[at], mail.points[at], keep_ties):
            return j
    return valid.shape[0]


@entry
def price_open_lane(people, p, lane, scratch, cheapest):
    """Write the least that a point of any open box may cost in each objective."""
    me = instance_of(people, p)
    box = scratch.box
    for at in range(lane.state[OPEN]):
        for a in range(box.spans.shape[0]):
            box.spans[a] = lane.boxes[lane.queue[at].slot, a]
        size = list_axes(me, box)
        if price_corner(me, box, size, 1, scratch.sums) >= 0:
            for m in range(cheapest.shape[0]):
                cheapest[m] = min(cheapest[m], scratch.sums.total[m])
