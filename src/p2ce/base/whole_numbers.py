"""Check whole numbers that a caller passes: counts and seeds."""

import numbers
from typing import Any, TypeGuard

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument

LARGEST_SEED = 2**32 - 1


def is_whole(value: object) -> TypeGuard[Any]:
    """Return whether a value is a whole number of Python or NumPy. A bool is not."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


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
