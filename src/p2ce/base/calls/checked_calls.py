"""Call a method of the user's own object and check its output. All such calls are made here."""

import warnings
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from p2ce.base.arrays import CHECKED_ROWS, FloatArray, every_nth
from p2ce.base.calls.retries import names_other_columns, retried
from p2ce.base.visible import as_text, echoed, listed
from p2ce.errors import InvalidOutput, NotFitted, P2CEError, what_happened

# Rows are a pandas DataFrame throughout; this package does not import pandas.
Rows: TypeAlias = Any

# The largest difference between two deterministic evaluations of a batch (summation order gives 1e-16).
REPEATED = 1e-9
# How far single precision can take a probability beyond 0 and 1.
ROUNDED = 1e-6
# The largest difference between two batches, in which libraries of single precision round differently.
REBATCHED = 1e-4


class Feed(NamedTuple):
    """One way to pass rows. The user's object receives a copy, which it may modify."""

    called: str  # its name in messages
    give: Callable[[Rows], Any]


def as_frame(labels: Sequence[Any]) -> Feed:
    """Pass a frame of these columns, each with its own type."""
    return Feed(called="a DataFrame", give=lambda frame: frame[list(labels)].copy())


def as_array(labels: Sequence[Any], dtype: np.dtype[Any]) -> Feed:
    """Pass an array of these columns. Missing numbers become NaN, and objects are unchanged."""
    # Say that NaN represents missing numbers of nullable types, which pandas does not assume.
    missing = {"na_value": np.nan} if dtype.kind == "f" else {}

    def give(frame: Rows) -> Any:
        # Always a copy: pandas 3 may return a read-only view of its own data.
        return np.array(frame[list(labels)].to_numpy(dtype=dtype, **missing))

    return Feed(called="an array", give=give)


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


def choose_feed(
    method: Callable[[Any], Any], feeds: Sequence[Feed], rows: Rows, *, call: str
) -> tuple[Feed, np.ndarray]:
    """Find the first row format that the method accepts, and return its outputs."""
    return retried(lambda given: _first_answered(method, feeds, given, call=call))(rows)


def _first_answered(
    method: Callable[[Any], Any], feeds: Sequence[Feed], rows: Rows, *, call: str
) -> tuple[Feed, np.ndarray]:
    failures: list[tuple[Feed, InvalidOutput]] = []
    answered = False  # whether any format gave an output, valid or not
    for feed in feeds:
        try:
            with warnings.catch_warnings():
                # A scikit-learn model fitted on an array should receive an array. A frame works, but it warns
                # at every call.
                warnings.filterwarnings("error", message="X has feature names, but")
                found = outputs_of(method, feed.give(rows), call=call, rows=rows)
            answered = True
            _check_form(found, rows, call=call)
        except InvalidOutput as error:
            failures.append((feed, error))
            if answered or names_other_columns(error):
                break  # an array would hide that the model was fitted on other columns
        else:
            return feed, found
    if len(failures) == 1:
        raise failures[0][1]
    text = " ".join(f"Given {feed.called}: {error}" for feed, error in failures)
    raise InvalidOutput(f"{call} accepts rows in neither form. {text}") from failures[-1][1]


def _check_form(found: np.ndarray, rows: Rows, *, call: str) -> None:
    count = len(rows)
    if found.ndim not in (1, 2) or len(found) != count or found.size == 0:
        raise InvalidOutput(
            f"{call} must return one number per row, or one per row and class; for {count} rows "
            f"it returned shape {found.shape}."
        )
    _complete(found, call=call, rows=rows)


def outputs_of(method: Callable[[Any], Any], given: Any, *, call: str, rows: Rows = None) -> np.ndarray:
    """Call ``method`` on ``given`` and return its numbers, of any shape and type.

    ``call`` is the method's name in messages. ``rows`` is the frame that ``given`` was made from, if
    ``given`` is not a frame.
    """
    found = raw_outputs_of(method, given, call=call, rows=rows)
    if found.dtype.kind not in "biuf":
        raise InvalidOutput(
            f"{call} must return numbers; for {len(given)} rows it returned {found.dtype} "
            f"of shape {found.shape}" + (f", such as {echoed(found.flat[0])}." if found.size else ".")
        )
    return found


def raw_outputs_of(method: Callable[[Any], Any], given: Any, *, call: str, rows: Rows = None) -> np.ndarray:
    """Call ``method`` on ``given`` and return its output: numbers, or the names of classes."""
    count = len(given)
    try:
        reported = method(given)
        if hasattr(reported, "detach"):  # a PyTorch tensor that still remembers its gradients
            reported = reported.detach().cpu().numpy()
        # A copy, since the output may be a buffer that the next call overwrites.
        found = np.array(reported)
    except (P2CEError, KeyboardInterrupt):
        raise  # this library's own error about the output, or an interruption by the user
    except BaseException as error:  # also SystemExit and GeneratorExit, which must not end the program
        if any(kind.__name__ == "NotFittedError" for kind in type(error).__mro__):
            raise NotFitted(f"{call} says that the object is not fitted. Fit it first.") from error
        why = _likely_reasons(given if rows is None else rows)
        # Libraries explain missing values in several paragraphs. The first line is enough.
        text = as_text(error).partition("\n")[0].removesuffix(".") if why else None
        raise InvalidOutput(
            f"{call} {what_happened(error, text)} when called with {count} rows.{why}"
        ) from error
    return found


def one_per_row(found: np.ndarray, count: int, *, call: str, rows: Rows = None) -> FloatArray:
    """Check that there is one number per row, of shape (n,) or (n, 1), and none is missing."""
    if found.shape not in ((count,), (count, 1)):
        raise InvalidOutput(
            f"{call} must return one number per row: shape {(count,)} for {count} rows; "
            f"it returned shape {found.shape}."
        )
    return _complete(found.reshape(count), call=call, rows=rows)


def one_per_class(
    found: np.ndarray, count: int, classes: int | None, *, call: str, rows: Rows = None
) -> FloatArray:
    """Check that there is one column per class, or two or more if the number of classes is not known."""
    fits = found.ndim == 2 and len(found) == count
    if not fits or (found.shape[1] < 2 if classes is None else found.shape[1] != classes):
        wanted = "one per class" if classes is None else classes
        raise InvalidOutput(
            f"{call} must return one column per class: shape ({count}, {wanted}) for {count} rows; "
            f"it returned shape {found.shape}."
        )
    return _complete(found, call=call, rows=rows)


def _complete(found: np.ndarray, *, call: str, rows: Rows = None) -> FloatArray:
    missing = np.isnan(found).reshape(len(found), -1).any(axis=1)
    if missing.any():
        raise InvalidOutput(
            f"{call} must return numbers; it returned NaN for {int(missing.sum())} of {len(found)} rows. "
            "Check that it was fitted on columns like these." + _likely_reasons(rows)
        )
    return found.astype(np.float64)


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
    evaluate: Callable[[Rows], FloatArray], rows: Rows, *, call: str, single: bool = False
) -> float:
    """Evaluate the same rows again, also in other batches, and return how far their values may differ.

    A proof that a cell is rejected must still hold if the cell is evaluated alone. The result is REPEATED, or
    REBATCHED for ``single`` precision and for objects that round differently in another batch.
    """
    first = evaluate(rows)
    apart = _apart(first, evaluate(rows))
    if apart > REPEATED:
        raise InvalidOutput(
            f"{call} returns different values when called twice with the same {len(rows)} rows, by up to "
            f"{apart:.3g}. Set its seed, or put it in eval mode."
        )
    backwards = rows.iloc[::-1]
    ends = [0, 1, 1 + len(rows) // 3, len(rows)]  # libraries use different kernels for a single row
    parts = [backwards.iloc[begin:end] for begin, end in pairwise(ends)]
    again = np.concatenate([evaluate(part.reset_index(drop=True)) for part in parts if len(part)])[::-1]
    apart = _apart(first, again)
    if apart > REBATCHED:
        raise InvalidOutput(
            f"{call} returns different values for a row when other rows are in its batch, by up to "
            f"{apart:.3g}. It must score each row by itself: put it in eval mode, and do not use the rest of "
            "the batch (no ranks, means or positions)."
        )
    return REBATCHED if single or apart > REPEATED else REPEATED


def _apart(one: FloatArray, other: FloatArray) -> float:
    return float(differences(one, other).max(initial=0.0))


def differences(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return how far results differ, relative to values above 1. Equal infinities do not differ."""
    with np.errstate(invalid="ignore"):
        error = np.abs(one - other) / np.maximum(1.0, np.minimum(np.abs(one), np.abs(other)))
    return np.where(one == other, 0.0, np.where(np.isnan(error), np.inf, error))
