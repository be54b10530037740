"""Determine which kind of table an object is, without importing its library."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Literal, TypeAlias

import numpy as np

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument, nearest, not_installed

TableKind: TypeAlias = Literal["pandas", "polars", "arrow", "numpy", "dict", "records"]
PANDAS: TableKind = "pandas"
POLARS: TableKind = "polars"
ARROW: TableKind = "arrow"
NUMPY: TableKind = "numpy"
DICT: TableKind = "dict"
RECORDS: TableKind = "records"
KINDS: tuple[TableKind, ...] = (PANDAS, POLARS, ARROW, NUMPY, DICT, RECORDS)

# The classes of tables: (package, class) → kind.
FOREIGN: dict[tuple[str, str], TableKind] = {
    ("pandas", "DataFrame"): PANDAS,
    ("polars", "DataFrame"): POLARS,
    ("polars", "LazyFrame"): POLARS,
    ("pyarrow", "Table"): ARROW,
    ("pyarrow", "RecordBatch"): ARROW,
}


def kind_of(table: Any) -> TableKind | None:
    """Return the kind of a table, or None if the object is not a table.

    A dict is a dict of columns. NumPy arrays count if their columns have names: structured arrays, and pairs
    ``(array, names)`` with a two-dimensional array.

    >>> kind_of({"Age": [41, 23]}), kind_of([{"Age": 41}]), kind_of(np.zeros((2, 3)))
    ('dict', 'records', None)
    """
    # A subclass counts as its base class.
    for made_by in type(table).__mro__:
        if kind := FOREIGN.get((package_of(made_by), made_by.__name__)):
            return kind
    if isinstance(table, np.ndarray):
        return NUMPY if table.dtype.names else None
    if is_pair(table):
        return NUMPY
    if isinstance(table, Mapping):
        return DICT
    if isinstance(table, list) and table and all(isinstance(row, Mapping) for row in table):
        return RECORDS
    return None


def is_pair(table: Any) -> bool:
    """Return whether an object is a pair of a two-dimensional array and the names of its columns."""
    return (
        isinstance(table, tuple)
        and len(table) == 2
        and isinstance(table[0], np.ndarray)
        and table[0].ndim == 2
    )


def package_of(made_by: type) -> str:
    """Return the package of a class."""
    return made_by.__module__.partition(".")[0]


def check_kind(kind: str) -> None:
    """Reject an unknown kind of table."""
    if kind not in KINDS:
        raise InvalidArgument(f"kind must be a kind of table, got {echoed(kind)}. {nearest(kind, KINDS)}")


def library(name: str) -> Any:
    """Import the library of the kind of table that is requested."""
    try:
        return import_module(name)
    except ImportError as error:
        instead = "Or choose another kind: to_frame(kind='pandas')."
        raise not_installed(f"A table of {name}", name, instead=instead) from error
