"""Read scikit-learn's MLPClassifier and MLPRegressor."""

from typing import Any

import numpy as np
from scipy.special import expit

from p2ce.adapters.library import library_class, quiet_check_array
from p2ce.decisions.model_adapter import (
    PROBABILITY,
    ModelAdapter,
    Request,
    class_index,
    feeder,
    plain_classes,
    probability_threshold,
    second_class_or_first,
)
from p2ce.decisions.network_outputs import (
    Outputs,
    one_output,
    read_network_range,
    read_network_share,
    read_network_win,
)
from p2ce.decisions.targets import read_range, refuse_scale
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
from p2ce.scores.error_bands import Reported, logistic, sure_and_maybe
from p2ce.scores.network_layers import Layer
from p2ce.scores.network_rounding import DOUBLE, SINGLE
from p2ce.scores.score import seen_as_given, seen_in_single
from p2ce.visible import echoed

FAMILY = "scikit-learn"
_NAMES = frozenset({"MLPClassifier", "MLPRegressor"})
_ACTIVATIONS = {"identity": "identity", "relu": "relu", "tanh": "tanh", "logistic": "sigmoid"}
CHECKED_ROWS = 256


def recognises(model: object) -> bool:
    """Tell a scikit-learn MLPClassifier or MLPRegressor."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def read(model: Any, request: Request) -> ModelAdapter:
    """Read the layers; outputs are logits of the classes, or the predicted number."""
    kind = require_own(model, root="sklearn", names=_NAMES)
    require_fitted(model)
    family = f"{FAMILY} {kind.__name__}"
    if kind.__name__ == "MLPRegressor":
        _require_output(model, family, count=1, activation="identity")
        wanted = read_range(request, name=kind.__name__)
        return read_network_range(
            _outputs(model, request, family), wanted, predict=asks_number(model, "predict", request.reference)
        )
    classes = plain_classes(model.classes_)
    if len(classes) == 2:
        _require_output(model, family, count=1, activation="logistic")
    else:
        _require_output(model, family, count=len(classes), activation="softmax")
    index = class_index(classes, request.target)
    refuse_scale(request, (PROBABILITY,), name=kind.__name__)
    outputs = _outputs(model, request, family)
    if len(classes) == 2:
        return _read_one_of_two(model, request, outputs, classes, index)
    ask_all = asks_all(model, "predict_proba", request.reference)
    if request.threshold is None:
        return read_network_win(outputs, classes, index, ask_all=ask_all, ask_probabilities=ask_all)
    threshold = probability_threshold(request.threshold)
    return read_network_share(outputs, classes, index, threshold, ask_probabilities=ask_all)


def _read_one_of_two(
    model: Any, request: Request, outputs: Outputs, classes: tuple[Any, ...], index: int
) -> ModelAdapter:
    """Read the one output: the logit of the second class, or minus it for the first."""
    sign = 1.0 if index == 1 else -1.0
    threshold = probability_threshold(request.threshold)
    accept_from, reject_below = sure_and_maybe(_link(complement=index == 0, single=outputs.single), threshold)
    of_target = second_class_or_first(index)
    score = outputs.score(one_output(outputs.layers[-1], 0, sign=sign), accept_from, reject_below)
    return ModelAdapter(
        family=outputs.family,
        score=score,
        columns=outputs.columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=classes,
        ask=asks_estimator(model, "predict_proba", request.reference, column=index),
        report=lambda scores: of_target(np.asarray(expit(scores * sign), dtype=np.float64)),
        tolerance=score.tolerance(outputs.rows),
    )


def _require_output(model: Any, family: str, *, count: int, activation: str) -> None:
    if model.n_outputs_ != count or model.out_activation_ != activation:
        raise UnsupportedModel(
            f"{family} with {model.n_outputs_} outputs ({model.out_activation_}) cannot be read, only with "
            f"{count} ({activation}). Fit one model for the wanted label or number."
        )
    if model.activation not in _ACTIVATIONS:
        raise UnsupportedModel(
            f"{family} with activation {echoed(model.activation)} cannot be read. "
            f"Supported are {', '.join(sorted(_ACTIVATIONS))}."
        )


def _outputs(model: Any, request: Request, family: str) -> Outputs:
    columns, named = columns_of(model, request.reference)
    require_numbers(request, columns, name=family)
    given = quiet_check_array(feeder(columns, request.reference, named=named)(request.reference.head(1)))
    if given.dtype.kind == "f" and given.dtype not in (np.float32, np.float64):
        raise UnsupportedModel(
            f"{family} on columns of {given.dtype} cannot be read. Pass the reference as float64."
        )
    # One array of float64 makes all that follows it float64; the wider unit is right for either.
    single = any(array.dtype == np.float32 for array in (*model.coefs_, *model.intercepts_))
    return Outputs(
        family=family,
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
