"""Measure what is left of the limits of a search, and share it between solving and verifying."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.base.visible import echoed
from p2ce.compile.arguments import check_time
from p2ce.compile.compiled_problem import Problem
from p2ce.engine.solver.branch_and_bound import Listener
from p2ce.errors import InvalidArgument
from p2ce.run.verified import Outcomes

# of an instance's time, if a model or detector is a black box
VERIFY_SHARE = 0.1
# After the limit, calls of models that the search does not call may begin for so many seconds. They take
# milliseconds. Without them, values are not rounded and predictions are unknown.
GRACE = 0.2


class SearchLimits(NamedTuple):
    """The caller's limits, for each instance."""

    seconds: float | None = None
    work: int | None = None  # in units of the counter WORK: a search ends at the same box on every machine
    listener: Listener | None = None
    max_calls: int | None = None  # of the user's own models and detector
    max_rows: int | None = None

    @property
    def has_budget(self) -> bool:
        """Whether calls or rows have a limit."""
        return self.max_calls is not None or self.max_rows is not None


class LimitsLeft(NamedTuple):
    """What is left of the limits for the current instances."""

    seconds: FloatArray | None = None  # (n,)
    work: IntArray | None = None  # (n,)
    listener: Listener | None = None

    @property
    def until(self) -> float | None:
        """The end of the time of all of them, by the clock of `time.perf_counter`; None without a limit."""
        if self.seconds is None:
            return None
        return time.perf_counter() + float(np.maximum(self.seconds, 0.0).sum())


class LimitClock:
    """A clock that runs from a limit down to 0, and stops while it is paused.

    >>> LimitClock(None).left() is None, LimitClock(0.0).left()
    (True, 0.0)
    """

    def __init__(self, seconds: float | None, listener: Listener | None = None) -> None:
        if seconds is not None:
            check_time(seconds)
        if listener is not None and not callable(listener):
            raise InvalidArgument(
                f"listener must be a function of one Progress, or None; got {echoed(listener)}."
            )
        self._seconds, self._begin, self.listener = seconds, time.perf_counter(), listener

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


class SharedLimits(NamedTuple):
    """The limits of the instances of a batch, and the time that verifying them together has taken."""

    problem: Problem
    limits: SearchLimits
    checks: tuple[float, ...] = ()  # the seconds of each round of verification, shared equally

    def left(self, known: Outcomes, who: IntArray, *, to_solve: bool = False) -> LimitsLeft:
        """Return what some instances have left of their limits; ``to_solve``, without time to verify."""
        seconds, work, listener = self.limits[:3]
        left: FloatArray | None = None
        if seconds is not None:
            count = len(known.scores)
            left = seconds - known.solve_seconds[who] - sum(self.checks) / count
            if to_solve and self.problem.calls_user_code:
                # So a limit is exceeded by at most one call of a slow model. Rows close to the threshold,
                # each of which takes a call, get at least a share.
                calls = 1 if self.problem.model.predict is None or self.problem.others else 2
                left -= max(calls * max(self.checks, default=0.0) / count, VERIFY_SHARE * seconds)
        return LimitsLeft(left, None if work is None else work - known.work[who], listener)

    def without_late(self, known: Outcomes, waiting: IntArray, *, stopped: bool) -> tuple[Outcomes, IntArray]:
        """Leave the instances open that have nothing left of a limit. Return the others."""
        left = self.left(known, waiting)
        late = np.full(len(waiting), stopped)
        for one in (left.seconds, left.work):
            if one is not None:
                late |= one <= 0
        ended = waiting[late]
        known = known.with_values(
            ended,
            finished=False,
            open_boxes=np.maximum(known.open_boxes[ended], 1),
            open_totals=0.0,  # cells that a rejected cell dominated were pruned, and may cost less
        )
        return known, waiting[~late]

    def last_call(self, known: Outcomes) -> float | None:
        """Return the time after which no further call may begin, for all instances together."""
        if self.limits.seconds is None:
            return None
        left = self.left(known, np.arange(len(known.scores))).seconds
        assert left is not None
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
