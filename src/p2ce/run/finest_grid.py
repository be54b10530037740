"""Solve instances without recourse again, on the finest grid that the data support."""

from collections.abc import Iterator

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.compile.compiled_problem import Problem
from p2ce.compile.lay_out import for_instance, on_finest_grid
from p2ce.engine.solver.branch_and_bound import CELL_WORK
from p2ce.run.solve_batch import SearchLimits
from p2ce.run.verified import Verified

# The limit for solving an instance on the finest grid, in units of the counter WORK: about a second. It is
# counted and not timed, so results do not depend on the speed of the machine.
MOST_WORK = 400_000_000
MOST_EVALUATIONS = 20_000  # if cells are evaluated outside the kernel, and a model may be slow
# instances at a time, since their tables are long
BATCH = 16


def finest_searches(
    problem: Problem, values: FloatArray, verified: Verified, limits: SearchLimits
) -> Iterator[tuple[IntArray, Problem, SearchLimits]]:
    """Return the instances of a batch (n, d) proven to have no recourse, and how to solve them again.

    Only inferred candidates are refined: the user stated the explicit steps, ranges and values.
    """
    known = verified.outcomes
    proven = known.finished & known.trusted & ~known.gave_up & ~known.favourable
    who = np.setdiff1d(np.flatnonzero(proven), verified.found.instance)
    if not len(who) or problem.estimate is not None or (finer := on_finest_grid(problem)) is None:
        return
    if problem.is_personal:
        finer = for_instance(finer, values[0])
    work = MOST_WORK if finer.kernel_decides_alone else CELL_WORK * MOST_EVALUATIONS
    for begin in range(0, len(who), BATCH):
        some = who[begin : begin + BATCH]
        seconds = verified.seconds_left(limits.seconds, some)
        left = None if seconds is None else max(0.0, seconds)
        yield some, finer, SearchLimits(left, work, limits.listener)
