"""Check the limits of a search, and measure how much of a time limit is left."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from p2ce.base.visible import echoed
from p2ce.compile.check_arguments import check_time
from p2ce.engine.solver.branch_and_bound import Listener
from p2ce.errors import InvalidArgument
from p2ce.run.solve_batch import SearchLimits


def checked_limits(time_limit: float | None, listener: Listener | None) -> SearchLimits:
    """Return the limits of a search. Reject an invalid time limit, and a listener that cannot be called."""
    if time_limit is not None:
        check_time(time_limit)
    if listener is not None and not callable(listener):
        raise InvalidArgument(
            f"listener must be a function of one Progress, or None; got {echoed(listener)}."
        )
    return SearchLimits(time_limit, listener=listener)


class LimitClock:
    """A clock that runs from a limit down to 0, and stops while it is paused.

    >>> LimitClock(None).left() is None, LimitClock(0.0).left()
    (True, 0.0)
    """

    def __init__(self, seconds: float | None) -> None:
        self._seconds, self._begin = seconds, time.perf_counter()

    def left(self) -> float | None:
        """Return the seconds that are left, at least 0; None without a limit."""
        if self._seconds is None:
            return None
        return max(0.0, self._seconds - (time.perf_counter() - self._begin))

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Pause the clock while the block runs."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self._begin += time.perf_counter() - begin
