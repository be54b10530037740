"""Prevent calls of the user's objects from beginning after a deadline."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# In the time of `time.perf_counter`. Calls happen deep below the steps that know how much time is left.
_deadline: ContextVar[float] = ContextVar("deadline", default=math.inf)


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
