"""Put whole rows, on the grid or off it, to the user's own model, detector and constraints."""

from typing import NamedTuple

import numpy as np

from p2ce.arrays import BoolArray, FloatArray
from p2ce.verify.asking import ask_closely
from p2ce.verify.constraints import kept_rows
from p2ce.verify.points import path_lengths_of_rows
from p2ce.verify.setup import Setup


class Verdicts(NamedTuple):
    """What is true of rows."""

    scores: FloatArray  # (n,) as reported
    accepted: BoolArray  # (n,) by every model
    plausibility: FloatArray  # (n,) decision values, NaN without a detector
    plausible: BoolArray  # (n,) also where there is no detector
    allowed: BoolArray  # (n,) by every constraint and rule

    @property
    def hold(self) -> BoolArray:
        """Which rows could be advised."""
        return self.accepted & self.plausible & self.allowed


def judge_rows(setup: Setup, before: FloatArray, after: FloatArray) -> Verdicts:
    """Judge rows (n, d) that people (n, d) would become, without trusting a reading of the model."""
    frame = setup.frame(after)
    unsettled = np.zeros(len(after), dtype=np.bool_)
    scores = np.stack(
        [
            ask_closely(model.ask, frame, setup.name_of(number), threshold=model.threshold, settled=unsettled)
            for number, model in enumerate(setup.models)
        ]
    )
    thresholds = np.array([[model.threshold] for model in setup.models])
    plausibility = np.full(len(after), np.nan)
    detector = setup.detector
    if detector is not None and len(after):
        if detector.ask is None:
            plausibility = detector.report(path_lengths_of_rows(setup, after))
        else:
            plausibility = ask_closely(detector.ask, frame, "detector", threshold=0.0, settled=unsettled)
    return Verdicts(
        scores=setup.reported(scores),
        accepted=np.asarray((scores >= thresholds).all(axis=0)),
        plausibility=plausibility,
        plausible=np.asarray((plausibility >= 0.0) | (setup.judges is None)),
        allowed=kept_rows(setup, before, after, frame).allowed,
    )
