"""Check what all families require of a fitted model: its library's own class, and supported columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from p2ce.base.arrays import BoolArray
from p2ce.base.calls.library import library_class, overrides
from p2ce.base.visible import echoed
from p2ce.errors import UnsupportedModel
from p2ce.models.decisions.adapter import ParseRequest


def require_library_class(model: Any, *, root: str, names: frozenset[str]) -> type:
    """Return the library class of a model; raise if the model overrides methods that compute scores."""
    kind = library_class(model, root=root, names=names)
    if kind is None:
        raise UnsupportedModel(
            f"{type(model).__module__}.{type(model).__name__} is none of {root}'s "
            f"{', '.join(sorted(names))}. Let recognises() of its family return False for it."
        )
    replaced = overrides(model, kind)
    if replaced:
        raise UnsupportedModel(
            f"{type(model).__name__} overrides {', '.join(replaced)} of "
            f"{kind.__module__.partition('.')[0]}'s {kind.__name__}, so its scores do not follow from the "
            f"fitted parameters. Pass the plain {kind.__name__} that it holds or derives from."
        )
    return kind


def require_numbers(
    request: ParseRequest, columns: Sequence[str], *, name: str, takes_missing: bool = False
) -> None:
    """Raise if columns hold categories, or may hold missing values, for a model of plain numbers.

    If such a model accepts labels at all, it uses the label's own value (such as "3"), and not its code.
    """
    categories = [column for column in columns if request.codebook[column].is_category]
    if categories:
        raise UnsupportedModel(
            f"{name} is supported natively on numeric columns, but {echoed(categories[0])} holds categories. "
            "Put an encoder in front of it, in a Pipeline."
        )
    dates = [column for column in columns if request.codebook[column].is_date]
    if dates:
        raise UnsupportedModel(
            f"{name} is supported natively on numeric columns, but {echoed(dates[0])} holds dates."
        )
    missing = [column for column in columns if column in request.nullable]
    if missing and not takes_missing:
        raise UnsupportedModel(
            f"{name} does not accept missing values, which column {echoed(missing[0])} may hold. "
            "Put an imputer in front of it, in a Pipeline."
        )


def nullable_columns(columns: Sequence[str], request: ParseRequest) -> BoolArray | None:
    """Mark the model's columns in which values may be missing: (d,); None if there is no such column."""
    marked = np.array([column in request.nullable for column in columns], dtype=np.bool_)
    return marked if marked.any() else None
