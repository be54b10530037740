"""State when two costs count as equal: one rule for the search, for `check` and for what people read."""

import numpy as np

from p2ce.arrays import FloatArray, IntArray

# Of the 52 bits behind the point of a float64's significand, 30 count: costs that agree to about nine
# digits are equal. Rounding makes differences of the 15th digit, which must be no trade-off.
DROPPED_BITS = 22
EQUAL_DIGITS = 9


def quanta(costs: FloatArray) -> IntArray:
    """Round costs to what is compared: two of them count as equal when these whole numbers are.

    Floats that are not negative are ordered as their bits are, so that dropping the last bits, to the
    nearest, keeps the order, and 0 stays 0. What a cost counts as depends on nothing but itself. (Below
    1e-308, where floats lose digits, so does this.)

    >>> ones = quanta(np.array([1.0, 1.0 + 1e-12, 1.0 + 1e-6]))
    >>> ones[0] == ones[1] < ones[2]
    np.True_
    >>> quanta(np.array([0.0, -0.0, 0.3]) + 0.0).tolist() == quanta(np.array([0.0, 0.0, 0.1 + 0.2])).tolist()
    True
    """
    bits: IntArray = np.ascontiguousarray(costs + 0.0, dtype=np.float64).view(np.int64)  # + 0.0: no -0.0
    return (bits + (1 << (DROPPED_BITS - 1))) >> DROPPED_BITS


def rounded(costs: FloatArray) -> FloatArray:
    """Return costs that count as equal one and the same number, which differs from them by a digit beyond."""
    return (quanta(costs) << DROPPED_BITS).view(np.float64)
