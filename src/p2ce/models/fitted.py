"""Check what all families require of a fitted model: its library's own class, and columns that it takes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from p2ce.adapters.library import library_class, overrides
from p2ce.arrays import BoolArray
from p2ce.decisions.model_adapter import Request
from p2ce.errors import UnsupportedModel
from p2ce.visible import echoed


def require_own(model: Any, *, root: str, names: frozenset[str]) -> type:
    """Reject a model whose scores may come from code that is not the library's."""
    kind = library_class(model, root=root, names=names)
    assert kind is not None, "a family only parses what it recognises"
    replaced = overrides(model, kind)
    if replaced:
        raise UnsupportedModel(
            f"{type(model).__name__} replaces {', '.join(replaced)} of {kind.__module__.partition('.')[0]}'s "
            f"{kind.__name__}, so its scores do not follow from the fitted numbers. "
            f"Pass the plain {kind.__name__} that it holds or derives from."
        )
    return kind


def require_numbers(
    request: Request, columns: Sequence[str], *, name: str, takes_missing: bool = False
) -> None:
    """Reject columns that hold categories, or that may miss values, for a model of plain numbers.

    Such a model takes what a label says ("3", say) and not its code, if it takes labels at all.
    """
    categories = [column for column in columns if request.codebook[column].is_category]
    if categories:
        raise UnsupportedModel(
            f"{name} is supported natively on columns of numbers; {echoed(categories[0])} holds categories. "
            "Put an encoder in front of it, in a Pipeline."
        )
    missing = [column for column in columns if column in request.nullable]
    if missing and not takes_missing:
        raise UnsupportedModel(
            f"{name} does not take missing values, which column {echoed(missing[0])} may hold. "
            "Put an imputer in front of it, in a Pipeline."
        )


def nullable_columns(columns: Sequence[str], request: Request) -> BoolArray | None:
    """Mark the model's columns in which a value may be missing: (d,); None if there is no such column."""
    marked = np.array([column in request.nullable for column in columns], dtype=np.bool_)
    return marked if marked.any() else None
