"""Recognise objects of a library without importing the library, and call it without its warnings."""

import inspect
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

import numpy as np

# A subclass may define these and still score exactly as the library's class does.
_HARMLESS = {
    "__init__",
    "__new__",
    "__repr__",
    "__str__",
    "__doc__",
    "__module__",
    "__qualname__",
    "__dict__",
    "__weakref__",
    "__annotations__",
    "__annotate__",
    "__annotate_func__",
    "__annotations_cache__",
    "__parameters__",
    "__orig_bases__",
    "__static_attributes__",
    "__firstlineno__",
    "__slotnames__",
    "__abstractmethods__",
    "_abc_impl",
    "fit",
    "get_params",
    "set_params",
    "_parameter_constraints",
}
# `warnings.catch_warnings` swaps the filters of the whole process. If two threads overlapped, the one that
# ends last would restore what the other had set, for good. So only one thread at a time is inside. Warnings
# of other threads are silent meanwhile, or are shown a moment later, but never become errors.
_FILTERS = RLock()
_ROUTING = re.compile(r"set_\w+_request")  # scikit-learn writes these into every subclass


def library_class(thing: object, *, root: str, names: frozenset[str] | set[str]) -> type | None:
    """Return the class of package ``root``, with one of the ``names``, that ``thing`` is an instance of.

    Only the most derived class of that package counts. A scikit-learn ExtraTreeClassifier is not parsed as
    the DecisionTreeClassifier that it derives from, unless it is listed itself.
    """
    for kind in type(thing).__mro__:
        if kind.__module__.partition(".")[0] == root:
            return kind if kind.__name__ in names else None
    return None


def overrides(thing: object, kind: type) -> list[str]:
    """List the attributes of the library's class that a subclass or the instance replaces.

    Any of these may change the scores without changing the fitted numbers.
    """
    replaced = []
    for derived in type(thing).__mro__[: type(thing).__mro__.index(kind)]:
        for name in vars(derived):
            if name not in _HARMLESS and not _ROUTING.fullmatch(name) and hasattr_static(kind, name):
                replaced.append(name)
    for name in getattr(thing, "__dict__", {}):
        own = inspect.getattr_static(kind, name, None)
        # scikit-learn's conditional methods are descriptors, which cannot be called.
        if callable(own) or hasattr(type(own), "__get__"):
            replaced.append(name)
    return sorted(set(replaced))


def hasattr_static(kind: type, name: str) -> bool:
    """Look for an attribute without running descriptors."""
    missing = object()
    return inspect.getattr_static(kind, name, missing) is not missing


def quiet_check_array(rows: Any) -> np.ndarray:
    """Convert rows as a scikit-learn estimator would, which shows the precision it computes in."""
    from sklearn.utils import check_array

    with without_warnings():
        seen: np.ndarray = check_array(rows, dtype="numeric")
    return seen


@contextmanager
def without_warnings() -> Iterator[None]:
    """Suppress warnings about rows that the user did not pass."""
    with _FILTERS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def caught_warnings(beginning: str) -> Iterator[list[str]]:
    """Collect the warnings that begin with a text, in a list that is complete afterwards; show all others."""
    found: list[str] = []
    shown: list[warnings.WarningMessage] = []
    try:
        with _FILTERS, warnings.catch_warnings(record=True) as shown:
            warnings.filterwarnings("always", message=re.escape(beginning))
            yield found
    finally:
        for one in shown:
            if str(one.message).startswith(beginning):
                found.append(str(one.message))
            else:
                warnings.showwarning(one.message, one.category, one.filename, one.lineno, one.file, one.line)
