"""Adapt a black-box detector: find its columns and its threshold, and check that its values repeat."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.checked_calls import (
    as_array,
    as_frame,
    check_repeats,
    choose_feed,
    one_per_row,
    outputs_of,
    some_rows,
)
from p2ce.base.calls.retries import retried
from p2ce.base.visible import echoed, listed
from p2ce.errors import InvalidArgument, InvalidOutput, InvalidReference, nearest
from p2ce.models.detectors.detector_adapter import DetectorAdapter, DetectorRequest

# The share of the reference that is implausible if neither the detector nor the caller sets a threshold.
DEFAULT_CONTAMINATION = 0.05


def black_box_detector(
    method: Callable[[Any], Any],
    request: DetectorRequest,
    *,
    name: str,
    call: str,
    columns: tuple[str, ...],
    named: bool | None,
    default_contamination: float | None = None,
    sign: float = 1.0,
    least: float = 0.0,
    single: bool = False,
) -> DetectorAdapter:
    """Adapt a detector that calls a row plausible if ``sign`` times its value is at least ``least``.

    ``method`` is called with frames of ``columns`` if ``named`` is True, and with arrays if it is False. If
    it is None, the first of the two that works is used. Frames keep the types of their columns. ``single``
    says that the detector computes in single precision, even if it returns float64. With a contamination,
    passed or by default, the threshold is a percentile of the values on the reference instead of ``least``.
    """
    reference, contamination = request.reference, request.contamination
    contamination = default_contamination if contamination is None else contamination
    categories = [name for name in columns if request.codebook[name].is_category]
    labels = {str(label): label for label in reference.columns}
    order = [labels[name] for name in columns]
    # Labels cannot be converted to float64.
    frame, array = as_frame(order), as_array(order, np.dtype(object if categories else np.float64))
    feeds = [frame, array] if named is None else [frame] if named else [array]
    with naming_categories(categories):
        feed, sample = choose_feed(method, feeds, some_rows(reference[order]), call=call)

    def value(rows: pd.DataFrame) -> FloatArray:
        own = rows[order]  # messages name no other columns
        with naming_categories(categories):
            found = outputs_of(method, feed.give(own), call=call, rows=own)
            return sign * one_per_row(found, len(own), call=call, rows=own)

    single = single or sample.dtype == np.float32
    evaluate = retried(value)
    tolerance = check_repeats(evaluate, some_rows(reference), call=call, single=single)
    if contamination is not None:
        least = lowest_share(evaluate(reference), contamination)
    return DetectorAdapter(
        family=f"black box ({name})",
        score=None,
        columns=columns,
        # The sign of a difference is always right in floating point: at least 0 means at least ``least``.
        evaluate=lambda rows: evaluate(rows) - least,
        report=lambda values: values,
        tolerance=tolerance,
    )


@contextmanager
def naming_categories(names: Sequence[str]) -> Iterator[None]:
    """Add the names of category columns to a detector's error, since they are a likely cause."""
    try:
        yield
    except InvalidOutput as error:
        if not names or error.__cause__ is None:  # it did not raise: it returned an invalid value
            raise
        raise InvalidOutput(
            f"{error} These columns hold categories: {listed(names, 5)}. If the detector does not accept "
            "labels, put an encoder in front of it (a Pipeline with a ColumnTransformer, fitted as a whole), "
            "or pass p2ce.PlausibilityForest(), which accepts them."
        ) from error.__cause__


def lowest_share(values: FloatArray, contamination: float) -> float:
    """Return the value below which a share of ``contamination`` lies: scikit-learn's percentile.

    Of n different values, ⌈contamination · (n − 1)⌉ lie below.
    """
    finite = np.isfinite(values)
    # Infinities would break the interpolation; at either end they only mean "farther than all others".
    bounded = np.where(finite, values, np.where(values > 0, np.finfo(float).max, np.finfo(float).min) / 4.0)
    least = float(np.percentile(bounded, 100.0 * contamination))
    if not finite.any() or least < values[finite].min():
        raise InvalidArgument(
            f"contamination={echoed(contamination)} is the share of the reference that may be implausible, "
            f"but the detector's value is infinite for {np.mean(~finite):.0%} of it. Fit the detector on the "
            "reference."
        )
    return least


def check_contamination(contamination: object) -> None:
    """Raise unless a share is a number above 0 and at most 0.5."""
    try:
        fits = not isinstance(contamination, bool | np.bool_) and 0.0 < float(contamination) <= 0.5  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits:
        raise InvalidArgument(
            "contamination is the share of outliers and must be above 0 and at most 0.5; "
            f"got {echoed(contamination)}."
        )


def columns_of(detector: Any, reference: pd.DataFrame) -> tuple[tuple[str, ...], bool | None]:
    """Return the detector's columns in its order, and whether it was fitted on a frame (None if unknown).

    A detector that was fitted on named columns may use only some of those of the reference.
    """
    known = [str(label) for label in reference.columns]
    fitted = getattr(detector, "__self__", detector)  # a bound method leads to its estimator
    names, count = _attribute(fitted, "feature_names_in_"), _attribute(fitted, "n_features_in_")
    if names is not None:
        fitted_on = [str(name) for name in names]
        for name in fitted_on:
            if name not in known:
                raise InvalidReference(
                    f"The detector was fitted on column {echoed(name)}, which the reference data does not "
                    f"have. {nearest(name, known)}"
                )
        return tuple(fitted_on), True
    if count is None:
        return tuple(known), None
    if int(count) != len(known):
        raise InvalidReference(
            f"The detector was fitted on {count} unnamed columns, but the reference data "
            f"has {len(known)}. Fit it on the reference data."
        )
    return tuple(known), False


def _attribute(detector: Any, name: str) -> Any:
    try:
        return getattr(detector, name, None)
    except Exception:  # for example, a property of the user's class that fails before fitting
        return None
