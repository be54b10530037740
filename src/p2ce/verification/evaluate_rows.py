"""Put whole rows, on the grid or off it, to the user's own model and detector."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from p2ce.adapters.evaluate import ask, ask_closely
from p2ce.arrays import BoolArray, FloatArray
from p2ce.compilation.compiled_problem import Problem
from p2ce.verification.verify_points import path_lengths_of_rows


class Scored(NamedTuple):
    """What the models say about rows."""

    scores: FloatArray  # (n,) as reported
    accepted: BoolArray  # (n,) by every model
    each: FloatArray  # (models, n) what each of them says


def score_frame(problem: Problem, frame: pd.DataFrame, *, closely: bool = True) -> Scored:
    """Ask every model about rows; ``closely``, rows near a threshold once more by themselves."""
    scores = np.stack(
        [
            _asked(
                model.evaluate,
                frame,
                problem.name_of(number),
                threshold=model.threshold,
                tolerance=model.tolerance,
                closely=closely,
            )
            for number, model in enumerate(problem.models)
        ]
    )
    thresholds = np.array([[model.threshold] for model in problem.models])
    return Scored(problem.reported(scores), np.asarray((scores >= thresholds).all(axis=0)), scores)


def plausibility_of(
    problem: Problem, rows: FloatArray, frame: pd.DataFrame, *, closely: bool = True
) -> FloatArray:
    """Give the detector's decision values (n,) of rows (n, d), the same as a frame; NaN without one."""
    detector = problem.detector
    if detector is None or not len(rows):
        return np.full(len(rows), np.nan)
    if detector.evaluate is None:
        return detector.report(path_lengths_of_rows(problem, rows))
    return _asked(
        detector.evaluate, frame, "detector", threshold=0.0, tolerance=detector.tolerance, closely=closely
    )


def _asked(
    call: object, frame: pd.DataFrame, who: str, *, threshold: float, tolerance: float, closely: bool
) -> FloatArray:
    assert callable(call)
    if not closely:
        return ask(call, frame, who)
    unsettled = np.zeros(len(frame), dtype=np.bool_)
    return ask_closely(call, frame, who, threshold=threshold, tolerance=tolerance, settled=unsettled).answers
