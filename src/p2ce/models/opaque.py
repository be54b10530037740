"""Ask a model that nobody can look into: ``predict_proba``, ``decision_function``, or a plain callable."""

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.compiled.answers import answers_of, check_repeats, one_per_class, one_per_row, some_rows
from p2ce.errors import InvalidAnswer, InvalidTarget, InvalidThreshold, UnsupportedModel
from p2ce.models.reading import (
    DECISION,
    PROBABILITY,
    Ask,
    ReadModel,
    Request,
    class_index,
    columns_by_count,
    columns_by_name,
    decision_threshold,
    feeder,
    plain_classes,
    probability_threshold,
)

TOLERANCE = 1e-9
# How scikit-learn and XGBoost say that a frame has other columns, or the same in another order.
_OTHER_COLUMNS = re.compile(r"feature.names (should match|mismatch)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """One way to hand rows to the model."""

    columns: tuple[str, ...]
    feed: Callable[[pd.DataFrame], Any]
    called: str  # in messages


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


def as_opaque(found: ReadModel, request: Request) -> ReadModel:
    """Forget what is known about the inside of a model that was read, and only ask it from now on."""

    def ask(frame: pd.DataFrame) -> FloatArray:
        return one_per_row(answers_of(found.ask, frame.copy(), call="model"), len(frame), call="model")

    check_repeats(ask, some_rows(request.reference), call="model")
    return replace(
        found,
        score=None,
        family=f"opaque ({found.family})",
        ask=ask,
        report=_as_it_is,
        tolerance=TOLERANCE,
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
    check_repeats(ask, some_rows(request.reference), call=call)
    return ReadModel(
        family=f"opaque ({name_of(model)})",
        score=None,
        columns=way.columns,
        scale=scale,
        threshold=threshold,
        classes=classes,
        ask=ask,
        report=_as_it_is,
        tolerance=TOLERANCE,
    )


def _choose_way(
    model: Any, method: Callable[[Any], Any], reference: pd.DataFrame, call: str
) -> tuple[_Way, np.ndarray]:
    """Find out how the model takes its rows, and give its answers for some of them.

    What was fitted tells by its names or number of columns. Anything else is shown a frame, and an
    array if that fails.
    """
    rows = some_rows(reference)
    failures: list[tuple[_Way, InvalidAnswer]] = []
    for way in _ways(model, reference):
        try:
            with warnings.catch_warnings():
                # What scikit-learn fitted on an array should get one; a frame works, but warns at every call.
                warnings.filterwarnings("error", message="X has feature names, but")
                found = answers_of(method, way.feed(rows), call=call)
            if found.ndim not in (1, 2) or len(found) != len(rows) or 0 in found.shape:
                raise InvalidAnswer(
                    f"{call} has to answer with one number per row, or one row of them; asked about "
                    f"{len(rows)} rows, it gave shape {found.shape}."
                )
            if np.isnan(found).any():
                one_per_row(found.sum(axis=tuple(range(1, found.ndim))), len(rows), call=call)
        except InvalidAnswer as error:
            failures.append((way, error))
            if _OTHER_COLUMNS.search(str(error)):
                break  # an array would hide that the columns are not those of the model
        else:
            return way, found
    if len(failures) == 1:
        raise failures[0][1]
    told = " ".join(f"Given {way.called}: {error}" for way, error in failures)
    raise InvalidAnswer(f"The model could not be asked, neither way. {told}") from failures[0][1]


def _ways(model: Any, reference: pd.DataFrame) -> list[_Way]:
    fitted = getattr(model, "__self__", model)  # of the method of an estimator, the estimator
    names, count = _fitted_names(fitted, reference), _attribute(fitted, "n_features_in_")
    if names is not None:
        return [_way(columns_by_name(names, reference), reference, named=True)]
    if isinstance(count, int | np.integer):
        return [_way(columns_by_count(int(count), reference), reference, named=False)]
    columns = tuple(str(name) for name in reference.columns)
    return [_way(columns, reference, named=named) for named in (True, False)]


def _way(columns: tuple[str, ...], reference: pd.DataFrame, *, named: bool) -> _Way:
    feed = feeder(columns, reference, named=named)
    # A copy, which the model may write to: the rows themselves are still needed.
    return _Way(
        columns=columns,
        feed=(lambda frame: feed(frame).copy()) if named else (lambda frame: np.array(feed(frame))),
        called="a DataFrame" if named else "an array",
    )


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
