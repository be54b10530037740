"""Explain a batch of instances: the whole path from encoded rows to verified counterfactuals."""

import time
from contextlib import nullcontext, suppress
from functools import partial

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.base.calls.budget import LimitReached, current_budget
from p2ce.base.calls.model_call import calls_of, no_calls_after
from p2ce.base.calls.remembered import remembering
from p2ce.compile.batch import Batch, place_and_price, provably_rejected
from p2ce.compile.compiled_problem import Problem
from p2ce.engine.scores.black_box_score import BlackBoxScore
from p2ce.engine.solver.branch_and_bound import (
    ExternalScores,
    Fronts,
    Incumbents,
    SearchBudget,
    no_fronts,
    solve,
)
from p2ce.run.collect_counterfactuals import collect_counterfactuals
from p2ce.run.estimation.apply_estimate import with_estimate
from p2ce.run.find_incumbents import NOT_SOUGHT, seek_incumbents
from p2ce.run.none_because import explain_none, try_finest_grid
from p2ce.run.paper.solve_by_paper import solve_by_paper
from p2ce.run.price_plausibility import price_plausibility
from p2ce.run.time_limits import LimitsLeft, SearchLimits, SharedLimits
from p2ce.run.unseen_categories import blame_labels
from p2ce.run.verified import Verified, nothing_known
from p2ce.run.verify.verify_cells import verify_cells

NO_LIMITS = SearchLimits()
# If the model keeps contradicting a score, more rounds than this are not worth it.
MOST_ROUNDS = 100


def explain_batch(
    problem: Problem, values: FloatArray, limits: SearchLimits = NO_LIMITS, *, finest: bool = True
) -> Verified:
    """Find and verify every Pareto-optimal counterfactual of encoded instances (n, d).

    `tables.encode` comes before this, `build_explanation` after it. With ``finest``, if the problem's own
    grid proves that an instance has no counterfactual, it is solved again on the finest grid. If there is
    none either, it is solved without its restrictions. If the price of plausibility is requested, all
    instances are also solved without the plausibility requirement.
    """
    with nullcontext() if problem.kernel_decides_alone else remembering():
        try:
            verified = _on_own_grid(problem, values, limits)
        except LimitReached:
            raise
        except Exception as error:
            blame_labels(error, problem, values)  # raises where unseen categories are what fails
            raise
        if not finest:
            return verified
        explain = partial(explain_batch, finest=False)
        if len(none := verified.without_options()):
            verified = try_finest_grid(problem, values, verified, none, limits, explain)
            verified = explain_none(problem, values, verified, limits, explain)
        if problem.prices_plausibility:
            verified = price_plausibility(problem, values, verified, limits, explain)
        return verified


def _on_own_grid(problem: Problem, values: FloatArray, limits: SearchLimits) -> Verified:
    """Solve and verify, and exclude what is rejected, until every cell of every front is verified."""
    begin = time.perf_counter()
    # The position of each instance on the grid, and the cost of each candidate.
    batch = place_and_price(problem, values)
    # Certainly rejected instances are solved at once. The models decide about the others first.
    rejected = provably_rejected(batch)
    budget = None if problem.kernel_decides_alone else current_budget()
    if budget is not None:
        rejected[:] = False  # the instances are scored before anything else is charged
    waiting = np.flatnonzero(rejected)
    seconds = (time.perf_counter() - begin) / max(len(values), 1)
    alternatives = batch.placement.highest - batch.placement.lowest
    known = nothing_known(len(values), len(problem.objectives), alternatives, seconds)
    shared, sought, kept = SharedLimits(problem, limits), NOT_SOUGHT, []
    for number in range(1, MOST_ROUNDS + 1):
        if limits.seconds is not None or budget is not None:
            # Accepted cells to start with, if cells are slow to evaluate.
            known, sought = seek_incumbents(batch, known, shared, waiting, sought)
        # Branch and bound, over all cells that are not excluded.
        left = shared.left(known, waiting, to_solve=True)
        fronts = solve_batch(batch, waiting, left, sought.incumbents)
        known = known.after_search(waiting, fronts)
        # The user's own model, detector and constraints: the cells, and first the instances themselves.
        begin = time.perf_counter()
        checked = verify_cells(
            batch,
            np.repeat(waiting, np.diff(fronts.first)),
            fronts.points,
            recorded=fronts.recorded,
            with_instances=number == 1,
            until=None if limits.seconds is None else shared.left(known, waiting).until,
        )
        is_own = np.arange(len(checked.cells)) >= len(fronts.points)
        known = known.after_check(checked, is_own)
        # Rejected cells are excluded, except instances that were certain to be rejected.
        certain = is_own & rejected[checked.instance]
        refuted = checked.taken(checked.failed & ~checked.unsettled & ~certain)
        if len(refuted.cells):
            batch = batch.excluding(refuted.instance, refuted.cells, refuted.rejected_by)
            sought = sought.without(refuted)
        shared = shared._replace(checks=(*shared.checks, time.perf_counter() - begin))
        # Again, where a rejected cell may have dominated others, and where the models had to decide first.
        waiting = np.unique(checked.instance[np.where(is_own, ~certain, checked.failed)])
        waiting = waiting[~known.favourable[waiting]]
        if len(waiting):
            stopped = fronts.stopped
            if budget is not None:
                # Verified cells stay options, however little of the budget is left to search again.
                sought = sought.with_verified(batch, checked, fronts)
                stopped = stopped or bool(checked.unsettled.any())
            known, waiting = shared.without_late(known, waiting, stopped=stopped)
        if number == MOST_ROUNDS:
            # Too many of their cells lie in the error band: the options found are kept, nothing is proven.
            known, waiting = known.with_values(waiting, gave_up=True), waiting[:0]
        done = ~known.favourable[checked.instance] & ~np.isin(checked.instance, waiting)
        kept.append(checked.taken(done & ~checked.failed & ~is_own))
        if not len(waiting):
            break
    # Once the time is up, no call begins: cells are neither refined nor rounded, predictions are unknown.
    with nullcontext() if limits.seconds is None else no_calls_after(shared.last_call(known)):
        return collect_counterfactuals(batch, kept, known, shared)


def solve_batch(
    batch: Batch, instances: IntArray, limits: LimitsLeft, incumbents: Incumbents | None = None
) -> Fronts:
    """Find the fronts of some instances. Cells that the batch excludes are not on them.

    ``incumbents`` are accepted cells that are known in advance, of any instances of the batch.
    """
    problem = batch.problem
    if not len(instances):
        return no_fronts(len(problem.objectives), problem.grid.axis_count)
    if problem.method is not None:
        return solve_by_paper(batch, instances, limits.seconds, limits.work, limits.listener)
    flat = batch.instances if len(instances) == len(batch.values) else batch.flat_instances(instances)
    if problem.estimate is not None:
        with suppress(LimitReached):  # then only costs prune
            flat = with_estimate(batch, instances, flat)
    return solve(
        problem.layout,
        flat,
        problem.settings,
        None if problem.kernel_decides_alone else external_scores(batch, instances, limits.until),
        time_limits=limits.seconds,
        work_limits=limits.work,
        listener=limits.listener,
        incumbents=None if incumbents is None else incumbents.of(instances),
    )


def solve_completely(batch: Batch, work: int, seconds: float | None = None) -> Fronts:
    """Find the fronts of all instances of a batch; work and seconds are for each of them."""
    count = len(batch.values)
    limits = LimitsLeft(None if seconds is None else np.full(count, seconds), np.full(count, work))
    return solve_batch(batch, np.arange(count), limits)


def external_scores(batch: Batch, instances: IntArray, until: float | None = None) -> ExternalScores:
    """Return the scores that are evaluated outside the kernel, for some instances of a batch."""
    external = {
        number: one for number, one in enumerate(batch.problem.requirements) if one.score.flat is None
    }
    return ExternalScores(
        scores={number: batch.scores[number] for number in external},
        recorded=[number for number, one in external.items() if one.is_recorded],
        instances=instances,
        until=until,
        spending=spending_on(batch.problem),
    )


def spending_on(problem: Problem) -> SearchBudget | None:
    """Return what a search may spend of the current budget; None if there is none, or nothing to spend."""
    if (budget := current_budget()) is None or budget.max_calls == 0:
        return None
    called = [one.score.call for one in problem.requirements if isinstance(one.score, BlackBoxScore)]
    # Verification calls these even if they were not called in the search.
    verifying = [one.evaluate for one in problem.models if not one.is_black_box]
    detector = problem.detector
    if detector is not None and not (detector.is_its_score or detector.is_black_box):
        verifying.append(detector.evaluate)
    return SearchBudget(
        budget=budget,
        per_cell=sum(calls_of(one) for one in called),
        per_option=sum(calls_of(one) for one in verifying),
    )
