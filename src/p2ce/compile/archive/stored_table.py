"""Write a whole table as JSON and arrays, and read it back."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from p2ce.base.visible import echoed
from p2ce.base.zip_parts import Damaged
from p2ce.compile.archive.stored_columns import Arrays, array_names, as_index, read_column, write_column
from p2ce.compile.archive.stored_values import read_value, take, write_value
from p2ce.tables import KINDS, TableKind


def write_table(frame: pd.DataFrame, kind: TableKind) -> tuple[dict[str, Any], Arrays]:
    """Return a frame as JSON and named arrays, without row labels, which nothing uses."""
    labels = frame.columns
    several = isinstance(labels, pd.MultiIndex)
    held = np.empty(len(labels), dtype=object)
    held[:] = labels.tolist()
    written, arrays = write_column(
        pd.Series(held, dtype=object) if several else labels.to_series().reset_index(drop=True), "its labels"
    )
    named = {f"labels.{key}": array for key, array in arrays.items()}
    columns = []
    for place in range(frame.shape[1]):
        schema, arrays = write_column(frame.iloc[:, place], str(labels[place]))
        columns.append(schema)
        named |= {f"{place}.{key}": array for key, array in arrays.items()}
    names = [write_value(name, "A name of its columns") for name in labels.names]
    content = {"kind": kind, "rows": len(frame), "columns": columns}
    return content | {"labels": written, "names": names, "several": several}, named


def restore_table(content: Any, array: Callable[[str], npt.NDArray[Any]]) -> tuple[pd.DataFrame, TableKind]:
    """Read a table that `write_table` wrote. ``array`` returns an array by name."""
    named, rows = take(content, "kind", str), take(content, "rows", int)
    schemas = take(content, "columns", list)
    kind = next((known for known in KINDS if known == named), None)
    if kind is None:
        raise Damaged(f"a table of the kind {echoed(named, most=40)}")
    columns = {place: _column(schema, f"{place}.", array) for place, schema in enumerate(schemas)}
    labels = _column(take(content, "labels", dict), "labels.", array)
    if any(len(column) != rows for column in columns.values()) or len(labels) != len(columns):
        raise Damaged("columns of different length")
    frame = pd.DataFrame(columns, index=pd.RangeIndex(rows))
    names = [read_value(name) for name in take(content, "names", list)]
    if take(content, "several", bool):
        frame.columns = pd.MultiIndex.from_tuples(labels.tolist(), names=names)
    else:
        frame.columns = as_index(labels).set_names(names)
    return frame, kind


def _column(schema: Any, start: str, array: Callable[[str], npt.NDArray[Any]]) -> "pd.Series[Any]":
    return read_column(schema, {name: array(start + name) for name in array_names(schema)})
