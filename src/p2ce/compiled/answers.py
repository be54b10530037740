"""Put rows to the user's own model or detector, and refuse answers that nothing can be concluded from."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.errors import InvalidAnswer, NotFitted

# Rows are a pandas DataFrame throughout; this package does not import pandas.
Rows: TypeAlias = Any

CHECKED_ROWS = 256
# Asked twice about the same batch, nothing that is settled differs by more (threads add in any order: 1e-16).
REPEATED = 1e-9
# In another batch, libraries of single precision take other kernels and round otherwise.
REBATCHED = 1e-4


def some_rows(reference: Rows) -> Rows:
    """Pick at most CHECKED_ROWS rows from all over the reference."""
    step = max(1, -(-len(reference) // CHECKED_ROWS))
    return reference.iloc[::step].reset_index(drop=True)


def answers_of(method: Callable[[Any], Any], given: Any, *, call: str) -> np.ndarray:
    """Call ``method`` on ``given``; ``call`` is its name in messages. Numbers come back, in any shape."""
    count = len(given)
    try:
        reported = method(given)
        if hasattr(reported, "detach"):  # a PyTorch tensor that still remembers its gradients
            reported = reported.detach().cpu()
        # A copy: what comes back may be a buffer that the next call writes to.
        found = np.array(reported)
    except Exception as error:
        if any(kind.__name__ == "NotFittedError" for kind in type(error).__mro__):
            raise NotFitted(
                f"{call} says that it is not fitted: {error} Call .fit on it before passing it on."
            ) from error
        raise InvalidAnswer(
            f"{call} raised {type(error).__name__}: {error} when asked about {count} rows."
        ) from error
    if found.dtype.kind not in "biuf":
        raise InvalidAnswer(
            f"{call} has to answer with numbers; asked about {count} rows, it gave {found.dtype} "
            f"of shape {found.shape}" + (f", such as {found.flat[0]!r}." if found.size else ".")
        )
    return found.astype(np.float64)


def one_per_row(found: np.ndarray, count: int, *, call: str) -> FloatArray:
    """Check that there is one number per row, (n,) or (n, 1), and none is missing."""
    if found.shape not in ((count,), (count, 1)):
        raise InvalidAnswer(
            f"{call} has to answer with one number per row: shape {(count,)} for {count} rows; "
            f"it gave shape {found.shape}."
        )
    return _complete(found.reshape(count), call=call)


def one_per_class(found: np.ndarray, count: int, classes: int | None, *, call: str) -> FloatArray:
    """Check that there is one column per class; without a number of classes, any two or more will do."""
    fits = found.ndim == 2 and len(found) == count
    if not fits or (found.shape[1] < 2 if classes is None else found.shape[1] != classes):
        wanted = "one per class" if classes is None else classes
        raise InvalidAnswer(
            f"{call} has to answer with one column per class: shape ({count}, {wanted}) for {count} rows; "
            f"it gave shape {found.shape}."
        )
    return _complete(found, call=call)


def _complete(found: np.ndarray, *, call: str) -> FloatArray:
    missing = np.isnan(found).reshape(len(found), -1).any(axis=1)
    if missing.any():
        raise InvalidAnswer(
            f"{call} has to answer with numbers; it gave NaN for {int(missing.sum())} of {len(found)} rows. "
            "Check that it was fitted on columns like these."
        )
    return found


def check_repeats(ask: Callable[[Rows], FloatArray], rows: Rows, *, call: str) -> FloatArray:
    """Ask about the same rows again, and about each in other company; give the first answers.

    A proof that a cell is refused must still hold when somebody looks at that cell alone.
    """
    first = ask(rows)
    apart = _apart(first, ask(rows))
    if apart > REPEATED:
        raise InvalidAnswer(
            f"{call} answers differently when asked twice about the same {len(rows)} rows, by up to "
            f"{apart:.3g}. Set its seed, or put it in eval mode."
        )
    backwards = rows.iloc[::-1].reset_index(drop=True)
    middle = -(-len(rows) // 3)
    parts = [backwards.iloc[:middle], backwards.iloc[middle:].reset_index(drop=True)]
    again = np.concatenate([ask(part) for part in parts if len(part)])[::-1]
    apart = _apart(first, again)
    if apart > REBATCHED:
        raise InvalidAnswer(
            f"{call} answers differently about a row when other rows are asked about with it, by up to "
            f"{apart:.3g}. It must score each row by itself: put it in eval mode, and take nothing from the "
            "whole batch (no ranks, means or positions)."
        )
    return first


def _apart(one: FloatArray, other: FloatArray) -> float:
    """Give the largest difference, relative to values above 1; equal infinities do not differ."""
    with np.errstate(invalid="ignore"):
        error = np.abs(one - other) / np.maximum(1.0, np.minimum(np.abs(one), np.abs(other)))
    return float(np.where(one == other, 0.0, error).max(initial=0.0))
