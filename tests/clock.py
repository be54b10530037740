"""A clock that only a test moves: time limits are tried without waiting, and alike on every machine."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Clock:
    """Replaces ``time.perf_counter``: ``step`` seconds pass with each reading, more when it is moved."""

    def __init__(self, step: float = 0.0) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now

    def move(self, seconds: float) -> None:
        """Let so many seconds pass, as a slow call does."""
        self.now += seconds


@contextmanager
def processor_time(most: float) -> Iterator[None]:
    """Fail if a block takes more seconds of the processor: state at least twenty times what it takes.

    It is for hostile input, which would take minutes; other processes do not count.
    """
    begin = time.process_time()
    yield
    taken = time.process_time() - begin
    assert taken < most, f"{taken:.1f} s of the processor instead of {most} s"


def calls_of(work: Callable[[], Any]) -> int:
    """Count the calls that some work makes in Python, which depend on no machine."""
    count = 0

    def listen(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(listen)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count
