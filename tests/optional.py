"""Mark what the default run of the tests has not: a library of an extra, or the time that a test takes."""

import os
import warnings
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import pytest

ALL_EXTRAS = bool(os.environ.get("P2CE_ALL_EXTRAS"))  # a missing library is a failure


def needs(name: str) -> Any:
    """Return a module, or skip the test (or the file, on its top level) that wants it.

    With ``P2CE_ALL_EXTRAS`` set, as in the second half of CI, a missing library is a failure.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the library, about those that it imports
        if ALL_EXTRAS:
            return import_module(name)
        installed_by = f"{name.partition('.')[0]} is not installed: pip install -e '.[test-all]'"
        return pytest.importorskip(name, reason=installed_by)


def mostly_slow(values: Iterable[Any], *quick: Any, several: bool = False) -> list[Any]:
    """Mark all values of a parameter as slow but some, which stand for the others in the default run.

    Each value is a tuple if they are those of ``several`` parameters.
    """
    found = list(values)
    assert all(value in found for value in quick), quick
    slow = [pytest.param(*(value if several else (value,)), marks=pytest.mark.slow) for value in found]
    return [value if value in quick else marked for value, marked in zip(found, slow, strict=True)]


def with_torch(names: Iterable[str], *others: str) -> list[Any]:
    """Mark the parameters that want PyTorch."""
    return [pytest.param(name, marks=pytest.mark.torch) if name in others else name for name in names]


class LazyLibrary:
    """A module that is imported when a test first uses it, so collecting the tests needs no library.

    >>> LazyLibrary("json").loads("3")
    3
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(needs(self._name), name)
