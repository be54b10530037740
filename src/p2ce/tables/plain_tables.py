"""Read and write tables of plain Python, and of NumPy with column names."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from p2ce.base.visible import echoed
from p2ce.tables.arrow_tables import arrow_column
from p2ce.tables.cells import plain_cells
from p2ce.tables.kinds import package_of
from p2ce.tables.pandas_columns import ErrorType, date_column, listed_column, unsupported
from p2ce.tables.polars_tables import polars_column

if TYPE_CHECKING:
    import pandas as pd


def read_columns(columns: Mapping[Any, Any], error: ErrorType) -> "pd.DataFrame":
    """Convert a dict of columns (lists, arrays, series) of equal length to a DataFrame."""
    import pandas as pd

    read = {name: _column(name, values, error) for name, values in columns.items()}
    first = next(iter(read), None)
    for name, column in read.items():
        if len(column) != len(read[first]):
            raise error(
                f"Columns of a dict must have the same length: {echoed(first)} has {len(read[first])} values "
                f"and {echoed(name)} has {len(column)}. Add or drop values."
            )
    return pd.DataFrame(read, index=pd.RangeIndex(len(read[first]) if read else 0))


def read_records(rows: Sequence[Mapping[Any, Any]], error: ErrorType) -> "pd.DataFrame":
    """Convert a list of dicts, all with the keys of the first, to a DataFrame."""
    names = list(rows[0])
    for place, row in enumerate(rows):
        wrong = next((name for name in [*names, *row] if name not in row or name not in names), None)
        if wrong is not None:
            state = "lacks" if wrong not in row else "has"
            other = "has" if wrong not in row else "lacks"
            raise error(
                f"Row {place} {state} the key {echoed(wrong)}, which row 0 {other}. "
                "Give every row the same keys, with None for a missing value."
            )
    return read_columns({name: [row[name] for row in rows] for name in names}, error)


def read_structured(array: "npt.NDArray[Any]", error: ErrorType) -> "pd.DataFrame":
    """Convert a structured array to a DataFrame with a column per field."""
    fields = array.dtype.names or ()
    rows = np.atleast_1d(array)
    if rows.ndim != 1:
        raise error(f"A structured array must have one dimension, got shape {array.shape}. Use .ravel().")
    return read_columns({name: np.asarray(rows[name]) for name in fields}, error)


def read_pair(pair: tuple["npt.NDArray[Any]", Sequence[Any]], error: ErrorType) -> "pd.DataFrame":
    """Convert an array (n, d) and the names of its columns to a DataFrame."""
    array, names = pair
    if isinstance(names, str) or len(names) != array.shape[1] or len(set(names)) != len(names):
        raise error(
            f"(array, names) expects {array.shape[1]} different names, one per column, got {echoed(names)}. "
            "Pass a list of names."
        )
    return read_columns({name: array[:, place] for place, name in enumerate(names)}, error)


def _column(name: Any, values: Any, error: ErrorType) -> "pd.Series[Any]":
    import pandas as pd

    package = package_of(type(values))
    if package == "pandas" and getattr(values, "ndim", 0) == 1:
        return pd.Series(values).reset_index(drop=True)
    if package == "polars" and type(values).__name__ == "Series":
        return polars_column(values, error)
    if package == "pyarrow" and hasattr(values, "null_count"):
        return arrow_column(name, values, error)
    if isinstance(values, np.ndarray):
        if values.ndim == 1 and values.dtype.kind == "M":
            return date_column(values)
        if values.ndim != 1 or values.dtype.kind in "mVc":
            what = values.dtype if values.ndim == 1 else f"{values.ndim} dimensions"
            raise unsupported(name, what, error)
        if values.dtype.kind in "biuf":
            return pd.Series(values.copy())
        return listed_column(name, values.tolist(), error)
    if isinstance(values, list | tuple | range):
        return listed_column(name, values, error)
    raise error(
        f"A dict of columns expects a list or an array for {echoed(name)}, got {echoed(values, most=60)}. "
        "Wrap single values in lists, or use explain() for a single person."
    )


def write_columns(frame: "pd.DataFrame") -> dict[Any, list[Any]]:
    """Convert a DataFrame to a dict of lists. A missing value is NaN in a column of floats, else None."""
    return {name: plain_cells(frame.iloc[:, place]) for place, name in enumerate(frame.columns)}


def write_records(frame: "pd.DataFrame") -> list[dict[Any, Any]]:
    """Convert a DataFrame to a list of dicts."""
    columns = write_columns(frame)
    return [{name: values[place] for name, values in columns.items()} for place in range(len(frame))]


def write_structured(frame: "pd.DataFrame") -> "npt.NDArray[Any]":
    """Convert a DataFrame to a structured array. Text and bools with missing values become objects."""
    fields = [_field(frame.iloc[:, place]) for place in range(frame.shape[1])]
    kinds = [(str(name), field.dtype) for name, field in zip(frame.columns, fields, strict=True)]
    array = np.empty(len(frame), dtype=kinds)
    for (name, _), field in zip(kinds, fields, strict=True):
        array[name] = field
    return array


def _field(column: "pd.Series[Any]") -> "npt.NDArray[Any]":
    dtype: Any = column.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        numbers: npt.NDArray[Any] = column.to_numpy()
        return numbers
    cells = plain_cells(column)
    kinds = {type(cell) for cell in cells}
    if kinds in ({str}, {int}, {bool}, {float}):
        return np.array(cells)
    if kinds == {int, type(None)}:
        return np.array([np.nan if cell is None else cell for cell in cells])
    objects = np.empty(len(cells), dtype=object)
    for place, cell in enumerate(cells):
        objects[place] = cell
    return objects
