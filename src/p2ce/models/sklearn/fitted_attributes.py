"""Settle what scikit-learn estimators share: being fitted, columns, the scoring call, tree nodes."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from p2ce.adapters.library import library_class, overrides
from p2ce.arrays import BoolArray, FloatArray
from p2ce.decisions.model_adapter import Evaluate, Request, columns_by_count, columns_by_name, feeder
from p2ce.errors import NotFitted, UnsupportedModel
from p2ce.scores.cuts import cut_of_float32_at_most
from p2ce.scores.steps import Steps, steps_of_cut
from p2ce.scores.tree_nodes import TreeNodes, parsing
from p2ce.tables.codebook import ABOVE_MISSING
from p2ce.visible import echoed


def require_own(model: Any, *, root: str, names: frozenset[str]) -> type:
    """Refuse a model whose scores may come from code that is not the library's."""
    kind = library_class(model, root=root, names=names)
    assert kind is not None, "a family only reads what it recognises"
    replaced = overrides(model, kind)
    if replaced:
        raise UnsupportedModel(
            f"{type(model).__name__} replaces {', '.join(replaced)} of {kind.__module__.partition('.')[0]}'s "
            f"{kind.__name__}, so its scores cannot be read from the fitted numbers. "
            f"Pass the plain {kind.__name__} that it holds or derives from."
        )
    return kind


def require_fitted(model: Any) -> None:
    """Refuse a scikit-learn estimator that has not seen data."""
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
    except NotFittedError:
        raise NotFitted(
            f"This {type(model).__name__} is not fitted. Call .fit(X, y) on it before passing it on."
        ) from None


def columns_of(model: Any, reference: pd.DataFrame) -> tuple[tuple[str, ...], bool]:
    """Give the model's columns in its order, and whether it was fitted on a frame."""
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        return columns_by_name(list(names), reference), True
    return columns_by_count(int(model.n_features_in_), reference), False


def require_numbers(
    request: Request, columns: Sequence[str], *, name: str, takes_missing: bool = False
) -> None:
    """Refuse to read a model of plain numbers on columns that hold categories, or that may miss values.

    Such a model sees what a label says ("3", say) and not its code, if it takes labels at all.
    """
    categories = [column for column in columns if request.codebook[column].is_category]
    if categories:
        raise UnsupportedModel(
            f"{name} is read on columns of numbers; {echoed(categories[0])} holds categories. "
            "Put an encoder in front of it, in a Pipeline."
        )
    missing = [column for column in columns if column in request.may_miss]
    if missing and not takes_missing:
        raise UnsupportedModel(
            f"{name} does not take missing values, which column {echoed(missing[0])} may hold. "
            "Put an imputer in front of it, in a Pipeline."
        )


def asks(
    method: Callable[[Any], Any], feed: Callable[[pd.DataFrame], Any], column: int | None, sign: float = 1.0
) -> Evaluate:
    """Build the one call of the user's own method; ``column`` picks the class where it reports several."""

    def ask(frame: pd.DataFrame) -> FloatArray:
        reported = np.asarray(method(feed(frame)))
        chosen = reported if column is None else reported[:, column]
        return np.asarray(chosen, dtype=np.float64) * sign

    return ask


def asks_estimator(
    model: Any, method: str, reference: pd.DataFrame, *, column: int | None, sign: float = 1.0
) -> Evaluate:
    """Build the call of an estimator's method, fed with what it was fitted on."""
    columns, named = columns_of(model, reference)
    return asks(getattr(model, method), feeder(columns, reference, named=named), column, sign)


def asks_all(model: Any, method: str, reference: pd.DataFrame) -> Callable[[pd.DataFrame], FloatArray]:
    """Build the call of an estimator's method that gives one column per class: frame → (n, classes)."""
    columns, named = columns_of(model, reference)
    call, feed = getattr(model, method), feeder(columns, reference, named=named)
    return lambda frame: np.asarray(call(feed(frame)), dtype=np.float64)


def asks_number(model: Any, method: str, reference: pd.DataFrame) -> Evaluate:
    """Build the call of an estimator's method that gives one number per row, whatever its shape."""
    ask_all = asks_all(model, method, reference)
    return lambda frame: ask_all(frame).reshape(len(frame))


@parsing("A tree of this scikit-learn model")
def tree_nodes(tree: Any, value: FloatArray, may_miss: BoolArray | None = None) -> TreeNodes:
    """Copy a scikit-learn ``tree_``: rows become float32 and are compared to float64 thresholds by ``<=``.

    ``may_miss`` (d,) tells the columns in which a value may be missing, None that there is none.
    """
    left = tree.children_left
    cuts = cut_of_float32_at_most(np.where(left >= 0, tree.threshold, 0.0))
    steps = {}
    if may_miss is not None:
        # A missing value lies below every cut, so that only those that go right need a cut of their own.
        apart = (left >= 0) & may_miss[tree.feature] & ~tree.missing_go_to_left.astype(np.bool_)
        steps = missing_right(cuts, apart)
    return TreeNodes(
        left=left, right=tree.children_right, feature=tree.feature, threshold=cuts, value=value, steps=steps
    )


def missing_right(cuts: FloatArray, apart: BoolArray) -> dict[int, Steps]:
    """Send missing values right at the nodes that are marked (nodes,), whatever their cut."""
    return {int(node): steps_of_cut(float(cuts[node]), missing_left=False) for node in np.flatnonzero(apart)}


def steps_of_points(
    points: FloatArray, left: Sequence[bool], *, elsewhere_left: bool, missing_left: bool, whole: bool
) -> Steps:
    """Send single numbers (n,), ascending, the ways told; all others together, and missing ones.

    For models that take the numbers of a column for categories. ``whole`` tells that it holds no others.

    >>> steps = steps_of_points(
    ...     np.array([2.0, 3.0]), [True, True], elsewhere_left=False, missing_left=True, whole=False
    ... )
    >>> steps.goes_left(np.array([-np.inf, 1.0, 2.0, 2.5, 3.0, 4.0])).tolist()
    [True, False, True, False, True, False]
    """
    ends, ways = [ABOVE_MISSING], [missing_left, elsewhere_left]
    for point, way in zip(points.tolist(), left, strict=True):
        half = 0.5 if whole and abs(point) < 2.0**51 else 0.0
        before = point - half if half else float(np.nextafter(point, -np.inf))
        if ends[-1] == before:  # next to the point before, with nothing between
            ways[-1] = way
        else:
            ends.append(before)
            ways.append(way)
        ends.append(point + half)
        ways.append(elsewhere_left)
    turns = [place for place in range(len(ends)) if ways[place] != ways[place + 1]]
    return Steps(np.array([ends[place] for place in turns], dtype=np.float64), missing_left)


def positions_that_may_miss(columns: Sequence[str], request: Request) -> BoolArray | None:
    """Mark the model's columns in which a value may be missing: (d,); None if there is no such column."""
    marked = np.array([column in request.may_miss for column in columns], dtype=np.bool_)
    return marked if marked.any() else None
