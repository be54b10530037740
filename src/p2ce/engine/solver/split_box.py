"""Split a box in two and open both parts: where the bounds gain most, or where the cheapest cells differ."""

import numpy as np

from p2ce.base.arrays import IntArray
from p2ce.engine.kernels.jit import kernel
from p2ce.engine.scores.flat.flat_arrays import FIRST, FlatScores
from p2ce.engine.scores.flat.reachable_leaves import Reached
from p2ce.engine.scores.flat.score_cells import Instance
from p2ce.engine.solver.box_axes import is_decided
from p2ce.engine.solver.box_costs import corner_key, price_corner
from p2ce.engine.solver.open_boxes import push_box
from p2ce.engine.solver.search_state import CurrentBox, Scratch, SearchState, Sums


@kernel
def split_for_bounds(
    flat: FlatScores,
    instance: Instance,
    box: CurrentBox,
    size: int,
    least_changes: int,
    count: int,
    best_first: bool,
    search: SearchState,
    scratch: Scratch,
) -> None:
    """Split where the upper bounds of the parts decrease most; the kernel evaluates the leaves."""
    k, cut = choose_cut(flat, instance, box, size, scratch.reached, count, scratch.best, scratch.votes)
    span = box.spans[box.axes[k]]
    low = span.low
    high = span.high
    for half in range(2):
        span.low = low if half == 0 else cut
        span.high = cut - 1 if half == 0 else high
        push_part(instance, box, size, least_changes, best_first, search, scratch.sums)


@kernel
def push_part(
    instance: Instance,
    box: CurrentBox,
    size: int,
    least_changes: int,
    best_first: bool,
    search: SearchState,
    sums: Sums,
) -> None:
    """Open the box that the current spans describe, unless it is empty.

    It is empty if an axis that must change has only its current value, or if too few axes are left.
    """
    if price_corner(instance, box, size, least_changes, sums) >= 0:
        push_box(search, box, corner_key(instance, sums), best_first)


@kernel
def choose_cut(
    flat: FlatScores,
    instance: Instance,
    box: CurrentBox,
    size: int,
    reached: Reached,
    count: int,
    best: IntArray,
    votes: IntArray,
) -> tuple[int, int]:
    """Return the axis (by its position in the list) and the first candidate of the upper half.

    Each tree votes with its best leaf: a cut that leaves the leaf on one side lowers the other side's
    bound. The cut with the largest loss on its weaker side wins. If no tree votes, the axis along which an
    additive score varies most is halved, or else the widest axis.
    """
    table = flat.scores[FIRST].table
    chosen = 0
    spread = -1
    for k in range(size):
        a = box.axes[k]
        span = box.spans[a]
        varies = span.high - span.low
        if table >= 0 and varies > 0:
            low = instance.gains[table, a, span.low]
            high = low
            for i in range(span.low, span.high + 1):
                low = min(low, instance.gains[table, a, i])
                high = max(high, instance.gains[table, a, i])
            varies = 1 + high - low
        if varies > spread:
            spread = varies
            chosen = k
        for i in range(span.low, span.high + 2):
            votes[0, k, i] = 0
            votes[1, k, i] = 0
    lowest = 0
    for j in range(count):
        lowest = min(lowest, reached.leaves[j].tick)
    for j in range(count):
        leaf = reached.leaves[j]
        if leaf.tick != best[leaf.tree]:
            continue
        weight = leaf.tick - lowest
        for k in range(size):
            span = box.spans[box.axes[k]]
            inside = reached.inside[j * size + k]
            if inside.high < span.high:
                votes[0, k, inside.high + 1] += weight
            if inside.low > span.low:
                votes[1, k, inside.low] += weight
    span = box.spans[box.axes[chosen]]
    cut = (span.low + span.high + 1) // 2
    top = 0
    for k in range(size):
        span = box.spans[box.axes[k]]
        above = 0
        for i in range(span.low + 1, span.high + 1):
            above += votes[1, k, i]
        below = 0
        for i in range(span.low + 1, span.high + 1):
            # For a cut at i, `below` leaves end before it, and `above` leaves begin at or after it.
            below += votes[0, k, i]
            loss = 4 * min(below, above) + max(below, above)
            if loss > top:
                top = loss
                chosen = k
                cut = i
            above -= votes[1, k, i]
    return chosen, cut


@kernel
def split_by_cost(
    instance: Instance,
    box: CurrentBox,
    size: int,
    least_changes: int,
    best_first: bool,
    search: SearchState,
    sums: Sums,
) -> None:
    """Split an undecided axis into staying and changing, a decided one into near and far.

    The cheapest cells of the parts differ. So best-first search reaches the cells in the order of cost, and
    few of them are evaluated externally.
    """
    chosen = -1
    cheapest = 0.0
    for k in range(size):
        a = box.axes[k]
        if not is_decided(box.spans[a], instance.positions[a].here):
            total = 0.0
            for m in range(instance.joins.shape[0]):
                total += max(box.nearest[m, k], 0.0) * instance.shares[m]
            if chosen < 0 or total < cheapest:
                chosen = a
                cheapest = total
    if chosen >= 0:
        span = box.spans[chosen]
        here = instance.positions[chosen].here
        for part in range(2):
            if part == 1:
                span.low = here
                span.high = here
            span.must = 1 - part
            push_part(instance, box, size, least_changes, best_first, search, sums)
        return
    widest = -1.0
    for k in range(size):
        a = box.axes[k]
        span = box.spans[a]
        here = instance.positions[a].here
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
            for m in range(instance.joins.shape[0]):
                more = instance.prices[m, a, far].envelope - instance.prices[m, a, near].envelope
                spread += more * instance.shares[m]
        if spread > widest:
            widest = spread
            chosen = a
    span = box.spans[chosen]
    here = instance.positions[chosen].here
    low = span.low
    high = span.high
    cut = here + 1 if low < here < high else (low + high + 1) // 2
    for part in range(2):
        span.low = low if part == 0 else cut
        span.high = cut - 1 if part == 0 else high
        push_part(instance, box, size, least_changes, best_first, search, sums)
