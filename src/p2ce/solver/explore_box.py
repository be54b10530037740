"""Apply the four rules to one box: drop it as too dear, drop it as hopeless, score it whole, or split it."""

from p2ce.grid.cost_kernel import sort_ascending
from p2ce.jit import kernel
from p2ce.scores.dense import fill_dense
from p2ce.scores.leaf_groups import reach_support
from p2ce.scores.reachable_leaves import best_total, highest_total, reach_leaves
from p2ce.solver.box_costs import (
    corner_is_covered,
    corner_key,
    is_decided,
    join,
    price_corner,
    quantum,
    trim_box,
)
from p2ce.solver.open_boxes import push_box
from p2ce.solver.pareto_front import add_point, is_beaten
from p2ce.solver.scan_cells import is_banned, offer_cells, passes, put_widest_last
from p2ce.solver.split_box import choose_cut
from p2ce.solver.workspace import BEATEN, BOUND, BOXES, RULE, SCORED, TOO_MANY, WORK

# What became of a point that was offered.
ADDED, NO_ROOM, REJECT, IMPLAUSIBLE = range(4)


@kernel
def list_axes(me, box):
    """List the axes that can or must leave the current value; return how many.

    An axis that must but cannot is listed too: pricing the box then shows that it is empty.
    """
    size = 0
    for a in range(box.spans.shape[0]):
        span = box.spans[a]
        here = me.positions[a].here
        if span.low != here or span.high != here or span.must:
            box.axes[size] = a
            size += 1
    return size


@kernel
def stay_where_undecided(me, box):
    """Put every axis that need not change to the current value, and list the others anew."""
    for a in range(box.spans.shape[0]):
        if not is_decided(box.spans[a], me.positions[a].here):
            box.spans[a].low = me.positions[a].here
            box.spans[a].high = me.positions[a].here
    return list_axes(me, box)


@kernel
def is_infeasible(flat, s, me, box, size, changes_left, work):
    """Tell whether the score of every point of the box is below its threshold: the paper's f̄ₐ < τ."""
    enough = me.limits[s].reject_below - me.limits[s].base
    if flat.scores[s].table >= 0:
        return best_gains(me, flat.scores[s].table, box, size, changes_left, work.sums.few) < enough
    best, visited = highest_total(flat, s, me, box.spans, changes_left, work.walk, enough)
    work.counters[WORK] += 4 * visited
    return best < enough


@kernel
def reach_model(flat, me, box, size, changes_left, grouped, work):
    """List the model's leaves in the box; return how many, 0 for an additive model."""
    if flat.scores[0].table >= 0:
        return 0
    if grouped:
        count, visited = reach_support(work.groups, me, box.spans, box.axes, size, work.reached)
    else:
        count, visited = reach_leaves(
            flat, 0, me, box.spans, box.axes, size, changes_left, work.walk, work.reached
        )
    work.counters[WORK] += 4 * visited
    return count


@kernel
def best_gains(me, table, box, size, changes_left, few):
    """Largest additive part over the box: undecided axes count only as far as changes are left."""
    total = 0
    for a in range(box.spans.shape[0]):
        total += me.gains[table, a, me.positions[a].here]
    waiting = 0
    for k in range(size):
        a = box.axes[k]
        span = box.spans[a]
        here = me.positions[a].here
        best = -(1 << 40)
        for i in range(span.low, span.high + 1):
            if me.gains[table, a, i] > best and not (i == here and span.must):
                best = me.gains[table, a, i]
        gain = best - me.gains[table, a, here]
        if is_decided(span, here):
            total += gain
        elif gain > 0:
            few[waiting] = gain
            waiting += 1
    sort_ascending(few, waiting)
    for r in range(max(0, waiting - changes_left), waiting):
        total += few[r]
    return total


@kernel
def probe_corner(flat, me, box, size, rules, work):
    """Offer the cheapest point of the box: undecided axes stay, the others go to their nearest candidate.

    Where it is valid and costs no more than the corner, nothing else in the box is worth a look. Returns
    what became of it: ADDED (or not worth adding), NO_ROOM in the front, REJECT by the first score or
    IMPLAUSIBLE to a further one.
    """
    steps = 0
    for k in range(size):
        a = box.axes[k]
        span = box.spans[a]
        here = me.positions[a].here
        if not is_decided(span, here):
            continue
        left = min(span.high, here - 1)
        right = max(span.low, here + 1)
        if right > span.high or (
            left >= span.low and me.prices[0, a, left].envelope <= me.prices[0, a, right].envelope
        ):
            box.cell[a] = left
        else:
            box.cell[a] = right
        steps += abs(box.cell[a] - here)
    trial = work.sums.trial
    for m in range(me.joins.shape[0]):
        joined = 0.0
        for k in range(size):
            joined = join(me.joins[m] == 1, joined, me.prices[m, box.axes[k], box.cell[box.axes[k]]].cost)
        trial[m] = quantum(joined)
    outcome = ADDED
    if not is_beaten(work.front, trial) and not is_banned(flat, me, box.cell):
        for s in range(flat.scores.shape[0]):
            if outcome == ADDED and not passes(flat, s, me, box.cell, work):
                outcome = REJECT if s == 0 else IMPLAUSIBLE
        if outcome == ADDED and not add_point(work.front, trial, steps, box.cell, rules.keep_ties):
            outcome = NO_ROOM
    for k in range(size):
        box.cell[box.axes[k]] = me.positions[box.axes[k]].here
    return outcome


@kernel
def explore_box(flat, me, rules, size, least, grouped, best_first, work):
    """Settle the box at hand, or push its parts; False when the front has no room for a point.

    ``size`` axes are listed in it, and only points with at least ``least`` changes are asked for. A box
    that is ``grouped`` has at most three axes, all of which must change.
    """
    box = work.box
    counters = work.counters
    sums = work.sums
    counters[BOXES] += 1

    # Rule 1: too many changes, or dearer than what is known.
    forced = price_corner(me, box, size, least, sums)
    if forced > rules.max_changes:
        counters[TOO_MANY] += 1
        return True
    if forced == rules.max_changes and not grouped:
        size = stay_where_undecided(me, box)
        forced = price_corner(me, box, size, least, sums)
    if forced < 0 or corner_is_covered(me, box, rules.keep_ties, work.front, sums.corner):
        counters[BEATEN] += 1
        return True
    if trim_box(me, box, size, least - forced, sums, work.front):
        size = list_axes(me, box)
        if price_corner(me, box, size, least, sums) < 0:
            counters[BEATEN] += 1
            return True
    volume = 1
    for k in range(size):
        span = box.spans[box.axes[k]]
        volume = min(volume * (span.high - span.low + 1), 1 << 40)
    dense = size > 0 and volume <= rules.dense_cells
    outcome = ADDED
    if not dense:
        outcome = probe_corner(flat, me, box, size, rules, work)
        if outcome == NO_ROOM:
            return False
        if volume == 1 or corner_is_covered(me, box, rules.keep_ties, work.front, sums.corner):
            return True

    # Rule 2: no point can reach a threshold.
    changes_left = rules.max_changes - forced
    count = 0
    if grouped:
        # The leaves come sorted, so that listing them is no dearer than bounding.
        count = reach_model(flat, me, box, size, changes_left, grouped, work)
        if flat.scores[0].table >= 0:
            infeasible = is_infeasible(flat, 0, me, box, size, changes_left, work)
        else:
            best = me.limits[0].base + best_total(flat, 0, work.reached, count, work.best)
            infeasible = best < me.limits[0].reject_below
    else:
        infeasible = rules.bounds and is_infeasible(flat, 0, me, box, size, changes_left, work)
    if rules.bounds and infeasible:
        counters[BOUND] += 1
        return True
    # Rules between features cost next to nothing to bound.
    for s in range(1, flat.scores.shape[0]):
        is_rule = flat.scores[s].table >= flat.weights.shape[0]
        if is_rule and is_infeasible(flat, s, me, box, size, changes_left, work):
            counters[RULE] += 1
            return True
    # A detector's forest is large: walking it over a box pays where plausibility has been seen to fail.
    if rules.bounds and outcome == IMPLAUSIBLE:
        for s in range(1, flat.scores.shape[0]):
            if flat.scores[s].table >= flat.weights.shape[0]:
                continue
            if is_infeasible(flat, s, me, box, size, changes_left, work):
                counters[BOUND + min(s, 2)] += 1
                return True
    if not grouped:
        count = reach_model(flat, me, box, size, changes_left, grouped, work)
        best_total(flat, 0, work.reached, count, work.best)  # what the choice of a cut goes by

    # Rule 3: small enough to score whole.
    if dense:
        counters[SCORED] += volume
        counters[WORK] += 4 * volume
        put_widest_last(box, size, work.reached, count, work)
        if count > 0:
            fill_dense(work.reached, count, box.spans, box.axes, size, work.corner, work.cells)
        has_room = offer_cells(flat, me, box, size, volume, least, rules, work)
        for k in range(size):
            box.cell[box.axes[k]] = me.positions[box.axes[k]].here
        return has_room

    # Rule 4: split.
    push_halves(flat, me, box, size, least, count, best_first, work)
    return True


@kernel
def push_halves(flat, me, box, size, least, count, best_first, work):
    """Cut the box in two and open both parts."""
    k, cut = choose_cut(flat, me, box, size, work.reached, count, work.best, work.votes)
    span = box.spans[box.axes[k]]
    low = span.low
    high = span.high
    for half in range(2):
        span.low = low if half == 0 else cut
        span.high = cut - 1 if half == 0 else high
        if price_corner(me, box, size, least, work.sums) < 0:
            continue  # only the current value of an axis that must change, or too few axes left
        push_box(work, corner_key(me, work.sums), best_first)
