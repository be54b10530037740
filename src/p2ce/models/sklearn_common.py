"""Settle what scikit-learn estimators share: being fitted, columns, the scoring call, tree nodes."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.compiled.assemble import TreeNodes
from p2ce.compiled.cuts import cut_of_float32_at_most
from p2ce.compiled.library import library_class, overrides
from p2ce.errors import NotFitted, UnsupportedModel
from p2ce.models.reading import Ask, columns_by_count, columns_by_name, feeder


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


def asks(
    method: Callable[[Any], Any], feed: Callable[[pd.DataFrame], Any], column: int | None, sign: float = 1.0
) -> Ask:
    """Build the one call of the user's own method; ``column`` picks the class where it reports several."""

    def ask(frame: pd.DataFrame) -> FloatArray:
        reported = np.asarray(method(feed(frame)))
        chosen = reported if column is None else reported[:, column]
        return np.asarray(chosen, dtype=np.float64) * sign

    return ask


def asks_estimator(
    model: Any, method: str, reference: pd.DataFrame, *, column: int | None, sign: float = 1.0
) -> Ask:
    """Build the call of an estimator's method, fed with what it was fitted on."""
    columns, named = columns_of(model, reference)
    return asks(getattr(model, method), feeder(columns, reference, named=named), column, sign)


def tree_nodes(tree: Any, value: FloatArray) -> TreeNodes:
    """Copy a scikit-learn ``tree_``: rows become float32 and are compared to float64 thresholds by ``<=``."""
    left = tree.children_left
    return TreeNodes(
        left=left,
        right=tree.children_right,
        feature=tree.feature,
        threshold=cut_of_float32_at_most(np.where(left >= 0, tree.threshold, 0.0)),
        value=value,
    )


def quiet_check_array(rows: Any) -> np.ndarray:
    """See rows as a scikit-learn estimator would, which tells the precision it computes in."""
    from sklearn.utils import check_array

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seen: np.ndarray = check_array(rows, dtype="numeric")
    return seen
