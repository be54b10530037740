"""What scikit-learn estimators share: being fitted, columns, the scoring call, tree nodes."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.calls.model_call import ModelCall, one_per_row
from p2ce.engine.scores.trees.cuts import cut_of_float32_at_most
from p2ce.engine.scores.trees.steps import Steps, steps_of_cut
from p2ce.engine.scores.trees.tree_nodes import TreeNodes, parsing
from p2ce.errors import NotFitted
from p2ce.models.decisions.row_format import columns_by_count, columns_by_name, row_format


def require_fitted(model: Any) -> None:
    """Raise if a scikit-learn estimator is not fitted."""
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
    except NotFittedError:
        raise NotFitted(f"This {type(model).__name__} is not fitted. Call .fit(X, y) on it first.") from None


def estimator_columns(model: Any, reference: pd.DataFrame) -> tuple[tuple[str, ...], bool]:
    """Return the model's columns in its order, and whether it was fitted on a frame."""
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        return columns_by_name(list(names), reference), True
    return columns_by_count(int(model.n_features_in_), reference), False


def estimator_call(model: Any, method: str, reference: pd.DataFrame) -> ModelCall:
    """Return the call of an estimator's method with rows as it was fitted on."""
    columns, named = estimator_columns(model, reference)
    rows = row_format(columns, reference, named=named)
    return ModelCall(name=f"model.{method}", method=getattr(model, method), rows=rows)


def number_call(model: Any, method: str, reference: pd.DataFrame) -> ModelCall:
    """Return the call of an estimator's method that returns one number per row."""
    return replace(estimator_call(model, method, reference), check=one_per_row)


@parsing("A tree of this scikit-learn model")
def tree_nodes(tree: Any, value: FloatArray, nullable: BoolArray | None = None) -> TreeNodes:
    """Copy a scikit-learn ``tree_``: rows are cast to float32 and compared with float64 thresholds by ``<=``.

    ``nullable`` (d,) marks the columns in which values may be missing; None if there are none.
    """
    left = tree.children_left
    cuts = cut_of_float32_at_most(np.where(left >= 0, tree.threshold, 0.0))
    steps = {}
    if nullable is not None:
        # A missing value lies below every cut, so only splits that send it right need a separate cut.
        apart = (left >= 0) & nullable[tree.feature] & ~tree.missing_go_to_left.astype(np.bool_)
        steps = missing_right(cuts, apart)
    return TreeNodes(
        left=left, right=tree.children_right, feature=tree.feature, threshold=cuts, value=value, steps=steps
    )


def missing_right(cuts: FloatArray, apart: BoolArray) -> dict[int, Steps]:
    """Return steps that send missing values right at the marked nodes (nodes,)."""
    return {int(node): steps_of_cut(float(cuts[node]), missing_left=False) for node in np.flatnonzero(apart)}
