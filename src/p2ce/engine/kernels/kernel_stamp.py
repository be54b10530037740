"""Stamp a kernel with all that is compiled into it: code, constants, the fields of its arguments."""

import enum
import hashlib
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba import types

PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))


def stamp_of(kernel: Any) -> str:
    """Hash what Numba sees of a kernel and of all kernels that it calls.

    This is the code in memory, not the files: an installation may replace those while a process runs the old
    version. Nothing is listed by name, so a constant counts wherever it is defined. If a global can only be
    described by its address, every process compiles the kernel anew.
    """
    digest = hashlib.sha256()
    for part in stamped_parts(kernel):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()


def stamped_parts(kernel: Any) -> Iterator[str]:
    """Describe a kernel, the kernels that it calls, and the globals of all of them, one after another."""
    seen: set[int] = set()
    waiting: list[Any] = [kernel]
    while waiting:
        function = plain_function(waiting.pop())
        if id(function) in seen:
            continue
        seen.add(id(function))
        yield f"{function.__module__}.{function.__qualname__}{_code(function.__code__)}"
        yield f"{function.__defaults__} {function.__kwdefaults__}"
        for name, value in globals_of(function):
            yield f"{name} {described(value)}"
            if plain_function(value) is not None:
                waiting.append(value)


def globals_of(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """List the global and enclosed values that a function uses, and the values that it takes from modules."""
    names = dict.fromkeys(name for code in _codes(function.__code__) for name in code.co_names)
    found = {name: function.__globals__[name] for name in names if name in function.__globals__}
    enclosed = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    found |= {name: cell.cell_contents for name, cell in enclosed}
    for name, value in found.items():
        yield name, value
        if isinstance(value, ModuleType):
            yield from ((f"{name}.{part}", getattr(value, part)) for part in names if hasattr(value, part))


def plain_function(value: Any) -> Any:
    """Return the Python function of a kernel, a function as it is, and None for anything else."""
    function = getattr(value, "py_func", value)
    return function if isinstance(function, FunctionType) else None


def described(value: Any) -> str:
    """Describe a global by its value, and what Python and the libraries define by its name."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__qualname__}.{value.name}={value.value!r}"
    if isinstance(value, (*PLAIN, np.dtype)):
        return repr(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{value.dtype!r} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, tuple):
        return f"{type(value).__qualname__}({', '.join(map(described, value))})"
    if isinstance(value, (ModuleType, np.ufunc)):
        return value.__name__
    if isinstance(value, type) or hasattr(value, "__qualname__"):
        fields = getattr(value, "_fields", "")
        return f"{value.__module__}.{value.__qualname__}{fields}"
    return repr(value)


def fields_of(kind: types.Type) -> str:
    """Name the fields of an argument's type: Numba's own description of a tuple leaves them out."""
    if isinstance(kind, types.BaseTuple):
        names = getattr(kind, "fields", ())
        return f"{names}({', '.join(map(fields_of, kind))})"
    return str(kind)


def _code(code: CodeType) -> str:
    # The text of a frozen set depends on the process.
    constants = (sorted(map(repr, one)) if isinstance(one, frozenset) else one for one in code.co_consts)
    known = (_code(one) if isinstance(one, CodeType) else repr(one) for one in constants)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_argcount)
    return f"{names} {', '.join(known)} {code.co_code.hex()} {code.co_exceptiontable.hex()}"


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _codes(one)
