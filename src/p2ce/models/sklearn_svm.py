"""Read scikit-learn's SVC and NuSVC with a linear kernel: a weighted sum of the columns after all."""

from typing import Any

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.compiled.library import library_class
from p2ce.compiled.links import summation_error, widened
from p2ce.compiled.score import CompiledScore
from p2ce.errors import UnsupportedModel
from p2ce.models.reading import (
    DECISION,
    ReadModel,
    Request,
    binary_index,
    decision_threshold,
    plain_classes,
)
from p2ce.models.sklearn_common import asks_estimator, columns_of, require_fitted, require_own

FAMILY = "scikit-learn support vector machine"
_NAMES = frozenset({"SVC", "NuSVC"})


def recognises(model: object) -> bool:
    """Tell a scikit-learn SVC or NuSVC, whatever its kernel."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def read(model: Any, request: Request) -> ReadModel:
    """Read the weights behind the support vectors; the band covers libsvm's detour over every one of them."""
    kind = require_own(model, root="sklearn", names=_NAMES)
    require_fitted(model)
    family = f"{FAMILY} ({kind.__name__})"
    _refuse_what_is_not_linear(model, family)
    classes = plain_classes(model.classes_)
    index = binary_index(classes, request.target, family=family)
    sign = 1.0 if index == 1 else -1.0
    columns, _ = columns_of(model, request.reference)

    duals = np.asarray(model.dual_coef_, dtype=np.float64)[0]  # (vectors,) one weight per support vector
    vectors = np.asarray(model.support_vectors_, dtype=np.float64)  # (vectors, d)
    intercept = float(model.intercept_[0])
    positions = [list(map(str, request.reference.columns)).index(name) for name in columns]
    reach = request.reach[positions]
    band = _band(duals, vectors, intercept, reach)
    threshold = decision_threshold(request.threshold)
    sure, maybe = widened(threshold, threshold, band)
    return ReadModel(
        family=family,
        score=CompiledScore(
            name="model",
            column_count=len(columns),
            offset=sign * intercept,
            weights=sign * (duals @ vectors),
            sure=sure,
            maybe=maybe,
        ),
        columns=columns,
        scale=DECISION,
        threshold=threshold,
        classes=classes,
        ask=asks_estimator(model, "decision_function", request.reference, column=None, sign=sign),
        report=lambda scores: scores,
        tolerance=1e-9 + band,
        reach=reach,
    )


def _band(duals: FloatArray, vectors: FloatArray, intercept: float, reach: FloatArray) -> float:
    """Bound how far libsvm's sum, Σᵢ αᵢ⟨svᵢ, x⟩ + b in float64, and any sum of ours can be apart.

    Both are sums of the products αᵢ·svᵢⱼ·xⱼ and b. libsvm adds over j, then over i; we add over i when
    the weights are computed, then over j. Either way a product meets fewer roundings than there are
    support vectors and columns, plus a few. This differs from weights @ x by more than one might think,
    since the products are far larger than the weights in which they cancel.
    """
    with np.errstate(over="ignore"):
        magnitude = abs(intercept) + float(np.abs(duals) @ np.abs(vectors) @ reach)
    one_sum = summation_error(sum(vectors.shape) + 8, magnitude)
    # Theirs, and ours twice, as the search may add changes to a base; doubled once more, to be generous.
    return 2.0 * 3.0 * one_sum


def _refuse_what_is_not_linear(model: Any, family: str) -> None:
    if model.kernel != "linear":
        raise UnsupportedModel(
            f"{family} with kernel {model.kernel!r} is no sum over columns, so it has no bound of its own."
        )
    if hasattr(model, "predict_proba"):
        # libsvm does not report the logistic function of the decision value. It improves (½, ½) step by step
        # and stops early: whatever is within ½ percent of one half is reported as exactly one half.
        raise UnsupportedModel(
            f"{family} with probability=True reports the outcome of an iteration, without a proven link to "
            "its decision value. Fit with probability=False to have the decision value read exactly."
        )
    if hasattr(model.support_vectors_, "toarray"):
        raise UnsupportedModel(f"{family} was fitted on a sparse matrix. Fit it on the frame itself.")
