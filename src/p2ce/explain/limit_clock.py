"""Measure how much of a time limit is left."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


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
