"""Scales keep places inside of the frame, and their ticks are round and readable."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.present.charts.axis_scales import (
    Scale,
    decimals_for,
    distinct_labels,
    nice_ticks,
    share_text,
    short,
    text_ticks,
    wrapped,
)
from p2ce.present.speaker import speaker_for

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite, finite, finite)
def test_every_value_has_a_place_in_the_frame(one: float, other: float, value: float) -> None:
    place = Scale(low=min(one, other), high=max(one, other)).place(value)
    assert 0.0 <= place <= 1.0


@given(finite, finite, st.integers(2, 9), st.booleans())
def test_ticks_are_few_inside_and_in_order(one: float, other: float, most: int, whole: bool) -> None:
    low, high = min(one, other), max(one, other)
    ticks = nice_ticks(low, high, most=most, whole=whole)
    assert 1 <= len(ticks) <= most
    assert list(ticks) == sorted(set(ticks))
    assert all(low <= tick <= high for tick in ticks)


@given(st.integers(-1000, 1000), st.integers(1, 1000))
def test_whole_ticks_are_whole(low: int, span: int) -> None:
    ticks = nice_ticks(float(low), float(low + span), whole=True)
    assert all(tick.is_integer() for tick in ticks)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_have_no_dust_of_adding_floats(low: float, span: float) -> None:
    ticks = nice_ticks(low, low + span)
    assert all(len(repr(abs(tick))) <= 12 for tick in ticks[1:-1])


def test_long_texts_leave_room_for_fewer_ticks() -> None:
    scale = Scale(low=0.0, high=1e12)
    short_ones = text_ticks(scale, lambda value: f"{value:.0e}")
    long_ones = text_ticks(scale, lambda value: f"{value:,.0f} somethings")
    assert len(long_ones) < len(short_ones)


def test_decimals_tell_ticks_apart() -> None:
    assert decimals_for((0.0, 0.025)) == 3


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (0.0004, "< 0.1 %"), (0.014, "1.4 %"), (0.05, "5 %"), (0.25, "25 %"), (1.0, "100 %")],
)
def test_shares_are_read_easily_and_never_written_as_none(share: float, text: str) -> None:
    assert share_text(share, speaker_for(None, "en")) == text


@given(st.text(max_size=60), st.integers(4, 30), st.integers(1, 4))
def test_wrapped_texts_keep_their_width_and_say_something(text: str, width: int, lines: int) -> None:
    found = wrapped(text, width, lines).split("\n")
    assert len(found) <= lines
    assert all(len(line) <= width for line in found)
    assert "".join(found).strip()
    assert len(short(text, width)) <= width


def test_labels_that_begin_alike_stay_apart() -> None:
    texts = [f"one and the same beginning of a text {number}" for number in range(3)]
    assert len(set(distinct_labels(texts, 8))) == 3


def test_infinite_spans_have_ticks() -> None:
    assert all(math.isfinite(tick) for tick in nice_ticks(-1.7e308, 1.7e308))
