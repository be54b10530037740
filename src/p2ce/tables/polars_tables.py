"""Read and write polars frames.

In polars, a missing value is null. An `Enum` is an ordered category, since polars compares its labels by that
order. A `Categorical` is unordered, and its labels are those that occur, in order of appearance.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.tables.cells import holds_floats, plain_cells
from p2ce.tables.dates import holds_dates
from p2ce.tables.kinds import library
from p2ce.tables.pandas_columns import (
    ErrorType,
    bool_column,
    category_column,
    date_column,
    listed_column,
    text_column,
    unsupported,
    whole_column,
)

if TYPE_CHECKING:
    import pandas as pd

WHOLE = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")


def read_polars(frame: Any, error: ErrorType) -> "pd.DataFrame":
    """Convert a polars frame to a pandas DataFrame. A lazy frame is collected."""
    import pandas as pd

    held = frame.collect() if type(frame).__name__ == "LazyFrame" else frame
    columns = {name: polars_column(held.get_column(name), error) for name in held.columns}
    return pd.DataFrame(columns, index=pd.RangeIndex(held.height))


def polars_column(series: Any, error: ErrorType) -> "pd.Series[Any]":
    """Convert a column to the equivalent pandas type."""
    import pandas as pd

    kind = series.dtype.base_type().__name__
    if kind in WHOLE:
        return whole_column(series.fill_null(0).to_numpy(), series.is_null().to_list())
    if kind in ("Float32", "Float64"):
        return pd.Series(np.array(series.to_numpy()))
    if kind == "Boolean":
        return bool_column(series.to_list())
    if kind in ("String", "Utf8"):
        return text_column(series.to_list())
    if kind == "Enum":
        return category_column(series.to_list(), list(series.dtype.categories), ordered=True)
    if kind == "Categorical":
        values = series.to_list()
        return category_column(values, list(dict.fromkeys(values)), ordered=False)
    if kind in ("Date", "Datetime"):
        return date_column(series.to_numpy(), zone=getattr(series.dtype, "time_zone", None))
    if kind == "Null":  # a row whose only value is missing
        return listed_column(series.name, [None] * len(series), error)
    raise unsupported(series.name, series.dtype, error)


def _dates(polars: Any, name: str, column: "pd.Series[Any]") -> Any:
    zone = column.dt.tz
    plain = column if zone is None else column.dt.tz_convert("UTC").dt.tz_localize(None)
    unit = "us" if plain.dt.unit == "s" else plain.dt.unit  # polars has no seconds
    found = polars.Series(name, plain.dt.as_unit(unit).to_numpy())
    return found if zone is None else found.dt.replace_time_zone("UTC").dt.convert_time_zone(str(zone))


def write_polars(frame: "pd.DataFrame") -> Any:
    """Convert a pandas DataFrame to a polars DataFrame."""
    polars = library("polars")
    columns = [_written(polars, str(name), frame.iloc[:, place]) for place, name in enumerate(frame.columns)]
    return polars.DataFrame(columns)


def _written(polars: Any, name: str, column: "pd.Series[Any]") -> Any:
    dtype: Any = column.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        return polars.Series(name, column.to_numpy(), nan_to_null=holds_floats(dtype))
    if holds_dates(dtype):
        return _dates(polars, name, column)
    cells = [None if value != value else value for value in plain_cells(column)]
    if hasattr(dtype, "categories") and all(isinstance(label, str) for label in dtype.categories):
        labels = polars.Enum(dtype.categories.tolist()) if dtype.ordered else polars.Categorical
        return polars.Series(name, cells, dtype=labels)
    held = getattr(dtype, "numpy_dtype", None)
    if isinstance(held, np.dtype) and held.kind in "biuf":  # whole numbers and bools that may be missing
        return polars.Series(name, cells, dtype=polars.Series(np.empty(0, dtype=held)).dtype)
    if all(cell is None or isinstance(cell, str) for cell in cells):
        return polars.Series(name, cells, dtype=polars.String)
    try:
        return polars.Series(name, cells)
    except (TypeError, ValueError):  # cells of several types
        return polars.Series(name, cells, dtype=polars.Object)
