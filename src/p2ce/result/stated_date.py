"""Check the day that a caller states. It is never the clock's: the same call gives the same files."""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass

from p2ce.errors import InvalidArgument
from p2ce.tables.json_values import Count
from p2ce.visible import echoed


def stated_date(value: object, *, name: str = "as_of") -> datetime.date | None:
    """Return the day that a date or a text such as 2026-11-18 names; None stays None.

    >>> stated_date("2026-11-18")
    datetime.date(2026, 11, 18)
    """
    if isinstance(value, datetime.datetime):
        # Midnight without a time zone is how pandas writes a day. The day of other times depends on a zone.
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
        f"{name} expects a day such as 2026-11-18, got {echoed(value)}. Write the year, month and day so."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedDates:
    """The days that the explanations of many people state: from the first to the last."""

    first: datetime.date | None = None  # None where nobody has one
    last: datetime.date | None = None
    without: Count = 0  # people whose explanation states none


def dates_of(days: Iterable[datetime.date | None]) -> StatedDates:
    """Sum up the days of many people.

    >>> dates_of([datetime.date(2026, 11, 18), None, datetime.date(2026, 11, 20)]).without
    1
    """
    held = list(days)
    known = [day for day in held if day is not None]
    if not known:
        return StatedDates(without=len(held))
    return StatedDates(first=min(known), last=max(known), without=len(held) - len(known))
