"""Retry failed calls of a black-box model, since a service may fail temporarily.

A call is tried three times, with pauses of 0.05 and 0.2 seconds. After `MOST_IN_VAIN` calls in a row whose
retries all failed, there are no retries for a minute. So a model that always fails costs at most a second of
pauses per minute, for any number of people. A call that took long to fail is not retried, so that time limits
hold.
"""

import re
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from p2ce.base.visible import as_text
from p2ce.errors import InvalidOutput

PAUSES = (0.05, 0.2)  # seconds before the second and the third try
MOST_IN_VAIN = 4
FORGOTTEN_AFTER = 60.0  # seconds
LONGEST_TRY = 1.0  # seconds
# How scikit-learn and XGBoost report that a frame has other columns, or columns in another order.
OTHER_COLUMNS = re.compile(r"feature.names (should match|mismatch)")

Result = TypeVar("Result")


def names_other_columns(error: InvalidOutput) -> bool:
    """Return whether the library itself complained about the columns."""
    cause: BaseException | None = error
    while isinstance(cause, InvalidOutput):  # one may be raised from another
        cause = cause.__cause__
    return OTHER_COLUMNS.search(as_text(cause)) is not None


class Retrying(Generic[Result]):
    """A call with rows, which it must not modify, that is retried when it raises InvalidOutput."""

    __slots__ = ("_call", "_in_vain", "_last")

    def __init__(self, call: Callable[[Any], Result]) -> None:
        self._call = call
        self._in_vain = 0  # calls since retries last helped
        self._last = 0.0  # when retries were last in vain

    def __call__(self, rows: Any) -> Result:
        """Return the first result, or raise the error of the last try."""
        tries = len(PAUSES) + 1
        for number in range(1, tries + 1):
            begin = time.monotonic()
            try:
                result = self._call(rows)
            except InvalidOutput as error:
                if number == tries:
                    self._in_vain += 1
                    self._last = time.monotonic()
                if number == tries or not self._is_worth_it(error, begin):
                    raise
            else:
                if number > 1:
                    self._in_vain = 0
                return result
            time.sleep(PAUSES[number - 1])
        raise AssertionError("the last try returns or raises")

    def _is_worth_it(self, error: InvalidOutput, begin: float) -> bool:
        now = time.monotonic()
        if now - self._last > FORGOTTEN_AFTER:
            self._in_vain = 0
        ends = error.__cause__ is not None and not isinstance(error.__cause__, Exception)  # e.g. sys.exit()
        lasts = ends or names_other_columns(error)
        return not lasts and now - begin <= LONGEST_TRY and self._in_vain < MOST_IN_VAIN


def retried(call: Callable[[Any], Result]) -> Callable[[Any], Result]:
    """Return a call that is retried when it fails. A call that is retried already is unchanged."""
    return call if isinstance(call, Retrying) else Retrying(call)
