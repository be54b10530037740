"""Remember the values of rows while an instance is explained, so that no search evaluates a row again.

An instance without an option is searched several times: on the finest grid, and without its restrictions.
Verification calls the user's objects again on purpose, and does not come here.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray

MOST_ROWS = 1 << 16  # about 20 MB; later rows are not remembered
_memory: ContextVar["Memory | None"] = ContextVar("memory", default=None)


class Memory:
    """Values by call and row: the user's objects return the same value for a row every time."""

    __slots__ = ("_left", "_values")

    def __init__(self) -> None:
        self._values: dict[Callable[[Any], FloatArray], dict[bytes, float]] = {}
        self._left = MOST_ROWS

    def recall(self, call: Callable[[Any], FloatArray], rows: FloatArray) -> FloatArray:
        """Return the values of rows (n, d); NaN for unknown ones."""
        known = self._values.get(call)
        if not known:
            return np.full(len(rows), np.nan)
        return np.array([known.get(row.tobytes(), np.nan) for row in rows], dtype=np.float64)

    def keep(self, call: Callable[[Any], FloatArray], rows: FloatArray, values: FloatArray) -> None:
        """Remember the values of rows, as long as there is room."""
        count = min(len(rows), self._left)
        self._left -= count
        known = self._values.setdefault(call, {})
        known.update(zip((row.tobytes() for row in rows[:count]), values[:count].tolist(), strict=True))


@contextmanager
def remembering() -> Iterator[None]:
    """Remember values during the block, unless an outer block does."""
    before = _memory.set(_memory.get() or Memory())
    try:
        yield
    finally:
        _memory.reset(before)


def memory() -> Memory | None:
    """Return what remembers values now, if anything does."""
    return _memory.get()
