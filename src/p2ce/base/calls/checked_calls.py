"""Explain what is wrong with the outputs of the user's own objects, and check that they repeat."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from p2ce.base.arrays import CHECKED_ROWS, FloatArray, every_nth
from p2ce.base.visible import as_text, echoed, listed
from p2ce.errors import InvalidOutput, NotFitted, P2CEError, what_happened

# Rows are a pandas DataFrame throughout; this module does not import pandas.
Rows: TypeAlias = Any

# The largest difference between two deterministic evaluations of a batch (summation order gives 1e-16).
REPEATED = 1e-9
# How far single precision can take a probability beyond 0 and 1.
ROUNDED = 1e-6
# The largest difference between two batches, in which libraries of single precision round differently.
REBATCHED = 1e-4


def missing_columns(rows: Rows) -> list[str]:
    """List the columns of a frame with missing values. For anything but a frame, return an empty list."""
    if not (hasattr(rows, "isna") and hasattr(rows, "columns")):
        return []
    holds = np.asarray(rows.isna().any(axis=0), dtype=np.bool_)
    return [str(label) for label, missing in zip(rows.columns, holds, strict=True) if missing]


def label_columns(rows: Rows) -> list[str]:
    """List the columns of a frame with text or categories. For anything but a frame, return an empty list."""
    if not hasattr(rows, "dtypes") or not hasattr(rows, "columns"):
        return []
    plain = [getattr(dtype, "numpy_dtype", dtype) for dtype in rows.dtypes]
    return [
        str(label)
        for label, dtype in zip(rows.columns, plain, strict=True)
        if not (isinstance(dtype, np.dtype) and dtype.kind in "biuf")
    ]


def _likely_reasons(rows: Rows) -> str:
    """Write the end of a message, which names columns with missing values or with labels."""
    text = ""
    if names := missing_columns(rows):
        text += (
            f" Columns with missing values here: {listed(names, 5)}. "
            "If the model does not accept them, put an imputer in front of it, or fill or drop them."
        )
    elif names := label_columns(rows):
        text += (
            f" Columns of text or categories here: {listed(names, 5)}. "
            "If the model does not accept them, put an encoder in front of it."
        )
    return text


def some_rows(reference: Rows) -> Rows:
    """Pick at most CHECKED_ROWS rows, spread evenly over the reference."""
    return reference.iloc[every_nth(len(reference), CHECKED_ROWS)].reset_index(drop=True)


def fault_of(error: BaseException, count: int, *, call: str, rows: Rows, advice: str = "") -> P2CEError:
    """Build the error that attributes what the user's object raised to that object, and names its rows.

    ``call`` is the method's name in messages, and ``rows`` the frame of its ``count`` rows.
    """
    if any(kind.__name__ == "NotFittedError" for kind in type(error).__mro__):
        return NotFitted(f"{call} says that the object is not fitted. Fit it first.")
    why = _likely_reasons(rows)
    # Libraries explain missing values in several paragraphs. The first line is enough.
    text = as_text(error).partition("\n")[0].removesuffix(".") if why else None
    return InvalidOutput(f"{call} {what_happened(error, text)} when called with {count} rows.{why}{advice}")


def require_complete(found: np.ndarray, *, call: str, rows: Rows = None) -> None:
    """Raise if a number is missing."""
    missing = np.isnan(found).reshape(len(found), -1).any(axis=1)
    if missing.any():
        raise InvalidOutput(
            f"{call} must return numbers; it returned NaN for {int(missing.sum())} of {len(found)} rows. "
            "Check that it was fitted on columns like these." + _likely_reasons(rows)
        )


def require_probabilities(found: FloatArray, *, call: str) -> FloatArray:
    """Check that numbers lie between 0 and 1, up to rounding."""
    outside = (found < -ROUNDED) | (found > 1.0 + ROUNDED)
    if outside.any():
        raise InvalidOutput(
            f"{call} must return probabilities, from 0 to 1; it returned {echoed(float(found[outside][0]))} "
            f"in {int(outside.reshape(len(found), -1).any(axis=1).sum())} of {len(found)} rows. If these are "
            "scores, pass a function that returns them, with a threshold."
        )
    return found


def check_repeats(
    evaluate: Callable[[Rows], FloatArray],
    rows: Rows,
    *,
    call: str,
    single: bool = False,
    allowed: float = 0.0,
) -> float:
    """Evaluate the same rows again, also in other batches, and return how far their values may differ.

    A proof that a cell is rejected must still hold if the cell is evaluated alone. If the user states that
    values may differ, they may by ``allowed``. The result is REPEATED, or REBATCHED for ``single`` precision
    and for objects that round differently in another batch.
    """
    first = evaluate(rows)
    apart = _apart(first, evaluate(rows), allowed)
    if apart > max(REPEATED, allowed):
        raise InvalidOutput(
            f"{call} returns different values when called twice with the same {len(rows)} rows, by up to "
            f"{apart:.3g}. Set its seed, or put it in eval mode. If it cannot repeat its scores, state by "
            f"how much they may differ: {_stated(apart, allowed)}."
        )
    backwards = rows.iloc[::-1]
    ends = [0, 1, 1 + len(rows) // 3, len(rows)]  # libraries use different kernels for a single row
    parts = [backwards.iloc[begin:end] for begin, end in pairwise(ends)]
    again = np.concatenate([evaluate(part.reset_index(drop=True)) for part in parts if len(part)])[::-1]
    apart = _apart(first, again, allowed)
    if apart > max(REBATCHED, allowed):
        raise InvalidOutput(
            f"{call} returns different values for a row when other rows are in its batch, by up to "
            f"{apart:.3g}. It must score each row by itself: put it in eval mode, and do not use the rest of "
            "the batch (no ranks, means or positions). If small differences cannot be avoided, state them: "
            f"{_stated(apart, allowed)}."
        )
    return REBATCHED if single or apart > REPEATED else REPEATED


def _stated(apart: float, allowed: float) -> str:
    """Write the argument that would allow a difference, with some room."""
    now = f" instead of {allowed:g}" if allowed else ""
    return f"score_tolerance={2 * apart:.1g}{now}"


def _apart(one: FloatArray, other: FloatArray, allowed: float) -> float:
    apart = _absolute(one, other) if allowed else differences(one, other)
    return float(apart.max(initial=0.0))


def _absolute(one: FloatArray, other: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore"):
        error = np.abs(one - other)
    return np.where(one == other, 0.0, np.where(np.isnan(error), np.inf, error))


def differences(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return how far results differ, relative to values above 1. Equal infinities do not differ."""
    with np.errstate(invalid="ignore"):
        error = np.abs(one - other) / np.maximum(1.0, np.minimum(np.abs(one), np.abs(other)))
    return np.where(one == other, 0.0, np.where(np.isnan(error), np.inf, error))
