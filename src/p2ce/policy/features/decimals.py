"""Compute exactly with steps and ranges, as the decimals that users type."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray

DOUBLE: "np.dtype[Any]" = np.dtype(np.float64)
DIGITS_TRIED = 20  # powers of ten below the magnitude of a number
ROUND_DIGITS = (Fraction(5), Fraction(5, 2), Fraction(2), Fraction(1))


def as_float(value: Any) -> float:
    """Convert a number to float64. Beyond its range the result is infinite, where Python would raise.

    >>> as_float(10**400), as_float(-7)
    (inf, -7.0)
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def to_dtype(value: float, dtype: "np.dtype[Any]") -> float:
    """Return the value in the precision of a float dtype. For integers and bools it is unchanged."""
    return float(dtype.type(value)) if dtype.kind == "f" else float(value)


def as_typed(value: float, dtype: "np.dtype[Any]" = DOUBLE) -> Fraction:
    """Return the shortest decimal that the dtype parses as this value: 0.1 is one tenth.

    >>> as_typed(0.1)
    Fraction(1, 10)
    """
    return Fraction(shortest(value, dtype))


def shortest(value: float, dtype: "np.dtype[Any]" = DOUBLE) -> str:
    """Write a value with as few digits as the dtype needs to read it back."""
    return repr(float(value)) if dtype == DOUBLE or dtype.kind != "f" else str(dtype.type(value))


def round_step(width: Fraction, *, whole: bool) -> float:
    """Return the largest of 1, 2, 2.5, 5 × 10ⁿ not above 5 % of the width; whole steps are at least 1.

    >>> round_step(Fraction(9500), whole=False)
    250.0
    >>> round_step(Fraction(50), whole=True)
    2.0
    """
    limit = width / 20
    if whole and limit < 1:
        return 1.0
    power = power_of_ten_at_most(limit)
    fitting = (digit * power for digit in ROUND_DIGITS if digit * power <= limit)
    step = float(next(step for step in fitting if not whole or step.denominator == 1))
    return max(step, 5e-324)  # a range too narrow for any step gets the smallest float


def power_of_ten_at_most(limit: Fraction) -> Fraction:
    """Return the largest power of ten not above the limit, which must be above 0."""
    digits = len(str(limit.numerator)) - len(str(limit.denominator))
    power = Fraction(10) ** digits
    return power if power <= limit else power / 10


def index_range(low: Fraction, high: Fraction, *, anchor: Fraction, step: Fraction) -> range:
    """Return every whole number i for which anchor + i · step is in [low, high]."""
    first = -((anchor - low) // step)
    last = (high - anchor) // step
    return range(first, last + 1)


def multiples(indices: range, *, anchor: Fraction, step: Fraction) -> FloatArray:
    """Return anchor + i · step for each index, as the double nearest to that decimal.

    >>> multiples(range(1, 4), anchor=Fraction(0), step=Fraction(1, 20))
    array([0.05, 0.1 , 0.15])
    """
    shared = anchor.denominator * step.denominator
    start, stride = int(anchor * shared), int(step * shared)
    # Python divides integers of any length with a single correct rounding.
    return np.array([(start + i * stride) / shared for i in indices], dtype=np.float64)


def roundest_between(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the roundest number of each interval (low, high]: the multiple of the largest 1, 2 or 5 × 10ⁿ.

    If there are several multiples, it is the largest. It is NaN if the interval is empty or holds no number
    of 15 digits.

    >>> roundest_between(np.array([0.1, 99.0, 5.0]), np.array([0.173, 101.5, 5.0])).tolist()
    [0.15, 100.0, nan]
    """
    found = np.full(len(high), np.nan)
    open_ = high > low
    found[open_ & (low < 0) & (high >= 0)] = 0.0
    waiting = np.flatnonzero(open_ & np.isnan(found) & np.isfinite(high))
    # Each interval starts from its own magnitude, since magnitudes may differ by twenty decades.
    largest = np.maximum(np.abs(high), np.where(np.isfinite(low), np.abs(low), 0.0))[waiting]
    top = np.ceil(np.log10(np.maximum(largest, 5e-300))) + 1
    for down in range(DIGITS_TRIED):
        for digit in (5, 2, 1):
            if not len(waiting):
                return found
            # Both are whole numbers, so the division is rounded once.
            power = top - down
            with np.errstate(over="ignore", invalid="ignore"):
                times = digit * 10.0 ** np.maximum(power, 0.0)
                over = 10.0 ** np.maximum(-power, 0.0)
                index = np.floor(high[waiting] * over / times)
                value = index * times / over
            fits = (value > low[waiting]) & (value <= high[waiting]) & (np.abs(index) < 2**50)
            found[waiting[fits]] = value[fits]
            waiting, top = waiting[~fits], top[~fits]
    return found
