"""Encode a column of dates as microseconds since 1970, and back in its own type.

A date is never searched: it passes through unchanged. float64 holds whole microseconds of all years from 1
to 9999 as far as they are exact; any other date is rejected, so no date changes on its way to the user's
model. A date with a time zone is the microsecond of its instant, and is shown in the zone of its column.
"""

import re
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.tables.cells import MISSING, is_missing

ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?")
EPOCH = datetime(1970, 1, 1)
FIRST = (datetime.min - EPOCH) // timedelta(microseconds=1)
LAST = (datetime.max - EPOCH) // timedelta(microseconds=1)
IN_MICROSECONDS = {"s": 1_000_000, "ms": 1_000, "us": 1}


def holds_dates(dtype: Any) -> bool:
    """Return whether a column's type is one of dates, of NumPy, pandas or Arrow."""
    return getattr(dtype, "kind", "") == "M"


def date_codes(values: Any, dtype: Any) -> FloatArray:
    """Encode dates for a column of a type. What the column cannot hold exactly becomes NaN.

    >>> text = ["1970-01-02", None, "1970-01-01T00:00:00.5", "yesterday"]
    >>> date_codes(text, np.dtype("datetime64[s]")).tolist()
    [86400000000.0, -inf, nan, nan]
    """
    if holds_dates(getattr(values, "dtype", None)):
        codes = _of_column(values, dtype)
    else:
        cells = values.tolist() if hasattr(values, "tolist") else values
        codes = np.array([_of_cell(cell, dtype) for cell in cells], dtype=np.float64)
    unit = _unit(dtype)
    known = np.isfinite(codes)
    whole = np.where(known, codes, 0.0).astype(np.int64)
    if unit == "ns":  # it ends in the years 1677 and 2262
        held = np.abs(whole) < np.iinfo(np.int64).max // 1000
    else:
        held = whole % IN_MICROSECONDS[unit] == 0
    return np.where(known & ~held, np.nan, codes)


def _of_column(values: Any, dtype: Any) -> FloatArray:
    import pandas as pd

    column = pd.DatetimeIndex(values)
    counts, missing = column.asi8, np.asarray(column.isna())
    if (_zone(dtype) is None) != (column.tz is None):  # the instant of a date without a zone is unknown
        return np.where(missing, MISSING, np.nan)
    if column.unit == "ns":
        stamps, rest = np.divmod(counts, 1000)
        exact = rest == 0
    else:
        factor = IN_MICROSECONDS[column.unit]
        exact = (counts >= FIRST // factor) & (counts <= LAST // factor)
        stamps = np.where(exact, counts, 0) * factor
    exact &= (stamps >= FIRST) & (stamps <= LAST)
    codes = np.where(exact, stamps, 0).astype(np.float64)
    exact &= codes.astype(np.int64) == stamps
    return np.where(missing, MISSING, np.where(exact, codes, np.nan))


def _of_cell(cell: Any, dtype: Any) -> float:
    import pandas as pd

    if is_missing(cell):
        return MISSING
    if not isinstance(cell, date | np.datetime64) and not (isinstance(cell, str) and ISO.fullmatch(cell)):
        return np.nan
    try:
        return float(_of_column([pd.Timestamp(cell)], dtype)[0])
    except (ValueError, OverflowError):  # no such day, or outside the years of pandas
        return np.nan


def decode_dates(codes: FloatArray, dtype: Any) -> Any:
    """Decode codes to a column of the type, a NumPy or pandas array; MISSING becomes NaT."""
    import pandas as pd

    missing = codes == MISSING
    stamps = np.where(missing, 0.0, codes).astype(np.int64).view("datetime64[us]")
    stamps[missing] = np.datetime64("NaT")
    if isinstance(dtype, np.dtype):
        return stamps.astype(dtype)
    index = pd.DatetimeIndex(stamps)
    if (zone := _zone(dtype)) is not None:
        index = index.tz_localize("UTC").tz_convert(zone)
    return pd.Series(index).astype(dtype).array


def date_text(code: float, dtype: Any) -> str:
    """Write the date of a code as ISO text.

    >>> date_text(86_400e6, np.dtype("datetime64[us]")), date_text(1.0, np.dtype("datetime64[us]"))
    ('1970-01-02', '1970-01-01T00:00:00.000001')
    """
    import pandas as pd

    zone = _zone(dtype)
    if zone is None:
        stamp = EPOCH + timedelta(microseconds=int(code))
        return stamp.isoformat().removesuffix("T00:00:00")
    moment = pd.Timestamp(np.datetime64(int(code), "us"), tz="UTC")
    try:
        return moment.tz_convert(zone).isoformat()
    except (ValueError, OverflowError):  # in its own zone, the year would be 0 or 10000
        return moment.isoformat()


def _zone(dtype: Any) -> Any:
    return getattr(getattr(dtype, "pyarrow_dtype", dtype), "tz", None)


def _unit(dtype: Any) -> str:
    """Return the unit of a type: s, ms, us or ns."""
    held = getattr(dtype, "pyarrow_dtype", dtype)
    return str(held.unit if hasattr(held, "unit") else np.datetime_data(held)[0])
