"""Write splits that are not one cut, by categories or with missing values of their own, as chains of cuts."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from p2ce.arrays import BoolArray, FloatArray
from p2ce.tables.codebook import ABOVE_MISSING


class Steps(NamedTuple):
    """Which values of a column go left: the sides alternate along the line of its values.

    The first stretch ends with ``cuts[0]``, that value included, and holds a missing value, which is minus
    infinity; every next stretch goes the other way.
    """

    cuts: FloatArray  # (k,) ascending
    starts_left: bool

    def goes_left(self, values: FloatArray) -> BoolArray:
        """Tell for values (n,) which side they take: the slow and obvious way."""
        left: BoolArray = (np.searchsorted(self.cuts, values, side="left") % 2 == 1) != self.starts_left
        return left


def steps_of_cut(cut: float, *, missing_left: bool) -> Steps:
    """Values up to ``cut`` go left, missing ones as told.

    >>> steps_of_cut(3.0, missing_left=False).goes_left(np.array([-np.inf, 3.0, 4.0])).tolist()
    [False, True, False]
    """
    if missing_left:
        return Steps(np.array([cut]), True)
    return Steps(np.array([ABOVE_MISSING, cut]), False)


def steps_of_codes(left: Collection[int], count: int, *, unseen_left: bool, missing_left: bool) -> Steps:
    """Send the categories with these codes left, of 0 … count − 1; labels beyond are unseen.

    >>> steps = steps_of_codes({0, 3}, 4, unseen_left=False, missing_left=False)
    >>> steps.goes_left(np.array([-np.inf, 0, 1, 3, 4, 7])).tolist()
    [False, True, False, True, False, False]
    """
    inside = set(left)
    sides = [missing_left, *(code in inside for code in range(count)), unseen_left]
    ends = [ABOVE_MISSING, *(code + 0.5 for code in range(count))]
    cuts = [end for end, here, after in zip(ends, sides, sides[1:], strict=False) if here != after]
    return Steps(np.array(cuts, dtype=np.float64), bool(sides[0]))
