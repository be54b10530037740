"""Define a limit relative to today: how far a feature may move from a person's current value."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, inf
from typing import Any

import numpy as np

from p2ce.policy.features.decimals import as_typed, shortest

LARGEST_EXACT = 2**53  # whole numbers up to here are exact in float64


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount of change, in the feature's own unit or in percent of the size of the current value.

    >>> str(Amount(10, percent=True)), str(Amount(-2.5))
    ('+10%', '-2.5')
    """

    number: float
    percent: bool = False

    def __str__(self) -> str:
        number = shortest(self.number).removesuffix(".0")
        return f"{'+' * (self.number > 0)}{number}{'%' * self.percent}"

    def of(self, value: Fraction) -> Fraction:
        """Return the change of a value. The size of a negative value counts, so +10 % is always a rise."""
        number = as_typed(self.number)
        return abs(value) * number / 100 if self.percent else number


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLimit:
    """How far a feature may fall (``low``, at most 0) and rise (``high``, at least 0); None is no limit.

    A missing or special value has no size, so the limit does not apply to it.

    >>> ChangeLimit(low=Amount(0), high=Amount(10, percent=True)).ends(1.1, np.dtype(float))
    (1.1, 1.21)
    """

    low: Amount | None
    high: Amount | None

    @property
    def both(self) -> tuple[Amount | None, Amount | None]:
        """The limits of a fall and of a rise."""
        return self.low, self.high

    def ends(self, value: float, dtype: "np.dtype[Any]") -> tuple[float, float]:
        """Return the least and the largest value of a column of this type, starting from a known value.

        They are computed in the decimals that people read: 10 % above 1.1 is 1.21. No value beyond is
        allowed, not even by rounding.
        """
        return _ends(self, value, dtype)


@lru_cache(maxsize=1 << 14)
def _ends(limit: ChangeLimit, value: float, dtype: "np.dtype[Any]") -> tuple[float, float]:
    here = as_typed(value, dtype)
    low = -inf if limit.low is None else -largest_at_most(-(here + limit.low.of(here)), dtype)
    high = inf if limit.high is None else largest_at_most(here + limit.high.of(here), dtype)
    # A column of whole numbers may hold a value between two of them.
    return min(low, value), max(high, value)


def largest_at_most(limit: Fraction, dtype: "np.dtype[Any]") -> float:
    """Return the largest value of a type that is at most a limit, as decimals that people read.

    >>> largest_at_most(Fraction(7, 2), np.dtype(int)), largest_at_most(Fraction(11, 100), np.dtype(float))
    (3.0, 0.11)
    """
    if dtype.kind != "f":
        return float(max(min(floor(limit), LARGEST_EXACT), -LARGEST_EXACT))
    most = float(np.finfo(dtype).max)
    if abs(limit) >= Fraction(most):
        return most if limit > 0 else -inf
    held = dtype.type(limit.numerator / limit.denominator)
    down, up = dtype.type(-inf), dtype.type(inf)
    while as_typed(float(held), dtype) > limit:
        held = np.nextafter(held, down)
    while as_typed(float(above := np.nextafter(held, up)), dtype) <= limit:
        held = above
    return float(held)


def whole_ends(low: float, high: float) -> tuple[float, float]:
    """Return the least and the largest whole number of a range; an open end stays open."""
    return low if low == -inf else float(ceil(low)), high if high == inf else float(floor(high))
