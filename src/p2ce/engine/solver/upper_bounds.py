"""Upper bounds of the compiled scores over a box: a box whose bound misses a threshold is infeasible."""

import numpy as np

from p2ce.base.arrays import Int32Array, IntArray
from p2ce.engine.grid.cost_kernel import sort_ascending
from p2ce.engine.kernels.jit import kernel
from p2ce.engine.scores.external import ACCEPT, REJECT, UNDECIDED
from p2ce.engine.scores.flat.flat_arrays import FlatScores, Records
from p2ce.engine.scores.flat.reachable_leaves import Walk, highest_total
from p2ce.engine.scores.flat.score_cells import Instance
from p2ce.engine.solver.box_axes import is_decided
from p2ce.engine.solver.fronts import WORK
from p2ce.engine.solver.search_state import CurrentBox


@kernel
def falls_short(instance: Instance, s: int, top: int) -> bool:
    """Return whether a score that adds at most ``top`` ticks to its base surely misses its threshold.

    The base is the part of a score that is the same in every cell. This is the only place where a bound is
    compared with a threshold, the paper's f̄ₐ < τ: of a box, of a row of cells, and of a single cell.
    """
    short: bool = instance.thresholds[s].base + top < instance.thresholds[s].reject_below
    return short


@kernel
def verdict_of(instance: Instance, s: int, ticks: int) -> np.int8:
    """Return the verdict of a score on a cell where it adds ``ticks`` to its base."""
    if falls_short(instance, s, ticks):
        return REJECT
    return ACCEPT if instance.thresholds[s].base + ticks >= instance.thresholds[s].accept_from else UNDECIDED


@kernel
def is_infeasible(
    flat: FlatScores,
    s: int,
    instance: Instance,
    spans: Records,
    axes: Int32Array,
    size: int,
    changes_left: int,
    few: IntArray,
    walk: Walk,
    counters: IntArray,
) -> bool:
    """Return whether a score is below its threshold in every point of the box that ``spans`` describes.

    ``axes`` lists the ``size`` axes of the box that can or must leave the current value.
    """
    table = flat.scores[s].table
    if table >= 0:
        return falls_short(instance, s, best_gains(instance, table, spans, axes, size, changes_left, few))
    enough = instance.thresholds[s].reject_below - instance.thresholds[s].base  # the walk may stop below this
    top, visited = highest_total(flat, s, instance, spans, changes_left, walk, enough)
    counters[WORK] += 4 * visited
    return falls_short(instance, s, top)


@kernel
def estimate_is_low(
    flat: FlatScores, instance: Instance, box: CurrentBox, size: int, changes_left: int, few: IntArray
) -> bool:
    """Return whether the estimate of every cell in the box misses the threshold; False without estimate."""
    s = flat.scores.shape[0]
    if instance.thresholds.shape[0] == s:
        return False
    table = instance.gains.shape[0] - 1
    return falls_short(instance, s, best_gains(instance, table, box.spans, box.axes, size, changes_left, few))


@kernel
def cell_gains(instance: Instance, table: int, cell: Int32Array) -> int:
    """Return the additive part of a single cell."""
    total = 0
    for a in range(cell.shape[0]):
        total += instance.gains[table, a, cell[a]]
    return total


@kernel
def best_gains(
    instance: Instance,
    table: int,
    spans: Records,
    axes: Int32Array,
    size: int,
    changes_left: int,
    few: IntArray,
) -> int:
    """Return the largest additive part over the box, with at most ``changes_left`` undecided axes moved."""
    total = 0
    for a in range(spans.shape[0]):
        total += instance.gains[table, a, instance.positions[a].here]
    waiting = 0
    for k in range(size):
        a = axes[k]
        span = spans[a]
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
