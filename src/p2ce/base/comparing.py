"""Decide when two costs are equal: one rule for the search, for evaluations and for texts."""

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray

# Of the 52 fraction bits of a float64, 30 count: costs that agree to about nine digits are equal. Rounding
# causes differences in the 15th digit, which must not count as a trade-off.
DROPPED_BITS = 22
EQUAL_DIGITS = 9


def quanta(costs: FloatArray) -> IntArray:
    """Round costs to whole numbers for comparison: two costs are equal if these numbers are.

    Non-negative floats have the order of their bits. So rounding away the last bits keeps the order, and 0
    stays 0. The rounded value of a cost depends on that cost alone. (Below 1e-308, where floats lose digits,
    so does this.)

    >>> ones = quanta(np.array([1.0, 1.0 + 1e-12, 1.0 + 1e-6]))
    >>> ones[0] == ones[1] < ones[2]
    np.True_
    >>> quanta(np.array([0.0, -0.0, 0.3]) + 0.0).tolist() == quanta(np.array([0.0, 0.0, 0.1 + 0.2])).tolist()
    True
    """
    bits: IntArray = np.ascontiguousarray(costs + 0.0, dtype=np.float64).view(np.int64)  # + 0.0: no -0.0
    return (bits + (1 << (DROPPED_BITS - 1))) >> DROPPED_BITS


def rounded(costs: FloatArray) -> FloatArray:
    """Return costs with equal ones made identical. The change is beyond the digits that count."""
    return (quanta(costs) << DROPPED_BITS).view(np.float64)
