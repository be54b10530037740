"""Find a person's front by evaluating the model itself on every cell: slow and obvious."""

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from p2ce.arrays import BoolArray, FloatArray, Int32Array
from p2ce.comparing import quanta
from p2ce.compilation.batch import place_and_price
from p2ce.explainer import Explainer
from p2ce.scores.score_rows import score_rows
from p2ce.solver.undominated import undominated

CELLS_AT_ONCE = 200_000


def brute_force_front(
    explainer: Explainer, row: pd.DataFrame, accepts: Callable[[pd.DataFrame], BoolArray] | None = None
) -> FloatArray:
    """Find the costs (points, objectives) of a person's front by evaluating every cell.

    Without rules, that is every combination of candidates with at most so many changes. ``accepts`` calls the
    user's own objects; without it, the explainer's adapters do.
    """
    problem, accepts = explainer._problem, accepts or _accepts(explainer, row)
    batch = place_and_price(problem, problem.codebook.encode(row))
    placement, tables = batch.placement, batch.tables
    here = placement.position[0]
    found: list[FloatArray] = []
    for cells in _cells(placement.lowest[0], placement.highest[0], here, problem.max_changes):
        if len(cells):
            rows = batch.rows(np.zeros(len(cells), dtype=np.int64), cells)
            cells = cells[accepts(problem.frame(rows))]
        totals = tables.totals(np.zeros(len(cells), dtype=np.int64), cells)
        found = [_cheapest(np.concatenate([*found, totals]))]
    costs: FloatArray = found[0].copy() if found else np.empty((0, len(problem.objectives)))
    for place, objective in enumerate(problem.objectives):
        costs[:, place] = objective.report(costs[:, place])
    return costs


def _cells(
    low: Int32Array, high: Int32Array, here: Int32Array, max_changes: int | None
) -> Iterator[Int32Array]:
    """List every cell but the person's own, in batches of many."""
    others = [
        [place for place in range(first, last + 1) if place != at]
        for first, last, at in zip(low.tolist(), high.tolist(), here.tolist(), strict=True)
    ]
    batch: list[Int32Array] = []
    for size in range(1, min(max_changes or len(here), len(here)) + 1):
        for support in combinations(range(len(here)), size):
            grids = np.meshgrid(*(others[axis] for axis in support), indexing="ij")
            cells = np.repeat(here[None, :], grids[0].size, axis=0)
            cells[:, list(support)] = np.stack([grid.ravel() for grid in grids], axis=1)
            batch.append(cells)
            if sum(map(len, batch)) >= CELLS_AT_ONCE:
                yield np.concatenate(batch)
                batch = []
    if batch:
        yield np.concatenate(batch)


def _cheapest(totals: FloatArray) -> FloatArray:
    """Keep one row of every undominated cost."""
    compared, first = np.unique(quanta(totals), axis=0, return_index=True)
    return totals[first[undominated(compared)]]


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
