"""Measure what is left of the limits of a search, and share it between solving and verifying."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import IntArray
from p2ce.base.visible import echoed
from p2ce.compile.check_arguments import check_time
from p2ce.compile.compiled_problem import Problem
from p2ce.engine.solver.branch_and_bound import Listener
from p2ce.errors import InvalidArgument
from p2ce.run.solve_batch import LimitsLeft, SearchLimits
from p2ce.run.verified import Outcomes

# of an instance's time, if a model or detector is a black box
VERIFY_SHARE = 0.1
# After the limit, calls of models that the search does not call may begin for so many seconds. They take
# milliseconds. Without them, values are not rounded and predictions are unknown.
GRACE = 0.2


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


class Budget(NamedTuple):
    """The limits of the instances of a batch, and the time that verifying them together has taken."""

    problem: Problem
    limits: SearchLimits
    checks: tuple[float, ...] = ()  # the seconds of each round of verification, shared equally

    def left(self, known: Outcomes, who: IntArray) -> LimitsLeft:
        """Return what some instances have left of their limits."""
        seconds, work, listener = self.limits
        if seconds is None and work is None:
            return LimitsLeft(listener=listener)
        shared = sum(self.checks) / len(known.scores)
        return LimitsLeft(
            None if seconds is None else seconds - known.solve_seconds[who] - shared,
            None if work is None else work - known.work[who],
            listener,
        )

    def left_to_solve(self, known: Outcomes, who: IntArray) -> LimitsLeft:
        """Return what some instances have left, without the time for verification."""
        left = self.left(known, who)
        if left.seconds is None or self.limits.seconds is None or not self.problem.calls_user_code:
            return left
        # So a limit is exceeded by at most one call of a slow model. Rows close to the threshold, each of
        # which takes a call, get at least a share.
        calls = 1 if self.problem.model.predict is None or self.problem.others else 2
        check = max(self.checks, default=0.0) / len(known.scores)
        kept = max(calls * check, VERIFY_SHARE * self.limits.seconds)
        return left._replace(seconds=left.seconds - kept)

    def last_call(self, known: Outcomes) -> float | None:
        """Return the time after which no further call may begin, for all instances together."""
        left = self.left(known, np.arange(len(known.scores))).seconds
        if left is None:
            return None
        grace = 0.0 if self.problem.calls_user_code else GRACE
        return time.perf_counter() + float(left.sum()) + grace

    def end_of_refinement(self, known: Outcomes) -> float | None:
        """Return the time at which refinement must end, for all instances together.

        If a black box is called, some time is kept for verification.
        """
        last = self.last_call(known)
        if last is None or self.limits.seconds is None or not self.problem.calls_user_code:
            return last
        return last - VERIFY_SHARE * self.limits.seconds * len(known.scores)
