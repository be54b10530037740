"""Ask a model that nobody can look into: ``predict_proba``, ``decision_function``, or a plain callable."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.compiled.answers import (
    REBATCHED,
    answers_of,
    as_array,
    as_frame,
    check_repeats,
    choose_feed,
    one_per_class,
    one_per_row,
    some_rows,
)
from p2ce.errors import InvalidAnswer, InvalidTarget, InvalidThreshold, P2CEError, UnsupportedModel
from p2ce.models import torch_network
from p2ce.models.reading import (
    DECISION,
    PROBABILITY,
    Ask,
    ReadModel,
    Request,
    array_dtype,
    class_index,
    columns_by_count,
    columns_by_name,
    decision_threshold,
    plain_classes,
    probability_threshold,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """How rows are handed to the model."""

    columns: tuple[str, ...]
    feed: Callable[[pd.DataFrame], Any]
    precision: np.dtype[Any]  # of its answers


def can_be_asked(model: object) -> bool:
    """Tell whether a model has a method that scores rows, or is one."""
    if isinstance(model, type):
        return False
    return callable(model) or any(
        callable(getattr(model, name, None)) for name in ("predict_proba", "decision_function")
    )


def read(model: Any, request: Request) -> ReadModel:
    """Settle how the model is asked, which of its answers counts, and that it answers the same again.

    ``predict_proba`` comes before ``decision_function``, and both before calling the model itself. A
    callable's values are taken as they are: probabilities with a threshold of 0.5 where all of the
    reference lies in [0, 1], and otherwise only with a threshold that the caller gives.
    """
    if callable(getattr(model, "predict_proba", None)):
        return _read_probabilities(model, request)
    if callable(getattr(model, "decision_function", None)):
        return _read_decisions(model, request)
    return _read_callable(model, request)


def read_module(module: Any, request: Request) -> ReadModel:
    """Settle how a PyTorch module is asked: its outputs are logits, and must not look like anything else."""
    name = type(module).__name__
    rows = some_rows(request.reference).to_numpy(dtype=np.float64)
    try:
        found = torch_network.ask_module(module, request.reference, request.target, request.threshold)
        _refuse_probabilities(torch_network.run_module(module, rows), name)
    except P2CEError:
        raise
    except Exception as error:
        raise InvalidAnswer(
            f"model ({name}) raised {type(error).__name__}: {error} when asked about rows of "
            f"{request.reference.shape[1]} columns."
        ) from error
    single = any(str(part.dtype) != "torch.float64" for part in module.parameters())
    tolerance = REBATCHED if single else found.tolerance
    return as_opaque(replace(found, family=name, tolerance=tolerance), request)


def _refuse_probabilities(outputs: FloatArray, name: str) -> None:
    """Refuse outputs that a second logistic function or softmax would squash without anybody noticing."""
    inside = bool((outputs >= 0.0).all() and (outputs <= 1.0).all())
    several = outputs.ndim == 2 and outputs.shape[1] > 1
    if inside and (not several or np.allclose(outputs.sum(axis=1), 1.0, atol=1e-3)):
        raise UnsupportedModel(
            f"The outputs of this {name} have to be logits, but on the reference all lie in [0, 1]. If they "
            "are probabilities, pass a function that returns them: "
            "lambda rows: module(torch.as_tensor(rows, dtype=torch.float32))."
        )


def as_opaque(found: ReadModel, request: Request) -> ReadModel:
    """Forget what is known about the inside of a model that was read, and only ask it from now on."""
    call = f"model ({found.family})"

    def ask(frame: pd.DataFrame) -> FloatArray:
        return one_per_row(answers_of(found.ask, frame.copy(), call=call), len(frame), call=call)

    tolerance = max(found.tolerance, check_repeats(ask, some_rows(request.reference), call=call))
    return replace(
        found,
        score=None,
        family=f"opaque ({found.family})",
        ask=ask,
        report=_as_it_is,
        tolerance=tolerance,
        reach=None,
    )


def _read_probabilities(model: Any, request: Request) -> ReadModel:
    call = "model.predict_proba"
    classes = _classes(model)
    way, sample = _choose_way(model, model.predict_proba, request.reference, call)
    known = None if classes is None else len(classes)
    answers = one_per_class(sample, len(sample), known, call=call)
    classes = tuple(range(answers.shape[1])) if classes is None else classes
    index = class_index(classes, request.target)

    def ask(frame: pd.DataFrame) -> FloatArray:
        found = answers_of(model.predict_proba, way.feed(frame), call=call)
        return one_per_class(found, len(frame), len(classes), call=call)[:, index].copy()

    threshold = probability_threshold(request.threshold)
    return _settled(model, request, way, ask, call, PROBABILITY, threshold, classes)


def _read_decisions(model: Any, request: Request) -> ReadModel:
    call = "model.decision_function"
    classes = _classes(model)
    way, sample = _choose_way(model, model.decision_function, request.reference, call)
    columns = sample.shape[1] if sample.ndim == 2 else 1
    if classes is None:
        classes = tuple(range(max(2, columns)))
    index = class_index(classes, request.target)
    if len(classes) > 2 and getattr(model, "decision_function_shape", None) == "ovo":
        raise UnsupportedModel(
            f"{type(model).__name__} with decision_function_shape='ovo' compares classes in pairs, so no "
            "column belongs to the target. Fit with decision_function_shape='ovr'."
        )

    def ask(frame: pd.DataFrame) -> FloatArray:
        found = answers_of(model.decision_function, way.feed(frame), call=call)
        if len(classes) > 2 or columns > 1:
            return one_per_class(found, len(frame), len(classes), call=call)[:, index].copy()
        second = one_per_row(found, len(frame), call=call)
        return second if index == 1 else -second

    return _settled(model, request, way, ask, call, DECISION, decision_threshold(request.threshold), classes)


def _read_callable(model: Any, request: Request) -> ReadModel:
    call = "model(rows)"
    way, sample = _choose_way(model, model, request.reference, call)
    columns = sample.shape[1] if sample.ndim == 2 else 1
    classes: tuple[Any, ...] = (0, 1) if columns == 1 else tuple(range(columns))
    index = _callable_index(columns, request.target)

    def ask(frame: pd.DataFrame) -> FloatArray:
        found = answers_of(model, way.feed(frame), call=call)
        if columns == 1:
            return one_per_row(found, len(frame), call=call)
        return one_per_class(found, len(frame), columns, call=call)[:, index].copy()

    scale, threshold = _callable_scale(sample.reshape(len(sample), -1)[:, index], request.threshold)
    return _settled(model, request, way, ask, call, scale, threshold, classes)


def _callable_index(columns: int, target: Any) -> int:
    """Find the column that a callable reports for the target; there, classes are column numbers."""
    if columns > 1:
        return class_index(range(columns), target)
    if np.ndim(target) == 0 and bool(target == 1):
        return 0
    raise InvalidTarget(
        f"The callable answers with one number per row, the score to be reached; target={target!r} cannot "
        "choose another. Pass a callable that scores the wanted class, and leave target at 1."
    )


def _callable_scale(values: FloatArray, threshold: float | None) -> tuple[str, float]:
    """Take values that all lie in [0, 1] for probabilities; of others nobody knows what is enough."""
    low, high = float(values.min()), float(values.max())
    asked = decision_threshold(threshold)
    if low >= 0.0 and high <= 1.0 and (threshold is None or 0.0 <= asked <= 1.0):
        return PROBABILITY, probability_threshold(threshold)
    if threshold is None:
        raise InvalidThreshold(
            f"The callable's values on the reference run from {low:.4g} to {high:.4g}, so they are no "
            "probabilities. Say from which value on it accepts: threshold=0.0, say, for log-odds."
        )
    return DECISION, asked


def _settled(
    model: Any,
    request: Request,
    way: _Way,
    ask: Ask,
    call: str,
    scale: str,
    threshold: float,
    classes: tuple[Any, ...],
) -> ReadModel:
    single = way.precision == np.float32
    tolerance = check_repeats(ask, some_rows(request.reference), call=call, single=single)
    return ReadModel(
        family=f"opaque ({name_of(model)})",
        score=None,
        columns=way.columns,
        scale=scale,
        threshold=threshold,
        classes=classes,
        ask=ask,
        report=_as_it_is,
        tolerance=tolerance,
    )


def _choose_way(
    model: Any, method: Callable[[Any], Any], reference: pd.DataFrame, call: str
) -> tuple[_Way, np.ndarray]:
    """Find out how the model takes its rows, and give its answers for some of them.

    What was fitted tells by its names or number of columns. Anything else is shown a frame, and an
    array if that fails.
    """
    fitted = getattr(model, "__self__", model)  # of the method of an estimator, the estimator
    names, count = _fitted_names(fitted, reference), _attribute(fitted, "n_features_in_")
    if names is not None:
        columns = columns_by_name(names, reference)
    elif count is not None:
        columns = columns_by_count(int(count), reference)
    else:
        columns = tuple(str(name) for name in reference.columns)
    labels = {str(label): label for label in reference.columns}
    order = [labels[name] for name in columns]
    frame, array = as_frame(order), as_array(order, array_dtype(reference[order]))
    feeds = [frame] if names is not None else [array] if count is not None else [frame, array]
    feed, answers = choose_feed(method, feeds, some_rows(reference), call=call)
    return _Way(columns=columns, feed=feed.give, precision=answers.dtype), answers


def _fitted_names(model: Any, reference: pd.DataFrame) -> Sequence[str] | None:
    """List the column names that the model was fitted on; None if it saw a bare array or does not tell."""
    names = _attribute(model, "feature_names_in_")
    if names is None and type(model).__module__.partition(".")[0] == "catboost":
        names = _attribute(model, "feature_names_")
        if names is not None and list(names) == [str(place) for place in range(len(names))]:
            return None  # CatBoost's names for the columns of an array
    if names is None:
        return None
    # LightGBM turns blanks in names into underscores.
    known = {str(label).replace(" ", "_"): str(label) for label in reference.columns}
    own = {str(label) for label in reference.columns}
    return [str(name) if str(name) in own else known.get(str(name), str(name)) for name in names]


def _classes(model: Any) -> tuple[Any, ...] | None:
    classes = _attribute(model, "classes_")
    if classes is None:
        return None
    try:
        plain = plain_classes(classes)
    except ValueError:  # one array per output, of different lengths
        plain = ((),)
    if any(np.ndim(one) for one in plain):
        raise UnsupportedModel(
            f"{type(model).__name__} has several outputs, each with classes of its own. "
            "Fit one model for the wanted output."
        )
    return plain


def _attribute(model: Any, name: str) -> Any:
    try:
        return getattr(model, name, None)
    except Exception:  # a property of the user's, about a model that has not been fitted, say
        return None


def _as_it_is(values: FloatArray) -> FloatArray:
    return values


def name_of(model: object) -> str:
    """Name a model by its class, or a function by its own name."""
    return getattr(model, "__name__", None) or type(model).__name__
