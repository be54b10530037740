"""Parse scikit-learn's GradientBoostingClassifier and GradientBoostingRegressor."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from scipy.special import logit

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.library import library_class, overrides
from p2ce.engine.scores.error_bands import summation_error
from p2ce.engine.scores.trees.assemble import assemble_forest, largest_leaves
from p2ce.errors import UnsupportedModel
from p2ce.models.contract.forest_margins import ForestMargin, ForestMargins
from p2ce.models.contract.margins import ClassOutputs, NumberOutput, ParsedModel, logistic_link
from p2ce.models.decisions.adapter import ParseRequest
from p2ce.models.decisions.certified_thresholds import margin_wins
from p2ce.models.decisions.target_arguments import plain_classes
from p2ce.models.families.sklearn.estimator import (
    estimator_call,
    estimator_columns,
    number_call,
    require_fitted,
    tree_nodes,
)
from p2ce.models.fitted import require_library_class, require_numbers

FAMILY = "scikit-learn gradient boosting"
_NAMES = frozenset({"GradientBoostingClassifier", "GradientBoostingRegressor"})
_CONSTANTS = {
    "DummyClassifier": ("prior", "most_frequent", "constant"),
    "DummyRegressor": ("mean", "median", "quantile", "constant"),
}


def recognises(model: object) -> bool:
    """Return whether a model is a scikit-learn GradientBoostingClassifier or GradientBoostingRegressor."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def parse(model: Any, request: ParseRequest) -> ParsedModel:
    """Parse a constant start plus the stages, scaled by the learning rate; one forest per class."""
    kind = require_library_class(model, root="sklearn", names=_NAMES)
    require_fitted(model)
    columns, _ = estimator_columns(model, request.reference)
    require_numbers(request, columns, name=f"A {FAMILY} model")
    classifies = kind.__name__ == "GradientBoostingClassifier"
    start, doubt = _start(model, classifies)
    found = [
        _margin(model, float(first), doubt, model.estimators_[:, place]) for place, first in enumerate(start)
    ]
    same_bits = doubt == 0.0 and rounds_twice()
    band = 0.0 if same_bits else 2.0 * max(margin.error for margin in found)
    margins = ForestMargins(
        columns=columns,
        count=len(found),
        parse=lambda place: replace(found[place], band=band),
        precision=1e-12,
    )
    if not classifies:
        predict = number_call(model, "predict", request.reference)
        return ParsedModel(family=FAMILY, margins=margins, outputs=NumberOutput(predict=predict))
    factor = 2.0 if model.loss == "exponential" else 1.0  # the exponential loss halves the logit
    values = estimator_call(model, "decision_function", request.reference)
    return ParsedModel(
        family=FAMILY,
        margins=margins,
        outputs=ClassOutputs(
            names=plain_classes(model.classes_),
            probabilities=estimator_call(model, "predict_proba", request.reference),
            decision_values=values,
            largest=values,
            link=logistic_link(margin=lambda total: factor * total),
            ahead=margin_wins,
        ),
    )


@cache
def rounds_twice() -> bool:
    """Return whether this build of scikit-learn rounds rate·value before it adds it, as we do.

    Compilers may fuse the product into the addition, which then rounds once. That depends on the processor,
    the compiler and its options, so it is tried and not guessed.
    """
    from sklearn.ensemble import _gradient_boosting
    from sklearn.tree import DecisionTreeRegressor

    stage = DecisionTreeRegressor().fit([[0.0]], [1.0 / 3.0])
    predict = getattr(_gradient_boosting, "predict_stages", None)
    return predict is not None and _adds_rounded(predict, stage)


def _adds_rounded(predict: Callable[..., Any], stage: Any) -> bool:
    """Add rate·value to minus the rounded product: nothing is left, unless the exact product is added."""
    for rate in (0.1, 0.7, 1.0 / 7.0):  # whose products with a third are not exact
        total = np.full((1, 1), -(rate * float(stage.tree_.value[0, 0, 0])))
        try:
            predict(np.array([[stage]], dtype=object), np.zeros((1, 1), dtype=np.float32), rate, total)
        except (TypeError, ValueError):  # another version of scikit-learn
            return False
        if total[0, 0] != 0.0:
            return False
    return True


def _margin(model: Any, start: float, doubt: float, stages: Any) -> ForestMargin:
    rate = float(model.learning_rate)
    trees = [stage.tree_ for stage in stages]
    forest = assemble_forest([tree_nodes(tree, rate * tree.value[:, 0, 0]) for tree in trees])
    magnitude = abs(start) + float(largest_leaves(forest).sum())
    # Trees, the start, and one more term for rate·value.
    error = doubt + 2.0 * summation_error(len(trees) + 2, magnitude)
    return ForestMargin(offset=start, forest=forest, error=error)


def _start(model: Any, classifies: bool) -> tuple[FloatArray, float]:
    """Compute the constants that every row starts from, as scikit-learn does, and a bound of their error."""
    count = int(model.estimators_.shape[1])
    if isinstance(model.init_, str) and model.init_ == "zero":
        return np.zeros(count), 0.0
    constant = library_class(model.init_, root="sklearn", names=set(_CONSTANTS))
    if (
        constant is None
        or overrides(model.init_, constant)
        or model.init_.strategy not in _CONSTANTS[constant.__name__]
    ):
        raise UnsupportedModel(
            f"This {FAMILY} model starts from {type(model.init_).__name__}, which is not a constant. "
            "Fit with init=None or init='zero'."
        )
    row = np.zeros((1, model.n_features_in_), dtype=np.float32)
    if not classifies:
        return np.asarray(model.init_.predict(row), dtype=np.float64).ravel(), 0.0
    smallest = np.finfo(np.float64).eps
    shares = np.clip(model.init_.predict_proba(row), smallest, 1.0 - smallest, dtype=np.float64)
    if count == 1:
        raw = logit(shares[:, 1])
        return raw if model.loss != "exponential" else 0.5 * raw, 0.0
    # The geometric mean takes as many logarithms and additions as there are classes, each rounded.
    raw = np.log(shares[0]) - np.mean(np.log(shares[0]))
    doubt = (count + 16) * 2.0**-52 * 4.0 * float(np.abs(np.log(shares[0])).max() + 1.0)
    return raw, doubt
