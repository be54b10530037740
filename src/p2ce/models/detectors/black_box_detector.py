"""Adapt a black-box detector: find its columns and its threshold, and check that its values repeat."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.checked_calls import check_repeats, some_rows
from p2ce.base.calls.model_call import (
    AsArray,
    AsFrame,
    ModelCall,
    choose_format,
    labels_in_order,
    retried,
    truth_or_number,
)
from p2ce.base.visible import echoed, listed
from p2ce.errors import InvalidArgument, InvalidOutput, InvalidReference, nearest
from p2ce.models.decisions.adapter import Adapter, ParseRequest
from p2ce.models.decisions.row_format import attribute_of

# The share of the reference that is implausible if neither the detector nor the caller sets a threshold.
DEFAULT_CONTAMINATION = 0.05


def black_box_detector(
    method: Callable[[Any], Any],
    request: ParseRequest,
    *,
    name: str,
    call: str,
    columns: tuple[str, ...],
    named: bool | None,
    default_contamination: float | None = None,
    sign: float = 1.0,
    least: float = 0.0,
    single: bool = False,
) -> Adapter:
    """Adapt a detector that calls a row plausible if ``sign`` times its value is at least ``least``.

    ``method`` is called with frames of ``columns`` if ``named`` is True, and with arrays if it is False. If
    it is None, the first of the two that works is used. Frames keep the types of their columns. ``single``
    says that the detector computes in single precision, even if it returns float64. With a contamination,
    passed or by default, the threshold is a percentile of the values on the reference instead of ``least``.
    """
    reference, contamination = request.reference, request.contamination
    contamination = default_contamination if contamination is None else contamination
    categories = [name for name in columns if request.codebook[name].is_category]
    order = labels_in_order(columns, reference)
    # Labels cannot be converted to float64, and the unit of a date would be lost.
    is_numeric = not categories and not request.codebook.of(columns).dates
    array = AsArray(labels=order, dtype=np.dtype(np.float64 if is_numeric else object))
    frame = AsFrame(labels=order)
    formats: list[AsFrame | AsArray] = [frame, array] if named is None else [frame] if named else [array]
    advice = _advice(categories)
    with _adding(advice):
        rows, sample = choose_format(method, formats, some_rows(reference[list(order)]), call=call)
    if sample.dtype.kind == "b" and request.contamination is not None:
        raise InvalidArgument(
            f"contamination={echoed(contamination)} sets a threshold, but the detector returns True or "
            "False and has no threshold. Remove contamination, or return a number."
        )
    value = retried(
        ModelCall(
            name=call,
            method=method,
            rows=rows,
            copies=True,
            check=truth_or_number,
            outputs=(partial(np.multiply, sign),),
            advice=advice,
        )
    )
    single = single or sample.dtype == np.float32
    tolerance = check_repeats(value, some_rows(reference), call=call, single=single)
    if contamination is not None:
        least = lowest_share(value(reference), contamination)
    return Adapter(
        family=f"black box ({name})",
        score=None,
        columns=columns,
        evaluate=value.then(partial(above, least=least)),
        report=_unchanged,
        tolerance=tolerance,
    )


def above(values: FloatArray, *, least: float) -> FloatArray:
    """Return how far values are above a threshold; at least 0 means at least the threshold.

    The sign of a difference is always right in floating point.
    """
    return values - least


def _unchanged(values: FloatArray) -> FloatArray:
    return values


def _advice(categories: Sequence[str]) -> str:
    """Name a detector's category columns, which are a likely cause if it raises an error."""
    if not categories:
        return ""
    return (
        f" These columns hold categories: {listed(categories, 5)}. If the detector does not accept "
        "labels, put an encoder in front of it (a Pipeline with a ColumnTransformer, fitted as a whole), "
        "or pass p2ce.PlausibilityForest(), which accepts them."
    )


@contextmanager
def _adding(advice: str) -> Iterator[None]:
    """Add advice to an error that the detector raised in every format of rows."""
    try:
        yield
    except InvalidOutput as error:
        if not advice or error.__cause__ is None:  # it did not raise: it returned an invalid value
            raise
        raise InvalidOutput(f"{error}{advice}") from error.__cause__


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


def detector_columns(detector: Any, reference: pd.DataFrame) -> tuple[tuple[str, ...], bool | None]:
    """Return the detector's columns in its order, and whether it was fitted on a frame (None if unknown).

    A detector that was fitted on named columns may use only some of those of the reference.
    """
    known = [str(label) for label in reference.columns]
    fitted = getattr(detector, "__self__", detector)  # a bound method leads to its estimator
    names, count = attribute_of(fitted, "feature_names_in_"), attribute_of(fitted, "n_features_in_")
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
