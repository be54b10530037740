"""Are steps and multiples the decimals that people type?"""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.policy.features.decimals import as_typed, index_range, multiples, round_step

NICE = {Fraction(digit) for digit in ("1", "2", "2.5", "5")}


def slow_round_step(width: Fraction, *, whole: bool) -> float:
    """Try every round step from the largest down."""
    for power in range(330, -330, -1):
        for digit in sorted(NICE, reverse=True):
            step = digit * Fraction(10) ** power
            if step * 20 <= width and (not whole or step.denominator == 1):
                return float(step)
            if whole and step == 1:
                return 1.0
    raise AssertionError


@given(st.floats(1e-30, 1e30), st.booleans())
def test_round_step_is_the_largest_that_fits(width: float, whole: bool) -> None:
    assert round_step(as_typed(width), whole=whole) == slow_round_step(as_typed(width), whole=whole)


@pytest.mark.parametrize(
    ("width", "whole", "step"),
    [(1, False, 0.05), (50, False, 2.5), (50, True, 2.0), (500, True, 25.0), (3, True, 1.0), (20, True, 1.0)],
)
def test_round_steps_of_common_ranges(width: int, whole: bool, step: float) -> None:
    assert round_step(Fraction(width), whole=whole) == step


@given(st.integers(-(10**6), 10**6), st.integers(1, 999), st.integers(-8, 3))
def test_multiples_are_what_a_person_would_type(index: int, digits: int, power: int) -> None:
    step = float(Decimal(digits).scaleb(power))
    (found,) = multiples(range(index, index + 1), anchor=Fraction(0), step=as_typed(step))
    assert found == float(index * Decimal(repr(step)))


def test_a_float32_is_typed_with_its_own_digits() -> None:
    held = float(np.float32(0.1))
    assert as_typed(held, np.dtype(np.float32)) == Fraction(1, 10)
    assert as_typed(held) != Fraction(1, 10)


@given(
    *(st.fractions(-9, 9, max_denominator=20) for _ in range(3)),
    st.fractions("1/20", 5, max_denominator=20),
)
def test_index_range_is_exactly_what_lies_inside(
    a: Fraction, b: Fraction, anchor: Fraction, step: Fraction
) -> None:
    low, high = min(a, b), max(a, b)
    inside = [i for i in range(-361, 362) if low <= anchor + i * step <= high]
    assert list(index_range(low, high, anchor=anchor, step=step)) == inside
