"""Read scikit-learn's HistGradientBoostingClassifier."""

from typing import Any

import numpy as np
from scipy.special import expit

from p2ce.compiled.assemble import TreeNodes, assemble_forest
from p2ce.compiled.library import library_class
from p2ce.compiled.links import logistic, sure_and_maybe
from p2ce.compiled.score import CompiledScore
from p2ce.errors import UnsupportedModel
from p2ce.models.reading import (
    PROBABILITY,
    ReadModel,
    Request,
    binary_index,
    plain_classes,
    probability_threshold,
    second_class_or_first,
)
from p2ce.models.sklearn_common import asks_estimator, columns_of, require_fitted, require_own

FAMILY = "scikit-learn histogram gradient boosting"
_NAMES = frozenset({"HistGradientBoostingClassifier"})


def recognises(model: object) -> bool:
    """Tell a scikit-learn HistGradientBoostingClassifier."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def read(model: Any, request: Request) -> ReadModel:
    """Read the trees: float64 thresholds, float64 sums from the baseline, in order."""
    require_own(model, root="sklearn", names=_NAMES)
    require_fitted(model)
    classes = plain_classes(model.classes_)
    index = binary_index(classes, request.target, family=FAMILY)
    sign = 1.0 if index == 1 else -1.0
    columns, _ = columns_of(model, request.reference)
    if model.is_categorical_ is not None and np.any(model.is_categorical_):
        position = int(np.flatnonzero(model.is_categorical_)[0])
        raise UnsupportedModel(
            f"This {FAMILY} model treats {columns[position]!r} as a category, which cannot be read yet. "
            "Fit with categorical_features=None on numbers."
        )
    forest = assemble_forest([_tree(stage[0].nodes, sign) for stage in model._predictors])
    threshold = probability_threshold(request.threshold)
    sure, maybe = sure_and_maybe(logistic(complement=index == 0), threshold)
    of_target = second_class_or_first(index)
    return ReadModel(
        family=FAMILY,
        score=CompiledScore(
            name="model",
            column_count=len(columns),
            offset=sign * float(np.asarray(model._baseline_prediction).ravel()[0]),
            forest=forest,
            sure=sure,
            maybe=maybe,
        ),
        columns=columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=classes,
        ask=asks_estimator(model, "predict_proba", request.reference, column=index),
        report=lambda scores: of_target(np.asarray(expit(scores * sign))),
        tolerance=1e-12,
    )


def _tree(nodes: Any, sign: float) -> TreeNodes:
    inner = nodes["is_leaf"] == 0
    return TreeNodes(
        left=np.where(inner, nodes["left"].astype(np.int64), -1),
        right=np.where(inner, nodes["right"].astype(np.int64), -1),
        feature=nodes["feature_idx"].astype(np.int64),
        threshold=nodes["num_threshold"].astype(np.float64),
        value=sign * nodes["value"].astype(np.float64),
    )
