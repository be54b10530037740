"""Read scikit-learn's linear classifiers: a probability where they report one, a decision value otherwise."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit

from p2ce.arrays import FloatArray
from p2ce.compiled.library import library_class
from p2ce.compiled.links import Reported, exactly, logistic, summation_error, sure_and_maybe, widened
from p2ce.compiled.score import CompiledScore
from p2ce.errors import UnsupportedModel
from p2ce.models.reading import (
    DECISION,
    PROBABILITY,
    ReadModel,
    Request,
    binary_index,
    decision_threshold,
    feeder,
    plain_classes,
    probability_threshold,
    second_class_or_first,
)
from p2ce.models.sklearn_common import (
    asks_estimator,
    columns_of,
    quiet_check_array,
    require_fitted,
    require_own,
)

FAMILY = "scikit-learn linear model"
_LOGISTIC = frozenset({"LogisticRegression", "LogisticRegressionCV", "LinearDiscriminantAnalysis"})
_DECISION = frozenset(
    {"RidgeClassifier", "RidgeClassifierCV", "LinearSVC", "Perceptron", "PassiveAggressiveClassifier"}
)
_NAMES = _LOGISTIC | _DECISION | {"SGDClassifier"}


def recognises(model: object) -> bool:
    """Tell a scikit-learn linear classifier."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def read(model: Any, request: Request) -> ReadModel:
    """Read weights and intercept; the band covers every order and fusing of the library's dot product."""
    kind = require_own(model, root="sklearn", names=_NAMES)
    require_fitted(model)
    family = f"{FAMILY} ({kind.__name__})"
    classes = plain_classes(model.classes_)
    index = binary_index(classes, request.target, family=family)
    sign = 1.0 if index == 1 else -1.0
    _refuse_other_links(model)
    columns, named = columns_of(model, request.reference)

    coefficients = model.coef_.toarray() if hasattr(model.coef_, "toarray") else np.asarray(model.coef_)
    weights = coefficients.reshape(-1).astype(np.float64)
    intercept = float(np.asarray(model.intercept_).reshape(-1)[0])
    seen = quiet_check_array(feeder(columns, request.reference, named=named)(request.reference.head(1)))
    single = np.result_type(seen.dtype, coefficients.dtype) == np.float32

    positions = [list(map(str, request.reference.columns)).index(name) for name in columns]
    reach = request.reach[positions]
    band = _band(weights, intercept, reach, single=single)
    scale, threshold, method, reported, linked = _link(model, kind.__name__, request.threshold, index, single)
    sure, maybe = widened(*sure_and_maybe(reported, threshold), band)
    of_target = second_class_or_first(index)
    return ReadModel(
        family=family,
        score=CompiledScore(
            name="model",
            column_count=len(columns),
            offset=sign * intercept,
            weights=sign * weights,
            sure=sure,
            maybe=maybe,
        ),
        columns=columns,
        scale=scale,
        threshold=threshold,
        classes=classes,
        ask=(
            asks_estimator(model, method, request.reference, column=index)
            if scale == PROBABILITY
            else asks_estimator(model, method, request.reference, column=None, sign=sign)
        ),
        report=(lambda scores: of_target(linked(scores * sign))) if scale == PROBABILITY else linked,
        # Far from zero a decision value carries the rounding of its large terms.
        tolerance=(1e-4 if single else 1e-9) + (band if scale == DECISION else 0.0),
        reach=reach,
    )


def _band(weights: FloatArray, intercept: float, reach: FloatArray, *, single: bool) -> float:
    """Bound how far the library's sum and any float64 sum of ours can be apart."""
    magnitude = abs(intercept) + float(np.abs(weights) @ reach)
    terms = len(weights) + 2  # each product is rounded once before the additions
    ours = summation_error(terms, magnitude)
    theirs = summation_error(terms, magnitude, unit=2.0**-24) if single else ours
    # Ours twice: the search may reach a sum by adding changes to a base instead of from scratch.
    return theirs + 2.0 * ours


def _link(
    model: Any, kind: str, threshold: float | None, index: int, single: bool
) -> tuple[str, float, str, Reported, Callable[[FloatArray], FloatArray]]:
    """Choose scale, threshold, scoring method, its rounding and its formula."""
    complement = index == 0
    loss = getattr(model, "loss", None) if kind == "SGDClassifier" else None
    if kind in _LOGISTIC or loss == "log_loss":
        asked = probability_threshold(threshold)
        return PROBABILITY, asked, "predict_proba", logistic(complement=complement, single=single), _expit
    if loss == "modified_huber":
        asked = probability_threshold(threshold)
        return PROBABILITY, asked, "predict_proba", exactly(_clipped_share(complement)), _clipped
    return DECISION, decision_threshold(threshold), "decision_function", exactly(float), lambda scores: scores


def _expit(margins: FloatArray) -> FloatArray:
    return np.asarray(expit(margins), dtype=np.float64)


def _clipped(margins: FloatArray) -> FloatArray:
    return (np.clip(margins, -1.0, 1.0) + 1.0) / 2.0


def _clipped_share(complement: bool) -> Callable[[float], float]:
    """Repeat SGDClassifier's probability for the modified Huber loss."""

    def share(score: float) -> float:
        second = (min(max(-score if complement else score, -1.0), 1.0) + 1.0) / 2.0
        return 1.0 - second if complement else second

    return share


def _refuse_other_links(model: Any) -> None:
    """Older scikit-learn versions could ask for a softmax over two classes, which doubles the margin."""
    if getattr(model, "multi_class", None) == "multinomial":
        raise UnsupportedModel(
            "LogisticRegression with multi_class='multinomial' on two classes links its score in another "
            "way. Fit without multi_class."
        )
