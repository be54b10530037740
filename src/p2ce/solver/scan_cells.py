"""Look through the scored cells of a box and offer the valid, undominated ones to the front."""

from p2ce.jit import kernel
from p2ce.scores.dense import fill_dense, looks_the_same, score_cell
from p2ce.scores.reachable_leaves import NO_LIMIT, highest_total, reach_leaves
from p2ce.solver.box_costs import join, price_corner, quantum, trim_box
from p2ce.solver.pareto_front import add_point, find_tied, is_beaten
from p2ce.solver.workspace import BOUND, CHECKED, MONOTONE, PLACE, TIRED, WORK

# So many cells may fail the detector one by one before it is scored over the whole box; fewer for a person
# for whom that has happened before.
PATIENCE = 4
# In boxes of fewer cells it never is.
WORTH_SCORING = 32


@kernel
def is_banned(flat, me, cell):
    """Tell whether the user's own model or detector has refused this point, or one that looks the same."""
    for ban in range(me.banned.shape[0]):
        same = True
        for a in range(cell.shape[0]):
            if me.banned[ban, a] != cell[a]:
                same = False
                break
        s = me.banned[ban, cell.shape[0]]
        if same or (s >= 0 and looks_the_same(flat, s, me, cell, ban)):
            return True
    return False


@kernel
def passes(flat, s, me, index, work):
    """Score one cell in the library's own order. Doubtful cells pass: the model itself judges them later."""
    table = flat.scores[s].table
    if table >= flat.weights.shape[0]:
        # A rule is no model of anybody's: its ticks are all there is, and verification has the last word.
        total = me.limits[s].base
        for a in range(index.shape[0]):
            total += me.gains[table, a, index[a]]
        return total >= me.limits[s].reject_below
    work.counters[CHECKED] += 1
    work.counters[WORK] += 16 * (flat.scores[s].last_tree - flat.scores[s].first_tree)
    return score_cell(flat, s, me, index, work.row) >= flat.scores[s].reject_below


@kernel
def put_widest_last(box, size, reached, count, work):
    """Swap the widest axis with the last one, in the list and in the leaves: rows are as long as can be."""
    place = size - 1
    for k in range(size - 1):
        span = box.spans[box.axes[k]]
        widest = box.spans[box.axes[place]]
        if span.high - span.low > widest.high - widest.low:
            place = k
    work.state[PLACE] = place
    swap_axes(box, size, work)
    if place == size - 1:
        return
    for j in range(count):
        one = reached.inside[j * size + place]
        other = reached.inside[j * size + size - 1]
        low = one.low
        high = one.high
        one.low = other.low
        one.high = other.high
        other.low = low
        other.high = high


@kernel
def swap_axes(box, size, work):
    """Swap the axis of the rows with the one in whose place it was, or back."""
    place = work.state[PLACE]
    moved = box.axes[place]
    box.axes[place] = box.axes[size - 1]
    box.axes[size - 1] = moved


@kernel
def enter_row(flat, me, box, size, rules, work):
    """Price and score what the leading axes of ``box.cell`` have chosen.

    A row is all candidates of the last axis. Returns the number of changes so far and the ticks, the
    last axis left out; -1 changes for a row without a point.
    """
    axes = box.axes
    changed = 0
    for k in range(size - 1):
        a = axes[k]
        if box.cell[a] != me.positions[a].here:
            changed += 1
        elif box.spans[a].must:
            return -1, 0
    if changed > rules.max_changes:
        return -1, 0
    ticks = me.limits[0].base
    table = flat.scores[0].table
    if table >= 0:
        # Every axis counts here, also those that stay.
        for a in range(box.cell.shape[0]):
            if a != axes[size - 1]:
                ticks += me.gains[table, a, box.cell[a]]
    # Costs are joined in the order of the axes: those before the rows' own axis, that one, those behind it.
    place = work.state[PLACE]
    part = work.sums.part[0]
    for m in range(me.joins.shape[0]):
        part[m] = 0.0
        for k in range(place):
            part[m] = join(me.joins[m] == 1, part[m], me.prices[m, axes[k], box.cell[axes[k]]].cost)
        for k in range(place + 1, size):
            a = axes[k if k < size - 1 else place]
            work.sums.behind[k - place - 1, m] = me.prices[m, a, box.cell[a]].cost
    return changed, ticks


@kernel
def row_in_hull(box, size):
    """Number the row's first cell within the hull, as dense scoring lays its cells out; -1 outside."""
    cell = 0
    for k in range(size - 1):
        hull = box.hull[box.axes[k]]
        i = box.cell[box.axes[k]]
        if i < hull.low or i > hull.high:
            return -1
        cell = cell * (hull.high - hull.low + 1) + i - hull.low
    hull = box.hull[box.axes[size - 1]]
    return cell * (hull.high - hull.low + 1)


@kernel
def seek(flat, me, box, size, row, ticks, begin, end, step, in_hull, slot, work):
    """Find the row's next cell from ``begin`` on that may be accepted and is not beaten.

    It is written to the candidate ``slot``; False when there is none. Costs do not fall on the way
    outwards, so the first beaten cell ends the row, unless a user's own table is not monotone.
    """
    last = box.axes[size - 1]
    span = box.spans[last]
    length = span.high - span.low + 1
    table = flat.scores[0].table
    reject_below = me.limits[0].reject_below
    part = work.sums.part[0]
    behind = work.sums.behind
    others = size - 1 - work.state[PLACE]
    trial = work.sums.trial
    hull_row = row_in_hull(box, size) if in_hull else 0
    if hull_row < 0:
        return False
    for i in range(begin, end, step):
        tick = ticks
        if table >= 0:
            tick += me.gains[table, last, i]
        else:
            tick += work.cells[row * length + i - span.low]
        if tick < reject_below:
            continue
        if in_hull:
            hull = box.hull[last]
            if i < hull.low or i > hull.high:
                continue
            further = me.limits[1].base + work.further_cells[hull_row + i - hull.low]
            if further < me.limits[1].reject_below:
                continue
        for m in range(me.joins.shape[0]):
            cost = join(me.joins[m] == 1, part[m], me.prices[m, last, i].cost)
            for k in range(others):
                cost = join(me.joins[m] == 1, cost, behind[k, m])
            trial[m] = quantum(cost)
        if is_beaten(work.front, trial):
            if work.state[MONOTONE]:
                return False
            continue
        candidate = work.candidates[slot]
        candidate.cell = row * length + i - span.low
        candidate.tick = tick
        candidate.key = trial[0]
        for m in range(me.joins.shape[0]):
            work.quanta[slot, m] = trial[m]
        return True
    return False


@kernel
def collect_rows(flat, me, box, size, least, rules, in_hull, work):
    """Gather, for each row of the box and each side of the current value, the nearest promising cell.

    Whatever lies farther out in the row costs no less, and is looked at only if that cell fails. Returns
    how many were gathered.
    """
    axes = box.axes
    last = axes[size - 1]
    span = box.spans[last]
    here = me.positions[last].here
    stays = span.must == 0 and span.low <= here <= span.high
    up = max(span.low, here + 1)
    down = min(span.high, here - 1)
    found = 0
    ticks = 0
    for k in range(size - 1):
        box.cell[axes[k]] = box.spans[axes[k]].low
    row = 0
    length = span.high - span.low + 1
    while True:
        # Most rows hold nothing that the model accepts: the largest total of a row tells, at little cost.
        changed = 0
        if flat.scores[0].table < 0:
            top = work.cells[row * length]
            for i in range(row * length + 1, (row + 1) * length):
                top = max(top, work.cells[i])
            if me.limits[0].base + top < me.limits[0].reject_below:
                changed = -1
        if changed >= 0:
            changed, ticks = enter_row(flat, me, box, size, rules, work)
        if changed >= 0:
            if stays and changed >= least:
                found += seek(flat, me, box, size, row, ticks, here, here + 1, 1, in_hull, found, work)
            if changed < rules.max_changes and changed + 1 >= least:
                found += seek(flat, me, box, size, row, ticks, up, span.high + 1, 1, in_hull, found, work)
                found += seek(flat, me, box, size, row, ticks, down, span.low - 1, -1, in_hull, found, work)
        # Next row: the last of the leading axes turns fastest.
        k = size - 2
        while k >= 0:
            a = axes[k]
            if box.cell[a] < box.spans[a].high:
                box.cell[a] += 1
                break
            box.cell[a] = box.spans[a].low
            k -= 1
        row += 1
        if k < 0:
            return found


@kernel
def sift_down(candidates, at, count):
    """Restore the heap of candidate slots below one place: no parent has a larger key than its children."""
    moving = candidates[at].order
    key = candidates[moving].key
    while True:
        child = 2 * at + 1
        if child >= count:
            break
        if child + 1 < count and (
            candidates[candidates[child + 1].order].key < candidates[candidates[child].order].key
        ):
            child += 1
        if candidates[candidates[child].order].key >= key:
            break
        candidates[at].order = candidates[child].order
        at = child
    candidates[at].order = moving


@kernel
def make_heap(candidates, count):
    """Order the first ``count`` candidates so that the cheapest can be taken one by one."""
    for i in range(count):
        candidates[i].order = i
    for at in range(count // 2 - 1, -1, -1):
        sift_down(candidates, at, count)


@kernel
def unravel(me, box, size, cell):
    """Write a cell's candidates into ``box.cell``; return the grid steps away from the current point."""
    steps = 0
    for k in range(size - 1, -1, -1):
        a = box.axes[k]
        length = box.spans[a].high - box.spans[a].low + 1
        box.cell[a] = box.spans[a].low + cell % length
        cell //= length
        steps += abs(box.cell[a] - me.positions[a].here)
    return steps


@kernel
def move_outwards(flat, me, box, size, rules, in_hull, slot, work):
    """Replace a candidate, the cell ``box.cell``, by the next one of its row; False at the end of the row."""
    last = box.axes[size - 1]
    span = box.spans[last]
    i = box.cell[last]
    if i == me.positions[last].here:
        return False
    row = work.candidates[slot].cell // (span.high - span.low + 1)
    _, ticks = enter_row(flat, me, box, size, rules, work)
    if i > me.positions[last].here:
        return seek(flat, me, box, size, row, ticks, i + 1, span.high + 1, 1, in_hull, slot, work)
    return seek(flat, me, box, size, row, ticks, i - 1, span.low - 1, -1, in_hull, slot, work)


@kernel
def enclose_waiting(me, box, size, count, work):
    """Write to ``box.hull`` the smallest box around the waiting candidates and what lies outwards of them."""
    for a in range(box.spans.shape[0]):
        box.hull[a] = box.spans[a]
    for k in range(size):
        box.hull[box.axes[k]].low = 1 << 30
        box.hull[box.axes[k]].high = -1
    last = box.axes[size - 1]
    here = me.positions[last].here
    for j in range(count):
        unravel(me, box, size, work.candidates[work.candidates[j].order].cell)
        for k in range(size):
            a = box.axes[k]
            box.hull[a].low = min(box.hull[a].low, box.cell[a])
            box.hull[a].high = max(box.hull[a].high, box.cell[a])
        if box.cell[last] > here:
            box.hull[last].high = box.spans[last].high
        elif box.cell[last] < here:
            box.hull[last].low = box.spans[last].low


@kernel
def score_further(flat, me, box, size, least, count, work):
    """Score all cells that are still worth it by the detector; False when none of them can pass."""
    if count == 0:
        return False
    enclose_waiting(me, box, size, count, work)
    # What the front has made too dear meanwhile need not be scored either. The box keeps its own spans,
    # by which its cells are numbered.
    swap_axes(box, size, work)  # prices are joined in the order of the axes
    forced = price_corner(me, box, size, least, work.sums)
    for a in range(box.spans.shape[0]):
        box.kept[a] = box.spans[a]
    trim_box(me, box, size, least - forced, work.sums, work.front)
    swap_axes(box, size, work)
    for a in range(box.spans.shape[0]):
        box.hull[a].low = max(box.hull[a].low, box.spans[a].low)
        box.hull[a].high = min(box.hull[a].high, box.spans[a].high)
        box.spans[a] = box.kept[a]
    for a in range(box.spans.shape[0]):
        if box.hull[a].low > box.hull[a].high:
            return False
    enough = me.limits[1].reject_below - me.limits[1].base
    best, visited = highest_total(flat, 1, me, box.hull, NO_LIMIT, work.walk, enough)
    work.counters[WORK] += 4 * visited
    if best < enough:
        work.counters[BOUND + 1] += 1
        return False
    count, visited = reach_leaves(flat, 1, me, box.hull, box.axes, size, NO_LIMIT, work.walk, work.further)
    work.counters[WORK] += 4 * visited
    work.counters[WORK] += 3 * fill_dense(
        work.further, count, box.hull, box.axes, size, work.corner, work.further_cells
    )
    return True


@kernel
def cell_is_valid(flat, me, box, size, tick, in_hull, work):
    """Put the cell ``box.cell`` to every score: 0 refused by the first, 1 by a further one, 2 valid."""
    if tick < me.limits[0].accept_from and not passes(flat, 0, me, box.cell, work):
        return 0
    for s in range(1, flat.scores.shape[0]):
        if in_hull and s == 1:
            last = box.axes[size - 1]
            cell = row_in_hull(box, size) + box.cell[last] - box.hull[last].low
            if me.limits[s].base + work.further_cells[cell] >= me.limits[s].accept_from:
                continue
        if not passes(flat, s, me, box.cell, work):
            return 1
    return 2


@kernel
def offer_cells(flat, me, box, size, volume, least, rules, work):
    """Put the cells of a scored box to all scores, cheapest first; False when the front is full."""
    in_hull = False
    count = collect_rows(flat, me, box, size, least, rules, in_hull, work)
    make_heap(work.candidates, count)
    failures = 0
    patience = PATIENCE >> min(work.state[TIRED], 2)
    while count > 0:
        slot = work.candidates[0].order
        costs = work.quanta[slot]
        steps = unravel(me, box, size, work.candidates[slot].cell)
        go_on = not work.state[MONOTONE]
        covered = is_beaten(work.front, costs)
        if not covered and not rules.keep_ties:
            tied = find_tied(work.front, costs)
            covered = tied >= 0 and work.front.costs[tied, costs.shape[0]] < steps
        if not covered:
            go_on = go_on or rules.keep_ties
            verdict = cell_is_valid(flat, me, box, size, work.candidates[slot].tick, in_hull, work)
            if verdict == 2 and not is_banned(flat, me, box.cell):
                if not add_point(work.front, costs, steps, box.cell, rules.keep_ties):
                    return False
            else:
                go_on = True
                failures += verdict == 1
        if go_on and move_outwards(flat, me, box, size, rules, in_hull, slot, work):
            sift_down(work.candidates, 0, count)
        else:
            count -= 1
            work.candidates[0].order = work.candidates[count].order
            sift_down(work.candidates, 0, count)
        # An additive detector costs next to nothing cell by cell.
        if failures == patience and not in_hull and volume > WORTH_SCORING and rules.bounds:
            if flat.scores[1].table < 0:
                work.state[TIRED] += 1
                if not score_further(flat, me, box, size, least, count, work):
                    return True
                in_hull = True
                count = collect_rows(flat, me, box, size, least, rules, in_hull, work)
                make_heap(work.candidates, count)
            failures += 1
    return True
