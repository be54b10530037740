"""Compile kernels: serial, cached on disk, free of the interpreter lock and of reference counts."""

from collections.abc import Callable
from inspect import signature
from typing import Any, TypeVar, cast

import numba

from p2ce.engine.kernels.kernel_cache import keep_compiled

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Kernels pass dozens of arrays to each other for every box. Counting references to them took more than half
# of the running time, although kernels neither create nor free arrays. Hence `_nrt=False`, which also makes
# an allocation in a kernel a compile error.
OPTIONS: dict[str, Any] = {"nopython": True, "nogil": True, "_nrt": False, "no_cfunc_wrapper": True}
# The Numba versions with which `linked_kernels` was tested. With any other version, Numba compiles in its
# usual way, which takes three times as long.
TRIED = ((0, 61), (0, 68))
LINKS = TRIED[0] <= tuple(map(int, numba.__version__.split(".")[:2])) <= TRIED[1]


def kernel(function: _Function) -> _Function:
    """Compile a function that only other kernels call."""
    if numba.config.DISABLE_JIT:
        return function
    options = {**OPTIONS, "no_cpython_wrapper": True}
    if not LINKS:
        return cast(_Function, numba.jit(**options)(function))
    from p2ce.engine.kernels.linked_kernels import linked_kernel

    return cast(_Function, linked_kernel(function, options))


def entry(function: _Function) -> _Function:
    """Compile a function that Python calls."""
    return _entry(function, branches=False)


def branching_entry(function: _Function) -> _Function:
    """Compile a function that Python calls, and that spends its time in branches rather than in loops."""
    return _entry(function, branches=True)


def _entry(function: _Function, *, branches: bool) -> _Function:
    if numba.config.DISABLE_JIT:
        from p2ce.engine.kernels.interpreted_kernels import interpreted

        return interpreted(function)
    if LINKS:
        from p2ce.engine.kernels import linked_kernels as linked

        compile_linked = linked.linking_branching_entry if branches else linked.linking_entry
        compiled = compile_linked(function, dict(OPTIONS))
        keep_compiled(compiled, made_by=(__file__, linked.__file__))
    else:
        compiled = numba.jit(**OPTIONS)(function)
        keep_compiled(compiled, made_by=(__file__,))
    return cast(_Function, compiled)


def types_loaded(function: Callable[..., Any], argument: str) -> set[str]:
    """Return the types of an argument for which this process has compiled or loaded an entry."""
    position = list(signature(function).parameters).index(argument)
    return {str(types[position]) for types in getattr(function, "signatures", ())}
