"""List the supports of an instance one by one, fewest changes first, and skip those that cannot matter."""

from p2ce.base.arrays import IntArray
from p2ce.engine.kernels.jit import kernel
from p2ce.engine.scores.flat.flat_arrays import FIRST, FlatScores
from p2ce.engine.scores.flat.leaf_groups import best_lift, sort_into_groups
from p2ce.engine.scores.flat.reachable_leaves import Walk, reach_leaves
from p2ce.engine.scores.flat.score_cells import Instance
from p2ce.engine.solver.box_costs import join, quantum
from p2ce.engine.solver.fronts import BOXES, DOMINATED, WORK
from p2ce.engine.solver.pareto_front import is_dominated
from p2ce.engine.solver.search_state import (
    CHOSEN,
    FRESH,
    LIVE,
    SIZE,
    CurrentBox,
    SearchState,
    Sums,
    SupportList,
)
from p2ce.engine.solver.upper_bounds import falls_short


@kernel
def prepare_supports(
    flat: FlatScores, instance: Instance, box: CurrentBox, listed: int, search: SearchState, walk: Walk
) -> None:
    """Compute from the FIRST score what `support_is_infeasible` needs; the current box is the whole grid.

    That is its total at the current point, above its base, and the largest gain of each axis. The leaves of a
    forest are sorted by what must change to reach them.
    """
    if flat.scores.shape[0] == 0:
        return
    supports = search.supports
    total = 0
    table = flat.scores[FIRST].table
    if table >= 0:
        for a in range(supports.gain.shape[0]):
            position = instance.positions[a]
            own = instance.gains[table, a, position.here]
            total += own
            best = -(1 << 40)
            for i in range(position.lowest, position.highest + 1):
                if i != position.here:
                    best = max(best, instance.gains[table, a, i] - own)
            supports.gain[a] = best
    else:
        axes = box.spans.shape[0]
        count, visited = reach_leaves(
            flat, FIRST, instance, box.spans, box.axes, axes, listed, walk, supports.groups.reached
        )
        search.counters[WORK] += 8 * visited
        sort_into_groups(supports.groups, count, axes)
        for tree in range(flat.scores[FIRST].first_tree, flat.scores[FIRST].last_tree):
            total += supports.groups.own[tree]
    supports.own_total[0] = total


@kernel
def next_support(instance: Instance, box: CurrentBox, search: SearchState, sums: Sums) -> bool:
    """Make the next set of axes that the front does not dominate the current box, with all its candidates.

    Return False if none is left. If the cheapest changes of a set are dominated, all its extensions are
    skipped, since costs only grow.
    """
    state = search.state
    size = state[SIZE]
    live = state[LIVE]
    if size > live:
        return False
    part = sums.part
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
        a = search.supports.live[state[CHOSEN + depth]]
        for m in range(instance.joins.shape[0]):
            before = part[depth, m] if depth > 0 else 0.0
            part[depth + 1, m] = join(instance.joins[m] == 1, before, search.supports.least[m, a])
            sums.trial[m] = quantum(part[depth + 1, m])
        if is_dominated(search.front, sums.trial):
            search.counters[BOXES] += 1
            search.counters[DOMINATED] += 1
            state[CHOSEN + depth] += 1
            continue
        if depth == size - 1:
            break
        depth += 1
        state[CHOSEN + depth] = state[CHOSEN + depth - 1] + 1
    for k in range(size):
        a = search.supports.live[state[CHOSEN + k]]
        box.axes[k] = a
        box.spans[a].low = instance.positions[a].lowest
        box.spans[a].high = instance.positions[a].highest
        box.spans[a].must = 1
    return True


@kernel
def support_is_infeasible(
    flat: FlatScores,
    instance: Instance,
    box: CurrentBox,
    size: int,
    supports: SupportList,
    counters: IntArray,
) -> bool:
    """Return whether no values for the axes of the current box can reach the first threshold."""
    if flat.scores.shape[0] == 0:
        return False
    lift = 0
    if flat.scores[FIRST].table >= 0:
        for k in range(size):
            lift += supports.gain[box.axes[k]]
    else:
        lift, visited = best_lift(supports.groups, box.axes, size, box.spans.shape[0], supports.lifted)
        counters[WORK] += visited
    return falls_short(instance, FIRST, supports.own_total[0] + lift)
