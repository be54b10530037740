"""Round displayed values, but only if all statements also hold for the rounded row."""

import logging
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.base.calls.budget import LimitReached
from p2ce.base.comparing import quanta
from p2ce.compile.batch import totals_of
from p2ce.compile.compiled_problem import ParsedProblem, Problem
from p2ce.compile.evaluate_rows import judge_rows, score_frame
from p2ce.compile.own_plausibility import OwnPlausibility
from p2ce.compile.own_ranges import RowLimits
from p2ce.errors import P2CEError
from p2ce.policy.features.decimals import to_dtype
from p2ce.run.verify.constraints import check_constraints

log = logging.getLogger("p2ce")


class Displayed(NamedTuple):
    """Rows for display."""

    rows: FloatArray  # (n, d) the solver's rows, with some values rounded
    scores: FloatArray  # (n,) the scores of the displayed rows by the user's own model


def rounded_rows(
    problem: Problem,
    before: FloatArray,
    after: FloatArray,
    owner: IntArray,
    *,
    own: OwnPlausibility | None,
    limits: RowLimits | None,
    scores: FloatArray,
    totals: FloatArray,
) -> Displayed:
    """Round rows (n, d) of instances for display, if the rounded row is as good in every respect.

    The rounded row must be accepted, plausible and allowed. Objective by objective, it must compare with the
    instance's other counterfactuals as the exact row does. Otherwise, another counterfactual could dominate
    it, or it could be called best in an objective although it is not. ``totals`` (n, objectives) are the
    costs of the exact rows. ``own`` is the instances' own plausibility, if it counts, and
    ``limits`` are those that the caller states for them.
    """
    rounded = _rounded(problem, before, after)
    rows = np.flatnonzero((rounded != after).any(axis=1))
    if len(rows):
        try:
            return _displayed(problem, before, after, rounded, rows, owner, own, limits, scores, totals)
        except P2CEError as error:
            # Rounded rows lie off the grid, where a model or a rule may fail.
            log.info("Values are not rounded, since the rounded rows cannot be verified: %s", error)
        except LimitReached:
            log.info("Values are not rounded, since no time is left to verify the rounded rows.")
    return Displayed(after, scores)


def _displayed(
    problem: Problem,
    before: FloatArray,
    after: FloatArray,
    rounded: FloatArray,
    rows: IntArray,
    owner: IntArray,
    own: OwnPlausibility | None,
    limits: RowLimits | None,
    scores: FloatArray,
    totals: FloatArray,
) -> Displayed:
    frame = problem.frame(rounded[rows])
    scored = score_frame(problem, frame)
    fine = scored.accepted.copy()
    if problem.required_detector is not None and fine.any():  # rejected rows need no detector or rule
        some = rows[fine]
        fine[fine] = judge_rows(problem, own, owner[some], rounded[some], frame[fine]).admitted
    if fine.any():
        some = rows[fine]
        fine[fine] = check_constraints(
            problem, before[some], rounded[some], frame[fine], limits, owner[some]
        ).allowed
    displayed, displayed_scores = after.copy(), scores.copy()
    exact = quanta(totals)
    shown = exact.copy()
    for row, score in zip(rows[fine].tolist(), scored.scores[fine].tolist(), strict=True):
        price = quanta(totals_of(problem, before[row], rounded[row]))
        others = np.flatnonzero(owner == owner[row])
        others = others[others != row]
        if (np.sign(price - shown[others]) == np.sign(exact[row] - shown[others])).all():
            displayed[row], displayed_scores[row], shown[row] = rounded[row], score, price
    return Displayed(displayed, displayed_scores)


def _rounded(problem: ParsedProblem, before: FloatArray, after: FloatArray) -> FloatArray:
    """Round changed numbers, unless that would undo the change."""
    rounded = after.copy()
    for column in problem.rounded_columns:
        feature = problem.features[column]
        for row in np.flatnonzero((after[:, column] != before[:, column]) & np.isfinite(after[:, column])):
            value = to_dtype(feature.display.rounded(float(after[row, column])), feature.dtype) + 0.0
            if value != before[row, column]:
                rounded[row, column] = value
    return rounded
