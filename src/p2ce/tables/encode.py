"""Encode the caller's rows as numbers, and report what is wrong with rows that cannot be encoded."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.visible import echoed, listed
from p2ce.base.whole_numbers import INEXACT, is_exact, largest_held
from p2ce.errors import InvalidRow, nearest
from p2ce.tables import TableKind, as_pandas, as_row
from p2ce.tables.cells import is_missing
from p2ce.tables.codebook import MISSING, Codebook, Coding, as_floats

PLAIN = frozenset({int, float, str, bool, type(None)})  # the types of most cells
DIGITS = re.compile(r"\d+")
LARGEST_VALUE = float(np.finfo(np.float32).max)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EncodedRows:
    """The rows of the caller, in the model's column order."""

    ids: tuple[Any, ...]  # the index of the caller's frame
    columns: tuple[list[Any], ...]  # one list per model column, plain values exactly as passed
    values: FloatArray  # (n, d) the same as codes; 0 where a row cannot be encoded
    codebook: Codebook  # decodes the values, also the labels that only these rows have
    problems: dict[int, str]  # position → why the row cannot be encoded
    kind: TableKind = "pandas"  # of the caller's table
    ignored: tuple[str, ...] = ()  # columns that the model does not use

    def __len__(self) -> int:
        return len(self.ids)

    def row(self, position: int, names: Sequence[str]) -> dict[str, Any]:
        """Return one row as plain Python values."""
        return {name: column[position] for name, column in zip(names, self.columns, strict=True)}


def encode_row(given_row: Any, codebook: Codebook, *, kind: TableKind = "pandas") -> EncodedRows:
    """Encode one row: a Series, a dict, an array or a table of one row. Raise InvalidRow for any problem.

    ``kind`` is the kind of table for the explanation, if the row is not a table.
    """
    row, own_kind = given_row, None
    ignored: tuple[str, ...] = ()
    if not isinstance(row, dict) or any(isinstance(value, list | np.ndarray) for value in row.values()):
        row, own_kind = as_row(row)
    names = codebook.names
    given: dict[Any, Any]
    if isinstance(row, pd.DataFrame):
        if len(row) != 1:
            raise InvalidRow(
                f"explain() expects one row, got a frame of {len(row)} rows. Use explain_many() for several."
            )
        labels, ignored = _labels(row.columns, names)
        row_id, columns = row.index[0], [_column(row[label]) for label in labels]
        given = dict(zip(names, columns, strict=True))
    elif isinstance(row, pd.Series | Mapping):
        row_id = getattr(row, "name", 0)
        keys = list(row.keys())
        found, ignored = (keys, ()) if keys == list(names) else _labels(keys, names)
        # Looking up the labels of a Series one by one is slow.
        cells = dict(zip(keys, row.to_numpy() if isinstance(row, pd.Series) else row.values(), strict=True))
        given = {
            name: np.array([cell], dtype=object) if type(cell := cells[key]) in PLAIN else _one(cell)
            for name, key in zip(names, found, strict=True)
        }
    elif isinstance(row, np.ndarray | list | tuple):
        row_id = 0
        shape = _shape(row)
        if shape == (1, len(names)):
            row, shape = row[0], shape[1:]
        if shape != (len(names),):
            several = " Use explain_many() for several." if len(shape) == 2 and shape[0] > 1 else ""
            raise InvalidRow(
                f"A row passed as an array needs {len(names)} values in the model's column order, got an "
                f"array of shape {shape}. Pass a Series or a dict to match columns by name.{several}"
            )
        given = {name: _one(value) for name, value in zip(names, row, strict=True)}
    else:
        hint = f" To explain one person of a table, pass X.loc[{echoed(row)}]." if _is_id(row) else ""
        raise InvalidRow(
            f"A row must be a Series, a one-row frame, a dict or an array; got {type(row).__name__}.{hint}"
        )
    rows = _encode((row_id,), list(given.values()), codebook)
    if rows.problems:
        raise InvalidRow(rows.problems[0])
    return replace(rows, kind=own_kind or kind, ignored=ignored)


def encode_table(table: Any, codebook: Codebook, *, kind: TableKind = "pandas") -> EncodedRows:
    """Encode many rows. A row that cannot be encoded is recorded; a missing column raises.

    An array without names has the model's columns in their order. ``kind`` is then the kind of table for the
    explanations.
    """
    if _is_array_of_rows(table):
        return replace(_encode_array(table, codebook), kind=kind)
    frame, kind = as_pandas(table, error=InvalidRow)
    labels, ignored = _labels(frame.columns, codebook.names)
    columns = [_column(frame[label]) for label in labels]
    return replace(_encode(tuple(frame.index), columns, codebook), kind=kind, ignored=ignored)


def _is_array_of_rows(table: Any) -> bool:
    if isinstance(table, np.ndarray):
        return table.dtype.names is None
    return (
        isinstance(table, list) and bool(table) and all(isinstance(row, list | np.ndarray) for row in table)
    )


def _encode_array(rows: Any, codebook: Codebook) -> EncodedRows:
    """Encode an array (n, d), or a list of n rows."""
    names, shape = codebook.names, _shape(rows)
    if len(shape) != 2 or shape[1] != len(names):
        one = " Use explain() for one row." if shape == (len(names),) else ""
        raise InvalidRow(
            f"Rows passed as an array need {len(names)} columns in the model's order, got an array of shape "
            f"{shape}. Pass a table to match columns by name.{one}"
        )
    if isinstance(rows, np.ndarray):
        columns = [rows[:, place] for place in range(len(names))]
    else:
        columns = [np.empty(len(rows), dtype=object) for _ in names]
        for number, row in enumerate(rows):
            for column, value in zip(columns, row, strict=True):
                column[number] = value
    return _encode(tuple(range(len(rows))), columns, codebook)


def _column(column: "pd.Series[Any]") -> npt.NDArray[Any]:
    """Return a column's cells unchanged; as objects if NumPy has no type for them."""
    if isinstance(column.dtype, np.dtype):
        return column.to_numpy()
    cells = np.empty(len(column), dtype=object)
    cells[:] = column.tolist()
    return cells


def _one(value: Any) -> npt.NDArray[Any]:
    """Build a column of one value that keeps its type."""
    column = np.empty(1, dtype=value.dtype if isinstance(value, np.generic) else object)
    column[0] = value
    return column


def _encode(ids: tuple[Any, ...], columns: Sequence[npt.NDArray[Any]], codebook: Codebook) -> EncodedRows:
    names = codebook.names
    problems: dict[int, str] = {}
    coded, wider = [], dict[int, Coding]()
    for place, (coding, column) in enumerate(zip(codebook.codings, columns, strict=True)):
        if not coding.is_category:
            coded.append(coding.encode(column) if coding.is_date else as_floats(column))
            continue
        for bad in _of_another_kind(coding, column):
            problems.setdefault(bad, _other_kind(coding, column[bad]))
        codes, own = coding.encode_all(column)
        coded.append(codes)
        if own is not coding:
            wider[place] = own
    if wider:
        codings = [wider.get(place, one) for place, one in enumerate(codebook.codings)]
        codebook = codebook.with_codings(codings)
    codes = np.column_stack(coded).reshape(len(ids), len(names))
    readable = ~np.isnan(codes)
    values = codes if readable.all() else np.where(readable, codes, 0.0)
    fits = _fits(values, codebook)
    for bad, position in zip(*np.nonzero(~(readable & fits)), strict=True):
        name, value = names[position], float(values[bad, position])
        if not readable[bad, position]:
            text = _describe(codebook.codings[position], columns[position][bad])
        elif abs(value) > LARGEST_VALUE:
            text = (
                f"The value of {echoed(name)}, {value:g}, is too large: models and detectors that compute in "
                f"single precision support values up to {LARGEST_VALUE:.2g}. Pass a smaller one."
            )
        else:
            text = (
                f"Column {echoed(name)} holds {codebook[name].dtype} in the reference, which cannot hold "
                f"{echoed(_plain(columns[position][bad]))} exactly. Pass the value in the column's own type."
            )
        problems.setdefault(int(bad), text)
    plain = tuple(column.tolist() for column in columns)
    plain = tuple([cell if type(cell) in PLAIN else _plain(cell) for cell in column] for column in plain)
    if codebook.dates:
        plain = tuple(
            _as_text(coding, cells, codes[:, place]) if coding.is_date else cells
            for place, (coding, cells) in enumerate(zip(codebook, plain, strict=True))
        )
    return EncodedRows(ids=ids, columns=plain, values=values, codebook=codebook, problems=problems)


def _of_another_kind(coding: Coding, column: npt.NDArray[Any]) -> list[int]:
    """Find cells that are text although all labels are numbers, or vice versa."""
    assert coding.labels is not None
    kinds = {isinstance(label, str) for label in coding.labels}
    if len(kinds) != 1:
        return []
    (text,) = kinds
    return [
        at
        for at, cell in enumerate(column.tolist())
        if not is_missing(cell) and isinstance(cell, str) is not text
    ]


def _other_kind(coding: Coding, value: Any) -> str:
    assert coding.labels is not None
    shown_labels = listed(coding.labels[:4])
    return (
        f"Column {echoed(coding.name)} holds values such as {shown_labels} in the reference, but "
        f"{echoed(_plain(value))} here. Pass the value in the reference's own type."
    )


def _labels(given: Any, names: Sequence[str]) -> tuple[list[Any], tuple[str, ...]]:
    """Match columns by name, in any order. Also return those that the model does not use.

    A column whose name is a slip of the pen away from one of the model is an error, since the two were
    probably meant to be one.
    """
    given = list(given)
    labels = {str(label): label for label in given}
    if len(labels) != len(given):
        texts = [str(label) for label in given]
        twice = next(text for text in texts if texts.count(text) > 1)
        raise InvalidRow(f"Column {echoed(twice)} appears more than once. Rename one of the columns.")
    missing = [name for name in names if name not in labels]
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise InvalidRow(
            f"Column {echoed(missing[0])} is missing{more}. {nearest(missing[0], list(labels))} "
            "A row needs every column of the model."
        )
    extra = [name for name in labels if name not in set(names)]
    for name in extra:
        if any(is_slip(name.lower(), known.lower()) for known in names):
            raise InvalidRow(
                f"Column {echoed(name)} is not a column of the model. {nearest(name, list(names))} "
                "Drop or rename it."
            )
    return [labels[name] for name in names], tuple(extra)


def is_slip(name: str, known: str) -> bool:
    """Return whether two names differ by one letter, or by two that are swapped. Numbered names differ.

    >>> [is_slip(*both) for both in [("dept", "debt"), ("ag", "age"), ("aeg", "age"), ("x1", "x2")]]
    [True, True, True, False]
    """
    if DIGITS.sub("", name) == DIGITS.sub("", known) and name != known:
        return False
    while name and known and name[0] == known[0]:
        name, known = name[1:], known[1:]
    while name and known and name[-1] == known[-1]:
        name, known = name[:-1], known[:-1]
    return max(len(name), len(known)) <= 1 or (len(name) == 2 and name == known[::-1])


def _fits(values: FloatArray, codebook: Codebook) -> BoolArray:
    """Return which values (n, d) the columns' types hold exactly, so the model sees the reported values.

    A missing value and a category always fit.
    """
    kinds = [coding.number_dtype for coding in codebook.codings]
    # float64 does not hold the largest int64, so the limit is the next smaller float64.
    most = [
        LARGEST_VALUE if kind.kind == "f" else 1.0 if kind.kind == "b" else largest_held(kind)
        for kind in kinds
    ]
    least = [
        -LARGEST_VALUE if kind.kind == "f" else 0.0 if kind.kind == "b" else np.iinfo(kind).min
        for kind in kinds
    ]
    fits: BoolArray = (values <= np.array(most, dtype=np.float64)) & (
        values >= np.array(least, dtype=np.float64)
    )
    whole = np.array([kind.kind != "f" for kind in kinds])
    fits &= ~whole | (values == np.rint(values))
    for position, kind in enumerate(kinds):
        if kind.kind == "f" and kind.itemsize < 8:
            with np.errstate(over="ignore"):
                fits[:, position] &= (
                    values[:, position].astype(kind).astype(np.float64) == values[:, position]
                )
    fits |= values == MISSING
    return fits


def _is_id(row: Any) -> bool:
    return isinstance(row, str | int | np.integer) and not isinstance(row, bool)


def _shape(row: Any) -> tuple[int, ...]:
    """Return the shape of an array or of nested lists; (length, 0) if the lists are ragged."""
    try:
        return np.shape(row)
    except (ValueError, RecursionError):
        return (len(row), 0)


def _as_text(coding: Coding, cells: list[Any], codes: FloatArray) -> list[Any]:
    """Write the dates of a column as ISO text, and keep what is not a date of the column."""
    return [
        cell if np.isnan(code) else coding.plain(code)
        for cell, code in zip(cells, codes.tolist(), strict=True)
    ]


def _describe(coding: Coding, value: Any) -> str:
    name = coding.name
    if coding.is_date:
        return (
            f"Column {echoed(name)} holds dates ({coding.dtype}) in the reference, and cannot hold "
            f"{echoed(_plain(value))} exactly. Pass a date, or ISO text such as 2026-11-18, in the column's "
            "own precision and with a time zone only if the column has one."
        )
    if not is_exact(value):
        return (
            f"The value of {echoed(name)}, {echoed(_plain(value))}, is {INEXACT}. Pass a "
            "smaller number, such as one in larger units, or fit the model with the column as a category."
        )
    if isinstance(value, float | np.floating):
        return f"The value of {echoed(name)} is infinite. Pass a finite number, or a missing value."
    return (
        f"Column {echoed(name)} holds {echoed(value)}, which is not a number. Write a plain number, such as "
        "3190, or encode it as in the data that the model was trained on."
    )


def _plain(value: Any) -> Any:
    # An object column keeps NumPy's scalars, and pandas has its own missing values.
    if value is pd.NA or value is pd.NaT:
        return None
    return value.item() if isinstance(value, np.generic) else value


def has_unseen_categories(codebook: Codebook, values: FloatArray) -> BoolArray:
    """Return which instances (n, d) have a label that is not in the reference."""
    known = np.array([np.inf if coding.labels is None else len(coding.labels) for coding in codebook])
    return np.asarray((values >= known).any(axis=1))


def unseen_labels(codebook: Codebook, values: FloatArray) -> str:
    """Describe the columns of instances (n, d) with labels that are not in the reference."""
    found = []
    for column, coding in enumerate(codebook):
        if coding.labels is not None:
            for code in np.unique(values[values[:, column] >= len(coding.labels), column]).tolist():
                found.append(f"{echoed(coding.name)} holds {echoed(coding.plain(code))}")
    return ", ".join(found)
