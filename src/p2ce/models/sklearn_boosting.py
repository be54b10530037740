"""Read scikit-learn's GradientBoostingClassifier."""

import platform
from typing import Any

import numpy as np
from scipy.special import expit, logit

from p2ce.compiled.assemble import assemble_forest, largest_leaves
from p2ce.compiled.library import library_class, overrides
from p2ce.compiled.links import logistic, summation_error, sure_and_maybe, widened
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
from p2ce.models.sklearn_common import asks_estimator, columns_of, require_fitted, require_own, tree_nodes

FAMILY = "scikit-learn gradient boosting"
_NAMES = frozenset({"GradientBoostingClassifier"})


def recognises(model: object) -> bool:
    """Tell a scikit-learn GradientBoostingClassifier."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def read(model: Any, request: Request) -> ReadModel:
    """Read the stages, scaled by the learning rate, on top of a constant start."""
    require_own(model, root="sklearn", names=_NAMES)
    require_fitted(model)
    classes = plain_classes(model.classes_)
    index = binary_index(classes, request.target, family=FAMILY)
    sign = 1.0 if index == 1 else -1.0
    columns, _ = columns_of(model, request.reference)
    factor = 2.0 if model.loss == "exponential" else 1.0  # the exponential loss halves the logit
    start = _start(model, factor)

    rate = float(model.learning_rate)
    trees = [stage[0].tree_ for stage in model.estimators_]
    forest = assemble_forest([tree_nodes(tree, sign * (rate * tree.value[:, 0, 0])) for tree in trees])
    threshold = probability_threshold(request.threshold)
    sure, maybe = sure_and_maybe(
        logistic(complement=index == 0, margin=lambda total: factor * total), threshold
    )
    if platform.machine().lower() not in ("x86_64", "amd64"):
        # Elsewhere compilers may fuse rate·value into the addition, which rounds once instead of twice.
        magnitude = abs(start) + float(largest_leaves(forest).sum())
        sure, maybe = widened(sure, maybe, 2.0 * summation_error(len(trees) + 2, magnitude))
    of_target = second_class_or_first(index)
    return ReadModel(
        family=FAMILY,
        score=CompiledScore(
            name="model",
            column_count=len(columns),
            offset=sign * start,
            forest=forest,
            sure=sure,
            maybe=maybe,
        ),
        columns=columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=classes,
        ask=asks_estimator(model, "predict_proba", request.reference, column=index),
        report=lambda scores: of_target(np.asarray(expit(factor * (scores * sign)))),
        tolerance=1e-12,
    )


def _start(model: Any, factor: float) -> float:
    """Compute the constant that every row starts from, as scikit-learn does."""
    if isinstance(model.init_, str) and model.init_ == "zero":
        return 0.0
    constant = library_class(model.init_, root="sklearn", names={"DummyClassifier"})
    if (
        constant is None
        or overrides(model.init_, constant)
        or model.init_.strategy not in ("prior", "most_frequent", "constant")
    ):
        raise UnsupportedModel(
            f"This {FAMILY} model starts from {type(model.init_).__name__}, which is not a constant. "
            "Fit with init=None or init='zero'."
        )
    smallest = np.finfo(np.float64).eps
    share = model.init_.predict_proba(np.zeros((1, model.n_features_in_), dtype=np.float32))[:, 1]
    raw = logit(np.clip(share, smallest, 1.0 - smallest, dtype=np.float64))
    return float(raw[0] if factor == 1.0 else 0.5 * raw[0])
