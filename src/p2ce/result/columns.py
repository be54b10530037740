"""Write the types and labels of a frame's columns as data, and build columns of these types."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.tables.cells import is_missing
from p2ce.tables.dates import date_codes, decode_dates, holds_dates
from p2ce.tables.json_values import Value, plain_fields

if TYPE_CHECKING:
    import pandas as pd

CATEGORY = "category"


@dataclass(frozen=True, slots=True, kw_only=True)
class Categories:
    """The labels of a categorical column, in its declared order, and whether the order has a meaning.

    In JSON, labels that are text, numbers, bools or tuples of those keep their types. All other labels
    (dates, intervals, …) become text, and so do the explanation's values.

    >>> Categories(labels=("own", "rent")).to_dict()
    {'labels': ['own', 'rent'], 'ordered': False, 'dtype': ''}
    """

    labels: tuple[Value, ...]
    ordered: bool = False
    dtype: str = ""  # of the labels themselves ("str", "int64", …); "" lets pandas choose

    def to_dict(self) -> dict[str, Any]:
        """Return the same content as JSON-ready data."""
        data = plain_fields(self)
        if any(
            isinstance(after, str) and not isinstance(before, str)
            for before, after in zip(self.labels, data["labels"], strict=True)
        ):
            data["dtype"] = ""  # labels that became text no longer have their type
        return data


def column_types(frame: "pd.DataFrame") -> tuple[dict[str, str], dict[str, Categories]]:
    """Return the type of every column as text, and the labels of the categorical ones.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"Age": [41], "Housing": pd.Categorical(["rent"], categories=["own", "rent"])})
    >>> dtypes, categories = column_types(frame)
    >>> dtypes, categories["Housing"].labels
    ({'Age': 'int64', 'Housing': 'category'}, ('own', 'rent'))
    """
    dtypes = {str(name): dtype_text(dtype) for name, dtype in frame.dtypes.items()}
    categories = {
        str(name): Categories(
            labels=tuple(dtype.categories.tolist()),
            ordered=bool(dtype.ordered),
            dtype=dtype_text(dtype.categories.dtype),
        )
        for name, dtype in frame.dtypes.items()
        if hasattr(dtype, "categories")
    }
    return dtypes, categories


def dtype_text(dtype: Any) -> str:
    """Name a type, so `made_column` can build a column of the same type.

    pandas uses one name for all of its text types, so the storage is added unless it is the default.
    """
    text = str(dtype)
    if text not in ("string", "str") or not hasattr(dtype, "storage"):
        return text
    return text if dtype == _dtype_from(text) else f"{text}[{dtype.storage}]"


def made_column(values: Sequence[Any], dtype: str, categories: Categories | None = None) -> "pd.Series[Any]":
    """Build a column of the type that `dtype_text` named, with the type's own missing value.

    Labels that are not among the categories, such as an unseen one of a person, are appended to them. A
    column of objects keeps None and NaN apart, since its user may distinguish them.
    """
    try:
        return _made_column(values, dtype, categories)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidArgument(
            f"A column cannot have the type {echoed(dtype)}: {error}. Was the file edited?"
        ) from error


def _made_column(values: Sequence[Any], dtype: str, categories: Categories | None) -> "pd.Series[Any]":
    import pandas as pd  # here, so loading a result needs no pandas

    if dtype == CATEGORY and categories is not None:
        cells = [None if is_missing(value) else value for value in values]
        return pd.Series(pd.Categorical(_objects(cells), dtype=_categorical(categories, cells)))
    if dtype == "object":
        return pd.Series(_objects(values), dtype="object")
    found = _dtype_from(dtype)
    if holds_dates(found):
        return pd.Series(decode_dates(date_codes(values, found), found))
    if hasattr(found, "na_value"):
        # In a nullable type, NaN is a missing value, as None is.
        values = [None if is_missing(value) else value for value in values]
    elif getattr(found, "kind", "") in "biu" and any(is_missing(value) for value in values):
        # pandas turns plain integers and bools with a missing value into floats, as in the person's table.
        found, values = "float64", [np.nan if is_missing(value) else float(value) for value in values]
    column: pd.Series[Any] = pd.Series(list(values), dtype=found)
    return column


def _categorical(categories: Categories, cells: Sequence[Any]) -> "pd.CategoricalDtype":
    import pandas as pd

    known = dict.fromkeys(categories.labels)
    unseen = list(dict.fromkeys(cell for cell in cells if cell is not None and cell not in known))
    labels = [*known, *unseen]
    index: pd.Index[Any]
    try:
        index = pd.Index(labels, dtype=categories.dtype or None, tupleize_cols=False)
    except (TypeError, ValueError):  # an unseen label of another type
        index = pd.Index(labels, dtype="object", tupleize_cols=False)
    return pd.CategoricalDtype(index, ordered=categories.ordered)


def _objects(cells: Sequence[Any]) -> Any:
    """Build an array of objects in which a tuple is one cell."""
    array = np.empty(len(cells), dtype=object)
    for place, cell in enumerate(cells):
        array[place] = cell
    return array


def _dtype_from(text: str) -> Any:
    import pandas as pd

    name, _, storage = text.partition("[")
    if name == "str":
        text_dtype = pd.Series([""]).dtype  # `str` since pandas 3, object before
        if not storage or not isinstance(text_dtype, pd.StringDtype):
            return text_dtype
        return pd.StringDtype(storage.rstrip("]"), na_value=np.nan)  # type: ignore[call-arg,unused-ignore]
    return pd.api.types.pandas_dtype(text)
