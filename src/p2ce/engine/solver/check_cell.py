"""Check whether the compiled scores accept a single cell, and verification has not excluded it."""

from p2ce.base.arrays import FloatArray, Int32Array, IntArray
from p2ce.engine.kernels.jit import kernel
from p2ce.engine.scores.flat.flat_arrays import FIRST, SECOND, FlatScores
from p2ce.engine.scores.flat.score_cells import Instance, looks_the_same, score_cell
from p2ce.engine.solver.fronts import CHECKED, WORK
from p2ce.engine.solver.upper_bounds import cell_gains, falls_short

NO_SCORE = -1  # no score rejects the cell


@kernel
def is_excluded(flat: FlatScores, instance: Instance, cell: Int32Array) -> bool:
    """Return whether the user's model or detector has rejected this cell, or one with the same leaves."""
    for number in range(instance.excluded.shape[0]):
        same = True
        for a in range(cell.shape[0]):
            if instance.excluded[number, a] != cell[a]:
                same = False
                break
        s = instance.excluded[number, cell.shape[0]]
        if same or (s >= 0 and looks_the_same(flat, s, instance, cell, number)):
            return True
    return False


@kernel
def passes(
    flat: FlatScores, s: int, instance: Instance, cell: Int32Array, row: FloatArray, counters: IntArray
) -> bool:
    """Score one cell in the library's own order. Undecided cells pass: verification decides them."""
    table = flat.scores[s].table
    if table >= flat.weights.shape[0]:
        # A rule has no library with its own order of additions: ticks decide, and verification checks them.
        return not falls_short(instance, s, cell_gains(instance, table, cell))
    counters[CHECKED] += 1
    counters[WORK] += 16 * (flat.scores[s].last_tree - flat.scores[s].first_tree)
    accepted: bool = score_cell(flat, s, instance, cell, row) >= instance.thresholds[s].value_reject_below
    return accepted


@kernel
def rejecting_score(
    flat: FlatScores,
    instance: Instance,
    cell: Int32Array,
    first_accepts: bool,
    second_accepts: bool,
    row: FloatArray,
    counters: IntArray,
) -> int:
    """Return the number of the first score that rejects a cell, or NO_SCORE.

    Of the first two scores, it may be known already that they accept the cell.
    """
    for s in range(flat.scores.shape[0]):
        if (s == FIRST and first_accepts) or (s == SECOND and second_accepts):
            continue
        if not passes(flat, s, instance, cell, row, counters):
            return s
    return NO_SCORE
