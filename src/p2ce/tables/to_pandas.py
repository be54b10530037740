"""Convert a table of any common kind to a pandas DataFrame."""

from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.errors import InvalidReference
from p2ce.tables.arrow_tables import read_arrow
from p2ce.tables.kinds import ARROW, DICT, PANDAS, POLARS, TableKind, is_pair, kind_of
from p2ce.tables.pandas_columns import Problem
from p2ce.tables.plain_tables import read_columns, read_pair, read_records, read_structured
from p2ce.tables.polars_tables import read_polars

if TYPE_CHECKING:
    import pandas as pd


def as_pandas(table: Any, *, error: Problem = InvalidReference) -> tuple["pd.DataFrame", TableKind]:
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
