"""Interpret one cell of a table, from any library."""

from typing import Any

import numpy as np

MISSING = -np.inf  # the code of a missing value, below everything


def is_missing(value: Any) -> bool:
    """Return whether a value is missing: None, NaN, or pandas' NA or NaT.

    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    if value is None:
        return True
    if isinstance(value, str | bytes | bool | int | tuple):
        return False
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # NA has no truth value, an array has several
        return not hasattr(value, "__len__")


def label_key(label: Any) -> tuple[bool, Any]:
    """Return a key that is the same for equal labels: 1 and 1.0 are equal, True and 1 are not.

    >>> label_key(True) == label_key(1), label_key(1.0) == label_key(1)
    (False, True)
    """
    plain = label.item() if isinstance(label, np.generic) else label
    return isinstance(plain, bool), plain


def plain_cell(value: Any, *, in_floats: bool = False) -> Any:
    """Return a cell as a plain Python value. A missing value is NaN in a column of floats, else None.

    >>> plain_cell(np.int8(41)), plain_cell(np.nan)
    (41, None)
    """
    if is_missing(value):
        return float("nan") if in_floats else None
    return value.item() if isinstance(value, np.generic) else value


def holds_floats(dtype: Any) -> bool:
    """Return whether a column's type is a NumPy float, whose missing values are NaN."""
    return isinstance(dtype, np.dtype) and dtype.kind == "f"


def plain_cells(column: Any) -> list[Any]:
    """Return a pandas column as plain Python values."""
    floats = holds_floats(column.dtype)
    return [plain_cell(value, in_floats=floats) for value in column.tolist()]
