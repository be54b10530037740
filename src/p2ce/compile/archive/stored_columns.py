"""Write one column of a table as JSON and arrays, with its type and missing values, and read it back."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from p2ce.base.visible import echoed
from p2ce.base.zip_parts import Damaged
from p2ce.compile.archive.stored_arrays import read_codes, read_mask, write_codes
from p2ce.compile.archive.stored_values import read_value, take, write_value
from p2ce.errors import InvalidArgument, not_installed
from p2ce.tables.cells import MISSING
from p2ce.tables.dates import date_codes, decode_dates, holds_dates
from p2ce.tables.pandas_columns import text_dtype

Arrays: TypeAlias = dict[str, npt.NDArray[Any]]
Written: TypeAlias = tuple[dict[str, Any], Arrays]

PLAIN, NULLABLE, ARROW, TEXT, CATEGORIES, OBJECTS, DATES = (
    *("numbers", "nullable", "arrow", "text", "categories", "objects", "dates"),
)
LATEST = 2.6e17  # microseconds from 1970 to the year 9999, rounded up
USUAL = "usual"  # text as this version of pandas holds it: the storage depends on what is installed
STORAGES = (USUAL, "python", "pyarrow")
MASKED = {
    "b": pd.arrays.BooleanArray,
    "i": pd.arrays.IntegerArray,
    "u": pd.arrays.IntegerArray,
    "f": pd.arrays.FloatingArray,
}


def write_column(column: "pd.Series[Any]", name: str) -> Written:
    """Return a column as JSON and named arrays; ``name`` is for messages."""
    dtype: Any = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        schema, arrays = write_column(pd.Series(dtype.categories), name)
        codes = write_codes(column.cat.codes.to_numpy(), len(dtype.categories))
        written = {"type": CATEGORIES, "ordered": bool(dtype.ordered), "labels": schema}
        return written, {"codes": codes, **{f"labels.{key}": array for key, array in arrays.items()}}
    if isinstance(dtype, pd.StringDtype):
        return _write_text(column, dtype, name)
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        return {"type": PLAIN}, {"values": column.to_numpy()}
    if holds_dates(dtype):
        return _write_dates(column, dtype, name)
    held = getattr(dtype, "numpy_dtype", None)
    if isinstance(held, np.dtype) and held.kind in "biuf":
        missing = column.isna().to_numpy()
        arrays = {"values": column.to_numpy(dtype=held, na_value=held.type(0)), "missing": missing}
        return {"type": ARROW if isinstance(dtype, pd.ArrowDtype) else NULLABLE}, arrays
    if isinstance(dtype, np.dtype) and dtype.kind == "O":
        return _write_objects(column.tolist(), name)
    raise InvalidArgument(
        f"Column {echoed(name)} holds {dtype}, which a file cannot keep. Turn it into numbers, text or "
        "categories of these before fitting the model."
    )


def _write_dates(column: "pd.Series[Any]", dtype: Any, name: str) -> Written:
    if not _is_written(dtype):
        raise InvalidArgument(
            f"Column {echoed(name)} has a time zone that a file cannot keep, {dtype}. Use a zone with a "
            f"name: X[{echoed(name)}].dt.tz_convert('UTC')."
        )
    codes = date_codes(column, dtype)
    missing = codes == MISSING
    arrays = {"values": np.where(missing, 0.0, codes), "missing": missing}
    return {"type": DATES, "dtype": str(dtype)}, arrays


def _is_written(dtype: Any) -> bool:
    """Return whether the name of a type says it all."""
    try:
        return bool(pd.api.types.pandas_dtype(str(dtype)) == dtype)
    except (TypeError, ValueError, KeyError):
        return False


def _write_text(column: "pd.Series[Any]", dtype: Any, name: str) -> Written:
    places, labels = pd.factorize(column)
    texts = [write_value(label, f"A cell of {echoed(name)}") for label in labels.tolist()]
    usual = dtype == text_dtype()
    written = {
        "type": TEXT,
        "storage": USUAL if usual else dtype.storage,
        "missing": "" if usual else str(dtype.na_value),
        "texts": texts,
    }
    return written, {"codes": write_codes(places, len(texts))}


def _write_objects(cells: list[Any], name: str) -> Written:
    """List every distinct cell once. 1, 1.0 and True are distinct, and so are None and NaN."""
    places: dict[Any, int] = {}
    written: list[Any] = []
    codes = np.empty(len(cells), dtype=np.int64)
    for row, cell in enumerate(cells):
        # By its JSON form, since equal cells may differ in type, and NaN does not equal itself.
        form = write_value(cell, f"A cell of {echoed(name)}")
        key = (type(cell), cell) if isinstance(cell, str | bool | int) else repr(form)
        if key not in places:
            places[key] = len(written)
            written.append(form)
        codes[row] = places[key]
    return {"type": OBJECTS, "cells": written}, {"codes": write_codes(codes, len(written))}


def read_column(schema: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> "pd.Series[Any]":
    """Read a column that `write_column` wrote."""
    kind = take(schema, "type", str)
    if kind not in READERS:
        raise Damaged(f"a column is of the type {echoed(kind, most=40)}")
    column: pd.Series[Any] = READERS[kind](schema, arrays)
    return column


def array_names(schema: Any) -> list[str]:
    """List the arrays that a column's JSON refers to."""
    kind = take(schema, "type", str)
    if kind == CATEGORIES:
        labels = take(schema, "labels", dict)
        if labels.get("type") == CATEGORIES:
            raise Damaged("categories of categories")
        return ["codes", *(f"labels.{name}" for name in array_names(labels))]
    masked = ["values", "missing"]
    return {PLAIN: ["values"], NULLABLE: masked, ARROW: masked, DATES: masked}.get(kind, ["codes"])


def _read_numbers(_: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> Any:
    return pd.Series(arrays["values"])


def _read_nullable(_: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> Any:
    values = arrays["values"]
    return pd.Series(MASKED[values.dtype.kind](values, read_mask(arrays["missing"], len(values))))


def _read_dates(schema: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> Any:
    text = take(schema, "dtype", str)
    try:
        dtype = pd.api.types.pandas_dtype(text)
    except (TypeError, ValueError, KeyError, ImportError):
        dtype = None
    values = arrays["values"]
    codes = np.where(read_mask(arrays["missing"], len(values)), MISSING, values)
    if not holds_dates(dtype) or values.dtype != np.float64 or not (np.abs(values) <= LATEST).all():
        raise Damaged(f"a column of dates is of the type {echoed(text, most=40)}, or out of range")
    return pd.Series(decode_dates(codes, dtype))


def _read_arrow(_: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> Any:
    try:
        pyarrow = import_module("pyarrow")
    except ImportError as error:
        raise not_installed("The saved reference", "parquet") from error
    values = arrays["values"]
    held = pyarrow.array(values, mask=read_mask(arrays["missing"], len(values)))
    return pd.Series(pd.arrays.ArrowExtensionArray(held))


def _read_text(schema: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> Any:
    texts = take(schema, "texts", list)
    if not all(type(text) is str for text in texts):
        raise Damaged("a text is not text")
    held = np.array([*texts, None], dtype=object)
    storage, missing = take(schema, "storage", str), take(schema, "missing", str)
    if storage not in STORAGES or missing not in ("", "nan", "<NA>"):
        raise Damaged(f"text is stored as {echoed(storage, most=40)}")
    dtype = text_dtype() if storage == USUAL else _text_type(storage, missing)
    return pd.Series(held[read_codes(arrays["codes"], len(texts))], dtype=dtype)


def _text_type(storage: str, missing: str) -> Any:
    try:
        if missing == "<NA>":
            return pd.StringDtype(storage)
        return pd.StringDtype(storage, na_value=np.nan)  # type: ignore[call-arg,unused-ignore]
    except TypeError:  # pandas before 3 has text as objects
        return text_dtype()
    except ImportError as error:
        raise not_installed("The saved reference", storage) from error


def _read_categories(schema: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> Any:
    own = {key.removeprefix("labels."): array for key, array in arrays.items() if key.startswith("labels.")}
    labels = as_index(read_column(take(schema, "labels", dict), own))
    dtype = pd.CategoricalDtype(labels, ordered=take(schema, "ordered", bool))
    return pd.Series(pd.Categorical.from_codes(read_codes(arrays["codes"], len(labels)), dtype=dtype))


def _read_objects(schema: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> Any:
    written = take(schema, "cells", list)
    held = np.empty(len(written), dtype=object)
    for place, form in enumerate(written):  # one by one: a tuple is one cell
        held[place] = read_value(form)
    return pd.Series(held[read_codes(arrays["codes"], len(written), missing=False)], dtype=object)


def as_index(column: "pd.Series[Any]") -> "pd.Index[Any]":
    """Make labels of a column, of the same type."""
    return pd.Index(column, dtype=column.dtype, tupleize_cols=False, name=None)


READERS = {
    PLAIN: _read_numbers,
    NULLABLE: _read_nullable,
    ARROW: _read_arrow,
    TEXT: _read_text,
    CATEGORIES: _read_categories,
    OBJECTS: _read_objects,
    DATES: _read_dates,
}
