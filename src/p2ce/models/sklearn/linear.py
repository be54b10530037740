"""Read scikit-learn's linear models: a margin per class, or the predicted number, that is a weighted sum."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from p2ce.adapters.library import library_class, quiet_check_array
from p2ce.arrays import FloatArray
from p2ce.decisions.model_adapter import (
    DECISION,
    LEAD,
    PROBABILITY,
    ModelAdapter,
    Request,
    class_index,
    decision_threshold,
    feeder,
    plain_classes,
    probability_threshold,
    second_class_or_first,
)
from p2ce.decisions.targets import (
    class_ask,
    range_ends,
    range_model,
    read_range,
    refuse_scale,
    softmax_reaches,
    softmax_wins,
    wins_ask,
)
from p2ce.errors import UnsupportedModel
from p2ce.models.sklearn.fitted_attributes import (
    asks_all,
    asks_estimator,
    asks_number,
    columns_of,
    require_fitted,
    require_numbers,
    require_own,
)
from p2ce.scores.error_bands import Reported, exactly, logistic, summation_error, sure_and_maybe, widened
from p2ce.scores.score import CompiledScore

FAMILY = "scikit-learn linear model"
_LOGISTIC = frozenset({"LogisticRegression", "LogisticRegressionCV", "LinearDiscriminantAnalysis"})
_DECISION = frozenset(
    {"RidgeClassifier", "RidgeClassifierCV", "LinearSVC", "Perceptron", "PassiveAggressiveClassifier"}
)
# Those whose prediction is the sum itself. Poisson, gamma and Tweedie regressors bend it, and are asked.
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
# Of a margin that is farther behind the largest one, softmax makes 0, or less than any threshold it is used
# for; so rounding counts only up to here.
_FARTHEST = 1000.0


def recognises(model: object) -> bool:
    """Tell a scikit-learn linear classifier or regressor."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


class _Sums(NamedTuple):
    """The sums behind a linear model, in its own columns, and how precisely the library adds them."""

    weights: FloatArray  # (sums, d)
    intercepts: FloatArray  # (sums,)
    columns: tuple[str, ...]
    reach: FloatArray  # (d,)
    single: bool

    def band(self, *places: int) -> float:
        """Bound how far one library sum, or two subtracted, and any float64 sum of ours can be apart."""
        terms = len(self.columns) + 2 + len(places)  # products are rounded before they are added
        magnitude = sum(self.largest(place) for place in places)
        ours = summation_error(terms, magnitude)
        theirs = summation_error(terms, magnitude, unit=2.0**-24) if self.single else ours
        # Ours twice: the search may reach a sum by adding changes to a base instead of from scratch.
        return theirs + 2.0 * ours

    def largest(self, place: int) -> float:
        """Bound the magnitudes of all terms of a sum."""
        with np.errstate(over="ignore"):
            return float(abs(self.intercepts[place]) + np.abs(self.weights[place]) @ self.reach)

    def score(
        self,
        accept_from: float,
        reject_below: float,
        *,
        plus: int,
        minus: int | None = None,
        sign: float = 1.0,
    ) -> CompiledScore:
        """Give one of the sums, turned by ``sign``, or the difference of two, as a score."""
        weights, offset = self.weights[plus], float(self.intercepts[plus])
        if minus is not None:
            weights, offset = weights - self.weights[minus], offset - float(self.intercepts[minus])
        return CompiledScore(
            name="model",
            column_count=len(self.columns),
            offset=sign * offset,
            weights=sign * weights,
            accept_from=accept_from,
            reject_below=reject_below,
        )


def read(model: Any, request: Request) -> ModelAdapter:
    """Read weights and intercepts; bands cover every order and fusing of the library's dot products."""
    kind = require_own(model, root="sklearn", names=_NAMES)
    require_fitted(model)
    family = f"{FAMILY} ({kind.__name__})"
    if kind.__name__ in _REGRESSORS:
        return _read_regressor(model, request, family)
    classes = plain_classes(model.classes_)
    _refuse_labels_of_their_own(model, classes, family)
    index = class_index(classes, request.target)
    offered = (PROBABILITY, DECISION) if hasattr(model, "predict_proba") else (DECISION,)
    refuse_scale(request, offered, name=kind.__name__)
    scale = request.scale or offered[0]
    if len(classes) == 2:
        _refuse_other_links(model)
        return _read_one_of_two(model, request, family, classes, index, scale)
    if request.scale == DECISION or (scale == DECISION and request.threshold is not None):
        return _read_decision(model, request, family, classes, index)
    if request.threshold is None:
        return _read_win(model, request, family, classes, index)
    return _read_share(model, request, family, classes, index)


def _sums(model: Any, request: Request, family: str) -> _Sums:
    columns, named = columns_of(model, request.reference)
    require_numbers(request, columns, name=family)
    coefficients = model.coef_.toarray() if hasattr(model.coef_, "toarray") else np.asarray(model.coef_)
    weights = coefficients.reshape(-1, len(columns)).astype(np.float64)
    intercepts = np.asarray(model.intercept_, dtype=np.float64).reshape(-1)
    seen = quiet_check_array(feeder(columns, request.reference, named=named)(request.reference.head(1)))
    positions = [list(map(str, request.reference.columns)).index(name) for name in columns]
    return _Sums(
        weights=weights,
        intercepts=np.broadcast_to(intercepts, len(weights)),  # fitted without any, it is one zero
        columns=columns,
        reach=request.reach[positions],
        single=np.result_type(seen.dtype, coefficients.dtype) == np.float32,
    )


# Two classes


def _read_one_of_two(
    model: Any, request: Request, family: str, classes: tuple[Any, ...], index: int, scale: str
) -> ModelAdapter:
    sums = _sums(model, request, family)
    sign = 1.0 if index == 1 else -1.0
    band = sums.band(0)
    threshold, reported, linked = _link(model, scale, request.threshold, index, sums.single)
    accept_from, reject_below = widened(*sure_and_maybe(reported, threshold), band)
    of_target = second_class_or_first(index)
    return ModelAdapter(
        family=family,
        score=sums.score(accept_from, reject_below, plus=0, sign=sign),
        columns=sums.columns,
        scale=scale,
        threshold=threshold,
        classes=classes,
        ask=(
            asks_estimator(model, "predict_proba", request.reference, column=index)
            if scale == PROBABILITY
            else asks_estimator(model, "decision_function", request.reference, column=None, sign=sign)
        ),
        report=(lambda scores: of_target(linked(scores * sign))) if scale == PROBABILITY else linked,
        # Far from zero a decision value carries the rounding of its large terms.
        tolerance=_precision(sums) + (band if scale == DECISION else 0.0),
        reach=sums.reach,
    )


def _link(
    model: Any, scale: str, threshold: float | None, index: int, single: bool
) -> tuple[float, Reported, Callable[[FloatArray], FloatArray]]:
    """Choose the threshold, the rounding of what is reported, and its formula."""
    complement = index == 0
    if scale == DECISION:
        return decision_threshold(threshold), exactly(float), lambda scores: scores
    asked = probability_threshold(threshold)
    if getattr(model, "loss", None) == "modified_huber":
        return asked, exactly(_clipped_share(complement)), _clipped
    return asked, logistic(complement=complement, single=single), _expit


def _precision(sums: _Sums) -> float:
    return 1e-4 if sums.single else 1e-9


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


def _refuse_labels_of_their_own(model: Any, classes: tuple[Any, ...], family: str) -> None:
    """Ridge classifiers also fit several labels at once, each with a decision of its own."""
    rows = np.shape(model.coef_)[0] if np.ndim(model.coef_) == 2 else 1
    binarizer = getattr(model, "_label_binarizer", None)
    several = binarizer is not None and str(binarizer.y_type_).startswith("multilabel")
    if several or len(classes) < 2 or rows != (1 if len(classes) == 2 else len(classes)):
        raise UnsupportedModel(
            f"{family} has {rows} sums for {len(classes)} classes, so that no one class can win. "
            "Fit one model for the wanted label."
        )


# Several classes


def _read_win(
    model: Any, request: Request, family: str, classes: tuple[Any, ...], index: int
) -> ModelAdapter:
    """Compare margins in pairs; ``predict`` takes the largest decision value, however it is reported."""
    sums = _sums(model, request, family)
    bands = {other: sums.band(index, other) for other in range(len(classes)) if other != index}
    first, *more = (
        sums.score(*softmax_wins(band, single=sums.single), plus=index, minus=other)
        for other, band in bands.items()
    )
    probabilities = hasattr(model, "predict_proba")
    return ModelAdapter(
        family=family,
        score=first,
        also=tuple(more),
        columns=sums.columns,
        scale=LEAD,
        threshold=0.0,
        classes=classes,
        ask=wins_ask(asks_all(model, "decision_function", request.reference), index),
        predict=(
            class_ask(asks_all(model, "predict_proba", request.reference), index) if probabilities else None
        ),
        report=None,
        tolerance=_precision(sums) + max(bands.values()),
        reach=sums.reach,
    )


def _read_share(
    model: Any, request: Request, family: str, classes: tuple[Any, ...], index: int
) -> ModelAdapter:
    """Bound a probability by what it is between two classes; the model is asked about what passes."""
    if not _is_softmax(model):
        raise UnsupportedModel(
            f"{family} reports probabilities of {len(classes)} classes that are each divided by the sum of "
            "all, which bounds none of them by its own margin. Leave threshold out to have the target win."
        )
    sums = _sums(model, request, family)
    threshold = probability_threshold(request.threshold)
    largest = min(_FARTHEST, max(map(sums.largest, range(len(classes)))))
    first, *more = (
        sums.score(
            *softmax_reaches(
                threshold, len(classes), band=sums.band(index, other), largest=largest, single=sums.single
            ),
            plus=index,
            minus=other,
        )
        for other in range(len(classes))
        if other != index
    )
    return ModelAdapter(
        family=family,
        score=first,
        also=tuple(more),
        decides=False,
        columns=sums.columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=classes,
        ask=class_ask(asks_all(model, "predict_proba", request.reference), index),
        report=None,
        tolerance=_precision(sums),
        reach=sums.reach,
    )


def _is_softmax(model: Any) -> bool:
    """Tell whether probabilities are a softmax of all margins, or of each margin for itself."""
    if library_class(model, root="sklearn", names=_LOGISTIC) is None:
        return False
    chosen = getattr(model, "multi_class", "auto")  # older scikit-learn versions let people choose
    return chosen != "ovr" and getattr(model, "solver", None) != "liblinear"


def _read_decision(
    model: Any, request: Request, family: str, classes: tuple[Any, ...], index: int
) -> ModelAdapter:
    """Take the class's own decision value, whatever those of the others are."""
    sums = _sums(model, request, family)
    threshold, band = decision_threshold(request.threshold), sums.band(index)
    return ModelAdapter(
        family=family,
        score=sums.score(*widened(threshold, threshold, band), plus=index),
        columns=sums.columns,
        scale=DECISION,
        threshold=threshold,
        classes=classes,
        ask=class_ask(asks_all(model, "decision_function", request.reference), index),
        report=lambda scores: scores,
        tolerance=_precision(sums) + band,
        reach=sums.reach,
    )


# Regressors


def _read_regressor(model: Any, request: Request, family: str) -> ModelAdapter:
    """Hold the predicted number between the ends of a range."""
    sums = _sums(model, request, family)
    if len(sums.weights) != 1:
        raise UnsupportedModel(
            f"{family} predicts {len(sums.weights)} numbers at once. Fit one model for the wanted number."
        )
    wanted = read_range(request, name=type(model).__name__)
    band = sums.band(0)
    ends = range_ends(wanted, exactly(float), band=band)
    sign = ends[0].sign
    return range_model(
        wanted,
        [sums.score(end.accept_from, end.reject_below, plus=0, sign=end.sign) for end in ends],
        family=family,
        columns=sums.columns,
        predict=asks_number(model, "predict", request.reference),
        report=lambda scores: wanted.leads(sign * scores),
        tolerance=_precision(sums) + band,
        reach=sums.reach,
    )
