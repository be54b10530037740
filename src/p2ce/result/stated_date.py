"""Check the date that a caller states. It is never taken from the clock, so equal calls give equal files."""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.tables.json_values import Count


def stated_date(value: object, *, name: str = "as_of") -> datetime.date | None:
    """Return the date that a date object or a text such as 2026-11-18 states. None stays None.

    >>> stated_date("2026-11-18")
    datetime.date(2026, 11, 18)
    """
    if isinstance(value, datetime.datetime):
        # pandas writes a date as midnight without a time zone. The date of other times depends on a zone.
        if value.tzinfo is None and value.time() == datetime.time.min:
            return value.date()
    elif value is None or isinstance(value, datetime.date):
        return value
    if isinstance(value, str):
        try:
            day = datetime.date.fromisoformat(value)
        except ValueError:
            day = None
        if day is not None and day.isoformat() == value:
            return day
    raise InvalidArgument(
        f"{name} expects a date such as 2026-11-18, got {echoed(value)}. Write it as year-month-day."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedDates:
    """The first and the last date that the explanations of many people state."""

    first: datetime.date | None = None  # None if no explanation states a date
    last: datetime.date | None = None
    without: Count = 0  # explanations without a date


def dates_of(days: Iterable[datetime.date | None]) -> StatedDates:
    """Summarise the dates of many explanations.

    >>> dates_of([datetime.date(2026, 11, 18), None, datetime.date(2026, 11, 20)]).without
    1
    """
    held = list(days)
    known = [day for day in held if day is not None]
    if not known:
        return StatedDates(without=len(held))
    return StatedDates(first=min(known), last=max(known), without=len(held) - len(known))
