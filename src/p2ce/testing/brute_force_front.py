"""Find a person's front by the solver's brute force, with the model itself as the judge of every cell."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from p2ce.arrays import BoolArray, FloatArray
from p2ce.compilation.batch import place_and_price
from p2ce.explainer import Explainer
from p2ce.scores.score_rows import score_rows
from p2ce.solver.brute_force import front_among


def brute_force_front(
    explainer: Explainer, row: pd.DataFrame, accepts: Callable[[pd.DataFrame], BoolArray] | None = None
) -> FloatArray:
    """Find the costs (points, objectives) of a person's front by evaluating every cell.

    Without rules, that is every combination of candidates with at most so many changes. ``accepts`` calls the
    user's own objects; without it, the explainer's adapters do.
    """
    problem, judge = explainer._problem, accepts or _accepts(explainer, row)
    batch = place_and_price(problem, problem.codebook.encode(row))
    max_changes = problem.max_changes or len(problem.grid.columns)
    cells = front_among(
        lambda cells: judge(problem.frame(batch.rows(np.zeros(len(cells), dtype=np.int64), cells))),
        batch.placement,
        batch.tables,
        0,
        max_changes=max_changes,
    )
    costs = batch.tables.totals(np.zeros(len(cells), dtype=np.int64), cells)
    for place, objective in enumerate(problem.objectives):
        costs[:, place] = objective.report(costs[:, place])
    return costs


def _accepts(explainer: Explainer, person: pd.DataFrame) -> Callable[[pd.DataFrame], BoolArray]:
    problem = explainer._problem
    judge = problem.required_detector
    least = 0.0
    if judge is not None and judge.evaluate is None:  # our own forest, whose compiled score is the detector
        assert judge.score is not None
        least = judge.score.accept_from
    if problem.own_plausibility_counts:
        least = min(least, float(_judged(explainer, person)[0]))

    def accepts(frame: pd.DataFrame) -> BoolArray:
        accepted = np.ones(len(frame), dtype=np.bool_)
        for model in problem.models:
            accepted &= np.asarray(model.evaluate(frame)) >= model.threshold
        if judge is not None and accepted.any():
            accepted[accepted] = _judged(explainer, frame[accepted]) >= least
        return accepted

    return accepts


def _judged(explainer: Explainer, frame: pd.DataFrame) -> FloatArray:
    """Return the decision values of the detector that is required; of our own forest, the path lengths."""
    judge = explainer._problem.required_detector
    assert judge is not None
    if judge.evaluate is not None:
        return np.asarray(judge.evaluate(frame))
    assert judge.score is not None
    return score_rows(judge.score, explainer._problem.codebook.of(judge.columns).encode(frame))
