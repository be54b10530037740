"""Determine the kind of an unknown model, its classes, and how it accepts rows: as a frame or an array."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.checked_calls import some_rows
from p2ce.base.calls.model_call import (
    AsArray,
    AsFrame,
    OutputCheck,
    as_numbers,
    choose_format,
    labels_in_order,
    one_class_per_row,
)
from p2ce.base.visible import echoed, listed
from p2ce.errors import InvalidOutput, InvalidReference, UnsupportedModel, nearest, what_happened
from p2ce.models.decisions.adapter import ParseRequest
from p2ce.models.decisions.target_arguments import plain_classes
from p2ce.tables.codebook import codebook_of

CLASSIFIER, REGRESSOR = "classifier", "regressor"


def columns_by_name(
    names: Sequence[object], reference: pd.DataFrame, *, subject: str = "model"
) -> tuple[str, ...]:
    """Check that model and reference have the same columns, in any order; return the model's order."""
    fitted_on = [str(name) for name in names]
    known = [str(name) for name in reference.columns]
    seen_by_model, seen_here = set(fitted_on), set(known)
    missing = [name for name in fitted_on if name not in seen_here]
    extra = [name for name in known if name not in seen_by_model]
    if missing:
        raise InvalidReference(
            f"The {subject} was fitted on column {echoed(missing[0])}, which the reference data does not "
            "have"
            + (f" (nor {len(missing) - 1} others)" if len(missing) > 1 else "")
            + f". {nearest(missing[0], known)} Pass the data that the {subject} was fitted on."
        )
    if extra:
        shown = listed(extra, 5)
        raise InvalidReference(
            f"The reference data has {shown}, which the {subject} was not fitted on. "
            f"Drop the columns that the {subject} does not use (such as the label or an index)."
        )
    return tuple(fitted_on)


def columns_by_count(count: int, reference: pd.DataFrame, *, subject: str = "model") -> tuple[str, ...]:
    """Return the reference's columns in order, for a model that was fitted on an array without names."""
    if count != reference.shape[1]:
        raise InvalidReference(
            f"The {subject} was fitted on {count} unnamed columns, but the reference data has "
            f"{reference.shape[1]}. Pass data with exactly the {subject}'s columns, in its order."
        )
    return tuple(str(name) for name in reference.columns)


def row_format(columns: Sequence[str], reference: pd.DataFrame, *, named: bool) -> AsFrame | AsArray:
    """Return the form of rows that the model was fitted on: a frame in its order, or an array."""
    labels = labels_in_order(columns, reference)
    if named:
        return AsFrame(labels=labels)
    return AsArray(labels=labels, dtype=array_dtype(reference[list(labels)]), fills=False)


def array_dtype(frame: pd.DataFrame) -> np.dtype[Any]:
    """Choose the dtype of a frame as an array; a mixture with bools must not become an array of objects."""
    if any(coding.is_category or coding.is_date for coding in codebook_of(frame)):
        return np.dtype(object)
    kinds = [dtype if isinstance(dtype, np.dtype) else np.dtype(np.float64) for dtype in frame.dtypes]
    common = np.result_type(*kinds)
    return common if common.kind in "iuf" else np.dtype(np.float64)


class ChosenFormat(NamedTuple):
    """How rows are passed to a model."""

    columns: tuple[str, ...]
    rows: AsFrame | AsArray
    outputs: np.ndarray  # the model's, for some rows of the reference; their type shows its precision


def choose_row_format(
    model: Any,
    method: Callable[[Any], Any],
    request: ParseRequest,
    call: str,
    check: OutputCheck = as_numbers,
) -> ChosenFormat:
    """Determine how the model accepts rows, and return its outputs for some of them too.

    A fitted model has names or a number of columns. Any other object is called with a frame, and if that
    fails, with an array. Categories and dates are passed as an array only to a model that was fitted on one.
    """
    reference = request.reference
    fitted = getattr(model, "__self__", model)  # a bound method leads to its estimator
    names, count = _stated_names(fitted, reference), attribute_of(fitted, "n_features_in_")
    if names is not None:
        columns = columns_by_name(names, reference)
    elif count is not None:
        columns = columns_by_count(int(count), reference)
    else:
        columns = tuple(str(name) for name in reference.columns)
    labels = labels_in_order(columns, reference)
    holds_objects = any(
        request.codebook[name].is_category or request.codebook[name].is_date for name in columns
    )
    dtype = np.dtype(object) if holds_objects else array_dtype(reference[list(labels)])
    frame, array = AsFrame(labels=labels), AsArray(labels=labels, dtype=dtype)
    formats: list[AsFrame | AsArray] = [frame]
    if names is None and (count is not None or not holds_objects):
        formats = [array] if count is not None else [frame, array]
    rows, outputs = choose_format(method, formats, some_rows(reference), call=call, check=check)
    return ChosenFormat(columns, rows, outputs)


def fitted_names(model: Any, reference: pd.DataFrame) -> Sequence[str] | None:
    """Return the column names that a model of any library was fitted on; None if it has none."""
    fitted = getattr(model, "__self__", model)  # a bound method leads to its estimator
    root = type(fitted).__module__.partition(".")[0]
    if root == "lightgbm" and callable(names := attribute_of(fitted, "feature_name")):  # a Booster
        return _as_in(reference, names())
    if root == "xgboost" and type(fitted).__name__ == "Booster":
        names = attribute_of(fitted, "feature_names")
        return None if names is None else [str(name) for name in names]
    if root == "optbinning":
        names = attribute_of(attribute_of(fitted, "binning_process_"), "variable_names")
        return None if names is None else [str(name) for name in names]
    return _stated_names(fitted, reference)


def _stated_names(model: Any, reference: pd.DataFrame) -> Sequence[str] | None:
    """Return the column names that a fitted model states as scikit-learn or CatBoost does."""
    names = attribute_of(model, "feature_names_in_")
    if names is None and type(model).__module__.partition(".")[0] == "catboost":
        names = attribute_of(model, "feature_names_")
        if names is not None and list(names) == [str(place) for place in range(len(names))]:
            return None  # CatBoost's names for the columns of an array
    return None if names is None else _as_in(reference, names)


def _as_in(reference: pd.DataFrame, names: Sequence[object]) -> Sequence[str]:
    # LightGBM replaces blanks in names by underscores.
    known = {str(label).replace(" ", "_"): str(label) for label in reference.columns}
    own = {str(label) for label in reference.columns}
    return [str(name) if str(name) in own else known.get(str(name), str(name)) for name in names]


def declared_classes(model: Any) -> tuple[Any, ...] | None:
    """Return the model's classes_ as plain values; None if it has none."""
    classes = attribute_of(model, "classes_")
    if classes is None:
        return None
    try:
        plain = plain_classes(classes)
    except ValueError:  # one array per output, of different lengths
        plain = ((),)
    if any(np.ndim(one) for one in plain):
        raise UnsupportedModel(
            f"{type(model).__name__} has several outputs, each with its own classes. "
            "Fit one model for the output to explain."
        )
    return plain


def attribute_of(model: Any, name: str) -> Any:
    """Return an attribute of the user's object; None if it is missing, or if the object is not fitted yet."""
    try:
        return getattr(model, name, None)
    except Exception as error:
        # Of libraries that do not raise AttributeError for what only a fitted model has.
        if type(error).__name__ in ("NotFittedError", "CatBoostError"):
            return None
        raise InvalidOutput(
            f"{name} of {type(model).__name__} {what_happened(error)} when it was looked up. Correct the "
            "property, let it raise AttributeError where there is no value, or pass a function of rows."
        ) from error


def declared_kind(model: Any) -> str | None:
    """Return whether the model declares itself a classifier or a regressor; None if it declares neither.

    A Pipeline delegates this to its last step, and a search to its best model.
    """
    if declared_classes(model) is not None:
        return CLASSIFIER
    kind = attribute_of(model, "_estimator_type")
    tags = attribute_of(model, "__sklearn_tags__")
    if kind is None and callable(tags):
        try:
            kind = tags().estimator_type
        except AttributeError:  # a mixin of scikit-learn without its base class
            return None
    return kind if kind in (CLASSIFIER, REGRESSOR) else None


def predicted_classes(model: Any, request: ParseRequest, call: str) -> tuple[Any, ...]:
    """Return the classes predicted for the reference, for a model that does not list its classes."""
    chosen = choose_row_format(model, model.predict, request, call, one_class_per_row)
    classes = tuple(dict.fromkeys(chosen.outputs.tolist()))
    if any(isinstance(one, float) and not one.is_integer() for one in classes):
        raise UnsupportedModel(
            f"{call} returns numbers such as {echoed(classes[0])}, whose meaning is unknown. Pass it as a "
            "function, with the score to reach as at_least=, or pass the wanted range as target=(low, high)."
        )
    if len(classes) == 1:
        raise UnsupportedModel(
            f"{call} returns {echoed(classes[0])} for the whole reference, and the model lists no classes. "
            "Pass a function that scores rows."
        )
    return classes


def votes_for(predicted: np.ndarray, *, wanted: tuple[Any, ...]) -> FloatArray:
    """Return 1 for predictions of a wanted class, and -1 for all others: (n,) → (n,)."""
    return np.where(np.any([predicted == one for one in wanted], axis=0), 1.0, -1.0)


def votes_in_pairs(model: Any) -> bool:
    """Return whether a model is a kernel machine, or ends in one: predict may not be its largest value."""
    for inner in ("best_estimator_", "_final_estimator"):
        held = attribute_of(model, inner)
        if held is not None:
            return votes_in_pairs(held)
    return hasattr(model, "break_ties")


def name_of(model: object) -> str:
    """Return the name of a model's class, or of a function."""
    return getattr(model, "__name__", None) or type(model).__name__
