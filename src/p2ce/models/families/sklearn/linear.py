"""Parse scikit-learn's linear models: each margin, or the predicted number, is a weighted sum."""

from typing import Any

import numpy as np

from p2ce.base.calls.library import library_class, quiet_check_array
from p2ce.engine.scores.error_bands import exactly
from p2ce.engine.scores.trees.tree_nodes import parsing
from p2ce.errors import UnsupportedModel
from p2ce.models.contract.margins import ClassOutputs, NumberOutput, OutputLink, ParsedModel
from p2ce.models.contract.weighted_sums import WeightedSums
from p2ce.models.decisions.adapter import ParseRequest
from p2ce.models.decisions.row_format import row_format
from p2ce.models.decisions.target_arguments import plain_classes
from p2ce.models.families.sklearn.estimator import (
    estimator_call,
    estimator_columns,
    number_call,
    require_fitted,
)
from p2ce.models.fitted import require_library_class, require_numbers

FAMILY = "scikit-learn linear model"
_LOGISTIC = frozenset({"LogisticRegression", "LogisticRegressionCV", "LinearDiscriminantAnalysis"})
_DECISION = frozenset(
    {"RidgeClassifier", "RidgeClassifierCV", "LinearSVC", "Perceptron", "PassiveAggressiveClassifier"}
)
# These predict the sum itself. Poisson, gamma and Tweedie regressors are black boxes.
_REGRESSORS = frozenset(
    {
        "LinearRegression",
        "Ridge",
        "RidgeCV",
        "Lasso",
        "LassoCV",
        "LassoLars",
        "LassoLarsCV",
        "LassoLarsIC",
        "Lars",
        "LarsCV",
        "ElasticNet",
        "ElasticNetCV",
        "OrthogonalMatchingPursuit",
        "OrthogonalMatchingPursuitCV",
        "SGDRegressor",
        "PassiveAggressiveRegressor",
        "HuberRegressor",
        "TheilSenRegressor",
        "QuantileRegressor",
        "BayesianRidge",
        "ARDRegression",
        "LinearSVR",
    }
)
_NAMES = _LOGISTIC | _DECISION | _REGRESSORS | {"SGDClassifier"}


def recognises(model: object) -> bool:
    """Return whether a model is a scikit-learn linear classifier or regressor."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def parse(model: Any, request: ParseRequest) -> ParsedModel:
    """Parse weights and intercepts: one sum for two classes, otherwise one per class."""
    kind = require_library_class(model, root="sklearn", names=_NAMES)
    require_fitted(model)
    family = f"{FAMILY} ({kind.__name__})"
    if kind.__name__ in _REGRESSORS:
        sums = _sums(model, request, family)
        if sums.count != 1:
            raise UnsupportedModel(
                f"{family} predicts {sums.count} numbers at once. Fit a model for one number."
            )
        predict = number_call(model, "predict", request.reference)
        return ParsedModel(family=family, margins=sums, outputs=NumberOutput(predict=predict))
    classes = plain_classes(model.classes_)
    _reject_labels_of_their_own(model, classes, family)
    _reject_other_links(model, classes)
    sums = _sums(model, request, family)
    has_probabilities = hasattr(model, "predict_proba")
    values = estimator_call(model, "decision_function", request.reference)
    return ParsedModel(
        family=family,
        margins=sums,
        outputs=ClassOutputs(
            names=classes,
            probabilities=(
                estimator_call(model, "predict_proba", request.reference) if has_probabilities else None
            ),
            decision_values=values,
            largest=values,  # predict chooses the largest decision value in any case
            link=_clipped if getattr(model, "loss", None) == "modified_huber" else None,
            softmax=_is_softmax(model),
            single=sums.single,
        ),
    )


def _sums(model: Any, request: ParseRequest, family: str) -> WeightedSums:
    columns, named = estimator_columns(model, request.reference)
    require_numbers(request, columns, name=family)
    with parsing(f"This {family}"):
        coefficients = model.coef_.toarray() if hasattr(model.coef_, "toarray") else np.asarray(model.coef_)
        weights = coefficients.reshape(-1, len(columns)).astype(np.float64)
        fitted = np.asarray(model.intercept_, dtype=np.float64).reshape(-1)
        intercepts = np.broadcast_to(fitted, len(weights))  # a single zero if fitted without intercepts
        if not (np.isfinite(weights).all() and np.isfinite(intercepts).all()):
            raise ValueError("a weight or an intercept that is not a finite number")
    seen = quiet_check_array(row_format(columns, request.reference, named=named)(request.reference.head(1)))
    place = {str(label): at for at, label in enumerate(request.reference.columns)}
    positions = [place[name] for name in columns]
    return WeightedSums(
        columns=columns,
        weights=weights,
        intercepts=intercepts,
        reach=request.reach[positions],
        single=np.result_type(seen.dtype, coefficients.dtype) == np.float32,
    )


def _clipped(complement: bool) -> OutputLink:
    """Return the link for SGDClassifier's probability with the modified Huber loss."""

    def share(score: Any) -> Any:
        second = (np.clip(-score if complement else score, -1.0, 1.0) + 1.0) / 2.0
        return 1.0 - second if complement else second

    return OutputLink(exactly(share), share)


def _reject_other_links(model: Any, classes: tuple[Any, ...]) -> None:
    """Raise for a softmax over two classes, which doubles the margin (in older scikit-learn versions)."""
    if len(classes) == 2 and getattr(model, "multi_class", None) == "multinomial":
        raise UnsupportedModel(
            "LogisticRegression with multi_class='multinomial' on two classes computes its probability in "
            "another way. Fit without multi_class."
        )


def _reject_labels_of_their_own(model: Any, classes: tuple[Any, ...], family: str) -> None:
    """Raise for several labels with separate decisions, which Ridge classifiers support."""
    rows = np.shape(model.coef_)[0] if np.ndim(model.coef_) == 2 else 1
    binarizer = getattr(model, "_label_binarizer", None)
    several = binarizer is not None and str(binarizer.y_type_).startswith("multilabel")
    if several or len(classes) < 2 or rows != (1 if len(classes) == 2 else len(classes)):
        raise UnsupportedModel(
            f"{family} has {rows} sums for {len(classes)} classes, so no single class can win. "
            "Fit a model for one label."
        )


def _is_softmax(model: Any) -> bool:
    """Return whether probabilities are a softmax of all margins, and not computed margin by margin."""
    if library_class(model, root="sklearn", names=_LOGISTIC) is None:
        return False
    chosen = getattr(model, "multi_class", "auto")  # an argument of older scikit-learn versions
    return chosen != "ovr" and getattr(model, "solver", None) != "liblinear"
