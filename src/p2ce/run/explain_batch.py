"""Explain a batch of instances: the whole path from encoded rows to verified counterfactuals."""

import time
from functools import partial

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.compile.batch import place_and_price
from p2ce.compile.compiled_problem import Problem
from p2ce.run.collect_counterfactuals import collect_counterfactuals
from p2ce.run.finest_grid import finest_searches
from p2ce.run.none_because import explain_none
from p2ce.run.price_plausibility import price_plausibility
from p2ce.run.rounds import (
    NOT_SOUGHT,
    after_check,
    after_search,
    excluding,
    joined,
    refuted,
    seek_incumbents,
    settled,
    waiting_again,
    without_late,
)
from p2ce.run.solve_batch import SearchLimits, solve_batch
from p2ce.run.time_limits import Budget
from p2ce.run.unseen_categories import blame_labels
from p2ce.run.verified import Verified, nothing_known
from p2ce.run.verify.verify_cells import surely_rejected, verify_cells

NO_LIMITS = SearchLimits()
# If the model keeps contradicting a score, more rounds than this are not worth it.
MOST_ROUNDS = 100


def explain_batch(
    problem: Problem, values: FloatArray, limits: SearchLimits = NO_LIMITS, *, finest: bool = True
) -> Verified:
    """Find and verify every Pareto-optimal counterfactual of encoded instances (n, d).

    `compile.encode` comes before this, `build_explanation` after it. With ``finest``, if the problem's own
    grid proves that an instance has no counterfactual, it is solved again on the finest grid. If there is
    none either, it is solved without its restrictions. If the price of plausibility is requested, all
    instances are also solved without the plausibility requirement.
    """
    try:
        verified = _on_own_grid(problem, values, limits)
    except Exception as error:
        blame_labels(error, problem, values)  # raises where unseen categories are what fails
        raise
    if not finest:
        return verified
    explain = partial(explain_batch, finest=False)
    for some, finer, left in finest_searches(problem, values, verified, limits):
        if left.seconds == 0.0:  # not even the instances can be evaluated again
            verified = verified.with_finest_open(some)
        else:
            verified = verified.merged(explain(finer, values[some], left), some)
    verified = explain_none(problem, values, verified, limits, explain)
    return price_plausibility(problem, values, verified, limits, explain)


def _on_own_grid(problem: Problem, values: FloatArray, limits: SearchLimits) -> Verified:
    """Solve and verify, and exclude what is rejected, until every cell of every front is verified."""
    begin = time.perf_counter()
    # The position of each instance on the grid, and the cost of each candidate.
    batch = place_and_price(problem, values)
    # Certainly rejected instances are solved at once. The models decide about the others first.
    rejected = surely_rejected(batch)
    waiting, kept, sought = np.flatnonzero(rejected), [], NOT_SOUGHT
    alternatives = batch.placement.highest - batch.placement.lowest
    seconds = (time.perf_counter() - begin) / max(len(values), 1)
    known = nothing_known(len(values), len(problem.objectives), alternatives, seconds)
    budget = Budget(problem, limits)
    for number in range(1, MOST_ROUNDS + 1):
        # Accepted cells to start with, if time is limited and cells are slow to evaluate.
        known, sought = seek_incumbents(batch, known, budget, waiting, sought)
        # Branch and bound, over all cells that are not excluded.
        left = budget.left_to_solve(known, waiting)
        fronts = solve_batch(batch, waiting, left, sought.incumbents)
        known = after_search(known, waiting, fronts)
        # The user's own model, detector and constraints: the cells, and first the instances themselves.
        begin, count = time.perf_counter(), len(fronts.points)
        checked = verify_cells(
            batch,
            np.repeat(waiting, np.diff(fronts.first)),
            fronts.points,
            said=fronts.said,
            with_instances=number == 1,
            until=budget.left(known, waiting).until,
        )
        found, own = checked.taken(slice(count)), checked.taken(slice(count, None))
        known = after_check(known, found, own)
        excluded = refuted(found, own, rejected)
        if len(excluded.cells):
            batch = batch.excluding(excluded.instance, excluded.cells, excluded.rejected_by)
            sought = excluding(sought, excluded)
        budget = budget._replace(checks=(*budget.checks, time.perf_counter() - begin))
        again = waiting_again(known, found, own, rejected)
        known, waiting = without_late(known, again, budget, stopped=fronts.stopped)
        if number == MOST_ROUNDS:
            # Too many of their cells lie in the error band: the options found are kept, nothing is proven.
            known, waiting = known.with_values(waiting, gave_up=True), waiting[:0]
        kept.append(settled(known, found, waiting))
        if not len(waiting):
            break
    return collect_counterfactuals(batch, joined(*kept), known, budget)
