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
from p2ce.run.rounds import Rounds
from p2ce.run.solve_batch import SearchLimits, solve_batch
from p2ce.run.unseen_categories import blame_labels
from p2ce.run.verified import Grid, Verified
from p2ce.run.verify.verify_cells import verify_cells

NO_LIMITS = SearchLimits()


def explain_batch(
    problem: Problem, values: FloatArray, limits: SearchLimits = NO_LIMITS, *, finest: bool = True
) -> Verified:
    """Find and verify every Pareto-optimal counterfactual of encoded instances (n, d).

    `compilation.encode` comes before this, `build_explanation` after it. With ``finest``, if the problem's
    own grid proves that an instance has no counterfactual, it is solved again on the finest grid. If there is
    none either, it is solved without its restrictions. If the price of plausibility is requested, all
    instances are also solved without the plausibility requirement.
    """
    begin = time.perf_counter()
    try:
        # The position of each instance on the grid, and the cost of each candidate.
        rounds = Rounds(place_and_price(problem, values), limits, begin)
        while rounds.number == 0 or len(rounds.waiting):  # a rejected cell may have dominated others
            # Accepted cells to start with, if time is limited and cells are slow to evaluate.
            rounds.find_incumbents()
            # Branch and bound, over all cells that are not excluded.
            fronts = solve_batch(rounds.batch, rounds.waiting, rounds.left_to_solve(), rounds.incumbents)
            rounds.note_fronts(fronts)
            # The user's own model, detector and constraints.
            checked = verify_cells(
                rounds.batch,
                np.repeat(rounds.waiting, np.diff(fronts.first)),
                fronts.points,
                recorded=fronts.recorded,
                with_instances=rounds.number == 0,
                until=rounds.left_to_verify(),
            )
            rounds.note_checked(fronts, checked)
        verified = collect_counterfactuals(rounds)
    except Exception as error:
        blame_labels(error, problem, values)  # raises where unseen categories are what fails
        raise
    if finest:  # before an instance is reported without recourse
        for some, finer, left in finest_searches(problem, values, verified, limits):
            if left.seconds == 0.0:  # not even the instances can be evaluated again
                verified.outcomes.grid[some] = Grid.FINEST_OPEN
            else:
                verified = verified.merged(explain_batch(finer, values[some], left, finest=False), some)
        explain = partial(explain_batch, finest=False)
        explain_none(problem, values, verified, limits, explain)
        price_plausibility(problem, values, verified, limits, explain)
    return verified
