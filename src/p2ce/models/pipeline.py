"""Read a scikit-learn Pipeline of column-wise scalers in front of any model that can be read."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.compiled.library import library_class, overrides
from p2ce.compiled.score import seen_as_given
from p2ce.errors import UnsupportedModel
from p2ce.models.reading import PROBABILITY, ReadModel, Request, class_index, feeder
from p2ce.models.sklearn_common import asks, columns_of, quiet_check_array, require_fitted, require_own

_NAMES = frozenset({"Pipeline"})
# Each works on one column at a time, keeps the columns in place, and never decreases: x ↦ a·x + b with a > 0,
# or that clipped. Only a type on this list may stand in front of a model.
_SCALERS = frozenset({"StandardScaler", "MinMaxScaler", "RobustScaler"})
CHECKED_ROWS = 256


def recognises(model: object) -> bool:
    """Tell a scikit-learn Pipeline."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def read(model: Any, request: Request) -> ReadModel:
    """Read the last step; the fitted scalers themselves prepare what it sees."""
    require_own(model, root="sklearn", names=_NAMES)
    scalers = [step for _, step in model.steps[:-1] if step is not None and step != "passthrough"]
    for scaler in scalers:
        _require_scaler(scaler)
    last = model.steps[-1][1]
    if last is None or last == "passthrough":
        raise UnsupportedModel(
            "This Pipeline ends without a model. Pass one whose last step is a classifier."
        )
    if not scalers:
        return request.read(last, request)
    require_fitted(model)
    columns, named = columns_of(scalers[0], request.reference)
    labels = {str(label): label for label in request.reference.columns}
    feed = feeder(columns, request.reference, named=named)
    if any(not scaler.copy for scaler in scalers):
        feed = _copies(feed)
    see = _seer(scalers, columns, feed(request.reference), named=named)

    positions = [list(labels).index(name) for name in columns]
    reach = request.reach[positions]
    # Every scaler is monotone, so the ends of the reach bound all that the model will see.
    seen_reach = np.abs(see(np.stack([-reach, reach]))).max(axis=0)
    seen = _scaled(scalers, feed(request.reference))
    if not isinstance(seen, pd.DataFrame):  # it is one after set_output(transform="pandas")
        seen = pd.DataFrame(seen, columns=list(columns))
    inside = request.read(last, replace(request, reference=seen, reach=seen_reach))
    if inside.columns != tuple(seen.columns):
        raise UnsupportedModel(
            "This Pipeline's model takes the scaled columns in another order. Fit it as a whole."
        )
    assert inside.score is not None, "the last step is read, never only asked"
    index = class_index(inside.classes, request.target)
    if inside.scale == PROBABILITY:
        ask = asks(model.predict_proba, feed, index)
    else:
        ask = asks(model.decision_function, feed, None, 1.0 if index == 1 else -1.0)
    return replace(
        inside,
        family=f"{inside.family} behind scalers",
        columns=columns,
        ask=ask,
        score=_behind(inside.score, see),
        reach=None if inside.reach is None else reach,
    )


def _copies(feed: Callable[[pd.DataFrame], Any]) -> Callable[[pd.DataFrame], Any]:
    """Hand over copies: a scaler with copy=False writes into what it is given."""
    return lambda frame: feed(frame).copy()


def _behind(score: Any, see: Callable[[FloatArray], FloatArray]) -> Any:
    """Let a score look at scaled values; what it makes of values itself comes after that."""
    inner = score.see
    return replace(score, see=see if inner is seen_as_given else lambda rows: inner(see(rows)))


def _require_scaler(step: Any) -> None:
    kind = library_class(step, root="sklearn", names=_SCALERS)
    if kind is None or overrides(step, kind):
        raise UnsupportedModel(
            f"This Pipeline contains {type(step).__name__}, which cannot be read yet. "
            f"Supported in front of a model: {', '.join(sorted(_SCALERS))}, 'passthrough'."
        )


def _scaled(scalers: list[Any], rows: Any) -> Any:
    for scaler in scalers:
        rows = scaler.transform(rows)
    return rows


def _seer(
    scalers: list[Any], columns: tuple[str, ...], reference: Any, *, named: bool
) -> Callable[[FloatArray], FloatArray]:
    """Apply the user's own fitted scalers, in the precision in which they would meet the user's rows."""
    first = quiet_check_array(reference[:1])
    dtype = first.dtype if first.dtype.kind == "f" else np.dtype(np.float64)

    def see_slowly(rows: FloatArray) -> FloatArray:
        given: Any = np.asarray(rows).astype(dtype)
        if named:
            given = pd.DataFrame(given, columns=list(columns))
        return np.asarray(_scaled(scalers, given), dtype=np.float64)

    def see(rows: FloatArray) -> FloatArray:
        values = np.array(rows, dtype=dtype)
        for scaler in scalers:
            _scale_in_place(scaler, values)
        return values.astype(np.float64)

    # scikit-learn takes most of a millisecond to look at its input. The same arithmetic without that is used
    # where it gives the same bits.
    rows = np.asarray(reference, dtype=np.float64)[:CHECKED_ROWS]
    rows = np.concatenate([rows, -7.3 * rows, 1e6 * rows + 0.1])
    return see if np.array_equal(see(rows), see_slowly(rows)) else see_slowly


def _scale_in_place(scaler: Any, values: FloatArray) -> None:
    """Do to an array what the scaler's own transform does, operation by operation."""
    kind = library_class(scaler, root="sklearn", names=_SCALERS)
    name = "" if kind is None else kind.__name__
    if name == "MinMaxScaler":
        values *= scaler.scale_
        values += scaler.min_
        if scaler.clip:
            np.clip(values, *scaler.feature_range, out=values)
        return
    center = scaler.center_ if name == "RobustScaler" else scaler.mean_
    if center is not None and (scaler.with_centering if name == "RobustScaler" else scaler.with_mean):
        values -= center
    if scaler.scale_ is not None and (scaler.with_scaling if name == "RobustScaler" else scaler.with_std):
        values /= scaler.scale_
