"""Expand one box: prune it as dominated or infeasible, evaluate its cells, or split it."""

from p2ce.engine.kernels.jit import kernel
from p2ce.engine.scores.flat.dense import fill_dense
from p2ce.engine.scores.flat.flat_arrays import FIRST, SECOND, FlatScores
from p2ce.engine.scores.flat.leaf_groups import reach_support
from p2ce.engine.scores.flat.reachable_leaves import best_total, reach_leaves
from p2ce.engine.scores.flat.score_cells import Instance
from p2ce.engine.solver.box_axes import is_decided, list_axes, most_cells, stay_where_undecided
from p2ce.engine.solver.box_costs import corner_is_covered, join, price_corner, quantum, trim_box
from p2ce.engine.solver.check_cell import NO_SCORE, is_excluded, rejecting_score
from p2ce.engine.solver.evaluation_queue import EvaluationQueue
from p2ce.engine.solver.fronts import BOUND, BOXES, DOMINATED, ESTIMATE, RULE, SCORED, TOO_MANY, WORK
from p2ce.engine.solver.offer_cells import offer_cells, put_widest_last
from p2ce.engine.solver.pareto_front import add_point, is_dominated
from p2ce.engine.solver.queue_cells import queue_box, queue_cells, screen_cells
from p2ce.engine.solver.search_state import IMPLAUSIBLE_LEAVES, CurrentBox, Scratch, SearchState
from p2ce.engine.solver.settings import Settings
from p2ce.engine.solver.split_box import split_by_cost, split_for_bounds
from p2ce.engine.solver.upper_bounds import estimate_is_low, falls_short, is_infeasible


@kernel
def expand_box(
    flat: FlatScores,
    instance: Instance,
    number: int,
    settings: Settings,
    size: int,
    least_changes: int,
    grouped: bool,
    best_first: bool,
    search: SearchState,
    scratch: Scratch,
    queue: EvaluationQueue | None,
    alone: bool | None,
) -> bool:
    """Prune, evaluate or split the current box; return False if the front has no room for a point.

    The box is ``scratch.box``. ``number`` is that of the instance, for the queue, and ``flat`` holds the
    arrays of the scores. ``size`` axes are listed in the box, and only points with at least ``least_changes``
    changes count. A ``grouped`` box has at most three axes, all of which must change. With a ``queue``,
    external scores decide which cells are accepted; else the kernel decides ``alone``. The one of them that
    is None is so at compile time, and its code is not compiled.
    """
    box = scratch.box
    counters = search.counters
    sums = scratch.sums
    counters[BOXES] += 1

    # Prune by cost: too many changes, or dominated by the incumbent front.
    forced = price_corner(instance, box, size, least_changes, sums)
    if forced > settings.max_changes:
        counters[TOO_MANY] += 1
        return True
    if forced == settings.max_changes and not grouped:  # no change is left: undecided axes stay
        size = stay_where_undecided(instance, box)
        forced = price_corner(instance, box, size, least_changes, sums)
    if forced < 0 or corner_is_covered(instance, box, settings.keep_ties, search.front, sums.corner):
        counters[DOMINATED] += 1
        return True
    if trim_box(instance, box, size, least_changes - forced, sums, search.front):
        size = list_axes(instance, box)
        if price_corner(instance, box, size, least_changes, sums) < 0:
            counters[DOMINATED] += 1
            return True
    volume = 1
    for k in range(size):
        span = box.spans[box.axes[k]]
        volume = min(volume * (span.high - span.low + 1), 1 << 40)

    # The cells of a small box are evaluated. External scores receive cells in the order of cost, so all
    # axes of their boxes must be decided; for the kernel they need not be.
    is_small = False
    walks_model = True
    walks_others = False
    if alone is not None:
        is_small = size > 0 and volume <= settings.dense_cells
        rejected_by = NO_SCORE
        if not is_small:
            rejected_by, has_room = probe_corner(
                flat, instance, box, size, settings.keep_ties, search, scratch
            )
            if not has_room:
                return False
            if volume == 1 or corner_is_covered(instance, box, settings.keep_ties, search.front, sums.corner):
                return True
        # A detector's forest is large. Walking it over a box pays off where plausibility has failed, in this
        # box or in earlier leaves. An instance without recourse mostly fails it everywhere.
        walks_others = rejected_by >= SECOND or search.state[IMPLAUSIBLE_LEAVES] > 0
    if queue is not None:
        is_small = forced == size and volume <= max(settings.dense_cells, 1)
        walks_model = forced == size and not is_small
        walks_others = walks_model

    # Prune by upper bounds: no point can reach a threshold. Sums are always bounded, forests only where
    # walking them pays off.
    changes_left = settings.max_changes - forced
    count = 0
    top = 0
    sorted_leaves = False
    if alone is not None:  # noqa: SIM102 - pruned at compile time where it is None
        if grouped and flat.scores[FIRST].table < 0:
            # The leaves are already sorted, so listing them is no slower than bounding.
            sorted_leaves = True
            count, visited = reach_support(
                search.supports.groups, instance, box.spans, box.axes, size, scratch.reached
            )
            counters[WORK] += 4 * visited
            top = best_total(flat, FIRST, scratch.reached, count, scratch.best)
    if queue is not None:  # noqa: SIM102 - as above
        if settings.bounds and estimate_is_low(flat, instance, box, size, changes_left, sums.few):
            counters[ESTIMATE] += 1
            return True
    for s in range(flat.scores.shape[0]):
        table = flat.scores[s].table
        is_rule = table >= flat.weights.shape[0]
        walks = walks_model if s == FIRST else walks_others
        if not (settings.bounds or is_rule) or (table < 0 and not walks):
            continue
        if sorted_leaves and s == FIRST:
            infeasible = falls_short(instance, FIRST, top)
        else:
            infeasible = is_infeasible(
                flat, s, instance, box.spans, box.axes, size, changes_left, sums.few, scratch.walk, counters
            )
        if infeasible:
            counters[RULE if is_rule else BOUND + min(s, 2)] += 1
            return True

    has_room = True
    if alone is not None:
        if not sorted_leaves and flat.scores[FIRST].table < 0:
            count, visited = reach_leaves(
                flat, FIRST, instance, box.spans, box.axes, size, changes_left, scratch.walk, scratch.reached
            )
            counters[WORK] += 4 * visited
            best_total(flat, FIRST, scratch.reached, count, scratch.best)  # the choice of a cut needs this
        if not is_small:
            split_for_bounds(flat, instance, box, size, least_changes, count, best_first, search, scratch)
            return True
        counters[SCORED] += volume
        counters[WORK] += 4 * volume
        put_widest_last(box, size, scratch.reached, count, search.state)
        if count > 0:
            fill_dense(scratch.reached, count, box.spans, box.axes, size, scratch.corner, scratch.cells)
        has_room = offer_cells(flat, instance, box, size, volume, least_changes, settings, search, scratch)
    if queue is not None:
        if not is_small:
            # Parts of a listed support are split at once; only best-first boxes wait for an external bound.
            if best_first and (most_cells(instance, box, size, changes_left) >= queue.quota.worth_bounding):
                queue_box(number, box, changes_left, queue)
            else:
                split_by_cost(instance, box, size, least_changes, best_first, search, sums)
            return True
        if screen_cells(flat, instance, box, size, volume, search, scratch):
            queue_cells(flat, instance, number, box, size, volume, settings.keep_ties, search, scratch, queue)
    for k in range(size):
        box.cell[box.axes[k]] = instance.positions[box.axes[k]].here
    return has_room


@kernel
def probe_corner(
    flat: FlatScores,
    instance: Instance,
    box: CurrentBox,
    size: int,
    keep_ties: bool,
    search: SearchState,
    scratch: Scratch,
) -> tuple[int, bool]:
    """Offer the cheapest point of the box: undecided axes stay, the others move to their nearest candidate.

    If it is valid and costs no more than the corner, the rest of the box can be skipped. Return the number of
    the score that rejects the point, or NO_SCORE, and whether the front has room for it.
    """
    steps = 0
    for k in range(size):
        a = box.axes[k]
        span = box.spans[a]
        here = instance.positions[a].here
        if not is_decided(span, here):
            continue
        left = min(span.high, here - 1)
        right = max(span.low, here + 1)
        if right > span.high or (
            left >= span.low and instance.prices[0, a, left].envelope <= instance.prices[0, a, right].envelope
        ):
            box.cell[a] = left
        else:
            box.cell[a] = right
        steps += abs(box.cell[a] - here)
    trial = scratch.sums.trial
    for m in range(instance.joins.shape[0]):
        joined = 0.0
        for k in range(size):
            cost = instance.prices[m, box.axes[k], box.cell[box.axes[k]]].cost
            joined = join(instance.joins[m] == 1, joined, cost)
        trial[m] = quantum(joined)
    rejected_by = NO_SCORE
    has_room = True
    if not is_dominated(search.front, trial) and not is_excluded(flat, instance, box.cell):
        rejected_by = rejecting_score(flat, instance, box.cell, False, False, scratch.row, search.counters)
        if rejected_by == NO_SCORE:
            has_room = add_point(search.front, trial, steps, box.cell, keep_ties)
    for k in range(size):
        box.cell[box.axes[k]] = instance.positions[box.axes[k]].here
    return rejected_by, has_room
