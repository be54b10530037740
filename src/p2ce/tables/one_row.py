"""Read one person from any object that holds a row."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from p2ce.errors import InvalidRow
from p2ce.tables.cells import plain_cells
from p2ce.tables.kinds import DICT, NUMPY, PANDAS, TableKind, kind_of, package_of
from p2ce.tables.to_pandas import as_pandas


def as_person(row: Any) -> tuple[Any, TableKind | None]:
    """Return a person as a pandas object, a dict or an array, and the kind of table, if there is one.

    pandas objects and NumPy arrays are returned unchanged. One-row tables of every other kind, named tuples
    and rows of structured arrays become dicts of plain values. If the kind is None (a dict, a tuple, an
    array), results have the kind of the reference.

    >>> as_person([{"Age": 41, "Housing": "own"}])
    ({'Age': 41, 'Housing': 'own'}, 'records')
    """
    if package_of(type(row)) == PANDAS and getattr(row, "ndim", 0) in (1, 2):
        return row, PANDAS
    if isinstance(row, np.void) and row.dtype.names:
        return _one_row(np.array([row], dtype=row.dtype)), NUMPY
    if isinstance(row, tuple) and hasattr(row, "_fields"):
        return _named(row), None
    kind = kind_of(row)
    if kind is None or (kind == DICT and not _of_columns(row)):
        return row, None
    if kind == PANDAS:
        return row, kind
    return _one_row(row), kind


def _one_row(table: Any) -> dict[Any, Any]:
    frame, _ = as_pandas(table, error=InvalidRow)
    if len(frame) != 1:
        raise InvalidRow(
            f"explain() expects one person, got a table of {len(frame)} rows. Use explain_many() for several."
        )
    return {name: plain_cells(frame.iloc[:, place])[0] for place, name in enumerate(frame.columns)}


def _of_columns(row: Mapping[Any, Any]) -> bool:
    """Distinguish a dict of columns from a dict of values."""
    return bool(row) and all(isinstance(value, list | np.ndarray) for value in row.values())


def _named(row: Any) -> dict[str, Any]:
    cells = dict(zip(row._fields, row, strict=True))
    if type(row).__name__ == "Pandas" and row._fields[0] == "Index":
        del cells["Index"]  # rows of DataFrame.itertuples() begin with their index label
    return cells
