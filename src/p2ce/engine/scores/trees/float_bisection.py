"""Find the float at which the result of a test changes, by bisection over all doubles."""

import math
from collections.abc import Callable

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray

_MAGNITUDE = np.int64(0x7FFF_FFFF_FFFF_FFFF)


def rank(values: FloatArray) -> IntArray:
    """Number the doubles in ascending order; both zeros are 0: (n,) → (n,)."""
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.int64)
    return np.where(bits >= 0, bits, -(bits & _MAGNITUDE))


def unrank(ranks: IntArray) -> FloatArray:
    """Return the doubles with these ranks: (n,) → (n,)."""
    magnitude = np.abs(ranks).view(np.float64)
    return np.where(ranks >= 0, magnitude, -magnitude)


# All finite doubles have ranks above LOWEST and up to HIGHEST.
HIGHEST = int(rank(np.array([np.finfo(np.float64).max]))[0])
LOWEST = -HIGHEST - 1


def last_true(holds: Callable[[FloatArray, IntArray], BoolArray], low: IntArray, high: IntArray) -> IntArray:
    """Find the last rank above ``low`` and up to ``high`` at which a test holds; it may turn false only once.

    If there is none, the result is ``low``. All pairs (n,) are bisected at once: ``holds`` receives doubles,
    and the indices of their pairs.
    """
    low, high = low.copy(), high + 1
    while True:
        active = np.flatnonzero(low + 1 < high)
        if not len(active):
            return low
        left, right = low[active], high[active]
        middle = (left >> 1) + (right >> 1) + (left & right & 1)
        inside = holds(unrank(middle), active)
        low[active] = np.where(inside, middle, left)
        high[active] = np.where(inside, right, middle)


def first_true(reaches: Callable[[float], bool]) -> float:
    """Find the smallest double at which a test is True that may only change from False to True.

    Minus infinity means that it is always True, plus infinity that it never is.

    >>> first_true(lambda value: value >= 0.1), first_true(lambda value: False)
    (0.1, inf)
    """

    def misses(values: FloatArray, _: IntArray) -> BoolArray:
        return np.array([not reaches(float(value)) for value in values], dtype=np.bool_)

    last = last_true(misses, np.array([LOWEST]), np.array([HIGHEST]))
    if last[0] == LOWEST:
        return -math.inf
    return math.inf if last[0] == HIGHEST else float(unrank(last + 1)[0])
