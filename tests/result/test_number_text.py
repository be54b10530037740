"""Numbers are easy to read and keep their value."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from p2ce.result.number_text import (
    readable,
    readable_cost,
    readable_count,
    readable_prediction,
    readable_score,
)


@given(st.floats(allow_nan=False))
def test_a_float_is_read_back_as_the_same(value: float) -> None:
    assert float(readable(value).replace(",", "")) == value


@given(st.floats(width=32, allow_nan=False))
def test_a_float32_is_read_back_as_the_same(value: float) -> None:
    assert float(np.float32(readable(value, "float32").replace(",", ""))) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_in_a_float32_column_is_not_rounded(value: float) -> None:
    with np.errstate(over="ignore"):
        assume(float(np.float32(value)) != value)
        assert float(readable(value, "float32").replace(",", "")) == value


@given(st.integers())
def test_an_integer_is_read_back_as_the_same(value: int) -> None:
    assert int(readable(value).replace(",", "")) == value
    assert readable(np.int64(value % 1000)) == str(value % 1000)


@pytest.mark.parametrize(
    ("value", "text"),
    [(7500, "7,500"), (7500.0, "7,500"), (-1234.5, "-1,234.5"), (-0.0, "0"), (1e300, "1e+300"),
     (0.1 + 0.2, "0.30000000000000004"), (False, "no"), (np.True_, "yes"), ("own", "own"), (None, "missing"),
     (math.inf, "inf"), (math.nan, "missing"), ("missing", "'missing'"), ("", "''"), (" own", "' own'"),
     (np.float64(2.5), "2.5")],
)  # fmt: skip
def test_examples(value: object, text: str) -> None:
    assert readable(value) == text


@given(st.floats(-5, 5), st.floats(-5, 5))
def test_a_score_stays_on_its_side_of_the_threshold(score: float, threshold: float) -> None:
    shown = float(readable_score(score, threshold))
    assert (shown >= threshold) == (score >= threshold)
    assert (shown > threshold) == (score > threshold)


@given(st.floats(0, 1), st.integers(1, 40))
def test_a_score_one_float_below_is_not_shown_as_enough(threshold: float, steps: int) -> None:
    score = threshold
    for _ in range(steps):
        score = math.nextafter(score, -1)
    assert float(readable_score(score, threshold)) < threshold


@given(st.floats(0, 1e9))
def test_costs_are_close(cost: float) -> None:
    assert float(readable_cost(cost).replace(",", "")) == pytest.approx(cost, rel=1e-3)


@pytest.mark.parametrize(
    ("base", "power", "text"),
    [(0, 1, "0"), (999_999, 1, "999,999"), (10, 15, "about 1.0e15"), (20, 6000, "about 1.5e7806")],
)
def test_counts(base: int, power: int, text: str) -> None:
    assert readable_count(base**power) == text


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_a_prediction_stays_on_its_side_of_both_ends(value: float, low: float, high: float) -> None:
    shown = float(readable_prediction(value, low, high).replace(",", ""))
    assert [shown >= low, shown > low, shown <= high, shown < high] == [
        value >= low, value > low, value <= high, value < high,
    ]  # fmt: skip
    assert shown == pytest.approx(value, rel=1e-2)


def test_a_prediction_that_is_no_number() -> None:
    assert [readable_prediction(None), readable_prediction(7), readable_prediction(math.inf)] == [
        "–", "7", "inf",
    ]  # fmt: skip
