"""Scales keep places inside of the frame, and their ticks are round and readable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.present.charts.axis_scales import (
    AxisScale,
    distinct_cuts,
    distinct_labels,
    nice_ticks,
    short,
    text_ticks,
    wrapped,
)
from p2ce.present.wording import wording_for

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite, finite, finite)
def test_every_value_has_a_place_in_the_frame(one: float, other: float, value: float) -> None:
    assert 0.0 <= AxisScale(min(one, other), max(one, other)).place(value) <= 1.0


@given(finite, finite, st.integers(2, 9), st.booleans())
def test_ticks_are_few_inside_and_in_order(one: float, other: float, most: int, whole: bool) -> None:
    low, high = min(one, other), max(one, other)
    ticks = nice_ticks(low, high, most=most, whole=whole)
    assert 1 <= len(ticks) <= most
    assert list(ticks) == sorted(set(ticks))
    assert all(low <= tick <= high for tick in ticks)


@given(st.integers(-1000, 1000), st.integers(1, 1000), st.booleans())
def test_ticks_are_whole_or_have_no_dust_of_adding_floats(low: int, span: int, whole: bool) -> None:
    ticks = nice_ticks(float(low), float(low + span), whole=whole)
    assert all(tick.is_integer() if whole else len(repr(abs(tick))) <= 12 for tick in ticks)


def test_long_texts_leave_room_for_fewer_ticks() -> None:
    scale = AxisScale(0.0, 1e12)
    assert len(text_ticks(scale, lambda value: f"{value:,.0f} somethings")) < len(
        text_ticks(scale, "{:.0e}".format)
    )


@pytest.mark.parametrize("language", ["en", "pt", "es"])
@given(share=st.floats(0.0, 1.0))
def test_a_share_above_zero_is_never_written_as_zero(language: str, share: float) -> None:
    wording = wording_for(None, language)
    assert (wording.numbers.share(share) == wording.numbers.share(0.0)) == (share == 0.0)


@given(st.text(max_size=60), st.integers(4, 30), st.integers(1, 4))
def test_wrapped_texts_keep_their_width_and_are_never_empty(text: str, width: int, lines: int) -> None:
    found = wrapped(text, width, lines).split("\n")
    assert len(found) <= lines
    assert all(len(line) <= width for line in found)
    assert "".join(found).strip()
    assert len(short(text, width)) <= width


def test_labels_that_begin_alike_stay_apart() -> None:
    texts = [f"one and the same beginning of a text {number}" for number in range(3)]
    assert len(set(distinct_labels(texts, 8))) == 3


@given(st.lists(st.text("ab_", min_size=1), max_size=8), st.integers(4, 12))
def test_different_names_look_different_however_short_they_are_cut(names: list[str], most: int) -> None:
    looks = distinct_cuts(names, lambda name: short(name, most))
    assert len(set(looks)) == len(set(names))
    assert all(
        look == short(name, most) or [short(other, most) for other in names].count(short(name, most)) > 1
        for name, look in zip(names, looks, strict=True)
    )
