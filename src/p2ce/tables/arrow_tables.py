"""Read and write Arrow tables.

In Arrow, a missing value is null. A dictionary is a categorical column, with a flag for its order.
"""

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.base.visible import echoed
from p2ce.tables.cells import plain_cells
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


def read_arrow(table: Any, error: ErrorType) -> "pd.DataFrame":
    """Convert a table or a record batch to a pandas DataFrame."""
    import pandas as pd

    names = list(table.schema.names)
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        raise error(f"Column {echoed(twice)} appears more than once. Give every column its own name.")
    columns = {name: arrow_column(name, table.column(place), error) for place, name in enumerate(names)}
    return pd.DataFrame(columns, index=pd.RangeIndex(table.num_rows))


def arrow_column(name: str, array: Any, error: ErrorType) -> "pd.Series[Any]":
    """Convert a column, in chunks or not, to the equivalent pandas type."""
    import pandas as pd

    types = library("pyarrow").types
    kind = array.type
    if types.is_boolean(kind):
        return bool_column(array.to_pylist())
    if types.is_integer(kind):
        filled = array.fill_null(0) if array.null_count else array
        return whole_column(_numbers(filled), _numbers(array.is_null()))
    if types.is_floating(kind):
        return pd.Series(np.array(_numbers(array)))
    if _is_text(types, kind):
        return text_column(array.to_pylist())
    if types.is_dictionary(kind) and (
        _is_text(types, kind.value_type)
        or types.is_integer(kind.value_type)
        or types.is_floating(kind.value_type)
        or types.is_boolean(kind.value_type)
    ):
        return category_column(array.to_pylist(), _labels(array), ordered=kind.ordered)
    if types.is_union(kind):  # cells of several types
        return listed_column(name, array.to_pylist(), error)
    if types.is_timestamp(kind) or types.is_date(kind):
        return date_column(_numbers(array), zone=getattr(kind, "tz", None))
    if types.is_null(kind):  # a row whose only value is missing
        return listed_column(name, [None] * len(array), error)
    raise unsupported(name, kind, error)


def _is_text(types: Any, kind: Any) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind)) or str(kind) == "string_view"


def _numbers(array: Any) -> Any:
    return array.to_numpy() if hasattr(array, "chunks") else array.to_numpy(zero_copy_only=False)


def _labels(array: Any) -> list[Any]:
    """List the labels of a dictionary. Each chunk may have different ones."""
    chunks = array.chunks if hasattr(array, "chunks") else [array]
    return [label for chunk in chunks for label in chunk.dictionary.to_pylist()]


def write_arrow(frame: "pd.DataFrame") -> Any:
    """Convert a pandas DataFrame to an Arrow table."""
    arrow = library("pyarrow")
    columns = [_written(arrow, frame.iloc[:, place]) for place in range(frame.shape[1])]
    return arrow.Table.from_arrays(columns, names=[str(name) for name in frame.columns])


def _written(arrow: Any, column: "pd.Series[Any]") -> Any:
    dtype: Any = column.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        return arrow.array(column.to_numpy(), from_pandas=True)  # NaN becomes null
    if holds_dates(dtype):
        return arrow.Array.from_pandas(column)
    cells = [None if value != value else value for value in plain_cells(column)]
    if hasattr(dtype, "categories"):
        codes = column.cat.codes.to_numpy()
        indices = arrow.array(codes.astype(np.int32), mask=codes < 0)
        labels = _inferred(arrow, dtype.categories.tolist())
        return arrow.DictionaryArray.from_arrays(indices, labels, ordered=bool(dtype.ordered))
    held = getattr(dtype, "numpy_dtype", None)
    if isinstance(held, np.dtype) and held.kind in "biuf":  # whole numbers and bools that may be missing
        return arrow.array(cells, type=arrow.from_numpy_dtype(held))
    return _inferred(arrow, cells)


def _inferred(arrow: Any, cells: list[Any]) -> Any:
    if all(cell is None or isinstance(cell, str) for cell in cells):
        return arrow.array(cells, type=arrow.string())
    try:
        return arrow.array(cells)
    except arrow.ArrowException:
        # Cells of several types, or of a type that Arrow does not have.
        return arrow.array([None if cell is None else str(cell) for cell in cells], type=arrow.string())
