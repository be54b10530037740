"""Compile kernels: serial, cached on disk, free of the interpreter lock and of reference counts."""

from collections.abc import Callable
from typing import Any, TypeVar

from p2ce.kernel_cache import cached_njit

Function = TypeVar("Function", bound=Callable[..., Any])

# Kernels hand dozens of arrays to each other for every box. Counting references to them took more than
# half of the running time, and none is created or freed inside: hence `_nrt=False`, under which an
# allocation in a kernel is a compile error.
OPTIONS: dict[str, Any] = {"nogil": True, "_nrt": False, "no_cfunc_wrapper": True}


def kernel(function: Function) -> Function:
    """Compile a function that only other kernels call.

    It gets no wrapper for Python: those would take most of the compile time, with so many arrays each.
    """
    return _compiled(function, no_cpython_wrapper=True)


def entry(function: Function) -> Function:
    """Compile a function that Python calls."""
    return _compiled(function)


def _compiled(function: Function, **more: Any) -> Function:
    return cached_njit(function, **OPTIONS, **more)
