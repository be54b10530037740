"""Call the user's own objects, and check the form of what they answer."""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from p2ce.adapters.checked_calls import REBATCHED, differences
from p2ce.arrays import BoolArray, FloatArray
from p2ce.errors import InvalidOutput
from p2ce.visible import echoed

# Rounding in single precision, which need not have shown in the rows that were tried first.
STEADY = 1e-6


def ask(call: Callable[[pd.DataFrame], FloatArray], frame: pd.DataFrame, who: str) -> FloatArray:
    """Call the user's own model or detector once, and check the form of what it answers."""
    if not len(frame):
        return np.zeros(0)
    answers = call(frame)
    if answers.shape != (len(frame),):
        raise InvalidOutput(
            f"The {who} was asked about {len(frame)} rows and answered with shape {answers.shape}. "
            "It has to give one number per row."
        )
    if np.isnan(answers).any():
        raise InvalidOutput(
            f"The {who} answered NaN for {int(np.isnan(answers).sum())} of {len(frame)} rows. "
            "Check that it was fitted on columns like these."
        )
    return answers


class Closely(NamedTuple):
    """What an object says about rows, where each that is close to the threshold is asked about alone."""

    answers: FloatArray  # (n,)
    unsettled: BoolArray  # (n,) close to the threshold, and no time was left to ask about them alone


def ask_closely(
    call: Callable[[pd.DataFrame], FloatArray],
    frame: pd.DataFrame,
    who: str,
    *,
    threshold: float,
    tolerance: float,
    settled: BoolArray,
    until: float | None = None,
) -> Closely:
    """Ask in one call, and about each row alone that comes close to the threshold.

    Libraries round a row differently in other company, so that a row may be accepted in one and refused in
    another. What it gets alone is what counts: then nobody's answer depends on who else is asked about. Rows
    that are ``settled`` are proven to be accepted, or refused, either way. At ``until``, by the clock of
    `time.perf_counter`, no further call begins.
    """
    answers = ask(call, frame, who)
    unsettled = np.zeros(len(frame), dtype=np.bool_)
    if len(frame) > 1:
        close = np.flatnonzero(is_close(answers, threshold, tolerance) & ~settled)
        alone = ask_alone(call, frame.iloc[close], who, until=until)
        answers[close[: len(alone)]] = alone
        unsettled[close[len(alone) :]] = True
    return Closely(answers, unsettled)


def is_close(answers: FloatArray, threshold: float, tolerance: float) -> BoolArray:
    """Mark answers that may be on the other side of the threshold in other company.

    Objects whose answers differ by more are refused, when they are read or by `require_steady`.
    """
    within = min(max(tolerance, STEADY), REBATCHED)
    return np.asarray(np.abs(answers - threshold) <= within * max(1.0, abs(threshold)))


def ask_alone(
    call: Callable[[pd.DataFrame], FloatArray], frame: pd.DataFrame, who: str, *, until: float | None = None
) -> FloatArray:
    """Ask about each row by itself; about the first ones only, if no call may begin after ``until``."""
    answers: list[float] = []
    for at in range(len(frame)):
        if until is not None and time.perf_counter() >= until:
            break
        answers.append(float(ask(call, frame.iloc[[at]], who)[0]))
    return np.array(answers, dtype=np.float64)


def require_steady(then: FloatArray, now: FloatArray, who: str, *, tolerance: float) -> None:
    """Refuse an object that answered otherwise when it was asked about the same rows before.

    The rows were part of another batch then, in which single precision rounds otherwise. That the same batch
    gives the same answers was seen when the object was read, and so was the ``tolerance``.
    """
    apart = differences(then, now) > max(tolerance, STEADY)
    if apart.any():
        at = int(np.flatnonzero(apart)[0])
        raise InvalidOutput(
            f"The {who} answered {echoed(float(then[at]))} about a row and {echoed(float(now[at]))} when "
            "asked again. "
            "It has to give the same answer every time: fix its seed, or put it into evaluation mode."
        )
