"""Determine the kind of an unknown model, and how it accepts rows: as a frame or an array."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.calls.checked_calls import as_array, as_frame, choose_feed, some_rows
from p2ce.base.visible import echoed, listed
from p2ce.errors import InvalidReference, UnsupportedModel, nearest
from p2ce.models.contract.model_adapter import Request
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


def feeder(columns: Sequence[str], reference: pd.DataFrame, *, named: bool) -> Callable[[pd.DataFrame], Any]:
    """Build the conversion of rows to what the model was fitted on: a frame in its order, or an array."""
    labels = {str(label): label for label in reference.columns}  # a frame may name its columns 0, 1, 2
    order = [labels[name] for name in columns]
    if named:
        wanted = pd.Index(order, tupleize_cols=False)
        # Selecting columns takes a tenth of a millisecond, and most frames already have the right ones.
        return lambda frame: frame if frame.columns.equals(wanted) else frame[order]
    dtype = array_dtype(reference[order])
    return lambda frame: frame[order].to_numpy(dtype=dtype)


def array_dtype(frame: pd.DataFrame) -> np.dtype[Any]:
    """Choose the dtype of a frame as an array; a mixture with bools must not become an array of objects."""
    if any(coding.is_category for coding in codebook_of(frame)):
        return np.dtype(object)
    kinds = [dtype if isinstance(dtype, np.dtype) else np.dtype(np.float64) for dtype in frame.dtypes]
    common = np.result_type(*kinds)
    return common if common.kind in "iuf" else np.dtype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFormat:
    """How rows are passed to the model."""

    columns: tuple[str, ...]
    feed: Callable[[pd.DataFrame], Any]
    precision: np.dtype[Any]  # the type of its outputs


def choose_row_format(
    model: Any, method: Callable[[Any], Any], request: Request, call: str
) -> tuple[RowFormat, np.ndarray]:
    """Determine how the model accepts rows, and return its outputs for some of them too.

    A fitted model has names or a number of columns. Any other object is called with a frame, and if that
    fails, with an array. Categories are passed as an array only to a model that was fitted on one.
    """
    reference = request.reference
    fitted = getattr(model, "__self__", model)  # a bound method leads to its estimator
    names, count = _fitted_names(fitted, reference), attribute_of(fitted, "n_features_in_")
    if names is not None:
        columns = columns_by_name(names, reference)
    elif count is not None:
        columns = columns_by_count(int(count), reference)
    else:
        columns = tuple(str(name) for name in reference.columns)
    labels = {str(label): label for label in reference.columns}
    order = [labels[name] for name in columns]
    holds_categories = any(request.codebook[name].is_category for name in columns)
    dtype = np.dtype(object) if holds_categories else array_dtype(reference[order])
    frame, array = as_frame(order), as_array(order, dtype)
    if names is not None or (count is None and holds_categories):
        feeds = [frame]
    else:
        feeds = [array] if count is not None else [frame, array]
    feed, outputs = choose_feed(method, feeds, some_rows(reference), call=call)
    return RowFormat(columns=columns, feed=feed.give, precision=outputs.dtype), outputs


def _fitted_names(model: Any, reference: pd.DataFrame) -> Sequence[str] | None:
    """Return the column names that the model was fitted on; None if it has none."""
    names = attribute_of(model, "feature_names_in_")
    if names is None and type(model).__module__.partition(".")[0] == "catboost":
        names = attribute_of(model, "feature_names_")
        if names is not None and list(names) == [str(place) for place in range(len(names))]:
            return None  # CatBoost's names for the columns of an array
    if names is None:
        return None
    # LightGBM replaces blanks in names by underscores.
    known = {str(label).replace(" ", "_"): str(label) for label in reference.columns}
    own = {str(label) for label in reference.columns}
    return [str(name) if str(name) in own else known.get(str(name), str(name)) for name in names]


def classes_of(model: Any) -> tuple[Any, ...] | None:
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
    """Return an attribute of the model; None if it is missing, or cannot be computed yet."""
    try:
        return getattr(model, name, None)
    except Exception:  # for example, a property of the user's class that fails before fitting
        return None


def kind_of(model: Any) -> str | None:
    """Return whether the model declares itself a classifier or a regressor; None if it declares neither.

    A Pipeline delegates this to its last step, and a search to its best model.
    """
    if classes_of(model) is not None:
        return CLASSIFIER
    kind = attribute_of(model, "_estimator_type")
    tags = attribute_of(model, "__sklearn_tags__")
    if kind is None and callable(tags):
        with contextlib.suppress(Exception):  # an estimator without scikit-learn's base class
            kind = tags().estimator_type
    return kind if kind in (CLASSIFIER, REGRESSOR) else None


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
