"""Write splits that are not one cut (by categories, or with a side for missing values) as chains of cuts."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.tables.codebook import ABOVE_MISSING


class Steps(NamedTuple):
    """Which values of a column go left: the sides alternate along the number line.

    The first stretch ends with ``cuts[0]``, inclusive. It also contains a missing value, which is minus
    infinity. Each further stretch goes to the other side than the one before.
    """

    cuts: FloatArray  # (k,) ascending
    starts_left: bool

    def goes_left(self, values: FloatArray) -> BoolArray:
        """Return which of the values (n,) go left, in the slow and obvious way."""
        left: BoolArray = (np.searchsorted(self.cuts, values, side="left") % 2 == 1) != self.starts_left
        return left


def steps_of_stretches(ends: Sequence[float] | FloatArray, sides: Sequence[bool] | BoolArray) -> Steps:
    """Build the steps of stretches: ``sides[i]`` applies up to and including ``ends[i]``, the last beyond.

    >>> steps_of_stretches([0.0, 1.0, 2.0], [True, True, False, True])
    Steps(cuts=array([1., 2.]), starts_left=True)
    """
    ends, sides = np.asarray(ends, dtype=np.float64), np.asarray(sides, dtype=np.bool_)
    return Steps(ends[sides[:-1] != sides[1:]], bool(sides[0]))


def with_missing(ends: Sequence[float], sides: Sequence[bool], *, missing_left: bool) -> Steps:
    """Build the same with a separate side for a missing value, which lies below all numbers."""
    return steps_of_stretches([ABOVE_MISSING, *ends], [missing_left, *sides])


def steps_of_cut(cut: float, *, missing_left: bool) -> Steps:
    """Build the steps of one cut: values up to ``cut`` go left, missing ones to the given side.

    >>> steps_of_cut(3.0, missing_left=False).goes_left(np.array([-np.inf, 3.0, 4.0])).tolist()
    [False, True, False]
    """
    if missing_left:
        return Steps(np.array([cut]), True)
    return Steps(np.array([ABOVE_MISSING, cut]), False)


def steps_of_codes(left: Collection[int], count: int, *, unseen_left: bool, missing_left: bool) -> Steps:
    """Build the steps that send the given codes of 0 … count − 1 to the left; later codes are unseen labels.

    >>> steps = steps_of_codes({0, 3}, 4, unseen_left=False, missing_left=False)
    >>> steps.goes_left(np.array([-np.inf, 0, 1, 3, 4, 7])).tolist()
    [False, True, False, True, False, False]
    """
    inside = set(left)
    sides = [missing_left, *(code in inside for code in range(count)), unseen_left]
    ends = [ABOVE_MISSING, *(code + 0.5 for code in range(count))]
    return steps_of_stretches(ends, sides)


def steps_of_points(
    points: FloatArray, left: Sequence[bool], *, elsewhere_left: bool, missing_left: bool, whole: bool
) -> Steps:
    """Build the steps that send single numbers (n,), ascending, to the given sides.

    All other numbers go to one side, and so do missing values. This is for models that treat the numbers of
    a column as categories. ``whole`` says that the column holds only whole numbers.

    >>> steps = steps_of_points(
    ...     np.array([2.0, 3.0]), [True, True], elsewhere_left=False, missing_left=True, whole=False
    ... )
    >>> steps.goes_left(np.array([-np.inf, 1.0, 2.0, 2.5, 3.0, 4.0])).tolist()
    [True, False, True, False, True, False]
    """
    ends, sides = [ABOVE_MISSING], [missing_left, elsewhere_left]
    for point, side in zip(points.tolist(), left, strict=True):
        half = 0.5 if whole and abs(point) < 2.0**51 else 0.0
        before = point - half if half else float(np.nextafter(point, -np.inf))
        if ends[-1] == before:  # adjacent to the previous point, with no number in between
            sides[-1] = side
        else:
            ends.append(before)
            sides.append(side)
        ends.append(point + half)
        sides.append(elsewhere_left)
    return steps_of_stretches(ends, sides)
