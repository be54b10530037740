"""Try a model before it is used: can every cell be evaluated?"""

import logging
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.budget import current_budget
from p2ce.base.calls.model_call import require_time
from p2ce.compile.arguments import Arguments
from p2ce.compile.batch import place_and_price
from p2ce.compile.compiled_problem import Problem
from p2ce.compile.evaluate_rows import TRIED_INSTANCES, scoring_of
from p2ce.compile.grouped_features import moves_as_one
from p2ce.engine.solver.branch_and_bound import CELL_WORK
from p2ce.models.estimates.native import Parsed
from p2ce.models.estimates.shap_estimate import ShapEstimate
from p2ce.run.build_explanation import number_of_cells
from p2ce.run.compile_kernels import warn_if_slow
from p2ce.run.estimation.fit_estimate import fit_estimate
from p2ce.run.explain_batch import solve_completely
from p2ce.run.paper.solve_by_paper import fit_attributions

log = logging.getLogger("p2ce")

# The most evaluations of a black box per instance. A grid with fewer cells needs no trial. On a larger grid,
# some instances are tried, since most searches evaluate a small part of their grid. The limit is a count and
# not a time, so results do not depend on the speed of the machine. A quick model takes some ten seconds.
MOST_EVALUATIONS = 500_000


def takes_too_long(problem: Problem, rejected: FloatArray) -> bool:
    """Return whether a complete search takes too many evaluations for the majority of some instances."""
    if _is_small(problem):
        return False
    # A majority is enough: the last instance often need not be tried.
    enough = len(rejected) // 2 + 1
    done = unfinished = 0
    for some in (rejected[:enough], rejected[enough:]):
        if len(some) and done < enough and unfinished < enough:
            fronts = solve_completely(place_and_price(problem, some), CELL_WORK * MOST_EVALUATIONS)
            require_time()  # a search that ended by the clock proves nothing
            finished = fronts.finished
            done += int(np.count_nonzero(finished))
            unfinished += int(np.count_nonzero(~finished))
    too_long = unfinished > done
    if too_long:
        log.warning(
            "A complete search takes too long (%d of %d instances were not finished after %d evaluations of "
            "the model, or equivalent work). From now on, bound='shap' prunes, and explanations are "
            "HEURISTIC. To require proofs, pass bound=None, with a time_limit if needed.",
            unfinished,
            done + unfinished,
            MOST_EVALUATIONS,
        )
    return too_long


def fits_into(problem: Problem, arguments: Arguments, seconds: float | None) -> bool:
    """Return whether preparing an estimate fits into half of the remaining time. Budgets do not cover it.

    This is judged by the time per row of the reference, and by the most evaluations that trials and
    calibration may take.
    """
    budget = current_budget()
    if (seconds is None and budget is None) or problem.method is not None:
        return True  # without its attributions, an algorithm of the paper cannot run
    bound, trials = arguments.bound, 0
    if bound is None or (bound == "auto" and not _may_need_estimate(problem)):
        return True
    if bound == "auto":
        if _is_small(problem):
            return True
        trials = TRIED_INSTANCES * MOST_EVALUATIONS
    if budget is not None:
        log.info(
            "An estimate is not calibrated within max_calls or max_rows, so cells are evaluated until the "
            "budget ends. Call warm_up() to calibrate beforehand."
        )
        return False
    spec = bound if isinstance(bound, ShapEstimate) else ShapEstimate()
    needed = problem.row_seconds * (trials + spec.max_evaluations)
    if spec.time_limit is not None:
        needed = min(needed, problem.row_seconds * trials + spec.time_limit)
    assert seconds is not None, "without a limit, everything fits"
    if needed <= seconds / 2:
        return True
    log.info(
        "Calibrating an estimate may take %.2g s, too long for time_limit, so cells are evaluated until the "
        "limit. Call warm_up() to calibrate beforehand.",
        needed,
    )
    return False


def _may_need_estimate(problem: Problem) -> bool:
    return any(one.score is None for one in problem.models) and not moves_as_one(problem.policy)


def _is_small(problem: Problem) -> bool:
    cells = number_of_cells(tuple(sorted(problem.grid.lengths.tolist())), problem.max_changes)
    return cells <= MOST_EVALUATIONS


def with_needed_estimate(
    problem: Problem,
    arguments: Arguments,
    *,
    parse: Callable[[], Parsed | None],
    reference: FloatArray,
    rejected: FloatArray,
) -> Problem:
    """Fit the estimate that the user chose, or that is needed because a complete search would take too long.

    ``parse`` returns the model as it is supported natively, for SHAP values that need no evaluations.
    """
    if problem.method is not None:
        attributions = fit_attributions(
            problem, score=scoring_of(problem), reference=reference, random_state=arguments.random_state
        )
        return problem if attributions is None else replace(problem, attributions=attributions)
    bound = arguments.bound
    if bound == "auto" and _may_need_estimate(problem):
        with warn_if_slow(
            "Trying a complete search on a few instances. Pass bound='shap' or bound=None to skip this."
        ):
            if takes_too_long(problem, rejected):
                bound = "shap"
    if bound is None or bound == "auto":
        return problem
    with warn_if_slow(
        "Calibrating the estimate on rows of the reference, once for this problem; "
        "ShapEstimate(sample_size=…, max_evaluations=…, time_limit=…) limits it."
    ):
        estimate = fit_estimate(
            problem,
            bound,
            parsed=parse(),
            reference=reference,
            random_state=arguments.random_state,
        )
    return replace(problem, estimate=estimate)
