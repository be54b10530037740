"""Read scikit-learn's SVC and SVR: a weighted sum of the columns, or of kernels at the support vectors."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from p2ce.adapters.library import library_class
from p2ce.arrays import FloatArray
from p2ce.decisions.model_adapter import (
    DECISION,
    PROBABILITY,
    ModelAdapter,
    Request,
    array_dtype,
    binary_index,
    decision_threshold,
    plain_classes,
)
from p2ce.decisions.targets import range_ends, range_model, read_range, refuse_scale
from p2ce.errors import UnsupportedModel
from p2ce.models.sklearn.fitted_attributes import (
    asks_estimator,
    asks_number,
    columns_of,
    require_fitted,
    require_numbers,
    require_own,
)
from p2ce.scores.error_bands import exactly, summation_error, widened
from p2ce.scores.kernel_machine import POLY, RBF, KernelMachine
from p2ce.scores.score import CompiledScore, seen_as_given, seen_in_single
from p2ce.visible import echoed

FAMILY = "scikit-learn support vector machine"
_REGRESSORS = frozenset({"SVR", "NuSVR"})
_NAMES = frozenset({"SVC", "NuSVC"}) | _REGRESSORS
_LINEAR = "linear"


def recognises(model: object) -> bool:
    """Tell a scikit-learn SVC, NuSVC, SVR or NuSVR, whatever its kernel."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def read(model: Any, request: Request) -> ModelAdapter:
    """Read support vectors and dual coefficients, those that the model's own decision function uses."""
    kind = require_own(model, root="sklearn", names=_NAMES)
    require_fitted(model)
    family = f"{FAMILY} ({kind.__name__})"
    if kind.__name__ in _REGRESSORS:
        return _read_regressor(model, request, family)
    offered = (PROBABILITY, DECISION) if hasattr(model, "predict_proba") else (DECISION,)
    refuse_scale(request, offered, name=kind.__name__)
    if offered[0] == PROBABILITY and request.scale != DECISION:
        # libsvm does not report the logistic function of the decision value. It improves (½, ½) step by step
        # and stops early: whatever is within ½ percent of one half is reported as exactly one half.
        raise UnsupportedModel(
            f"{family} with probability=True reports the outcome of an iteration, without a proven link to "
            "its decision value. Pass scale='decision' to have the decision value read exactly."
        )
    _refuse_what_has_no_bound(model, family)
    classes = plain_classes(model.classes_)
    index = binary_index(classes, request.target, family=family)
    machine = _machine(model, request, family)
    threshold, sign = decision_threshold(request.threshold), 1.0 if index == 1 else -1.0
    # With two classes libsvm's value points to the first one, and scikit-learn reports minus that.
    score = machine.score(-sign, threshold, threshold)
    return ModelAdapter(
        family=family,
        score=score,
        columns=machine.columns,
        scale=DECISION,
        threshold=threshold,
        classes=classes,
        ask=asks_estimator(model, "decision_function", request.reference, column=None, sign=sign),
        report=lambda scores: scores,
        tolerance=machine.tolerance(score),
        reach=machine.proven_reach,
    )


def _read_regressor(model: Any, request: Request, family: str) -> ModelAdapter:
    """Hold the predicted number, which is libsvm's value as it is, between the ends of a range."""
    _refuse_what_has_no_bound(model, family)
    wanted = read_range(request, name=type(model).__name__)
    machine = _machine(model, request, family)
    ends = range_ends(wanted, exactly(float), band=0.0)
    scores = [machine.score(end.sign, end.accept_from, end.reject_below) for end in ends]
    sign = ends[0].sign
    return range_model(
        wanted,
        scores,
        family=family,
        columns=machine.columns,
        predict=asks_number(model, "predict", request.reference),
        report=lambda scores: wanted.leads(sign * scores),
        tolerance=machine.tolerance(scores[0]),
        reach=machine.proven_reach,
    )


class _Machine(NamedTuple):
    """What a model's value is computed from."""

    model: Any
    family: str
    duals: FloatArray  # (vectors,)
    vectors: FloatArray  # (vectors, d)
    intercept: float
    columns: tuple[str, ...]
    reach: FloatArray  # (d,)
    values: pd.DataFrame  # the reference, in the model's columns
    see: Callable[[FloatArray], FloatArray]

    @property
    def is_linear(self) -> bool:
        return bool(self.model.kernel == _LINEAR)

    @property
    def proven_reach(self) -> FloatArray | None:
        """A kernel machine bounds its rounding for every person anew, however far out."""
        return self.reach if self.is_linear else None

    def score(self, sign: float, accept_from: float, reject_below: float) -> CompiledScore | KernelMachine:
        """Give libsvm's value times ``sign`` as a score, with thresholds on it."""
        duals, intercept = sign * self.duals, sign * self.intercept
        if self.is_linear:
            band = _band(duals, self.vectors, intercept, self.reach)
            accept_from, reject_below = widened(accept_from, reject_below, band)
            return CompiledScore(
                name="model",
                column_count=len(self.columns),
                offset=intercept,
                weights=duals @ self.vectors,
                accept_from=accept_from,
                reject_below=reject_below,
            )
        is_poly = self.model.kernel == POLY
        return KernelMachine(
            name="model",
            column_count=len(self.columns),
            support=self.vectors,
            weights=duals,
            intercept=intercept,
            kernel=self.model.kernel,
            gamma=float(self.model._gamma),
            coef0=float(self.model.coef0) if is_poly else 0.0,
            degree=int(self.model.degree) if is_poly else 0,
            accept_from=accept_from,
            reject_below=reject_below,
            see=self.see,
        )

    def tolerance(self, score: CompiledScore | KernelMachine) -> float:
        """Say how far our value may be from libsvm's."""
        if isinstance(score, CompiledScore):
            return 1e-9 + _band(self.duals, self.vectors, self.intercept, self.reach)
        return _tolerance(score, self.values, self.family)


def _machine(model: Any, request: Request, family: str) -> _Machine:
    columns, named = columns_of(model, request.reference)
    require_numbers(request, columns, name=family)
    duals = np.asarray(model._dual_coef_, dtype=np.float64)[0]
    vectors = np.ascontiguousarray(model.support_vectors_, dtype=np.float64)
    if vectors.shape != (len(duals), len(columns)):
        raise UnsupportedModel(f"{family} does not hold its support vectors. Fit it anew.")
    positions = [list(map(str, request.reference.columns)).index(name) for name in columns]
    values = _values(request, columns)
    return _Machine(
        model=model,
        family=family,
        duals=duals,
        vectors=vectors,
        intercept=float(model._intercept_[0]),
        columns=columns,
        reach=request.reach[positions],
        values=values,
        see=seen_as_given if named or model.kernel == _LINEAR else _cast(array_dtype(values), family),
    )


def _values(request: Request, columns: tuple[str, ...]) -> pd.DataFrame:
    labels = {str(label): label for label in request.reference.columns}
    return request.reference[[labels[name] for name in columns]]


def _cast(dtype: np.dtype[Any], family: str) -> Callable[[FloatArray], FloatArray]:
    """Cast as the step does that makes a bare array of rows; libsvm itself takes float64."""
    if dtype.kind == "f" and dtype not in (np.float32, np.float64):
        raise UnsupportedModel(
            f"{family} on columns of {dtype} cannot be read. Pass the reference as float64."
        )
    return seen_in_single if dtype == np.float32 else seen_as_given


def _tolerance(score: KernelMachine, values: pd.DataFrame, family: str) -> float:
    """Say how far our value may be from libsvm's, on the reference and somewhat beyond."""
    tolerance = score.tolerance(2.0 * np.abs(values.to_numpy(dtype=np.float64)).max(axis=0))
    if not np.isfinite(tolerance):
        raise UnsupportedModel(
            f"{family} computes with numbers too large to bound their rounding. Scale the columns first, for "
            "instance by a StandardScaler in a Pipeline."
        )
    return tolerance


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


def _refuse_what_has_no_bound(model: Any, family: str) -> None:
    if not isinstance(model.kernel, str) or model.kernel not in (_LINEAR, RBF, POLY):
        raise UnsupportedModel(
            f"{family} with kernel {echoed(model.kernel)} has no bound of its own. "
            f"Kernels that can be read are {echoed(_LINEAR)}, {echoed(RBF)} and {echoed(POLY)}."
        )
    if hasattr(model.support_vectors_, "toarray"):
        raise UnsupportedModel(f"{family} was fitted on a sparse matrix. Fit it on the frame itself.")
    if model.kernel == POLY and not (isinstance(model.degree, int | np.integer) and model.degree >= 0):
        raise UnsupportedModel(f"{family} has the degree {echoed(model.degree)}. Fit it with a whole number.")
    if not 0.0 <= float(model._gamma) < np.inf:
        raise UnsupportedModel(
            f"{family} has the gamma {echoed(model._gamma)}. Fit it with a positive number."
        )
