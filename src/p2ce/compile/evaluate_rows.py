"""Evaluate whole rows, on or off the grid, with the user's own model and detector."""

import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from p2ce.base.arrays import BoolArray, FloatArray, IntArray, every_nth
from p2ce.base.calls.model_call import Closely, evaluate, evaluate_closely
from p2ce.compile.compiled_problem import ParsedProblem
from p2ce.compile.own_plausibility import OwnPlausibility


class Scored(NamedTuple):
    """The models' scores of rows."""

    scores: FloatArray  # (n,) joint: at least the threshold where all models accept
    accepted: BoolArray  # (n,) by every model
    each: FloatArray  # (models, n) the score of each model


def score_frame(
    problem: ParsedProblem,
    frame: pd.DataFrame,
    *,
    closely: bool = True,
    settled: Sequence[BoolArray | None] | None = None,
) -> Scored:
    """Evaluate rows with every model; if ``closely``, evaluate rows near a threshold once more, alone.

    ``settled`` marks the rows for which each model does not need this: the parsed scores prove its decision.
    """
    scores = np.empty((len(problem.models), len(frame)))
    for number, model in enumerate(problem.models):
        if closely:
            scores[number] = evaluate_closely(
                model.evaluate,
                frame,
                threshold=model.threshold,
                tolerance=model.tolerance,
                settled=None if settled is None else settled[number],
            ).values
        else:
            scores[number] = evaluate(model.evaluate, frame)
    thresholds = np.array([[model.threshold] for model in problem.models])
    return Scored(problem.joint(scores), np.asarray((scores >= thresholds).all(axis=0)), scores)


def scoring_of(problem: ParsedProblem) -> Callable[[FloatArray], FloatArray]:
    """Return the joint score as a function of rows in the model's columns."""

    def score(rows: FloatArray) -> FloatArray:
        return score_frame(problem, problem.frame(np.asarray(rows, dtype=np.float64)), closely=False).scores

    return score


class Judged(NamedTuple):
    """The detector's results for rows."""

    values: FloatArray  # (n,) decision values, NaN without a detector
    admitted: BoolArray  # (n,) plausible, or at least as plausible as the instance itself


def judge_rows(
    problem: ParsedProblem,
    own: OwnPlausibility | None,
    instance: IntArray,
    rows: FloatArray,
    frame: pd.DataFrame,
    *,
    closely: bool = True,
) -> Judged:
    """Evaluate rows (n, d) of instances (n,), on or off the grid, with the required detector.

    ``own`` is the instances' own plausibility; None if it does not count.
    """
    detector = problem.required_detector
    if detector is None or not len(rows):
        values = plausibility_of(problem, rows, frame, closely=closely)
        return Judged(values, np.ones(len(rows), dtype=np.bool_))
    if own is None:
        values = plausibility_of(problem, rows, frame, closely=closely)
        return Judged(values, values >= 0.0)
    if detector.is_its_score:
        assert detector.score is not None
        assert detector.report is not None
        scores = detector.score.evaluate_rows(rows[:, problem.columns_of(detector)]).value
        return Judged(detector.report(scores), own.admits_scores(instance, scores))
    least = partial(own.least, instance)
    if closely:
        values = detector_scores(problem, rows, frame, least=least).values
    else:
        values = evaluate(detector.evaluate, frame)
    return Judged(values, values >= least(values))


def plausibility_of(
    problem: ParsedProblem, rows: FloatArray, frame: pd.DataFrame, *, closely: bool = True
) -> FloatArray:
    """Return the detector's decision values (n,) for rows (n, d) and their frame; NaN without a detector."""
    if problem.detector is None or not len(rows):
        return np.full(len(rows), np.nan)
    if not problem.detector.is_its_score and not closely:
        return evaluate(problem.detector.evaluate, frame)
    return detector_scores(problem, rows, frame).values


def detector_scores(
    problem: ParsedProblem,
    rows: FloatArray,
    frame: pd.DataFrame,
    *,
    value: FloatArray | None = None,
    settled: BoolArray | None = None,
    until: float | None = None,
    least: Callable[[FloatArray], FloatArray] | None = None,
) -> Closely:
    """Return the decision values of rows from the detector itself; our own forest is its score.

    ``value`` (n,) is that score, if it is known. ``settled`` rows are not evaluated alone. ``least`` returns
    the threshold of each row for the values, if it is not 0.
    """
    detector = problem.detector
    assert detector is not None
    if detector.is_its_score:
        assert detector.report is not None
        if value is None:
            assert detector.score is not None
            value = detector.score.evaluate_rows(rows[:, problem.columns_of(detector)]).value
        return Closely(detector.report(value), np.zeros(len(rows), dtype=np.bool_))
    return evaluate_closely(
        detector.evaluate,
        frame,
        threshold=0.0 if least is None else least,
        tolerance=detector.tolerance,
        settled=settled,
        until=until,
    )


log = logging.getLogger("p2ce")

SAMPLED_ROWS = 256
TRIED_INSTANCES = 3  # rejected rows on which a search is tried, before an estimate is fitted


def reported_sample(problem: ParsedProblem, rows: FloatArray) -> FloatArray:
    """Return the scores of some rows of the reference, as explanations report them."""
    return problem.direction * scoring_of(problem)(rows[every_nth(len(rows), SAMPLED_ROWS)])


class SampledRows(NamedTuple):
    """Some rows of the reference, and the model's decisions about them."""

    rejected: FloatArray  # (at most `TRIED_INSTANCES`, d)
    accepted: FloatArray  # (at most `SAMPLED_ROWS`, d)
    row_seconds: float  # seconds to evaluate a row in a batch


def sample_rows(problem: ParsedProblem, rows: FloatArray) -> SampledRows:
    """Evaluate some rows of the reference.

    If the model makes the same decision for all of them, it probably receives the wrong inputs.
    """
    some = rows[every_nth(len(rows), SAMPLED_ROWS)]  # spread out, since a frame may be sorted
    begin = time.perf_counter()
    is_rejected = scoring_of(problem)(some) < problem.threshold
    seconds = (time.perf_counter() - begin) / len(some)
    rejected = some[is_rejected]
    if len(some) > 1 and len(rejected) in (0, len(some)):
        decides = "rejects" if len(rejected) else "accepts"
        log.warning(
            "The model %s all %d reference rows that were evaluated. If it was trained on scaled or encoded "
            "data, pass it together with that step (a Pipeline, a module that scales by itself).",
            decides,
            len(some),
        )
    return SampledRows(rejected[:TRIED_INSTANCES], some[~is_rejected], seconds)
