"""Check that the user's scores are repeatable, and that the compiled score agrees with them."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import place
from p2ce.engine.scores.external import ACCEPT, REJECT, placed_on
from p2ce.testing.reports import require
from p2ce.testing.subject import Subject

REPEATED = 1e-9
ALONE = 16


class ScoreVerdicts(NamedTuple):
    """The values and certified verdicts of a score on rows, and the method that gave them."""

    how: str
    value: FloatArray
    accepts: BoolArray
    rejects: BoolArray


class Compared(NamedTuple):
    """The results of comparing a score."""

    largest_error: float | None
    undecided: int


def check_scores(subject: Subject, grid: BaseGrid, rows: FloatArray, results: FloatArray) -> Compared:
    """Compare everything that the score states about rows with the user's own scores."""
    worst: float | None = None
    undecided = 0
    for one in stated_verdicts(subject, grid, rows):
        error = check_verdicts(subject, rows, results, one)
        worst = error if worst is None or error is None else max(worst, error)
        undecided = max(undecided, int((~one.accepts & ~one.rejects).sum()))
    return Compared(worst, undecided)


def stated_verdicts(subject: Subject, grid: BaseGrid, rows: FloatArray) -> list[ScoreVerdicts]:
    """Evaluate all scores on rows by every method that they have. Each row is an instance without changes.

    Several scores accept a row if all of them accept it, and if that is sufficient. One rejection is always
    enough.
    """
    each = [_verdicts_by_method(score, grid, rows) for score in subject.scores]
    joined = []
    for number in range(max(map(len, each), default=0)):
        some = [found[min(number, len(found) - 1)] for found in each]
        accepts = np.all([one.accepts for one in some], axis=0) & subject.decides
        rejects = np.any([one.rejects for one in some], axis=0)
        joined.append(some[0]._replace(accepts=accepts, rejects=rejects))
    return joined


def _verdicts_by_method(score: Any, grid: BaseGrid, rows: FloatArray) -> list[ScoreVerdicts]:
    if score.flat is not None:
        said = score.evaluate_rows(rows)
        return [ScoreVerdicts("score_rows", said.value, said.verdict == ACCEPT, said.verdict == REJECT)]
    found = []
    placement = place(grid, rows)
    prepared = score.prepare(placed_on(grid, placement, rows))
    said = prepared.evaluate(np.arange(len(rows)), placement.position)
    found.append(ScoreVerdicts("evaluate", said.value, said.verdict == ACCEPT, said.verdict == REJECT))
    said = score.evaluate_rows(rows)
    found.append(ScoreVerdicts("evaluate_rows", said.value, said.verdict == ACCEPT, said.verdict == REJECT))
    if hasattr(score, "score_rows"):
        found.append(found[-1]._replace(how="score_rows", value=score.score_rows(rows)))
    return found


def check_verdicts(
    subject: Subject, rows: FloatArray, results: FloatArray, one: ScoreVerdicts
) -> float | None:
    """Compare scores of rows with the user's own. Return the largest error, if there is one score."""
    name = f"The parsed score of this {subject.who} ({subject.family}, by {one.how})"
    worst = None
    if subject.report is not None:
        reported = np.asarray(subject.report(one.value))
        error = apart(reported, results)
        at = int(np.argmax(np.where(np.isnan(error), np.inf, error)))
        require(
            error[at] <= subject.tolerance,
            f"{name} must be within {subject.tolerance:g} of the {subject.who}'s own; expected "
            f"{float(results[at])!r}, got {float(reported[at])!r} for {subject.shown(rows[at])}. Check "
            "weights, leaves, offset and `report`.",
        )
        worst = float(error.max(initial=0.0))
    accepted = subject.accepts(results)
    for said, wrong, what in (
        (one.accepts, one.accepts & ~accepted, "certain that rows are accepted"),
        (one.rejects, one.rejects & accepted, "certain that rows are rejected"),
    ):
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            require(
                False,
                f"{name} may be {what} only where its own score agrees; of {int(said.sum())} such rows "
                f"{int(wrong.sum())} are not, such as {subject.shown(rows[at])}: score "
                f"{float(one.value[at])!r}, own score {float(results[at])!r}, threshold "
                f"{subject.threshold!r}. Raise `accept_from`, or lower `reject_below`, by the rounding.",
            )
    return worst


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
