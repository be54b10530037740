"""Evaluate the cells of a leaf inside the kernel, and offer the accepted, undominated ones to the front."""

import numpy as np

from p2ce.base.arrays import IntArray
from p2ce.engine.kernels.jit import kernel
from p2ce.engine.scores.external import ACCEPT
from p2ce.engine.scores.flat.dense import fill_dense
from p2ce.engine.scores.flat.flat_arrays import FIRST, SECOND, FlatScores, Records
from p2ce.engine.scores.flat.reachable_leaves import ANY_CHANGES, Reached, reach_leaves
from p2ce.engine.scores.flat.score_cells import Instance
from p2ce.engine.solver.box_costs import join, price_corner, quantum, trim_box
from p2ce.engine.solver.check_cell import NO_SCORE, is_excluded, rejecting_score
from p2ce.engine.solver.fronts import BOUND, WORK
from p2ce.engine.solver.pareto_front import add_point, find_tied, is_dominated
from p2ce.engine.solver.search_state import (
    IMPLAUSIBLE_LEAVES,
    MONOTONE,
    ROW_AXIS,
    CurrentBox,
    Scratch,
    SearchState,
    Sums,
)
from p2ce.engine.solver.settings import Settings
from p2ce.engine.solver.upper_bounds import falls_short, is_infeasible, verdict_of

# The number of cells that may fail the detector one by one before it scores the whole leaf. It is lower if
# that has already happened for the instance.
PATIENCE = 4
# In leaves with fewer cells, the detector never scores the whole leaf.
WORTH_SCORING = 32


@kernel
def put_widest_last(box: CurrentBox, size: int, reached: Reached, count: int, state: IntArray) -> None:
    """Swap the widest axis with the last one, in the list and in the leaves, for the longest rows."""
    position = size - 1
    for k in range(size - 1):
        span = box.spans[box.axes[k]]
        widest = box.spans[box.axes[position]]
        if span.high - span.low > widest.high - widest.low:
            position = k
    state[ROW_AXIS] = position
    swap_axes(box, size, state)
    if position == size - 1:
        return
    for j in range(count):
        one = reached.inside[j * size + position]
        other = reached.inside[j * size + size - 1]
        low = one.low
        high = one.high
        one.low = other.low
        one.high = other.high
        other.low = low
        other.high = high


@kernel
def swap_axes(box: CurrentBox, size: int, state: IntArray) -> None:
    """Swap the axis of the rows with the last axis of the list, or swap them back."""
    position = state[ROW_AXIS]
    moved = box.axes[position]
    box.axes[position] = box.axes[size - 1]
    box.axes[size - 1] = moved


@kernel
def enter_row(
    flat: FlatScores,
    instance: Instance,
    box: CurrentBox,
    size: int,
    max_changes: int,
    position: int,
    sums: Sums,
) -> tuple[int, int]:
    """Price and score the candidates of the leading axes of ``box.cell``.

    A row holds all candidates of the last axis, which was at ``position`` in the list. Return the number of
    changes, -1 for a row without a point, and the ticks that the leading axes add to an additive score.
    """
    axes = box.axes
    changed = 0
    for k in range(size - 1):
        a = axes[k]
        if box.cell[a] != instance.positions[a].here:
            changed += 1
        elif box.spans[a].must:
            return -1, 0
    if changed > max_changes:
        return -1, 0
    ticks = 0
    table = flat.scores[FIRST].table
    if table >= 0:
        # Every axis counts here, including those that stay.
        for a in range(box.cell.shape[0]):
            if a != axes[size - 1]:
                ticks += instance.gains[table, a, box.cell[a]]
    # Costs are joined in the order of the axes: those before the axis of the rows, that axis, those after it.
    part = sums.part[0]
    for m in range(instance.joins.shape[0]):
        part[m] = 0.0
        for k in range(position):
            part[m] = join(
                instance.joins[m] == 1, part[m], instance.prices[m, axes[k], box.cell[axes[k]]].cost
            )
        for k in range(position + 1, size):
            a = axes[k if k < size - 1 else position]
            sums.behind[k - position - 1, m] = instance.prices[m, a, box.cell[a]].cost
    return changed, ticks


@kernel
def row_in_hull(box: CurrentBox, size: int) -> int:
    """Return the number of the row's first cell in the hull, in the layout of dense scoring; -1 outside."""
    cell = 0
    for k in range(size - 1):
        hull = box.hull[box.axes[k]]
        i = box.cell[box.axes[k]]
        if i < hull.low or i > hull.high:
            return -1
        cell = cell * (hull.high - hull.low + 1) + i - hull.low
    hull = box.hull[box.axes[size - 1]]
    length: int = hull.high - hull.low + 1
    return cell * length


@kernel
def seek(
    flat: FlatScores,
    instance: Instance,
    box: CurrentBox,
    size: int,
    row: int,
    ticks: int,
    begin: np.int64,
    end: np.int64,
    step: int,
    in_hull: bool,
    slot: int,
    search: SearchState,
    scratch: Scratch,
) -> bool:
    """Find the row's next undominated cell, from ``begin`` on and before ``end``, that may be accepted.

    Write it to the candidate ``slot``; return False if there is none. Costs do not decrease outwards, so the
    first dominated cell ends the row, unless a custom cost table is not monotone.
    """
    last = box.axes[size - 1]
    span = box.spans[last]
    length = span.high - span.low + 1
    table = flat.scores[FIRST].table
    part = scratch.sums.part[0]
    behind = scratch.sums.behind
    others = size - 1 - search.state[ROW_AXIS]
    trial = scratch.sums.trial
    hull_row = row_in_hull(box, size) if in_hull else 0
    if hull_row < 0:
        return False
    for i in range(begin, end, step):
        tick = ticks
        if table >= 0:
            tick += instance.gains[table, last, i]
        else:
            tick += scratch.cells[row * length + i - span.low]
        if falls_short(instance, FIRST, tick):
            continue
        if in_hull:
            hull = box.hull[last]
            if i < hull.low or i > hull.high:
                continue
            if falls_short(instance, SECOND, scratch.further_cells[hull_row + i - hull.low]):
                continue
        for m in range(instance.joins.shape[0]):
            cost = join(instance.joins[m] == 1, part[m], instance.prices[m, last, i].cost)
            for k in range(others):
                cost = join(instance.joins[m] == 1, cost, behind[k, m])
            trial[m] = quantum(cost)
        if is_dominated(search.front, trial):
            if search.state[MONOTONE]:
                return False
            continue
        candidate = scratch.candidates[slot]
        candidate.cell = row * length + i - span.low
        candidate.tick = tick
        candidate.key = trial[0]
        for m in range(instance.joins.shape[0]):
            scratch.quanta[slot, m] = trial[m]
        return True
    return False


@kernel
def collect_rows(
    flat: FlatScores,
    instance: Instance,
    box: CurrentBox,
    size: int,
    least: int,
    max_changes: int,
    in_hull: bool,
    search: SearchState,
    scratch: Scratch,
) -> int:
    """Collect the nearest promising cell of each row of the box, on each side of the current value.

    Cells farther out in the row cost no less, and are tried only if that cell fails. Return the number of
    collected cells.
    """
    axes = box.axes
    last = axes[size - 1]
    span = box.spans[last]
    low = np.int64(span.low)
    high = np.int64(span.high)
    here = np.int64(instance.positions[last].here)
    stays = span.must == 0 and low <= here <= high
    found = 0
    ticks = 0
    for k in range(size - 1):
        box.cell[axes[k]] = box.spans[axes[k]].low
    row = 0
    length = high - low + 1
    while True:
        # Most rows hold no cell that the model accepts. The largest total of a row shows this cheaply.
        changed = 0
        if flat.scores[FIRST].table < 0:
            top = scratch.cells[row * length]
            for i in range(row * length + 1, (row + 1) * length):
                top = max(top, scratch.cells[i])
            if falls_short(instance, FIRST, top):
                changed = -1
        if changed >= 0:
            position = search.state[ROW_AXIS]
            changed, ticks = enter_row(flat, instance, box, size, max_changes, position, scratch.sums)
        if changed >= 0:
            # The current value, the side above it, the side below it.
            for side in range(0 if stays and changed >= least else 1, 3):
                if side > 0 and (changed >= max_changes or changed + 1 < least):
                    break
                begin = here
                end = here + 1
                if side == 1:
                    begin = max(low, here + 1)
                    end = high + 1
                elif side == 2:
                    begin = min(high, here - 1)
                    end = low - 1
                step = -1 if side == 2 else 1
                found += seek(
                    flat, instance, box, size, row, ticks, begin, end, step, in_hull, found, search, scratch
                )
        # Next row: the last of the leading axes varies fastest.
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
def sift_down(candidates: Records, at: int, count: int) -> None:
    """Restore the heap of candidate slots below one position: no parent's key exceeds its children's."""
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
def make_heap(candidates: Records, count: int) -> None:
    """Arrange the first ``count`` candidates as a heap, cheapest first."""
    for i in range(count):
        candidates[i].order = i
    for at in range(count // 2 - 1, -1, -1):
        sift_down(candidates, at, count)


@kernel
def unravel(instance: Instance, box: CurrentBox, size: int, cell: int) -> int:
    """Write a cell's candidates to ``box.cell``; return its distance from the current point in grid steps."""
    steps = 0
    for k in range(size - 1, -1, -1):
        a = box.axes[k]
        length = box.spans[a].high - box.spans[a].low + 1
        box.cell[a] = box.spans[a].low + cell % length
        cell //= length
        steps += abs(box.cell[a] - instance.positions[a].here)
    return steps


@kernel
def move_outwards(
    flat: FlatScores,
    instance: Instance,
    box: CurrentBox,
    size: int,
    max_changes: int,
    in_hull: bool,
    slot: int,
    search: SearchState,
    scratch: Scratch,
) -> bool:
    """Replace a candidate, the cell ``box.cell``, by the next of its row; return False at the row's end."""
    last = box.axes[size - 1]
    low = np.int64(box.spans[last].low)
    high = np.int64(box.spans[last].high)
    i = np.int64(box.cell[last])
    here = instance.positions[last].here
    if i == here:
        return False
    row = scratch.candidates[slot].cell // (high - low + 1)
    position = search.state[ROW_AXIS]
    _, ticks = enter_row(flat, instance, box, size, max_changes, position, scratch.sums)
    step = 1 if i > here else -1
    end = high + 1 if i > here else low - 1
    return seek(flat, instance, box, size, row, ticks, i + step, end, step, in_hull, slot, search, scratch)


@kernel
def enclose_waiting(instance: Instance, box: CurrentBox, size: int, count: int, candidates: Records) -> None:
    """Write to ``box.hull`` the smallest box around the waiting candidates and the cells outwards of them."""
    for a in range(box.spans.shape[0]):
        box.hull[a] = box.spans[a]
    for k in range(size):
        box.hull[box.axes[k]].low = 1 << 30
        box.hull[box.axes[k]].high = -1
    last = box.axes[size - 1]
    here = instance.positions[last].here
    for j in range(count):
        unravel(instance, box, size, candidates[candidates[j].order].cell)
        for k in range(size):
            a = box.axes[k]
            box.hull[a].low = min(box.hull[a].low, box.cell[a])
            box.hull[a].high = max(box.hull[a].high, box.cell[a])
        if box.cell[last] > here:
            box.hull[last].high = box.spans[last].high
        elif box.cell[last] < here:
            box.hull[last].low = box.spans[last].low


@kernel
def score_further(
    flat: FlatScores,
    instance: Instance,
    box: CurrentBox,
    size: int,
    least: int,
    count: int,
    search: SearchState,
    scratch: Scratch,
) -> bool:
    """Score all cells that still matter with the detector; return False if none of them can pass."""
    if count == 0:
        return False
    enclose_waiting(instance, box, size, count, scratch.candidates)
    # Cells that the front dominates by now need not be scored either. The spans of the box are restored
    # afterwards, since they number its cells.
    swap_axes(box, size, search.state)  # prices are joined in the order of the axes
    forced = price_corner(instance, box, size, least, scratch.sums)
    for a in range(box.spans.shape[0]):
        box.kept[a] = box.spans[a]
    trim_box(instance, box, size, least - forced, scratch.sums, search.front)
    swap_axes(box, size, search.state)
    for a in range(box.spans.shape[0]):
        box.hull[a].low = max(box.hull[a].low, box.spans[a].low)
        box.hull[a].high = min(box.hull[a].high, box.spans[a].high)
        box.spans[a] = box.kept[a]
    for a in range(box.spans.shape[0]):
        if box.hull[a].low > box.hull[a].high:
            return False
    few = scratch.sums.few
    if is_infeasible(
        flat, SECOND, instance, box.hull, box.axes, size, ANY_CHANGES, few, scratch.walk, search.counters
    ):
        search.counters[BOUND + SECOND] += 1
        return False
    count, visited = reach_leaves(
        flat, SECOND, instance, box.hull, box.axes, size, ANY_CHANGES, scratch.walk, scratch.further
    )
    search.counters[WORK] += 4 * visited
    search.counters[WORK] += 3 * fill_dense(
        scratch.further, count, box.hull, box.axes, size, scratch.corner, scratch.further_cells
    )
    return True


@kernel
def judge_candidate(
    flat: FlatScores,
    instance: Instance,
    box: CurrentBox,
    size: int,
    tick: int,
    in_hull: bool,
    search: SearchState,
    scratch: Scratch,
) -> int:
    """Return the number of the score that rejects the cell ``box.cell``, or NO_SCORE."""
    first_accepts = verdict_of(instance, FIRST, tick) == ACCEPT
    second_accepts = False
    if in_hull:
        last = box.axes[size - 1]
        cell = row_in_hull(box, size) + box.cell[last] - box.hull[last].low
        second_accepts = verdict_of(instance, SECOND, scratch.further_cells[cell]) == ACCEPT
    return rejecting_score(
        flat, instance, box.cell, first_accepts, second_accepts, scratch.row, search.counters
    )


@kernel
def offer_cells(
    flat: FlatScores,
    instance: Instance,
    box: CurrentBox,
    size: int,
    volume: int,
    least: int,
    settings: Settings,
    search: SearchState,
    scratch: Scratch,
) -> bool:
    """Evaluate the cells of a scored leaf, cheapest first; return False if the front is full."""
    in_hull = False
    count = -1  # the number of waiting candidates; -1 before they are collected
    failures = 0
    patience = PATIENCE >> min(search.state[IMPLAUSIBLE_LEAVES], 2)
    while True:
        if count < 0:
            count = collect_rows(
                flat, instance, box, size, least, settings.max_changes, in_hull, search, scratch
            )
            make_heap(scratch.candidates, count)
        if count == 0:
            return True
        slot = scratch.candidates[0].order
        costs = scratch.quanta[slot]
        steps = unravel(instance, box, size, scratch.candidates[slot].cell)
        go_on = not search.state[MONOTONE]
        covered = is_dominated(search.front, costs)
        if not covered and not settings.keep_ties:
            tied = find_tied(search.front, costs)
            covered = tied >= 0 and search.front.costs[tied, costs.shape[0]] < steps
        if not covered:
            go_on = go_on or settings.keep_ties
            tick = scratch.candidates[slot].tick
            rejected_by = judge_candidate(flat, instance, box, size, tick, in_hull, search, scratch)
            if rejected_by == NO_SCORE and not is_excluded(flat, instance, box.cell):
                if not add_point(search.front, costs, steps, box.cell, settings.keep_ties):
                    return False
            else:
                go_on = True
                failures += rejected_by >= SECOND
        if not (
            go_on
            and move_outwards(flat, instance, box, size, settings.max_changes, in_hull, slot, search, scratch)
        ):
            count -= 1
            scratch.candidates[0].order = scratch.candidates[count].order
        sift_down(scratch.candidates, 0, count)
        # An additive detector costs next to nothing cell by cell.
        if failures == patience and not in_hull and volume > WORTH_SCORING and settings.bounds:
            if flat.scores[SECOND].table < 0:
                search.state[IMPLAUSIBLE_LEAVES] += 1
                if not score_further(flat, instance, box, size, least, count, search, scratch):
                    return True
                in_hull = True
                count = -1
            failures += 1
