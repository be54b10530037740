"""Return which kind of table an object is, without importing the library that made it."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Literal, TypeAlias

import numpy as np

from p2ce.errors import InvalidArgument, nearest, not_installed
from p2ce.visible import echoed

TableKind: TypeAlias = Literal["pandas", "polars", "arrow", "numpy", "dict", "records"]
PANDAS: TableKind = "pandas"
POLARS: TableKind = "polars"
ARROW: TableKind = "arrow"
NUMPY: TableKind = "numpy"
DICT: TableKind = "dict"
RECORDS: TableKind = "records"
KINDS: tuple[TableKind, ...] = (PANDAS, POLARS, ARROW, NUMPY, DICT, RECORDS)

# Where the classes live that are tables: (package, class) → kind.
FOREIGN: dict[tuple[str, str], TableKind] = {
    ("pandas", "DataFrame"): PANDAS,
    ("polars", "DataFrame"): POLARS,
    ("polars", "LazyFrame"): POLARS,
    ("pyarrow", "Table"): ARROW,
    ("pyarrow", "RecordBatch"): ARROW,
}


def kind_of(table: Any) -> TableKind | None:
    """Name the kind of a table; None for what is not a table.

    A dict is one of columns. NumPy arrays count if their columns have names: structured ones, and pairs
    ``(array, names)`` of an array with two dimensions.

    >>> kind_of({"Age": [41, 23]}), kind_of([{"Age": 41}]), kind_of(np.zeros((2, 3)))
    ('dict', 'records', None)
    """
    # Subclasses count as what they are derived from.
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
    """Hold an array of two dimensions together with the names of its columns."""
    return (
        isinstance(table, tuple)
        and len(table) == 2
        and isinstance(table[0], np.ndarray)
        and table[0].ndim == 2
    )


def package_of(made_by: type) -> str:
    """Name the package that a class is from."""
    return made_by.__module__.partition(".")[0]


def check_kind(kind: str) -> None:
    """Reject the name of a kind that is none."""
    if kind not in KINDS:
        raise InvalidArgument(
            f"kind expects one of the kinds of table, got {echoed(kind)}. {nearest(kind, KINDS)}"
        )


def library(name: str) -> Any:
    """Import the library in whose kind a result is wanted."""
    try:
        return import_module(name)
    except ImportError as error:
        instead = "Or choose another kind: to_frame(kind='pandas')."
        raise not_installed(f"A table of {name}", name, instead=instead) from error
