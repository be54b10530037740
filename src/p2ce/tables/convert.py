"""Convert tables and rows of every common kind to pandas, and tables back to their kind."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.errors import InvalidReference, InvalidRow
from p2ce.tables.arrow_tables import read_arrow, write_arrow
from p2ce.tables.cells import plain_cells
from p2ce.tables.kinds import (
    ARROW,
    DICT,
    NUMPY,
    PANDAS,
    POLARS,
    RECORDS,
    TableKind,
    check_kind,
    is_pair,
    kind_of,
    package_of,
)
from p2ce.tables.pandas_columns import ErrorType
from p2ce.tables.plain_tables import (
    read_columns,
    read_pair,
    read_records,
    read_structured,
    write_columns,
    write_records,
    write_structured,
)
from p2ce.tables.polars_tables import read_polars, write_polars

if TYPE_CHECKING:
    import pandas as pd

WRITERS: "dict[str, Callable[[pd.DataFrame], Any]]" = {
    POLARS: write_polars,
    ARROW: write_arrow,
    NUMPY: write_structured,
    DICT: write_columns,
    RECORDS: write_records,
}


def as_pandas(table: Any, *, error: ErrorType = InvalidReference) -> tuple["pd.DataFrame", TableKind]:
    """Convert a table to a pandas DataFrame, and return it with the kind of the table.

    Every column gets the equivalent type. Whole numbers and bools with missing values get nullable types,
    dictionaries and enums become categories. A pandas DataFrame is returned unchanged.

    >>> frame, kind = as_pandas({"Age": [41, None], "Housing": ["own", "rent"]})
    >>> kind, frame["Age"].tolist()[0], str(frame["Age"].dtype)
    ('dict', 41, 'Int64')
    """
    kind = kind_of(table)
    if kind is None:
        raise error(_rejection(table))
    if kind == PANDAS:
        return table, kind
    if kind == POLARS:
        return read_polars(table, error), kind
    if kind == ARROW:
        return read_arrow(table, error), kind
    if kind == DICT:
        return read_columns(table, error), kind
    if isinstance(table, np.ndarray):
        return read_structured(table, error), kind
    return (read_pair if is_pair(table) else read_records)(table, error), kind


def as_kind(frame: "pd.DataFrame", kind: str) -> Any:
    """Convert a pandas DataFrame to a kind of table, with its types and missing values where possible.

    >>> import pandas as pd
    >>> as_kind(pd.DataFrame({"Age": [41], "Housing": ["own"]}), "records")
    [{'Age': 41, 'Housing': 'own'}]
    """
    check_kind(kind)
    return frame if kind == PANDAS else WRITERS[kind](frame)


def as_row(row: Any) -> tuple[Any, TableKind | None]:
    """Return a row as a pandas object, a dict or an array, and the kind of table, if there is one.

    pandas objects and NumPy arrays are returned unchanged. One-row tables of every other kind, named tuples
    and rows of structured arrays become dicts of plain values. If the kind is None (a dict, a tuple, an
    array), results have the kind of the reference.

    >>> as_row([{"Age": 41, "Housing": "own"}])
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
            f"explain() expects one row, got a table of {len(frame)} rows. Use explain_many() for several."
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


def _rejection(table: Any) -> str:
    expected = (
        "Expected a table with named columns: a pandas or polars DataFrame, an Arrow table, a structured "
        "array, (array, names), a dict of columns or a list of dicts"
    )
    if isinstance(table, np.ndarray):
        return (
            f"{expected}; got an array of shape {table.shape} without names. "
            "Pass (array, names), with the names in the model's column order."
        )
    if isinstance(table, list):
        what = "an empty list" if not table else f"a list of {type(table[0]).__name__}"
        return f"{expected}; got {what}. Name the columns."
    own = type(table).__name__
    todo = "Convert it to a pandas DataFrame."
    if hasattr(table, "to_pandas"):
        todo = "Pass its .to_pandas()."
    elif hasattr(table, "predict"):
        todo = "Pass the model first, then the table."
    elif hasattr(table, "to_frame") and hasattr(table, "index"):  # a Series of pandas
        todo = "Use explain() for one row, or pass a DataFrame."
    elif hasattr(table, "data") and hasattr(table, "target"):  # of this package or scikit-learn
        todo = "Pass its .data."
    return f"{expected}; got {own}. {todo}"
