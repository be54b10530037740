"""Is a linear inequality read as written, and is what cannot be read named?"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidPolicy
from p2ce.policy.rules.expressions import name_text, number_text, read_comparison
from tests.properties.amount import examples

NUMBERS = st.one_of(
    st.fractions(),
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e100, max_value=1e100).map(Fraction),
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20, places=5).map(
        Fraction
    ),
)


@given(NUMBERS)
def test_a_number_is_read_back_exactly(number: Fraction) -> None:
    difference, _ = read_comparison(f"x <= {number_text(abs(number))}")
    assert difference.constant == -abs(number)


@examples(40)
@given(st.text(min_size=1, max_size=12))
def test_every_name_can_be_written(name: str) -> None:
    difference, _ = read_comparison(f"2*{name_text(name)} <= 1")
    assert difference.terms == {name: 2}


@pytest.mark.parametrize(
    ("text", "terms", "constant"),
    [
        ("2*a + b - 3 <= 10", {"a": 2, "b": 1}, -13),
        ("a <= 2*(b - 3*(a + 1))", {"a": 7, "b": -2}, 6),
        ("-a - -b <= +1", {"a": -1, "b": 1}, -1),
        ("a/4 + 1/2*b <= .5", {"a": Fraction(1, 4), "b": Fraction(1, 2)}, Fraction(-1, 2)),
        ("a*3*2 <= 1e2", {"a": 6}, -100),
        ("a ≤ 2 × b", {"a": 1, "b": -2}, 0),
        ("`Loan amount` <= `a``b` * 0.1", {"Loan amount": 1, "a`b": Fraction(-1, 10)}, 0),
        ("größe <= _x9", {"größe": 1, "_x9": -1}, 0),
    ],
)
def test_sums_are_read_as_written(text: str, terms: dict[str, Fraction], constant: Fraction) -> None:
    difference, sign = read_comparison(text)
    assert (difference.terms, difference.constant, sign) == (terms, constant, "<=")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a < b", "only <=, >= and == are supported"),
        ("a > b", "Write >="),
        ("a", "expected <=, >= or ==, got the end"),
        ("a <= b <= c", "one comparison per rule"),
        ("a = b", "expected <=, >= or =="),
        ("a * b <= 1", "multiplies columns"),
        ("a / b <= 1", "divides by"),
        ("a / 0 <= 1", "divides by"),
        ("a <= ", "expected a number or a column, got the end"),
        ("a <= (b", "closing"),
        ("a <= b)", "the end"),
        ("90d <= 1", "backticks"),
        ("a ** 2 <= 1", "got '\\*'"),
        ("a <= `b", "backticks"),
        ("", "got the end"),
        ("a <= 1e999999999", "beyond float64"),
        (f"a <= {'1' * 500}", "beyond float64"),
        (f"a <= {'(' * 500}1{')' * 500}", "nested too deeply"),
        (f"a <= {'-' * 5000}1", "nested too deeply"),
        ("__import__('os') <= 1", "Cannot parse"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, message: str) -> None:
    with pytest.raises(InvalidPolicy, match=message):
        read_comparison(text)
