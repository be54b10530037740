"""Verify cells with the user's own model and detector, in one call each, and with every constraint."""

import time
from functools import partial
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.base.calls.evaluate import Closely, evaluate_closely, is_close, require_steady
from p2ce.compile.batch import Batch
from p2ce.compile.evaluate_rows import detector_scores
from p2ce.engine.scores.external import ACCEPT, REJECT, UNDECIDED
from p2ce.engine.scores.score import Bound
from p2ce.errors import InvalidOutput
from p2ce.models.decisions.adapter import Adapter
from p2ce.run.verify.constraints import check_constraints

EXACTLY = -1  # excludes only this one cell


class Checked(NamedTuple):
    """Cells, with the results of the user's own objects."""

    instance: IntArray  # (cells,)
    cells: Int32Array  # (cells, axes)
    scores: FloatArray  # (cells,)
    plausibility: FloatArray  # (cells,) NaN where no detector was evaluated
    failed: BoolArray  # (cells,) rejected, implausible or not allowed: never displayed
    rejected_by: IntArray  # (cells,) the flat score that rejects all cells with the same leaves, or EXACTLY
    contradicted: BoolArray  # (cells,) the result contradicts what a score had proven
    unsettled: BoolArray  # (cells,) failed only because no time was left to evaluate them

    def taken(self, which: BoolArray | slice) -> "Checked":
        """Return some of the cells."""
        return Checked(*(part[which] for part in self))  # type: ignore[arg-type]


class Proof(NamedTuple):
    """What the scores of a model prove about cells."""

    value: FloatArray  # (cells,) the value of the first score; NaN for a black box
    accepts: BoolArray  # (cells,)
    rejects: BoolArray  # (cells,)


def prove_by_scores(batch: Batch, number: int, instance: IntArray, cells: Int32Array) -> Proof:
    """Evaluate cells with the scores of a model, without calling it; a black box proves nothing."""
    value: FloatArray | None = None
    accepts = np.ones(len(cells), dtype=np.bool_)
    rejects = np.zeros(len(cells), dtype=np.bool_)
    for place in batch.problem.model_scores[number]:
        verdict, found = batch.scores[place].verify(instance, cells)
        accepts &= verdict == ACCEPT
        rejects |= verdict == REJECT
        value = found if value is None else value
    assert value is not None, "every model has a score"
    return Proof(value, accepts, rejects)


def surely_rejected(batch: Batch) -> BoolArray:
    """Mark the instances that some model provably rejects at their current values."""
    rejected = np.zeros(len(batch.values), dtype=np.bool_)
    for number, model in enumerate(batch.problem.models):
        if model.score is not None:
            rejected |= prove_by_scores(
                batch, number, np.arange(len(batch.values)), batch.placement.position
            ).rejects
    return rejected


def _contradictions(model: Adapter, proof: Proof, own: FloatArray) -> BoolArray:
    """Return where the model itself contradicts what its scores prove, or reports another value."""
    accepted = own >= model.threshold
    contradicted: BoolArray = (proof.accepts & ~accepted) | (proof.rejects & accepted)
    if model.report is not None and model.score is not None:
        near = np.abs(model.report(proof.value) - own) <= model.tolerance * np.maximum(1.0, np.abs(own))
        contradicted |= ~near
    return contradicted


def verify_cells(
    batch: Batch,
    instance: IntArray,
    cells: Int32Array,
    *,
    said: FloatArray,
    with_instances: bool,
    until: float | None = None,
) -> Checked:
    """Verify cells, and the instances themselves if requested, in one call to each of the user's objects.

    ``said`` (cells, black boxes) holds the earlier values of black-box models and detectors. ``until`` is the
    end of the time for cells, by the clock of `time.perf_counter`: after it, black boxes are not called
    again, and their earlier values count. The instances come after the cells.
    """
    problem, count = batch.problem, len(cells)
    found = slice(count)
    rows = batch.rows(instance, cells)
    if with_instances:
        rows = np.concatenate([rows, batch.values])
        cells = np.concatenate([cells, batch.placement.position])
        instance = np.concatenate([instance, np.arange(len(batch.values))])
    frame = problem.frame(rows)
    scores = np.empty((len(problem.models), len(rows)))
    contradicted = np.zeros(len(rows), dtype=np.bool_)
    unsettled = np.zeros(len(rows), dtype=np.bool_)
    rejected_by = np.full(len(rows), EXACTLY)
    before = iter(said.T)
    for number, model in enumerate(problem.models):
        name = problem.name_of(number)
        proof = prove_by_scores(batch, number, instance, cells)
        earlier = next(before) if model.is_black_box and said.size else None
        if earlier is not None and not with_instances and _is_over(until):
            scores[number], open_rows = _as_said(earlier, model.threshold, model.tolerance)
        else:
            scores[number], open_rows = evaluate_closely(
                model.evaluate,
                frame,
                threshold=model.threshold,
                tolerance=model.tolerance,
                settled=proof.accepts | proof.rejects,
                until=None if with_instances else until,  # instances must be evaluated in any case
            )
            if earlier is not None:
                require_steady(earlier, scores[number, found], name, tolerance=model.tolerance)
        unsettled |= open_rows
        contradicted |= _contradictions(model, proof, scores[number])
        # If a forest rejects a cell, it rejects all cells that reach the same leaves. A linear model may
        # round a row differently at each position of a batch, so its rejection says nothing about other
        # cells. Nor does the rejection of one of several scores that decide together.
        first, *others = problem.model_scores[number]
        if not others and problem.requirements[first].score.bound is Bound.TREE_LEAVES:
            rejected_by = np.where(scores[number] < model.threshold, first, rejected_by)
    thresholds = np.array([[model.threshold] for model in problem.models])
    accepted: BoolArray = np.asarray((scores >= thresholds).all(axis=0))
    failed = ~accepted | unsettled

    plausibility = np.full(len(rows), np.nan)
    if problem.detector is not None:
        by_score, proven = problem.flat_detector, None
        if by_score is not None:
            proven = batch.scores[by_score].verify(instance[found], cells[found])
        own = batch.own
        least = None if own is None else partial(own.least, instance[found])
        is_black_box = problem.required_detector is not None and by_score is None
        earlier = next(before) if is_black_box and said.size else None
        if earlier is not None and _is_over(until):
            needed = 0.0 if least is None else least(earlier)
            plausibility[found], open_rows = _as_said(earlier, needed, problem.detector.tolerance)
        else:
            plausibility[found], open_rows = detector_scores(
                problem,
                rows[found],
                frame.iloc[found],
                value=None if proven is None else proven.value,
                settled=None if proven is None else proven.verdict != UNDECIDED,
                until=until,
                least=least,
            )
            if earlier is not None:
                tolerance = problem.detector.tolerance
                require_steady(earlier, plausibility[found], "detector", tolerance=tolerance)
        unsettled[found] |= open_rows
        failed[found] |= open_rows
        if problem.required_detector is not None:
            if proven is not None and problem.required_detector.is_its_score:
                implausible = proven.verdict != ACCEPT  # our own forest: its compiled score is the detector
            else:
                needed = 0.0 if least is None else least(plausibility[found])
                implausible = ~(plausibility[found] >= needed)
            failed[found] |= implausible
            if by_score is not None and proven is not None:
                contradicted[found] |= (proven.verdict == ACCEPT) & implausible
                rejected_by[found][accepted[found] & implausible] = by_score
    kept = check_constraints(problem, batch.values[instance[found]], rows[found], frame.iloc[found])
    if kept.rejected_by_predicate.any():
        raise InvalidOutput(
            "A rule that is a function accepted a row during the search, and rejected it when called again. "
            "It must return the same result every time."
        )
    failed[found] |= ~kept.allowed
    contradicted[found] |= kept.broken_for_sure
    return Checked(
        instance=instance,
        cells=cells,
        scores=problem.reported(scores),
        plausibility=plausibility,
        failed=failed,
        # A contradicted score cannot exclude other cells.
        rejected_by=np.where(contradicted, EXACTLY, rejected_by),
        contradicted=contradicted,
        unsettled=unsettled,
    )


def _is_over(until: float | None) -> bool:
    return until is not None and time.perf_counter() >= until


def _as_said(values: FloatArray, threshold: float | FloatArray, tolerance: float) -> Closely:
    """Return a black box's values from the search; those close to the threshold decide nothing."""
    return Closely(values, is_close(values, threshold, tolerance))
