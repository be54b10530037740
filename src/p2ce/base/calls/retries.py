"""Retry failed calls of a black-box model, since a service may fail temporarily.

A call is tried three times, with pauses of 0.05 and 0.2 seconds. After `MOST_IN_VAIN` calls in a row whose
retries all failed, there are no retries for a minute. So a model that always fails costs at most a second of
pauses per minute, for any number of instances. A call that took long to fail is not retried, so time limits
hold.
"""

import re
import time
from collections.abc import Iterator

from p2ce.base.visible import as_text
from p2ce.errors import InvalidOutput

PAUSES = (0.05, 0.2)  # seconds before the second and the third try
MOST_IN_VAIN = 4
FORGOTTEN_AFTER = 60.0  # seconds
LONGEST_TRY = 1.0  # seconds
# How scikit-learn and XGBoost report that a frame has other columns, or columns in another order.
OTHER_COLUMNS = re.compile(r"feature.names (should match|mismatch)")


def names_other_columns(error: InvalidOutput) -> bool:
    """Return whether the library itself complained about the columns."""
    cause: BaseException | None = error
    while isinstance(cause, InvalidOutput):  # one may be raised from another
        cause = cause.__cause__
    return OTHER_COLUMNS.search(as_text(cause)) is not None


class Retries:
    """Whether retries of one object's calls helped lately."""

    __slots__ = ("in_vain", "last")

    def __init__(self) -> None:
        self.in_vain = 0  # calls since retries last helped
        self.last = 0.0  # when retries were last in vain

    def attempts(self) -> "Iterator[Attempt]":
        """Yield attempts, with a pause between two. Each is a context, which swallows an error to be retried.

        for attempt in retries.attempts():
            with attempt:
                return call(rows)
        """
        for number, pause in enumerate(PAUSES):
            yield Attempt(self, is_first=number == 0, is_last=False)
            time.sleep(pause)
        yield Attempt(self, is_first=False, is_last=True)


class Attempt:
    """One attempt of a call."""

    __slots__ = ("_begin", "_is_first", "_is_last", "_retries")

    def __init__(self, retries: Retries, *, is_first: bool, is_last: bool) -> None:
        self._retries, self._is_first, self._is_last = retries, is_first, is_last

    def __enter__(self) -> None:
        self._begin = time.monotonic()

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> bool:
        """Return whether the call is worth another attempt."""
        if error is None:
            if not self._is_first:
                self._retries.in_vain = 0
            return False
        if not isinstance(error, InvalidOutput):
            return False
        if self._is_last:
            self._retries.in_vain += 1
            self._retries.last = time.monotonic()
            return False
        return self._is_worth_it(error)

    def _is_worth_it(self, error: InvalidOutput) -> bool:
        now = time.monotonic()
        if now - self._retries.last > FORGOTTEN_AFTER:
            self._retries.in_vain = 0
        ends = error.__cause__ is not None and not isinstance(error.__cause__, Exception)  # e.g. sys.exit()
        lasts = ends or names_other_columns(error)
        return not lasts and now - self._begin <= LONGEST_TRY and self._retries.in_vain < MOST_IN_VAIN
