"""Bound the costs of all points of a box from below, and cut off what the incumbent front dominates."""

import numpy as np

from p2ce.base.arrays import IntArray
from p2ce.base.comparing import DROPPED_BITS
from p2ce.engine.grid.cost_kernel import sort_ascending
from p2ce.engine.kernels.jit import kernel
from p2ce.engine.scores.flat.flat_arrays import Record
from p2ce.engine.scores.flat.score_cells import Instance
from p2ce.engine.solver.box_axes import is_decided
from p2ce.engine.solver.pareto_front import Front, find_tied, is_dominated, point_comes_first
from p2ce.engine.solver.search_state import CurrentBox, Sums

HALF = 1 << (DROPPED_BITS - 1)
ROUNDING = 2.0**-53  # of one operation, relative to its result


@kernel
def quantum(total: float) -> np.int64:
    """Round a cost to the integer that is compared, so that rounding noise creates no false trade-offs.

    The slow twin is ``p2ce.base.comparing.quanta``.
    """
    return (np.float64(total).view(np.int64) + HALF) >> DROPPED_BITS


@kernel
def quantum_below(total: float, axes: int) -> np.int64:
    """Round a bound whose terms were added in another order than the costs of the cells that it bounds.

    A cell's total is the sum of its costs in the order of the axes. If a bound adds its terms in the same
    order, and each term is at most the cell's, none of this is needed. Rounding never reverses the order of
    two numbers, so every partial sum is at most the cell's, and so is its quantum.

    For another order, let L be the exact bound, n the number of axes and u the ROUNDING of one operation. A
    cell's exact sum is at least L, and its total at least L (1 - n u). The computed bound is at most
    L (1 + 2 (n + 2) u). It takes n additions, and in `price_with` one more subtraction and one more addition.
    The error is twofold, since the subtracted term was part of the sum and its replacement costs no less. All
    terms are at least 0, so no cancellation makes these errors larger relative to L. Subtracting (4 n + 16) u
    keeps the bound below the cell's total. This moves about one bound in some thousands by one quantum.
    """
    return quantum(total * (1.0 - (4 * axes + 16) * ROUNDING))


@kernel
def join(is_max: bool, joined: float, cost: float) -> float:
    """Join one more cost to a total."""
    return max(joined, cost) if is_max else joined + cost


@kernel
def cheapest_change(instance: Instance, m: int, a: int, span: Record) -> float:
    """Return the cost of the nearest candidate other than the current one, -1 if there is none."""
    here = instance.positions[a].here
    best = -1.0
    left = min(span.high, here - 1)
    if left >= span.low:
        best = instance.prices[m, a, left].envelope
    right = max(span.low, here + 1)
    if right <= span.high:
        other = instance.prices[m, a, right].envelope
        if best < 0 or other < best:
            best = other
    return best


@kernel
def price_corner(instance: Instance, box: CurrentBox, size: int, least_changes: int, sums: Sums) -> int:
    """Write the lower corner of the box: no point of it costs less in any objective.

    An axis that must change costs at least its cheapest change; the other axes may stay at no cost. If at
    least ``least_changes`` axes must change in total, the cheapest changes of the others are added. Return
    the number of axes that must change, or -1 if the box contains no such point.
    """
    objectives = instance.joins.shape[0]
    forced = 0
    undecided = 0
    for k in range(size):
        a = box.axes[k]
        decided = is_decided(box.spans[a], instance.positions[a].here)
        for m in range(objectives):
            box.nearest[m, k] = cheapest_change(instance, m, a, box.spans[a])
        if decided:
            if box.nearest[0, k] < 0:
                return -1
            forced += 1
        elif box.nearest[0, k] >= 0:
            undecided += 1
    missing = least_changes - forced
    if missing > undecided:
        return -1
    for m in range(objectives):
        is_max = instance.joins[m] == 1
        joined = 0.0
        waiting = 0
        for k in range(size):
            a = box.axes[k]
            if is_decided(box.spans[a], instance.positions[a].here):
                joined = join(is_max, joined, box.nearest[m, k])
            elif missing > 0 and box.nearest[m, k] >= 0:
                sums.cheap[waiting] = box.nearest[m, k]
                waiting += 1
        sums.rest[0, m] = 0.0
        sums.rest[1, m] = 0.0
        if missing > 0:
            sort_ascending(sums.cheap, waiting)
            for r in range(missing):
                joined = join(is_max, joined, sums.cheap[r])
            sums.rest[0, m] = sums.cheap[missing - 1]
            if missing > 1:
                sums.rest[1, m] = sums.cheap[missing - 2]
        sums.total[m] = joined
        # The forced changes were added in the order of the axes; the missing ones were added after them.
        sums.corner[m] = quantum(joined) if is_max or missing <= 0 else quantum_below(joined, size)
    return forced


@kernel
def corner_key(instance: Instance, sums: Sums) -> float:
    """Return the key of the best-first order: the lower corner, with objectives scaled to be comparable."""
    key = 0.0
    for m in range(sums.total.shape[0]):
        key += sums.total[m] * instance.shares[m]
    return key


@kernel
def corner_is_covered(
    instance: Instance, box: CurrentBox, keep_ties: bool, front: Front, corner: IntArray
) -> bool:
    """Return whether every point of a box with this corner is dominated, or ties and comes later."""
    if is_dominated(front, corner):
        return True
    if keep_ties:
        return False
    tied = find_tied(front, corner)
    if tied < 0:
        return False
    # The best that the box allows in the order of ties: the fewest steps and the smallest values.
    steps = 0
    for a in range(box.spans.shape[0]):
        span = box.spans[a]
        here = instance.positions[a].here
        box.cell[a] = span.low
        if is_decided(span, here):
            nearest = 1 << 30
            if span.low < here:
                nearest = here - min(span.high, here - 1)
            if span.high > here:
                nearest = min(nearest, max(span.low, here + 1) - here)
            steps += nearest
    covered = point_comes_first(front, tied, steps, box.cell)
    for a in range(box.spans.shape[0]):
        box.cell[a] = instance.positions[a].here
    return covered


@kernel
def price_with(
    instance: Instance, box: CurrentBox, size: int, k: int, i: int, missing: int, sums: Sums
) -> None:
    """Write to ``sums.trial`` the lower corner of the box's points whose axis ``k`` is at candidate i."""
    a = box.axes[k]
    decided = is_decided(box.spans[a], instance.positions[a].here)
    for m in range(instance.joins.shape[0]):
        cost = instance.prices[m, a, i].envelope
        if instance.joins[m] == 0:
            total = sums.total[m]
            if decided:
                total -= box.nearest[m, k]
            elif missing > 0:
                # This axis replaces one of the cheapest others.
                total -= min(box.nearest[m, k], sums.rest[0, m])
            sums.trial[m] = quantum_below(total + cost, size)
        else:
            largest = max(cost, sums.rest[1, m])
            for other in range(size):
                b = box.axes[other]
                if other != k and is_decided(box.spans[b], instance.positions[b].here):
                    largest = max(largest, box.nearest[m, other])
            sums.trial[m] = quantum(largest)


@kernel
def trim_box(instance: Instance, box: CurrentBox, size: int, missing: int, sums: Sums, front: Front) -> bool:
    """Narrow every axis to the candidates that the front does not dominate; return whether any changed.

    Costs do not decrease as a candidate moves away from the current value. So the undominated candidates form
    an interval, and bisection finds its ends.
    """
    moved = False
    if front.used[0] == 0:
        return moved
    for k in range(size):
        a = box.axes[k]
        span = box.spans[a]
        here = instance.positions[a].here
        for side in (1, -1):
            far = span.high if side == 1 else span.low
            near = max(span.low, here + 1) if side == 1 else min(span.high, here - 1)
            if (far - near) * side < 0:
                continue
            price_with(instance, box, size, k, far, missing, sums)
            if not is_dominated(front, sums.trial):
                continue
            out = far
            inside = near - side
            while abs(out - inside) > 1:
                middle = (out + inside) // 2
                price_with(instance, box, size, k, middle, missing, sums)
                if is_dominated(front, sums.trial):
                    out = middle
                else:
                    inside = middle
            moved = True
            if side == 1:
                span.high = out - 1
            else:
                span.low = out + 1
    return moved
