"""Count the calls and rows of the user's own models and detectors, and stop before a budget is exceeded.

A model may be a service that charges for each call, or for each row. `CallBudget.charge` stands before every
call, also before a repeated one, and raises `OutOfBudget` instead of a call that the budget does not cover.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, TypeAlias

BudgetName: TypeAlias = Literal["max_calls", "max_rows"]
# What calls are charged to. They happen deep below the steps that know the budget.
CURRENT: ContextVar["CallBudget | None"] = ContextVar("budget", default=None)


class LimitReached(Exception):
    """A limit of time, or a budget of calls and rows, leaves rows without a result."""


class OutOfBudget(LimitReached):
    """A budget of calls or rows does not cover a call."""


@dataclass(slots=True, eq=False)
class CallBudget:
    """The most calls and rows of one explanation, and how many of them were made. None means no limit.

    >>> budget = CallBudget(max_calls=10, max_rows=100)
    >>> budget.charge(60)
    >>> budget.covers(calls=1, rows=41), budget.calls_left, budget.rows_left
    (False, 9, 40)
    """

    max_calls: int | None = None
    max_rows: int | None = None
    calls: int = 0
    rows: int = 0
    reached: BudgetName | None = None  # what did not cover a call
    whole: "CallBudget | None" = None  # the budget that this one is a part of

    @property
    def calls_left(self) -> int | None:
        return None if self.max_calls is None else self.max_calls - self.calls

    @property
    def rows_left(self) -> int | None:
        return None if self.max_rows is None else self.max_rows - self.rows

    def covers(self, *, calls: int, rows: int) -> bool:
        """Return whether so many calls, with so many rows together, are left; note what is missing."""
        if self.calls_left is not None and calls > self.calls_left:
            self.reached = "max_calls"
            return False
        if self.rows_left is not None and rows > self.rows_left:
            self.reached = "max_rows"
            return False
        return True

    def charge(self, rows: int) -> None:
        """Count one call with so many rows, or raise `OutOfBudget`."""
        if not self.covers(calls=1, rows=rows):
            raise OutOfBudget
        if self.whole is not None:
            self.whole.charge(rows)
        self.calls += 1
        self.rows += rows

    def part(self, share: float) -> "CallBudget":
        """Return a share of what is left, which is charged to both."""
        calls, rows = (
            None if left is None else int(share * left) for left in (self.calls_left, self.rows_left)
        )
        return CallBudget(calls, rows, whole=self)


def no_calls() -> CallBudget:
    """Return a budget under which nothing of the user's is called."""
    return CallBudget(max_calls=0, max_rows=0)


@contextmanager
def charged_to(budget: CallBudget) -> Iterator[None]:
    """Charge every call of the block to a budget."""
    before = CURRENT.set(budget)
    try:
        yield
    finally:
        CURRENT.reset(before)


def current_budget() -> CallBudget | None:
    """Return the budget that calls are charged to, if there is one."""
    return CURRENT.get()
