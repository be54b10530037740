"""Solve instances without recourse again, on the finest grid that the data support."""

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.compile.compiled_problem import Problem
from p2ce.compile.lay_out import for_instance, on_finest_grid
from p2ce.engine.solver.branch_and_bound import CELL_WORK
from p2ce.run.time_limits import SearchLimits
from p2ce.run.verified import ExplainBatch, Verified

# The limit for solving an instance on the finest grid, in units of the counter WORK: about a second. It is
# counted and not timed, so results do not depend on the speed of the machine.
MOST_WORK = 400_000_000
MOST_EVALUATIONS = 20_000  # if cells are evaluated outside the kernel, and a model may be slow
# instances at a time, since their tables are long
BATCH = 16


def try_finest_grid(
    problem: Problem,
    values: FloatArray,
    verified: Verified,
    none: IntArray,
    limits: SearchLimits,
    explain: ExplainBatch,
) -> Verified:
    """Return the results with those on the finest grid for instances that have no option on the own grid.

    Only inferred candidates are refined: the user stated the explicit steps, ranges and values.
    """
    finer = on_finest_grid(problem) if problem.estimate is None else None
    if finer is None:
        return verified
    if problem.is_personal:
        finer = for_instance(finer, values[0])
    work = MOST_WORK if finer.kernel_decides_alone else CELL_WORK * MOST_EVALUATIONS
    for begin in range(0, len(none), BATCH):
        some = none[begin : begin + BATCH]
        left = verified.seconds_left(limits.seconds, some)
        if left is not None and left <= 0.0:  # not even the instances can be evaluated again
            verified = verified.with_finest_open(some)
        else:
            found = explain(finer, values[some], SearchLimits(left, work, limits.listener))
            verified = verified.merged(found, some)
    return verified
