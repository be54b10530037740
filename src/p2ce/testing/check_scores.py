"""Check that a score as read is the score of the user's own object, and sure of nothing that is wrong."""

from typing import Any, NamedTuple

import numpy as np

from p2ce.arrays import BoolArray, FloatArray
from p2ce.grid.base_grid import BaseGrid
from p2ce.grid.placement import place
from p2ce.scores.external import ACCEPT, REJECT
from p2ce.scores.score import CompiledScore
from p2ce.scores.score_rows import score_rows
from p2ce.testing.failing import require
from p2ce.testing.repeatability import apart
from p2ce.testing.subject import Subject


class Reading(NamedTuple):
    """What a score says about rows, and the way it was asked."""

    how: str
    value: FloatArray
    accepts: BoolArray
    refuses: BoolArray


class Compared(NamedTuple):
    """How a score did."""

    largest_error: float | None
    doubtful: int


def check_scores(subject: Subject, grid: BaseGrid, rows: FloatArray, answers: FloatArray) -> Compared:
    """Compare all that the score says about rows with the user's own answers."""
    worst: float | None = None
    doubtful = 0
    for reading in readings_of(subject, grid, rows):
        error = check_score_of_rows(subject, rows, answers, reading)
        worst = error if worst is None or error is None else max(worst, error)
        doubtful = max(doubtful, int((~reading.accepts & ~reading.refuses).sum()))
    return Compared(worst, doubtful)


def readings_of(subject: Subject, grid: BaseGrid, rows: FloatArray) -> list[Reading]:
    """Put rows to all scores in every way that they offer; each row stands for a person who stays.

    Several scores accept where all of them do, and if that is enough; one that refuses is always enough.
    """
    each = [_readings_of_score(score, grid, rows) for score in subject.scores]
    joined = []
    for way in range(max(map(len, each), default=0)):
        some = [ways[min(way, len(ways) - 1)] for ways in each]
        accepts = np.all([reading.accepts for reading in some], axis=0) & subject.decides
        refuses = np.any([reading.refuses for reading in some], axis=0)
        joined.append(some[0]._replace(accepts=accepts, refuses=refuses))
    return joined


def _readings_of_score(score: Any, grid: BaseGrid, rows: FloatArray) -> list[Reading]:
    if isinstance(score, CompiledScore):
        value = score_rows(score, rows)
        return [Reading("score_rows", value, value >= score.accept_from, value < score.reject_below)]
    found = []
    placement = place(grid, rows)
    said = score.lay_out(grid, placement, rows).judge(np.arange(len(rows)), placement.position)
    found.append(Reading("judge", said.value, said.verdict == ACCEPT, said.verdict == REJECT))
    if hasattr(score, "judge_rows"):
        said = score.judge_rows(rows)
        found.append(Reading("judge_rows", said.value, said.verdict == ACCEPT, said.verdict == REJECT))
    if hasattr(score, "score_rows"):
        found.append(found[-1]._replace(how="score_rows", value=score.score_rows(rows)))
    return found


def check_score_of_rows(
    subject: Subject, rows: FloatArray, answers: FloatArray, reading: Reading
) -> float | None:
    """Compare what scores say about rows with the answers; give the largest error, if one score tells it."""
    name = f"The score of this {subject.who} as read ({subject.family}, by {reading.how})"
    worst = None
    if subject.report is not None:
        reported = np.asarray(subject.report(reading.value))
        error = apart(reported, answers)
        at = int(np.argmax(np.where(np.isnan(error), np.inf, error)))
        require(
            error[at] <= subject.tolerance,
            f"{name} has to be within {subject.tolerance:g} of its own; expected {float(answers[at])!r}, got "
            f"{float(reported[at])!r} for {subject.shown(rows[at])}. Check weights, leaves, offset and "
            "`report`.",
        )
        worst = float(error.max(initial=0.0))
    accepted = subject.accepts(answers)
    for said, wrong, what in (
        (reading.accepts, reading.accepts & ~accepted, "sure that rows are accepted"),
        (reading.refuses, reading.refuses & accepted, "sure that rows are refused"),
    ):
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            require(
                False,
                f"{name} is {what} only where its own answer agrees; of {int(said.sum())} such rows "
                f"{int(wrong.sum())} are not, such as {subject.shown(rows[at])}: score "
                f"{float(reading.value[at])!r}, answer {float(answers[at])!r}, threshold "
                f"{subject.threshold!r}. Move `sure` up, or `maybe` down, by what rounding can do.",
            )
    return worst
