"""Read scikit-learn's MLPClassifier."""

from typing import Any

import numpy as np
from scipy.special import expit

from p2ce.compiled.library import library_class
from p2ce.compiled.links import Reported, logistic, sure_and_maybe
from p2ce.compiled.network import NetworkScore
from p2ce.compiled.network_layers import Layer
from p2ce.compiled.network_rounding import DOUBLE, SINGLE
from p2ce.compiled.score import seen_as_given, seen_in_single
from p2ce.errors import UnsupportedModel
from p2ce.models.reading import (
    PROBABILITY,
    ReadModel,
    Request,
    binary_index,
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

FAMILY = "scikit-learn MLPClassifier"
_NAMES = frozenset({"MLPClassifier"})
_ACTIVATIONS = {"identity": "identity", "relu": "relu", "tanh": "tanh", "logistic": "sigmoid"}
CHECKED_ROWS = 256


def recognises(model: object) -> bool:
    """Tell a scikit-learn MLPClassifier."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def read(model: Any, request: Request) -> ReadModel:
    """Read the layers; the output is the logit of the second class, or minus it for the first."""
    require_own(model, root="sklearn", names=_NAMES)
    require_fitted(model)
    _require_one_output(model)
    classes = plain_classes(model.classes_)
    index = binary_index(classes, request.target, family=FAMILY)
    sign = 1.0 if index == 1 else -1.0
    columns, named = columns_of(model, request.reference)

    given = quiet_check_array(feeder(columns, request.reference, named=named)(request.reference.head(1)))
    if given.dtype.kind == "f" and given.dtype not in (np.float32, np.float64):
        raise UnsupportedModel(
            f"{FAMILY} on columns of {given.dtype} cannot be read. Pass the reference as float64."
        )
    # One array of float64 makes all that follows it float64; the wider unit is right for either.
    single = any(array.dtype == np.float32 for array in (*model.coefs_, *model.intercepts_))
    threshold = probability_threshold(request.threshold)
    sure, maybe = sure_and_maybe(_link(complement=index == 0, single=single), threshold)
    of_target = second_class_or_first(index)
    score = NetworkScore(
        name="model",
        column_count=len(columns),
        layers=_layers(model, sign),
        sure=sure,
        maybe=maybe,
        see=seen_in_single if given.dtype == np.float32 else seen_as_given,
        unit=SINGLE if single else DOUBLE,
    )
    labels = {str(label): label for label in request.reference.columns}
    rows = request.reference[[labels[name] for name in columns]].to_numpy(dtype=np.float64)[:CHECKED_ROWS]
    return ReadModel(
        family=FAMILY,
        score=score,
        columns=columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=classes,
        ask=asks_estimator(model, "predict_proba", request.reference, column=index),
        report=lambda scores: of_target(np.asarray(expit(scores * sign), dtype=np.float64)),
        tolerance=score.tolerance(rows),
    )


def _require_one_output(model: Any) -> None:
    if model.n_outputs_ != 1 or model.out_activation_ != "logistic":
        raise UnsupportedModel(
            f"{FAMILY} with {model.n_outputs_} outputs ({model.out_activation_}): only two classes can be "
            "read exactly here. Fit one model that separates the wanted class from the rest."
        )
    if model.activation not in _ACTIVATIONS:
        raise UnsupportedModel(
            f"{FAMILY} with activation {model.activation!r} cannot be read. "
            f"Supported are {', '.join(sorted(_ACTIVATIONS))}."
        )


def _layers(model: Any, sign: float) -> tuple[Layer, ...]:
    last = len(model.coefs_) - 1
    return tuple(
        Layer(
            weights=np.asarray(weights, dtype=np.float64) * (sign if position == last else 1.0),
            bias=np.asarray(bias, dtype=np.float64) * (sign if position == last else 1.0),
            activation="identity" if position == last else _ACTIVATIONS[model.activation],
        )
        for position, (weights, bias) in enumerate(zip(model.coefs_, model.intercepts_, strict=True))
    )


def _link(*, complement: bool, single: bool) -> Reported:
    """Bound scipy's expit in float32, and in float64 since a frame of that makes all that follows float64."""
    double = logistic(complement=complement)
    if not single:
        return double
    narrow = logistic(complement=complement, single=True)

    def either(score: float) -> tuple[float, float]:
        lows, highs = zip(double(score), narrow(score), strict=True)
        return min(lows), max(highs)

    return either
