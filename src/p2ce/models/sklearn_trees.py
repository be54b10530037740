"""Read scikit-learn's DecisionTree, ExtraTree, RandomForest and ExtraTrees classifiers."""

from typing import Any

import numpy as np
from joblib import effective_n_jobs

from p2ce.compiled.assemble import assemble_forest, largest_leaves
from p2ce.compiled.library import library_class
from p2ce.compiled.links import exactly, summation_error, sure_and_maybe, widened
from p2ce.compiled.score import CompiledScore
from p2ce.errors import UnsupportedModel
from p2ce.models.reading import (
    PROBABILITY,
    ReadModel,
    Request,
    class_index,
    plain_classes,
    probability_threshold,
)
from p2ce.models.sklearn_common import asks_estimator, columns_of, require_fitted, require_own, tree_nodes

_FAMILIES = {
    "DecisionTreeClassifier": "scikit-learn decision tree",
    "ExtraTreeClassifier": "scikit-learn extra tree",
    "RandomForestClassifier": "scikit-learn random forest",
    "ExtraTreesClassifier": "scikit-learn extra trees",
}
_NAMES = frozenset(_FAMILIES)


def recognises(model: object) -> bool:
    """Tell a scikit-learn tree or averaged forest."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def read(model: Any, request: Request) -> ReadModel:
    """Read the class shares in the leaves; any number of classes, since each share is a sum of its own."""
    family = _FAMILIES[require_own(model, root="sklearn", names=_NAMES).__name__]
    require_fitted(model)
    if getattr(model, "n_outputs_", 1) != 1:
        raise UnsupportedModel(
            f"This {family} predicts {model.n_outputs_} outputs at once. Fit one model for each."
        )
    classes = plain_classes(model.classes_)
    index = class_index(classes, request.target)
    columns, _ = columns_of(model, request.reference)

    members = getattr(model, "estimators_", [model])
    forest = assemble_forest([tree_nodes(one.tree_, one.tree_.value[:, 0, index]) for one in members])
    count = len(members)
    threshold = probability_threshold(request.threshold)
    # The shares are added from zero in float64 and the sum is divided once: we repeat both, bit by bit.
    sure, maybe = sure_and_maybe(exactly(lambda total: total / count), threshold)
    if count > 2 and effective_n_jobs(model.n_jobs) != 1:
        # Threads add their trees as they finish: any order, so both sums may err by the general bound.
        magnitude = float(largest_leaves(forest).sum())
        sure, maybe = widened(sure, maybe, 2.0 * summation_error(count, magnitude))
    return ReadModel(
        family=family,
        score=CompiledScore(name="model", column_count=len(columns), forest=forest, sure=sure, maybe=maybe),
        columns=columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=classes,
        ask=asks_estimator(model, "predict_proba", request.reference, column=index),
        report=lambda scores: np.asarray(scores / count),
        tolerance=1e-12,
    )
