"""Look through the scored cells of a box and offer the valid, undominated ones to the front."""

from p2ce.compiled.dense import fill_dense, score_cell
from p2ce.compiled.reach import NO_LIMIT, highest_total, reach_leaves
from p2ce.jit import kernel
from p2ce.pareto.kernels import add_point, find_tied, is_beaten
from p2ce.search.pricing import join, quantum
from p2ce.search.workspace import BOUND, CHECKED, WORK

# So many cells may fail the detector one by one before it is bounded and scored over the whole box.
PATIENCE = 4


@kernel
def is_banned(me, index):  # type: ignore[no-untyped-def]
    """Tell whether the user's own model or detector has refused this very cell before."""
    for ban in range(me.banned.shape[0]):
        same = True
        for a in range(index.shape[0]):
            if me.banned[ban, a] != index[a]:
                same = False
                break
        if same:
            return True
    return False


@kernel
def passes(flat, s, me, index, work):  # type: ignore[no-untyped-def]
    """Score one cell in the library's own order. Doubtful cells pass: the model itself judges them later."""
    work.counters[CHECKED] += 1
    work.counters[WORK] += 16 * (flat.scores[s].last_tree - flat.scores[s].first_tree)
    return score_cell(flat, s, me, index, work.row) >= flat.scores[s].maybe


@kernel
def collect_cells(flat, me, box, size, least, rules, work):  # type: ignore[no-untyped-def]
    """Gather the cells that the first score may accept and that the front does not beat.

    Where that score has trees, ``work.cells`` holds their part. Returns how many were gathered.
    """
    objectives = me.joins.shape[0]
    axes = box.axes
    table = flat.scores[0].table
    has_trees = flat.scores[0].last_tree > flat.scores[0].first_tree
    refused_below = me.limits[0].refused_below
    trial = work.sums.trial
    part = work.sums.part[0]
    last = axes[size - 1]
    span = box.spans[last]
    length = span.high - span.low + 1
    here = me.spots[last].here
    found = 0
    for k in range(size - 1):
        box.index[axes[k]] = box.spans[axes[k]].low
    row = 0
    while True:
        changed = 0
        ticks = me.limits[0].base
        for k in range(size - 1):
            a = axes[k]
            if box.index[a] != me.spots[a].here:
                changed += 1
            elif box.spans[a].must:
                changed = rules.max_changes + 1
                break
        if changed <= rules.max_changes:
            if table >= 0:
                # Every axis counts here, also those that stay.
                box.index[last] = here
                for a in range(box.index.shape[0]):
                    ticks += me.gains[table, a, box.index[a]]
                ticks -= me.gains[table, last, here]
            for m in range(objectives):
                part[m] = 0
                for k in range(size - 1):
                    part[m] = join(me.joins[m] == 1, part[m], me.prices[m, axes[k], box.index[axes[k]]].cost)
            # The current value, then each side outwards from it: the first beaten cell ends a side.
            for side in range(3):
                if side == 0:
                    if span.must or here < span.low or here > span.high:
                        continue
                    begin, end, step = here, here + 1, 1
                elif side == 1:
                    begin, end, step = max(span.low, here + 1), span.high + 1, 1
                else:
                    begin, end, step = min(span.high, here - 1), span.low - 1, -1
                total_changed = changed + (1 if side > 0 else 0)
                if total_changed > rules.max_changes or total_changed < least:
                    continue
                for i in range(begin, end, step):
                    tick = ticks
                    if has_trees:
                        tick += work.cells[row * length + i - span.low]
                    if table >= 0:
                        tick += me.gains[table, last, i]
                    if tick < refused_below:
                        continue
                    monotone = True
                    for m in range(objectives):
                        price = me.prices[m, last, i]
                        if price.envelope != price.cost:
                            monotone = False
                        trial[m] = quantum(join(me.joins[m] == 1, part[m], price.cost))
                    if is_beaten(work.front, trial):
                        if monotone:
                            break
                        continue
                    candidate = work.candidates[found]
                    candidate.cell = row * length + i - span.low
                    candidate.tick = tick
                    candidate.key = trial[0]
                    for m in range(objectives):
                        work.quanta[found, m] = trial[m]
                    found += 1
        # Next row: the last of the leading axes turns fastest.
        k = size - 2
        while k >= 0:
            a = axes[k]
            if box.index[a] < box.spans[a].high:
                box.index[a] += 1
                break
            box.index[a] = box.spans[a].low
            k -= 1
        row += 1
        if k < 0:
            break
    return found


@kernel
def sort_by_key(candidates, count):  # type: ignore[no-untyped-def]
    """Order the first ``count`` candidates by their key: a shell sort, since kernels allocate nothing."""
    for i in range(count):
        candidates[i].order = i
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, count):
            moving = candidates[i].order
            key = candidates[moving].key
            j = i
            while j >= gap and candidates[candidates[j - gap].order].key > key:
                candidates[j].order = candidates[j - gap].order
                j -= gap
            candidates[j].order = moving
        gap //= 3


@kernel
def unravel(me, box, size, cell):  # type: ignore[no-untyped-def]
    """Write a cell's candidates into ``box.index``; return the grid steps away from the current point."""
    steps = 0
    for k in range(size - 1, -1, -1):
        a = box.axes[k]
        length = box.spans[a].high - box.spans[a].low + 1
        box.index[a] = box.spans[a].low + cell % length
        cell //= length
        steps += abs(box.index[a] - me.spots[a].here)
    return steps


@kernel
def hull_of_waiting(me, box, size, begin, found, work):  # type: ignore[no-untyped-def]
    """Write the smallest box around the candidates that still wait and are not beaten by now."""
    for a in range(box.spans.shape[0]):
        box.hull[a] = box.spans[a]
    for k in range(size):
        box.hull[box.axes[k]].low = 1 << 30
        box.hull[box.axes[k]].high = -1
    for j in range(begin, found):
        c = work.candidates[j].order
        if is_beaten(work.front, work.quanta[c]):
            continue
        unravel(me, box, size, work.candidates[c].cell)
        for k in range(size):
            hull = box.hull[box.axes[k]]
            hull.low = min(hull.low, box.index[box.axes[k]])
            hull.high = max(hull.high, box.index[box.axes[k]])


@kernel
def cell_in_hull(box, size):  # type: ignore[no-untyped-def]
    """Number the cell ``box.index`` within the hull, as dense scoring lays its cells out."""
    cell = 0
    for k in range(size):
        hull = box.hull[box.axes[k]]
        cell = cell * (hull.high - hull.low + 1) + box.index[box.axes[k]] - hull.low
    return cell


@kernel
def score_hull(flat, s, me, box, size, work):  # type: ignore[no-untyped-def]
    """Score every cell of the hull by a further score; False when none of them can pass."""
    enough = me.limits[s].refused_below - me.limits[s].base
    best, visited = highest_total(flat, s, me, box.hull, NO_LIMIT, work.walk, enough)
    work.counters[WORK] += 4 * visited
    if best < enough:
        work.counters[BOUND + s] += 1
        return False
    count, visited = reach_leaves(flat, s, me, box.hull, box.axes, size, NO_LIMIT, work.walk, work.further)
    work.counters[WORK] += 4 * visited
    work.counters[WORK] += 3 * fill_dense(
        work.further, count, box.hull, box.axes, size, work.corner, work.further_cells
    )
    return True


@kernel
def offer_cells(flat, me, box, size, found, rules, work):  # type: ignore[no-untyped-def]
    """Put the gathered cells to the remaining scores, cheapest first; False when the front is full."""
    sort_by_key(work.candidates, found)
    failures = 0
    in_hull = False
    for j in range(found):
        c = work.candidates[j].order
        candidate = work.candidates[c]
        costs = work.quanta[c]
        if is_beaten(work.front, costs):
            continue
        steps = unravel(me, box, size, candidate.cell)
        if not rules.keep_ties:
            tied = find_tied(work.front, costs)
            if tied >= 0 and work.front.costs[tied, costs.shape[0]] < steps:
                continue
        valid = True
        if candidate.tick < me.limits[0].accepted_from:
            valid = passes(flat, 0, me, box.index, work)
        for s in range(1, flat.scores.shape[0]):
            if not valid:
                break
            if in_hull and s == 1:
                tick = me.limits[s].base + work.further_cells[cell_in_hull(box, size)]
                valid = tick >= me.limits[s].refused_below and (
                    tick >= me.limits[s].accepted_from or passes(flat, s, me, box.index, work)
                )
                continue
            valid = passes(flat, s, me, box.index, work)
            failures += not valid
            tired = s == 1 and not valid and failures == PATIENCE and found - j > PATIENCE
            # An additive score costs next to nothing cell by cell.
            if tired and rules.partial_check == 2 and flat.scores[s].table < 0:
                hull_of_waiting(me, box, size, j + 1, found, work)
                if box.hull[box.axes[0]].high < 0 or not score_hull(flat, s, me, box, size, work):
                    return True
                in_hull = True
        if (
            valid
            and not is_banned(me, box.index)
            and not add_point(work.front, costs, steps, box.index, rules.keep_ties)
        ):
            return False
    return True
