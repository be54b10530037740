"""Evaluate rows with a model or detector: those close to the threshold alone as well, and none too late."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

import numpy as np
import pandas as pd

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.calls.checked_calls import REBATCHED, differences
from p2ce.base.visible import echoed
from p2ce.errors import InvalidOutput

# In the time of `time.perf_counter`. Calls happen deep below the steps that know how much time is left.
_deadline: ContextVar[float] = ContextVar("deadline", default=math.inf)
# Rounding error of single precision, which the rows that were tried first need not have shown.
STEADY = 1e-6


class OutOfTime(Exception):
    """A time limit leaves rows without a result."""


@contextmanager
def no_calls_after(deadline: float | None) -> Iterator[None]:
    """Raise `OutOfTime` instead of making a call after the deadline. None keeps the current deadline."""
    before = _deadline.set(min(_deadline.get(), math.inf if deadline is None else deadline))
    try:
        yield
    finally:
        _deadline.reset(before)


def require_time() -> None:
    """Raise `OutOfTime` if the deadline has passed."""
    if time.perf_counter() >= _deadline.get():
        raise OutOfTime


def evaluate(call: Callable[[pd.DataFrame], FloatArray], frame: pd.DataFrame) -> FloatArray:
    """Call the user's own model, detector or rule once, unless there are no rows, or no time is left."""
    if not len(frame):
        return np.zeros(0)
    require_time()
    return call(frame)


class Closely(NamedTuple):
    """Values of rows, where each row close to the threshold was evaluated alone."""

    values: FloatArray  # (n,)
    unsettled: BoolArray  # (n,) close to the threshold, but there was no time to evaluate the row alone


def evaluate_closely(
    call: Callable[[pd.DataFrame], FloatArray],
    frame: pd.DataFrame,
    *,
    threshold: float | Callable[[FloatArray], FloatArray],
    tolerance: float,
    settled: BoolArray | None = None,
    until: float | None = None,
) -> Closely:
    """Evaluate rows in one call, then evaluate each row close to the threshold alone.

    Libraries round a row differently in other batches, so a row may be accepted in one batch and rejected in
    another. The value of the row alone counts, so no explanation depends on the rest of its batch.

    ``threshold`` is one number for all rows, or a function from values to thresholds. ``settled`` marks rows
    whose acceptance or rejection is proven either way. After ``until``, in the time of `time.perf_counter`,
    no further call begins.
    """
    values = evaluate(call, frame)
    unsettled = np.zeros(len(frame), dtype=np.bool_)
    if len(frame) > 1:
        least = threshold(values) if callable(threshold) else threshold
        near = is_close(values, least, tolerance)
        close = np.flatnonzero(near if settled is None else near & ~settled)
        if len(close):
            alone = evaluate_alone(call, frame.iloc[close], until=until)
            values[close[: len(alone)]] = alone
            unsettled[close[len(alone) :]] = True
    return Closely(values, unsettled)


def is_close(values: FloatArray, threshold: float | FloatArray, tolerance: float) -> BoolArray:
    """Mark values that may be on the other side of their threshold in another batch.

    Objects whose values differ by more are rejected when they are parsed, or by `require_steady`.
    """
    within = min(max(tolerance, STEADY), REBATCHED)
    finite = np.isfinite(threshold)  # nothing is close to infinity
    threshold = np.where(finite, threshold, 0.0)
    return np.asarray(finite & (np.abs(values - threshold) <= within * np.maximum(1.0, np.abs(threshold))))


def evaluate_alone(
    call: Callable[[pd.DataFrame], FloatArray], frame: pd.DataFrame, *, until: float | None = None
) -> FloatArray:
    """Evaluate each row by itself, and stop after ``until``: the result may cover the first rows only."""
    values: list[float] = []
    for at in range(len(frame)):
        if until is not None and time.perf_counter() >= until:
            break
        values.append(float(evaluate(call, frame.iloc[[at]])[0]))
    return np.array(values, dtype=np.float64)


def require_steady(then: FloatArray, now: FloatArray, who: str, *, tolerance: float) -> None:
    """Reject an object that returns other values for rows that it evaluated before.

    The rows were in another batch then, in which single precision rounds differently. When the object was
    parsed, the same batch gave the same values, and the ``tolerance`` was measured.
    """
    apart = differences(then, now) > max(tolerance, STEADY)
    if apart.any():
        at = int(np.flatnonzero(apart)[0])
        raise InvalidOutput(
            f"The {who} returned {echoed(float(then[at]))} for a row and {echoed(float(now[at]))} when "
            "called again. "
            "It must return the same value every time: fix its seed, or put it into evaluation mode."
        )
