"""Verify cells by the user's own model and detector, one call each, and by every constraint."""

import time
from functools import partial
from typing import NamedTuple

import numpy as np

from p2ce.adapters.evaluate import Closely, evaluate_closely, is_close, require_steady
from p2ce.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.compilation.batch import Batch
from p2ce.decisions.model_adapter import ModelAdapter
from p2ce.errors import InvalidOutput
from p2ce.scores.external import ACCEPT, REJECT, UNDECIDED
from p2ce.scores.score import Bound
from p2ce.verification.constraints import check_constraints
from p2ce.verification.evaluate_rows import detector_scores

EXACTLY = -1  # excludes this one cell only


class Checked(NamedTuple):
    """Cells with what the user's own objects say about them."""

    instance: IntArray  # (cells,)
    cells: Int32Array  # (cells, axes)
    scores: FloatArray  # (cells,)
    plausibility: FloatArray  # (cells,) NaN where no detector was evaluated
    failed: BoolArray  # (cells,) rejected, implausible or not allowed: never shown
    rejected_by: IntArray  # (cells,) the flat score that rejects it and all that look the same, or EXACTLY
    contradicted: BoolArray  # (cells,) failed, or scored otherwise, where a score had proven it
    unsettled: BoolArray  # (cells,) failed for want of time, and nothing is known against them

    def taken(self, which: BoolArray | slice) -> "Checked":
        """Take some of the cells."""
        return Checked(*(part[which] for part in self))  # type: ignore[arg-type]


class Proof(NamedTuple):
    """What the scores of a model prove about cells."""

    value: FloatArray  # (cells,) of the first score; NaN for a black box
    accepts: BoolArray  # (cells,)
    rejects: BoolArray  # (cells,)


def prove_by_scores(batch: Batch, number: int, instance: IntArray, cells: Int32Array) -> Proof:
    """Evaluate cells by the scores of a model, without calling it; a black box proves nothing."""
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
    """Mark the instances of which a score proves that some model rejects them as they are."""
    rejected = np.zeros(len(batch.values), dtype=np.bool_)
    for number, model in enumerate(batch.problem.models):
        if model.score is not None:
            rejected |= prove_by_scores(
                batch, number, np.arange(len(batch.values)), batch.placement.position
            ).rejects
    return rejected


def _contradictions(model: ModelAdapter, proof: Proof, own: FloatArray) -> BoolArray:
    """Tell where the model itself denies what its scores prove, or reports another value."""
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
    """Verify cells, and with them the instances as they are, in one call to each of the user's objects.

    ``said`` (cells, black boxes) is what black-box models and detectors gave before. ``until`` is when the
    time for cells is over, by the clock of `time.perf_counter`: after that, what a black box gave before
    counts, and it is not called again. The instances come behind the cells.
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
                name,
                threshold=model.threshold,
                tolerance=model.tolerance,
                settled=proof.accepts | proof.rejects,
                until=None if with_instances else until,  # about instances, something has to be said
            )
            if earlier is not None:
                require_steady(earlier, scores[number, found], name, tolerance=model.tolerance)
        unsettled |= open_rows
        contradicted |= _contradictions(model, proof, scores[number])
        # A forest rejects alike whatever reaches the same leaves. A linear model rounds a row differently
        # from place to place in a batch: it says nothing of others. Neither does one of several scores that
        # decide together.
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
            if proven is not None and problem.required_detector.evaluate is None:
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
            "It has to give the same result every time."
        )
    failed[found] |= ~kept.allowed
    contradicted[found] |= kept.broken_for_sure
    return Checked(
        instance=instance,
        cells=cells,
        scores=problem.reported(scores),
        plausibility=plausibility,
        failed=failed,
        # Only a score that still holds knows what looks the same.
        rejected_by=np.where(contradicted, EXACTLY, rejected_by),
        contradicted=contradicted,
        unsettled=unsettled,
    )


def _is_over(until: float | None) -> bool:
    return until is not None and time.perf_counter() >= until


def _as_said(values: FloatArray, threshold: float | FloatArray, tolerance: float) -> Closely:
    """Take the values that a black box gave in the search; those close to the threshold settle nothing."""
    return Closely(values, is_close(values, threshold, tolerance))
