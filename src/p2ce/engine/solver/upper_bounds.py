"""Upper bounds of the compiled scores over a box: a box whose bound misses a threshold is infeasible."""

from p2ce.engine.grid.cost_kernel import sort_ascending
from p2ce.engine.kernels.jit import kernel
from p2ce.engine.scores.flat.reachable_leaves import highest_total
from p2ce.engine.solver.box_axes import is_decided
from p2ce.engine.solver.counters import WORK


@kernel
def is_infeasible(flat, s, instance, box, size, changes_left, few, walk, counters):
    """Return whether the score of every point of the box is below its threshold: the paper's f̄ₐ < τ."""
    enough = instance.limits[s].reject_below - instance.limits[s].base
    if flat.scores[s].table >= 0:
        return best_gains(instance, flat.scores[s].table, box, size, changes_left, few) < enough
    best, visited = highest_total(flat, s, instance, box.spans, changes_left, walk, enough)
    counters[WORK] += 4 * visited
    return best < enough


@kernel
def estimate_is_low(flat, instance, box, size, changes_left, few):
    """Return whether the estimate of every cell in the box misses the threshold; False without estimate."""
    s = flat.scores.shape[0]
    if instance.limits.shape[0] == s:
        return False
    table = instance.gains.shape[0] - 1
    best = best_gains(instance, table, box, size, changes_left, few)
    return best < instance.limits[s].reject_below - instance.limits[s].base


@kernel
def best_gains(instance, table, box, size, changes_left, few):
    """Return the largest additive part over the box, with at most ``changes_left`` undecided axes moved."""
    total = 0
    for a in range(box.spans.shape[0]):
        total += instance.gains[table, a, instance.positions[a].here]
    waiting = 0
    for k in range(size):
        a = box.axes[k]
        span = box.spans[a]
        here = instance.positions[a].here
        best = -(1 << 40)
        for i in range(span.low, span.high + 1):
            if instance.gains[table, a, i] > best and not (i == here and span.must):
                best = instance.gains[table, a, i]
        gain = best - instance.gains[table, a, here]
        if is_decided(span, here):
            total += gain
        elif gain > 0:
            few[waiting] = gain
            waiting += 1
    sort_ascending(few, waiting)
    for r in range(max(0, waiting - changes_left), waiting):
        total += few[r]
    return total
