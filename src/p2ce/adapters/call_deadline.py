"""Let no further call of the user's objects begin after a deadline."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# By the clock of `time.perf_counter`. Calls are made deep below the steps that know how much time is left.
_deadline: ContextVar[float] = ContextVar("deadline", default=math.inf)


class OutOfTime(Exception):
    """Raised where a time limit leaves rows without a verdict."""


@contextmanager
def no_calls_after(deadline: float | None) -> Iterator[None]:
    """Raise `OutOfTime` instead of a call that would begin after the deadline; None sets no other one."""
    before = _deadline.set(min(_deadline.get(), math.inf if deadline is None else deadline))
    try:
        yield
    finally:
        _deadline.reset(before)


def require_time() -> None:
    """Raise `OutOfTime` if the deadline has passed."""
    if time.perf_counter() >= _deadline.get():
        raise OutOfTime
