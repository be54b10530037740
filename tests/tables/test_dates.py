"""Dates are encoded exactly or not at all, in every unit and time zone."""

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.tables import as_kind, as_pandas
from p2ce.tables.cells import MISSING
from p2ce.tables.codebook import codebook_of, coding_of
from p2ce.tables.dates import date_codes, date_text, decode_dates, holds_dates
from tests.optional import needs

UNITS = ("s", "ms", "us", "ns")
ZONES = (None, "UTC", "Europe/Berlin")
SECONDS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def column(counts: list[int | None], unit: str, zone: str | None) -> "pd.Series[Any]":
    stamps = np.array(["NaT" if one is None else one for one in counts], dtype=f"datetime64[{unit}]")
    found = pd.Series(stamps, name="Applied")
    return found if zone is None else found.dt.tz_localize("UTC").dt.tz_convert(zone)


@given(
    counts=st.lists(st.none() | st.integers(-(10**9), 4 * 10**9), min_size=1, max_size=8),
    unit=st.sampled_from(UNITS),
    zone=st.sampled_from(ZONES),
    rest=st.integers(0, 999_999),
)
def test_a_date_comes_back_unchanged_from_its_code_its_text_and_its_cells(
    counts: list[int | None], unit: str, zone: str | None, rest: int
) -> None:
    fraction = rest * SECONDS[unit] // 10**6  # whole microseconds at most
    dates = column([None if one is None else one * SECONDS[unit] + fraction for one in counts], unit, zone)
    codes = date_codes(dates, dates.dtype)
    assert (np.isfinite(codes) == dates.notna()).all()
    assert (codes[dates.isna()] == MISSING).all()
    back = pd.Series(decode_dates(codes, dates.dtype), name="Applied")
    pd.testing.assert_series_equal(back, dates)
    texts = [None if code == MISSING else date_text(code, dates.dtype) for code in codes.tolist()]
    np.testing.assert_array_equal(date_codes(texts, dates.dtype), codes)
    np.testing.assert_array_equal(date_codes(dates.tolist(), dates.dtype), codes)


@given(first=st.datetimes(), second=st.datetimes())
def test_codes_have_the_order_of_dates(first: datetime.datetime, second: datetime.datetime) -> None:
    codes = date_codes([first, second], np.dtype("datetime64[us]")).tolist()
    known = [code for code in codes if np.isfinite(code)]
    assert len(known) < 2 or (codes[0] < codes[1]) == (first < second)


def test_the_first_and_the_last_second_of_all_years_are_kept() -> None:
    ends = pd.Series(np.array(["0001-01-01", "9999-12-31T23:59:59"], dtype="datetime64[s]"))
    codes = date_codes(ends, ends.dtype)
    pd.testing.assert_series_equal(pd.Series(decode_dates(codes, ends.dtype)), ends)
    assert [date_text(code, ends.dtype) for code in codes] == ["0001-01-01", "9999-12-31T23:59:59"]


@pytest.mark.parametrize(
    ("cell", "dtype"),
    [
        ("yesterday", "datetime64[us]"),
        ("03/04/2024", "datetime64[us]"),
        ("2024-13-01", "datetime64[us]"),
        (20240301, "datetime64[us]"),
        (True, "datetime64[us]"),
        (datetime.timedelta(1), "datetime64[us]"),
        ("2024-03-01T00:00:00.5", "datetime64[s]"),
        ("2024-03-01T00:00:00.000000001", "datetime64[ns]"),
        ("2400-03-01", "datetime64[ns]"),
        ("2024-03-01T00:00:00Z", "datetime64[us]"),
        ("2024-03-01", "datetime64[us, UTC]"),
        (np.datetime64("20000-01-01"), "datetime64[us]"),
    ],
)
def test_what_a_column_cannot_hold_exactly_has_no_code(cell: Any, dtype: str) -> None:
    assert np.isnan(date_codes([cell], pd.api.types.pandas_dtype(dtype))).all()


@pytest.mark.parametrize("cell", [datetime.date(2024, 3, 1), np.datetime64("2024-03-01"), "2024-03-01 00:00"])
def test_a_day_is_its_first_microsecond(cell: Any) -> None:
    dtype = np.dtype("datetime64[us]")
    assert date_text(date_codes([cell], dtype)[0], dtype) == "2024-03-01"


def test_dates_of_arrow_columns_keep_their_type() -> None:
    needs("pyarrow")
    for zone in ZONES:
        kind = "timestamp[us]" if zone is None else f"timestamp[us, {zone}]"
        dates = column([0, None, 10**15], "us", zone).astype(f"{kind}[pyarrow]")
        assert holds_dates(dates.dtype)
        back = pd.Series(decode_dates(date_codes(dates, dates.dtype), dates.dtype), name="Applied")
        pd.testing.assert_series_equal(back, dates)


@pytest.mark.parametrize("kind", ["polars", "arrow"])
@pytest.mark.parametrize("zone", ZONES)
def test_dates_of_other_libraries_are_those_of_pandas(kind: str, zone: str | None) -> None:
    needs("polars" if kind == "polars" else "pyarrow")
    frame = pd.DataFrame({"Applied": column([0, None, 10**15], "us", zone)})
    table = as_kind(frame, kind)
    pd.testing.assert_frame_equal(as_pandas(table)[0], frame)


@pytest.mark.parametrize(
    "cells", [[datetime.date(2024, 3, 1), None], np.array(["2024-03-01", "NaT"], "M8[D]")]
)
def test_plain_dates_become_a_column_of_dates(cells: Any) -> None:
    frame, _ = as_pandas({"Applied": cells})
    assert holds_dates(frame["Applied"].dtype)
    assert frame["Applied"].isna().tolist() == [False, True]
    assert coding_of(frame["Applied"]).plain(codebook_of(frame).encode(frame)[0, 0]) == "2024-03-01"
