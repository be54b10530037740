"""Parse scikit-learn's MLPClassifier and MLPRegressor."""

from typing import Any

import numpy as np

from p2ce.base.arrays import CHECKED_ROWS
from p2ce.base.calls.library import library_class, quiet_check_array
from p2ce.base.visible import echoed
from p2ce.engine.scores.network.network_layers import Layer
from p2ce.engine.scores.network.network_rounding import DOUBLE, SINGLE
from p2ce.engine.scores.score import seen_as_given, seen_in_single
from p2ce.errors import UnsupportedModel
from p2ce.models.contract.margins import (
    ClassOutputs,
    NumberOutput,
    OutputLink,
    ParsedModel,
    logistic_link,
)
from p2ce.models.contract.network_outputs import NetworkOutputs
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

FAMILY = "scikit-learn"
_NAMES = frozenset({"MLPClassifier", "MLPRegressor"})
_ACTIVATIONS = {"identity": "identity", "relu": "relu", "tanh": "tanh", "logistic": "sigmoid"}


def recognises(model: object) -> bool:
    """Return whether a model is a scikit-learn MLPClassifier or MLPRegressor."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def parse(model: Any, request: ParseRequest) -> ParsedModel:
    """Parse the layers; outputs are logits of the classes, or the predicted number."""
    kind = require_library_class(model, root="sklearn", names=_NAMES)
    require_fitted(model)
    family = f"{FAMILY} {kind.__name__}"
    if kind.__name__ == "MLPRegressor":
        _require_output(model, family, count=1, activation="identity")
        predict = number_call(model, "predict", request.reference)
        margins = _network(model, request, family)
        return ParsedModel(family=family, margins=margins, outputs=NumberOutput(predict=predict))
    classes = plain_classes(model.classes_)
    if len(classes) == 2:
        _require_output(model, family, count=1, activation="logistic")
    else:
        _require_output(model, family, count=len(classes), activation="softmax")
    margins = _network(model, request, family)
    return ParsedModel(
        family=family,
        margins=margins,
        outputs=ClassOutputs(
            names=classes,
            probabilities=estimator_call(model, "predict_proba", request.reference),
            link=_either_precision if margins.single else None,
            single=margins.single,
        ),
    )


def _require_output(model: Any, family: str, *, count: int, activation: str) -> None:
    if model.n_outputs_ != count or model.out_activation_ != activation:
        raise UnsupportedModel(
            f"{family} with {model.n_outputs_} outputs ({model.out_activation_}) is not supported, only with "
            f"{count} ({activation}). Fit a model for one label or number."
        )
    if model.activation not in _ACTIVATIONS:
        raise UnsupportedModel(
            f"{family} with activation {echoed(model.activation)} is not supported natively. "
            f"Supported are {', '.join(sorted(_ACTIVATIONS))}."
        )


def _network(model: Any, request: ParseRequest, family: str) -> NetworkOutputs:
    columns, named = estimator_columns(model, request.reference)
    require_numbers(request, columns, name=family)
    given = quiet_check_array(row_format(columns, request.reference, named=named)(request.reference.head(1)))
    if given.dtype.kind == "f" and given.dtype not in (np.float32, np.float64):
        raise UnsupportedModel(
            f"{family} on columns of {given.dtype} is not supported natively. Pass the reference as float64."
        )
    # One float64 array makes all later results float64. The larger unit is valid in both cases.
    single = any(array.dtype == np.float32 for array in (*model.coefs_, *model.intercepts_))
    return NetworkOutputs(
        columns=columns,
        layers=_layers(model),
        see=seen_in_single if given.dtype == np.float32 else seen_as_given,
        unit=SINGLE if single else DOUBLE,
        single=single,
        rows=request.codebook.of(columns).encode(request.reference.head(CHECKED_ROWS)),
    )


def _layers(model: Any) -> tuple[Layer, ...]:
    last = len(model.coefs_) - 1
    return tuple(
        Layer(
            weights=np.asarray(weights, dtype=np.float64),
            bias=np.asarray(bias, dtype=np.float64),
            activation="identity" if position == last else _ACTIVATIONS[model.activation],
        )
        for position, (weights, bias) in enumerate(zip(model.coefs_, model.intercepts_, strict=True))
    )


def _either_precision(complement: bool) -> OutputLink:
    """Bound scipy's expit in float32 and in float64, since a float64 frame makes all results float64."""
    double, narrow = logistic_link()(complement), logistic_link(single=True)(complement)

    def either(score: Any) -> tuple[Any, Any]:
        lows, highs = zip(double.reported(score), narrow.reported(score), strict=True)
        return np.minimum(*lows), np.maximum(*highs)

    return OutputLink(either, double.value)
