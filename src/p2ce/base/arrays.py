"""Define the array types that the stages pass to each other, and choose a few of many rows."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
Int8Array: TypeAlias = npt.NDArray[np.int8]
Int32Array: TypeAlias = npt.NDArray[np.int32]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
CHECKED_ROWS = 256  # of the reference, to compare what was parsed with the user's own object


def every_nth(count: int, most: int) -> slice:
    """Choose at most ``most`` of ``count`` rows at equal distances, beginning with the first.

    >>> list(range(10))[every_nth(10, 4)]
    [0, 3, 6, 9]
    """
    return slice(None, None, max(1, -(-count // most)))


def evenly(count: int, most: int) -> IntArray:
    """Choose ``most`` of ``count`` rows, spread evenly, including both ends; all if there are no more.

    >>> evenly(10, 4).tolist(), evenly(2, 4).tolist()
    ([0, 3, 6, 9], [0, 1])
    """
    places = np.linspace(0, count - 1, min(most, count)).astype(np.int64)
    chosen: IntArray = np.unique(places)
    return chosen
