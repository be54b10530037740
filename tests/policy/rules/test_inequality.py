"""Is an inequality decided exactly, whatever floating point makes of the sum?"""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidPolicy
from p2ce.policy.rules.inequality import compare_with, inequality
from p2ce.tables.codebook import MISSING
from tests.policy.rules.random_rules import BOOK

FLOATS = st.floats(-1e300, 1e300, allow_nan=False)
SMALL = st.sampled_from(
    [0.1, 0.2, 0.3, 0.30000000000000004, 3.0, 1e-310, -1e-320, 1e16 + 2, 2.0**53 + 2, 0.0]
)


@given(
    st.lists(st.tuples(st.one_of(FLOATS, SMALL), st.one_of(FLOATS, SMALL)), min_size=1, max_size=5),
    st.tuples(st.fractions(-3, 3), st.sampled_from([Fraction(1), Fraction(1, 10), Fraction(-1)])),
    st.one_of(st.just(Fraction(0)), st.sampled_from([0.1, 0.2, 1e16]).map(Fraction)),
)
def test_signs_are_those_of_the_fractions(
    rows: list[tuple[float, float]], factors: tuple[Fraction, Fraction], limit: Fraction
) -> None:
    found = compare_with([np.array(column) for column in zip(*rows, strict=True)], factors, limit)
    gaps = [Fraction(a) * factors[0] + Fraction(b) * factors[1] - limit for a, b in rows]
    assert found.tolist() == [float((gap > 0) - (gap < 0)) for gap in gaps]


def test_written_numbers_are_decimals() -> None:
    rule = inequality("0.1*whole <= 3")
    rows = {"whole": np.array([30.0, 31.0])}
    assert rule.holds(rows, rows, BOOK).tolist() == [True, False]  # the float64 0.1 times 30 is above 3


def test_a_missing_value_keeps_every_inequality() -> None:
    rows = {"rate": np.array([MISSING, 5.0]), "nullable": np.array([1.0, 1.0])}
    for text in ("rate <= nullable", "rate >= 9*nullable", "rate == 2*nullable"):
        assert inequality(text).holds(rows, rows, BOOK).tolist() == [True, False]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("late_90d <= late_30d", "late_90d <= late_30d"),
        ("2*a + b - 3 <= 10", "2*a + b <= 13"),
        ("a >= b", "b <= a"),
        ("a + 5 <= b", "a + 5 <= b"),
        ("a >= 3", "3 <= a"),
        ("a == 2*`b c`", "a == 2*`b c`"),
        ("a/3 <= 0.1", "1/3*a <= 0.1"),
        ("-a <= -1", "1 <= a"),
    ],
)
def test_it_is_written_with_positive_factors_on_both_sides(given: str, text: str) -> None:
    rule = inequality(given)
    assert rule.text() == text
    assert inequality(text) == rule


def test_columns_of_whole_numbers_leave_no_rounding_question() -> None:
    (budget,) = inequality("2*whole - nullable <= 1.5").budgets(BOOK)
    assert (budget.whole, budget.limit) == (True, 1.5)  # at most 1
    (budget,) = inequality("whole <= rate").budgets(BOOK)
    assert (budget.whole, budget.limit) == (False, 0.0)
    (budget,) = inequality("0.5*whole <= flag").budgets(BOOK)
    assert not budget.whole
    assert len(inequality("whole == flag").budgets(BOOK)) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: inequality("a - a <= 1"), "does not depend on any column"),
        (lambda: inequality("1e250*a <= 1"), "beyond 1e"),
        (lambda: inequality("a <= 1", at_most=1), "got text with at_most"),
        (lambda: inequality({"a": 1}), "needs a limit"),
        (lambda: inequality({"a": float("nan")}, at_most=1), "finite numbers"),
        (lambda: inequality(3), "expects text"),  # type: ignore[arg-type]
        (lambda: inequality("housing <= 1").budgets(BOOK), "'housing', which holds categories"),
    ],
)
def test_a_mistake_is_named(call: Any, message: str) -> None:
    with pytest.raises(InvalidPolicy, match=message):
        call()
