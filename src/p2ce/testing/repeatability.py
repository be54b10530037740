"""Check that the user's own object always gives a row the same score."""

from itertools import pairwise

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.testing.failing import require
from p2ce.testing.subject import Subject

REPEATED = 1e-9
ALONE = 16


def check_repeatability(subject: Subject, rows: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Evaluate rows in several batches and orders, and return the scores (n,).

    A repeated call may differ by 1e-9, since threads add in any order. In another batch, a library with
    single precision rounds differently, so the adapter's own tolerance counts there if it is larger.
    """
    frame = subject.frame(rows)
    first = subject.evaluate_frame(frame)
    kept = np.asarray(subject.call(frame))
    copied = kept.copy()
    _compare(subject, rows, first, copied, "called again on the same rows", REPEATED)
    loose = max(REPEATED, subject.tolerance)
    shuffled = rng.permutation(len(rows))
    there = np.empty(len(rows))
    there[shuffled] = subject.evaluate(rows[shuffled], " in another order")
    require(
        np.array_equal(kept, copied, equal_nan=True),
        f"evaluate of {subject.who} {subject.family} must return a new array, but a later call has "
        "overwritten an earlier result. Return a copy of the buffer.",
    )
    _compare(subject, rows, first, there, "called on the rows in another order", loose)
    ends = np.unique([0, len(rows) // 7, len(rows) // 2, len(rows)])
    parts = [subject.evaluate(rows[a:b], " of a part") for a, b in pairwise(ends)]
    _compare(subject, rows, first, np.concatenate(parts), "called in batches of another size", loose)
    for at in rng.permutation(len(rows))[:ALONE]:
        alone = subject.evaluate(rows[at : at + 1], " alone")
        _compare(subject, rows[at : at + 1], first[at : at + 1], alone, "called on the row alone", loose)
    turned = subject.evaluate_frame(frame[list(subject.labels)[::-1]], " with columns in another order")
    _compare(subject, rows, first, turned, "called with the columns in another order", loose)
    return first


def apart(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return differences, relative to scores above 1; equal infinities do not differ."""
    with np.errstate(invalid="ignore"):
        error = np.abs(one - other) / np.maximum(1.0, np.minimum(np.abs(one), np.abs(other)))
    return np.where(one == other, 0.0, error)


def _compare(
    subject: Subject, rows: FloatArray, first: FloatArray, again: FloatArray, how: str, allowed: float
) -> None:
    error = apart(first, again)
    at = int(np.argmax(np.where(np.isnan(error), np.inf, error)))
    require(
        error[at] <= allowed,
        f"evaluate of {subject.who} {subject.family} must return the same score for a row every time, up to "
        f"{allowed:g}; it first returned {float(first[at])!r}, but {how} {float(again[at])!r}, for "
        f"{subject.shown(rows[at])}. Fix its seed, put it into evaluation mode, and do not use statistics of "
        "the batch.",
    )
