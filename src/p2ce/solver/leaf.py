"""Put the cells of a small box to the compiled scores, and those that may be on the front into the mail."""

from p2ce.jit import kernel
from p2ce.scores.dense import fill_dense
from p2ce.scores.reachable_leaves import NO_LIMIT, best_total, reach_leaves
from p2ce.solver.box_costs import join, quantum
from p2ce.solver.pareto_front import find_tied, is_beaten, point_comes_first
from p2ce.solver.scan_cells import is_banned, passes
from p2ce.solver.workspace import BOUND, ESTIMATE, SCORED, WORK

# What a cell is to the compiled scores.
REJECT, PASSED, IN_DOUBT = 0, 1, 2


@kernel
def stand_still(me, box):
    """Put the cell at hand back to the current values; the box keeps its spans."""
    for a in range(box.cell.shape[0]):
        box.cell[a] = me.positions[a].here


@kernel
def screen_leaf(flat, me, box, size, volume, scratch, work):
    """Put all cells of a small box to the compiled forests; False when none of them is left."""
    for i in range(volume):
        scratch.passed[i] = PASSED
    for s in range(flat.scores.shape[0]):
        if flat.scores[s].table >= 0:
            continue
        count, visited = reach_leaves(
            flat, s, me, box.spans, box.axes, size, NO_LIMIT, work.walk, scratch.reached
        )
        work.counters[WORK] += 4 * visited
        base = me.limits[s].base
        if base + best_total(flat, s, scratch.reached, count, scratch.best) < me.limits[s].reject_below:
            work.counters[BOUND + min(s, 2)] += 1
            return False
        fill_dense(scratch.reached, count, box.spans, box.axes, size, scratch.corner, scratch.cells)
        left = False
        for i in range(volume):
            total = base + scratch.cells[i]
            if total < me.limits[s].reject_below:
                scratch.passed[i] = REJECT
            elif total < me.limits[s].accept_from and scratch.passed[i] == PASSED:
                scratch.passed[i] = IN_DOUBT
            left = left or scratch.passed[i] != REJECT
        if not left:
            return False
    return True


@kernel
def sums_pass(flat, me, cell, counters):
    """Put one cell to the estimate and to every additive score, in ticks; doubtful cells pass.

    What only the estimate drops is counted: an answer is proven where that is nothing.
    """
    for s in range(me.limits.shape[0]):
        table = flat.scores[s].table if s < flat.scores.shape[0] else me.gains.shape[0] - 1
        if table >= 0:
            total = me.limits[s].base
            for a in range(cell.shape[0]):
                total += me.gains[table, a, cell[a]]
            if total < me.limits[s].reject_below:
                if s == flat.scores.shape[0]:
                    counters[ESTIMATE] += 1
                return False
    return True


@kernel
def forests_pass(flat, me, cell, work):
    """Score a cell that is in doubt in the library's own order."""
    for s in range(flat.scores.shape[0]):
        if flat.scores[s].table < 0 and not passes(flat, s, me, cell, work):
            return False
    return True


@kernel
def mail_leaf(flat, me, p, box, size, volume, rules, scratch, work, mail):
    """Put every cell of a small box that may be on the front into the mail."""
    axes = box.axes
    last = axes[size - 1]
    span = box.spans[last]
    length = span.high - span.low + 1
    part = work.sums.part[0]
    trial = work.sums.trial
    stand_still(me, box)
    for row in range(volume // length):
        rest = row
        steps = 0
        stays = False
        for k in range(size - 2, -1, -1):
            a = axes[k]
            wide = box.spans[a].high - box.spans[a].low + 1
            box.cell[a] = box.spans[a].low + rest % wide
            rest //= wide
            steps += abs(box.cell[a] - me.positions[a].here)
            stays = stays or box.cell[a] == me.positions[a].here
        if stays:
            continue
        for m in range(me.joins.shape[0]):
            part[m] = 0.0
            for k in range(size - 1):
                part[m] = join(me.joins[m] == 1, part[m], me.prices[m, axes[k], box.cell[axes[k]]].cost)
        for i in range(span.low, span.high + 1):
            verdict = scratch.passed[row * length + i - span.low]
            if verdict == REJECT or i == me.positions[last].here:
                continue
            for m in range(me.joins.shape[0]):
                trial[m] = quantum(join(me.joins[m] == 1, part[m], me.prices[m, last, i].cost))
            if is_beaten(work.front, trial):
                continue
            box.cell[last] = i
            moved = steps + abs(i - me.positions[last].here)
            if not rules.keep_ties:
                tied = find_tied(work.front, trial)
                if tied >= 0 and point_comes_first(work.front, tied, moved, box.cell):
                    continue
            if is_banned(flat, me, box.cell):
                continue
            if verdict == IN_DOUBT and not forests_pass(flat, me, box.cell, work):
                continue
            if not sums_pass(flat, me, box.cell, work.counters):
                continue
            at = mail.used[0]
            mail.used[0] += 1
            mail.owner[at] = p
            mail.steps[at] = moved
            for m in range(trial.shape[0]):
                mail.quanta[at, m] = trial[m]
            for a in range(box.cell.shape[0]):
                mail.points[at, a] = box.cell[a]
            work.counters[SCORED] += 1
