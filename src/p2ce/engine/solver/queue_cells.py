"""Queue the cells of a leaf that may be on the front for the external scores."""

from p2ce.base.arrays import FloatArray, Int32Array, IntArray
from p2ce.engine.kernels.jit import kernel
from p2ce.engine.scores.external import ACCEPT, REJECT, UNDECIDED
from p2ce.engine.scores.flat.dense import fill_dense
from p2ce.engine.scores.flat.flat_arrays import FlatScores
from p2ce.engine.scores.flat.reachable_leaves import ANY_CHANGES, best_total, reach_leaves
from p2ce.engine.scores.flat.score_cells import Instance
from p2ce.engine.solver.box_costs import join, quantum
from p2ce.engine.solver.check_cell import is_excluded, passes
from p2ce.engine.solver.evaluation_queue import EvaluationQueue
from p2ce.engine.solver.fronts import BOUND, ESTIMATE, SCORED, WORK
from p2ce.engine.solver.pareto_front import find_tied, is_dominated, point_comes_first
from p2ce.engine.solver.search_state import CurrentBox, Scratch, SearchState
from p2ce.engine.solver.upper_bounds import cell_gains, falls_short, verdict_of


@kernel
def screen_cells(
    flat: FlatScores,
    instance: Instance,
    box: CurrentBox,
    size: int,
    volume: int,
    search: SearchState,
    scratch: Scratch,
) -> bool:
    """Score all cells of a leaf with the compiled forests; return False if all are rejected."""
    for i in range(volume):
        scratch.verdict[i] = ACCEPT
    for s in range(flat.scores.shape[0]):
        if flat.scores[s].table >= 0:
            continue
        count, visited = reach_leaves(
            flat, s, instance, box.spans, box.axes, size, ANY_CHANGES, scratch.walk, scratch.reached
        )
        search.counters[WORK] += 4 * visited
        if falls_short(instance, s, best_total(flat, s, scratch.reached, count, scratch.best)):
            search.counters[BOUND + min(s, 2)] += 1
            return False
        fill_dense(scratch.reached, count, box.spans, box.axes, size, scratch.corner, scratch.cells)
        left = False
        for i in range(volume):
            verdict = verdict_of(instance, s, scratch.cells[i])
            scratch.verdict[i] = min(verdict, scratch.verdict[i])
            left = left or scratch.verdict[i] != REJECT
        if not left:
            return False
    return True


@kernel
def sums_pass(flat: FlatScores, instance: Instance, cell: Int32Array, counters: IntArray) -> bool:
    """Compare one cell with the estimate and with every additive score, in ticks; undecided cells pass.

    Cells that only the estimate prunes are counted: an explanation is proven if there are none.
    """
    for s in range(instance.thresholds.shape[0]):
        table = flat.scores[s].table if s < flat.scores.shape[0] else instance.gains.shape[0] - 1
        if table >= 0 and falls_short(instance, s, cell_gains(instance, table, cell)):
            if s == flat.scores.shape[0]:
                counters[ESTIMATE] += 1
            return False
    return True


@kernel
def forests_pass(
    flat: FlatScores, instance: Instance, cell: Int32Array, row: FloatArray, counters: IntArray
) -> bool:
    """Score an undecided cell in the library's own order."""
    for s in range(flat.scores.shape[0]):
        if flat.scores[s].table < 0 and not passes(flat, s, instance, cell, row, counters):
            return False
    return True


@kernel
def queue_cells(
    flat: FlatScores,
    instance: Instance,
    number: int,
    box: CurrentBox,
    size: int,
    volume: int,
    keep_ties: bool,
    search: SearchState,
    scratch: Scratch,
    queue: EvaluationQueue,
) -> None:
    """Queue each cell of a screened leaf that may be on the front; all listed axes of a leaf must change."""
    axes = box.axes
    last = axes[size - 1]
    span = box.spans[last]
    length = span.high - span.low + 1
    part = scratch.sums.part[0]
    trial = scratch.sums.trial
    for row in range(volume // length):
        rest = row
        steps = 0
        stays = False
        for k in range(size - 2, -1, -1):
            a = axes[k]
            wide = box.spans[a].high - box.spans[a].low + 1
            box.cell[a] = box.spans[a].low + rest % wide
            rest //= wide
            steps += abs(box.cell[a] - instance.positions[a].here)
            stays = stays or box.cell[a] == instance.positions[a].here
        if stays:
            continue
        for m in range(instance.joins.shape[0]):
            part[m] = 0.0
            for k in range(size - 1):
                cost = instance.prices[m, axes[k], box.cell[axes[k]]].cost
                part[m] = join(instance.joins[m] == 1, part[m], cost)
        for i in range(span.low, span.high + 1):
            verdict = scratch.verdict[row * length + i - span.low]
            if verdict == REJECT or i == instance.positions[last].here:
                continue
            for m in range(instance.joins.shape[0]):
                cost = instance.prices[m, last, i].cost
                trial[m] = quantum(join(instance.joins[m] == 1, part[m], cost))
            if is_dominated(search.front, trial):
                continue
            box.cell[last] = i
            moved = steps + abs(i - instance.positions[last].here)
            if not keep_ties:
                tied = find_tied(search.front, trial)
                if tied >= 0 and point_comes_first(search.front, tied, moved, box.cell):
                    continue
            if is_excluded(flat, instance, box.cell):
                continue
            if verdict == UNDECIDED and not forests_pass(
                flat, instance, box.cell, scratch.row, search.counters
            ):
                continue
            if not sums_pass(flat, instance, box.cell, search.counters):
                continue
            at = queue.used[0]
            queue.used[0] += 1
            queue.instance[at] = number
            queue.steps[at] = moved
            for m in range(trial.shape[0]):
                queue.quanta[at, m] = trial[m]
            for a in range(box.cell.shape[0]):
                queue.points[at, a] = box.cell[a]
            search.counters[SCORED] += 1


@kernel
def queue_box(number: int, box: CurrentBox, changes_left: int, queue: EvaluationQueue) -> None:
    """Queue a box for the scores that can bound it."""
    at = queue.used[1]
    queue.used[1] += 1
    queue.box_instance[at] = number
    queue.changes_left[at] = changes_left
    for a in range(box.spans.shape[0]):
        queue.spans[at, a] = box.spans[a]
