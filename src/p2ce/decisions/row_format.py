"""Find out what an unknown model is, and how it takes its rows: by name or number, as a frame or an array."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from p2ce.adapters.checked_calls import as_array, as_frame, choose_feed, some_rows
from p2ce.decisions.model_adapter import (
    Request,
    array_dtype,
    columns_by_count,
    columns_by_name,
    plain_classes,
)
from p2ce.errors import UnsupportedModel

CLASSIFIER, REGRESSOR = "classifier", "regressor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How rows are handed to the model."""

    columns: tuple[str, ...]
    feed: Callable[[pd.DataFrame], Any]
    precision: np.dtype[Any]  # of its answers


def choose_way(
    model: Any, method: Callable[[Any], Any], request: Request, call: str
) -> tuple[Way, np.ndarray]:
    """Find out how the model takes its rows, and give its answers for some of them.

    What was fitted tells by its names or number of columns. Anything else is shown a frame, and an
    array if that fails. Categories become an array only for what was fitted on one.
    """
    reference = request.reference
    fitted = getattr(model, "__self__", model)  # of the method of an estimator, the estimator
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
    feed, answers = choose_feed(method, feeds, some_rows(reference), call=call)
    return Way(columns=columns, feed=feed.give, precision=answers.dtype), answers


def _fitted_names(model: Any, reference: pd.DataFrame) -> Sequence[str] | None:
    """List the column names that the model was fitted on; None if it saw a bare array or does not tell."""
    names = attribute_of(model, "feature_names_in_")
    if names is None and type(model).__module__.partition(".")[0] == "catboost":
        names = attribute_of(model, "feature_names_")
        if names is not None and list(names) == [str(place) for place in range(len(names))]:
            return None  # CatBoost's names for the columns of an array
    if names is None:
        return None
    # LightGBM turns blanks in names into underscores.
    known = {str(label).replace(" ", "_"): str(label) for label in reference.columns}
    own = {str(label) for label in reference.columns}
    return [str(name) if str(name) in own else known.get(str(name), str(name)) for name in names]


def classes_of(model: Any) -> tuple[Any, ...] | None:
    """List the classes that the model says it knows; None if it does not tell."""
    classes = attribute_of(model, "classes_")
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


def attribute_of(model: Any, name: str) -> Any:
    """Look for an attribute; None if there is none, or none yet."""
    try:
        return getattr(model, name, None)
    except Exception:  # a property of the user's, about a model that has not been fitted, say
        return None


def kind_of(model: Any) -> str | None:
    """Tell a classifier from a regressor, by what it says of itself; None where it says nothing.

    For a Pipeline its last step says it, for a search its best model.
    """
    if classes_of(model) is not None:
        return CLASSIFIER
    kind = attribute_of(model, "_estimator_type")
    tags = attribute_of(model, "__sklearn_tags__")
    if kind is None and callable(tags):
        with contextlib.suppress(Exception):  # an estimator that does without scikit-learn's base class
            kind = tags().estimator_type
    return kind if kind in (CLASSIFIER, REGRESSOR) else None


def votes_in_pairs(model: Any) -> bool:
    """Tell a kernel machine, alone or behind others, whose prediction need not be its largest value."""
    for inner in ("best_estimator_", "_final_estimator"):
        held = attribute_of(model, inner)
        if held is not None:
            return votes_in_pairs(held)
    return hasattr(model, "break_ties")


def name_of(model: object) -> str:
    """Name a model by its class, or a function by its own name."""
    return getattr(model, "__name__", None) or type(model).__name__
