"""Put points to the user's own model and detector, one call each, and to every constraint."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from p2ce.adapters.evaluate import ask_closely, require_steady
from p2ce.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.compilation.batch import Batch
from p2ce.compilation.compiled_problem import Problem
from p2ce.decisions.model_adapter import ModelAdapter
from p2ce.errors import InvalidOutput
from p2ce.scores.external import ACCEPT, REJECT
from p2ce.scores.score import CompiledScore
from p2ce.scores.score_rows import score_rows
from p2ce.verification.constraints import kept_rows

if TYPE_CHECKING:
    from p2ce.scores.flat_arrays import FlatInstances

EXACTLY = -1  # a ban for this one point only


class PeopleChecked(NamedTuple):
    """The people themselves as the user's own objects see them; empty where those were not asked."""

    scores: FloatArray  # (people,)
    accepted: BoolArray
    refused_by: IntArray
    contradicted: BoolArray


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
    unsettled: BoolArray  # (points,) failed for want of time, and nothing is known against them
    people: PeopleChecked

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
            unsettled=self.unsettled[keep],
        )


def surely_refused(problem: Problem, batch: Batch) -> BoolArray:
    """Mark the people of whom a reading proves that some model refuses them as they are."""
    everyone = np.arange(len(batch.values))
    refused = np.zeros(len(everyone), dtype=np.bool_)
    for number, model in enumerate(problem.models):
        if model.score is not None:
            refused |= _readings(problem, batch, number, everyone, batch.placement.position).refuses
    return refused


def compiled_scores(
    problem: Problem, people: "FlatInstances", slot: int, owner: IntArray, points: Int32Array
) -> FloatArray:
    """Score points in the library's own order."""
    from p2ce.scores.score_cells import score_points

    out = np.empty(len(points))
    row = np.empty(people.own.shape[2])
    score_points(problem.layout.flat, slot, people, owner, np.ascontiguousarray(points), row, out)
    return out


def is_forest(score: object) -> bool:
    """Tell a score made of trees, which answers alike wherever it reaches the same leaves."""
    return isinstance(score, CompiledScore) and score.forest is not None


class _Reading(NamedTuple):
    """What the reading of a model says about points, where it is sure."""

    score: FloatArray
    accepts: BoolArray
    refuses: BoolArray


def _readings(problem: Problem, batch: Batch, number: int, owner: IntArray, points: Int32Array) -> _Reading:
    """Put points to a model as it was read; a model that can only be asked is sure of nothing."""
    model = problem.models[number]
    first = np.full(len(points), np.nan)
    accepts = np.full(len(points), model.score is not None and model.decides)
    refuses = np.zeros(len(points), dtype=np.bool_)
    for place, (slot, score) in enumerate(zip(problem.slots.models[number], model.scores, strict=True)):
        if slot is not None:
            assert isinstance(score, CompiledScore)
            value = compiled_scores(problem, batch.people, slot, owner, points)
            accepts &= value >= score.accept_from
            refuses |= value < score.reject_below
        else:
            assert not isinstance(score, CompiledScore)
            # From scratch: what the search reaches by changes is less exact the farther out a person stands.
            rows = batch.rows(problem, owner, points)[:, problem.columns_of(model)]
            verdict, value = score.judge_rows(rows)
            accepts &= verdict == ACCEPT
            refuses |= verdict == REJECT
        if place == 0:
            first = value
    return _Reading(first, accepts, refuses)


def _contradictions(model: ModelAdapter, reading: _Reading, own: FloatArray) -> BoolArray:
    """Tell where the model itself denies what its reading is sure of, or reports another value."""
    accepted = own >= model.threshold
    contradicted: BoolArray = (reading.accepts & ~accepted) | (reading.refuses & accepted)
    if model.report is not None and model.score is not None:
        far = np.abs(model.report(reading.score) - own) <= model.tolerance * np.maximum(1.0, np.abs(own))
        contradicted |= ~far
    return contradicted


def check_points(
    problem: Problem,
    batch: Batch,
    owner: IntArray,
    points: Int32Array,
    *,
    said: FloatArray,
    with_people: bool,
    until: float | None = None,
) -> Checked:
    """Check the points, and with them the people themselves, in one call to each of the user's objects.

    ``said`` (points, asked scores) is what models and detectors that can only be asked said before. ``until``
    is when the time for points is over, by the clock of `time.perf_counter`.
    """
    rows = batch.rows(problem, owner, points)
    asked = np.concatenate([rows, batch.values]) if with_people else rows
    frame = problem.frame(asked)
    positions = np.concatenate([points, batch.placement.position]) if with_people else points
    owners = np.concatenate([owner, np.arange(len(batch.values))]) if with_people else owner
    scores = np.empty((len(problem.models), len(asked)))
    contradicted = np.zeros(len(asked), dtype=np.bool_)
    unsettled = np.zeros(len(asked), dtype=np.bool_)
    # The score that refused a point in its doubt: what looks the same to its forest is refused too.
    refused_by = np.full(len(asked), EXACTLY)
    before = iter(said.T)
    for number, model in enumerate(problem.models):
        name = problem.name_of(number)
        reading = _readings(problem, batch, number, owners, positions)
        settled = reading.accepts | reading.refuses
        closely = ask_closely(
            model.evaluate,
            frame,
            name,
            threshold=model.threshold,
            tolerance=model.tolerance,
            settled=settled,
            until=None if with_people else until,  # about people, something has to be said
        )
        scores[number] = closely.answers
        unsettled |= closely.unsettled
        if model.is_black_box and said.size:
            require_steady(next(before), scores[number, : len(rows)], name, tolerance=model.tolerance)
        contradicted |= _contradictions(model, reading, scores[number])
        # A linear model rounds a row differently from place to place in a batch: it says nothing of others.
        # Neither does one of several scores that decide together.
        if len(model.scores) == 1 and model.decides and is_forest(model.score):
            only = problem.slots.models[number][0]
            assert only is not None
            refused_by = np.where(scores[number] < model.threshold, only, refused_by)
    reported = problem.reported(scores)
    thresholds = np.array([[model.threshold] for model in problem.models])
    accepted: BoolArray = np.asarray((scores >= thresholds).all(axis=0))

    plausibility = np.full(len(rows), np.nan)
    plausible = np.ones(len(rows), dtype=np.bool_)
    detector, slot = problem.detector, problem.slots.detector
    if detector is not None:
        lengths = _path_lengths(problem, batch, owner, points, rows)
        if detector.evaluate is None:
            plausibility = detector.report(lengths)
        else:
            settled = np.zeros(len(rows), dtype=np.bool_)
            if slot is not None:
                assert detector.score is not None
                settled = (lengths >= detector.score.accept_from) | (lengths < detector.score.reject_below)
            closely = ask_closely(
                detector.evaluate,
                frame.iloc[: len(rows)],
                "detector",
                threshold=0.0,
                tolerance=detector.tolerance,
                settled=settled,
                until=until,
            )
            plausibility = closely.answers
            unsettled[: len(rows)] |= closely.unsettled
    if problem.judges is not None:
        plausible = plausibility >= 0.0
        if slot is not None:
            assert problem.judges.score is not None
            contradicted[: len(rows)] |= (lengths >= problem.judges.score.accept_from) & ~plausible
            by_detector = accepted[: len(rows)] & ~plausible
            refused_by[: len(rows)] = np.where(by_detector, slot, refused_by[: len(rows)])
        elif said.size:
            require_steady(next(before), plausibility, "detector", tolerance=problem.judges.tolerance)
    kept = kept_rows(problem, batch.values[owner], rows, frame.iloc[: len(rows)])
    if kept.denied_by_function.any():
        raise InvalidOutput(
            "A rule that is a function said yes to a row during the search, and no when asked again. "
            "It has to give the same answer every time."
        )
    contradicted[: len(rows)] |= kept.broken_for_sure
    # Only a reading that still holds knows what looks the same.
    refused_by = np.where(contradicted, EXACTLY, refused_by)
    return Checked(
        owner=owner,
        points=points,
        scores=reported[: len(rows)],
        plausibility=plausibility,
        failed=~(accepted[: len(rows)] & plausible & kept.allowed) | unsettled[: len(rows)],
        refused_by=refused_by[: len(rows)],
        contradicted=contradicted[: len(rows)],
        unsettled=unsettled[: len(rows)],
        people=PeopleChecked(
            scores=reported[len(rows) :],
            accepted=accepted[len(rows) :],
            refused_by=refused_by[len(rows) :],
            contradicted=contradicted[len(rows) :],
        ),
    )


def _path_lengths(
    problem: Problem, batch: Batch, owner: IntArray, points: Int32Array, rows: FloatArray
) -> FloatArray:
    """Score points by the compiled detector, where there is one."""
    assert problem.detector is not None
    if problem.slots.detector is not None:
        return compiled_scores(problem, batch.people, problem.slots.detector, owner, points)
    return np.zeros(0) if problem.detector.score is None else path_lengths_of_rows(problem, rows)


def path_lengths_of_rows(problem: Problem, rows: FloatArray) -> FloatArray:
    """Score rows of all the model's columns by the compiled detector."""
    assert problem.detector is not None
    assert problem.detector.score is not None
    return score_rows(problem.detector.score, rows[:, problem.columns_of(problem.detector)])
