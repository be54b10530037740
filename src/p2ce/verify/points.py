"""Put points to the user's own model and detector, one call each, and to every constraint."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from p2ce.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.compiled.evaluate import score_rows
from p2ce.errors import InvalidAnswer
from p2ce.verify.batch import Batch
from p2ce.verify.constraints import allowed_rows
from p2ce.verify.rows import rows_frame
from p2ce.verify.setup import Setup

if TYPE_CHECKING:
    from p2ce.compiled.flat import FlatPeople

EXACTLY = -1  # a ban for this one point only


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Checked:
    """Points with what the user's own objects say about them."""

    owner: IntArray  # (points,)
    points: Int32Array  # (points, axes)
    scores: FloatArray  # (points,)
    plausibility: FloatArray  # (points,)
    failed: BoolArray  # (points,) refused, implausible or not allowed: never shown
    refused_by: IntArray  # (points,) the score that refused a failed point in its doubt, or EXACTLY
    contradicted: BoolArray  # (points,) failed, or scored otherwise, where the compiled score was sure
    own_scores: FloatArray  # (people,) of the people themselves, where those were asked about too

    def kept(self, keep: BoolArray) -> "Checked":
        """Keep some of the points."""
        return replace(
            self,
            owner=self.owner[keep],
            points=self.points[keep],
            scores=self.scores[keep],
            plausibility=self.plausibility[keep],
            failed=self.failed[keep],
            refused_by=self.refused_by[keep],
            contradicted=self.contradicted[keep],
        )


def check_people(setup: Setup, people: "FlatPeople", position: Int32Array) -> FloatArray:
    """Score the people where they stand, by the compiled model."""
    return compiled_scores(setup, people, 0, np.arange(len(position)), position)


def compiled_scores(
    setup: Setup, people: "FlatPeople", score: int, owner: IntArray, points: Int32Array
) -> FloatArray:
    """Score points in the library's own order."""
    from p2ce.compiled.points import score_points

    out = np.empty(len(points))
    row = np.empty(people.own.shape[2])
    score_points(setup.layout.flat, score, people, owner, np.ascontiguousarray(points), row, out)
    return out


def check_points(
    setup: Setup, batch: Batch, owner: IntArray, points: Int32Array, *, with_people: bool
) -> Checked:
    """Check the points, and with them the people themselves, in one call to each of the user's objects."""
    model, detector = setup.model, setup.detector
    rows = batch.rows(setup.grid.columns, owner, points)
    asked = np.concatenate([rows, batch.values]) if with_people else rows
    frame = rows_frame(asked, setup.labels, setup.dtypes)
    answers = ask(model.ask, frame, "model")
    scores, own_scores = answers[: len(rows)], answers[len(rows) :]
    accepted = scores >= model.threshold
    compiled = compiled_scores(setup, batch.people, 0, owner, points)
    contradicted = contradictions(setup, compiled, scores)

    plausibility = np.full(len(rows), np.nan)
    plausible = np.ones(len(rows), dtype=np.bool_)
    if detector is not None:
        if setup.method.plausible:
            lengths = compiled_scores(setup, batch.people, 1, owner, points)
        else:
            lengths = path_lengths_of_rows(setup, rows)
        if detector.ask is None:
            plausibility = detector.report(lengths)
        else:
            plausibility = ask(detector.ask, frame.iloc[: len(rows)], "detector")
        if setup.method.plausible:
            plausible = plausibility >= 0.0
            contradicted |= (lengths >= detector.score.sure) & ~plausible
    allowed = allowed_rows(
        setup.actions, setup.names, batch.values[owner], rows, max_changes=setup.max_changes
    )
    contradicted |= ~allowed
    # What looks the same to the model, or to the detector, is refused too; but only a reading that still
    # holds knows what looks the same.
    refused_by = np.where(contradicted, EXACTLY, np.where(accepted, 1, 0))
    if model.score.forest is None:
        # A linear model rounds a row differently from place to place in a batch: it says nothing of others.
        refused_by = np.where(accepted, refused_by, EXACTLY)
    return Checked(
        owner=owner,
        points=points,
        scores=scores,
        plausibility=plausibility,
        failed=~(accepted & plausible & allowed),
        refused_by=refused_by,
        contradicted=contradicted,
        own_scores=own_scores,
    )


def path_lengths_of_rows(setup: Setup, rows: FloatArray) -> FloatArray:
    """Score rows of all the model's columns by the compiled detector."""
    assert setup.detector is not None
    columns = [setup.names.index(name) for name in setup.detector.columns]
    return score_rows(setup.detector.score, rows[:, columns])


def contradictions(setup: Setup, compiled: FloatArray, own: FloatArray) -> BoolArray:
    """Tell where the model itself denies what the compiled score is sure of, or reports another value."""
    model = setup.model
    accepted = own >= model.threshold
    wrong = ((compiled >= model.score.sure) & ~accepted) | ((compiled < model.score.maybe) & accepted)
    far = ~(np.abs(model.report(compiled) - own) <= model.tolerance * np.maximum(1.0, np.abs(own)))
    contradicted: BoolArray = wrong | far
    return contradicted


def ask(call: Callable[[pd.DataFrame], FloatArray], frame: pd.DataFrame, who: str) -> FloatArray:
    """Call the user's own model or detector once, and check the form of what it answers."""
    if not len(frame):
        return np.zeros(0)
    answers = call(frame)
    if answers.shape != (len(frame),):
        raise InvalidAnswer(
            f"The {who} was asked about {len(frame)} rows and answered with shape {answers.shape}. "
            "It has to give one number per row."
        )
    if np.isnan(answers).any():
        raise InvalidAnswer(
            f"The {who} answered NaN for {int(np.isnan(answers).sum())} of {len(frame)} rows. "
            "Check that it was fitted on columns like these."
        )
    return answers
