"""Check whole numbers that a caller passes: counts, seeds, and numbers that float64 cannot hold."""

import numbers
from functools import cache
from typing import Any, TypeGuard

import numpy as np

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument

LARGEST_SEED = 2**32 - 1
LARGEST_EXACT = 2**53  # above it, float64 does not hold every whole number
INEXACT = (
    "a whole number beyond 2**53 (9,007,199,254,740,992), where float64 numbers are more than 1 apart, so it "
    "would be rounded"
)


def is_whole(value: object) -> TypeGuard[Any]:
    """Return whether a value is a whole number of Python or NumPy. A bool is not."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def is_exact(value: object) -> bool:
    """Return whether float64 holds a value exactly, if it is a whole number of Python or NumPy.

    >>> is_exact(2**53), is_exact(2**53 + 1), is_exact(2**60), is_exact(0.1)
    (True, False, True, True)
    """
    if not isinstance(value, numbers.Integral):
        return True
    whole = int(value)
    try:
        return -LARGEST_EXACT <= whole <= LARGEST_EXACT or int(float(whole)) == whole
    except OverflowError:
        return False


@cache
def largest_held(dtype: "np.dtype[Any]") -> float:
    """Return the largest float64 number that a whole NumPy type holds.

    >>> largest_held(np.dtype("int8")), largest_held(np.dtype("int64")) < 2**63
    (127.0, True)
    """
    most = int(np.iinfo(dtype).max)
    nearest = float(most)
    return nearest if int(nearest) <= most else float(np.nextafter(nearest, 0.0))


def check_count(name: str, value: object, what: str, *, least: int = 1, most: int | None = None) -> None:
    """Reject a value that is not a whole number within the limits. ``what`` is the noun in the message."""
    if not is_whole(value) or int(value) < least or (most is not None and int(value) > most):
        limits = f"at least {least}" if most is None else f"{least} to {most:,}"
        raise InvalidArgument(f"{name} must be a whole number of {what}, {limits}; got {echoed(value)}.")


def check_seed(seed: object) -> None:
    """Reject a value that is neither a seed nor None."""
    if seed is not None and not (is_whole(seed) and 0 <= int(seed) <= LARGEST_SEED):
        raise InvalidArgument(
            f"random_state must be a whole number from 0 to 2**32 - 1, or None; got {echoed(seed)}."
        )
