"""Run kernels in Python: with ``NUMBA_DISABLE_JIT=1`` nothing is compiled, so they can be stepped through.

Kernels read fields of records as attributes, and count in 64 bits. Python does not: an element of a
structured array has no such attributes, and NumPy adds two 32-bit integers in 32 bits. So an entry hands its
arrays to the kernels as views that do both.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

_Function = TypeVar("_Function", bound=Callable[..., Any])


def interpreted(function: _Function) -> _Function:
    """Run an entry in Python."""

    @wraps(function)
    def run(*arguments: Any) -> Any:
        return function(*map(as_kernels_see, arguments))

    return cast(_Function, run)


def as_kernels_see(value: Any) -> Any:
    """Return an argument with views of all its arrays; what is written to a view is written to the array."""
    if isinstance(value, np.ndarray):
        return value.view(KernelArray)
    if isinstance(value, tuple):
        parts = map(as_kernels_see, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


class KernelArray(np.ndarray[Any, Any]):
    """An array whose numbers are Python's, and whose records have attributes."""

    def __getitem__(self, index: Any) -> Any:
        """Return an element, or a view of several."""
        return _element(super().__getitem__(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        """Write an element, which may be a record of another array."""
        super().__setitem__(index, value.source if isinstance(value, KernelRecord) else value)


class KernelRecord:
    """One record of an array; its fields are attributes."""

    __slots__ = ("source",)
    source: np.void

    def __init__(self, source: np.void) -> None:
        object.__setattr__(self, "source", source)

    def __getattr__(self, name: str) -> Any:
        """Return a field."""
        return _element(self.source[name])

    def __setattr__(self, name: str, value: Any) -> None:
        """Write a field to the array that the record is part of."""
        self.source[name] = value


def _element(value: Any) -> Any:
    if isinstance(value, np.void):
        return KernelRecord(value)
    if isinstance(value, np.generic):
        return value.item()
    return value.view(KernelArray) if isinstance(value, np.ndarray) else value
