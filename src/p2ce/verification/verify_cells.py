"""Verify cells with the user's own model and detector, in one call each, and with every constraint."""

import time
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from p2ce.adapters.evaluate import Closely, evaluate_closely, is_close, require_steady
from p2ce.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.compilation.batch import Batch
from p2ce.compilation.prove_cells import Proof, prove_cells
from p2ce.compilation.requirements import Origin
from p2ce.decisions.model_adapter import ModelAdapter
from p2ce.errors import InvalidOutput
from p2ce.scores.external import ACCEPT, UNDECIDED
from p2ce.scores.score import Bound
from p2ce.verification.constraints import check_constraints
from p2ce.verification.evaluate_rows import detector_scores

EXACTLY = -1  # excludes only this one cell


class VerifiedCells(NamedTuple):
    """Cells, with the results of the user's own objects."""

    instance: IntArray  # (cells,)
    cells: Int32Array  # (cells, axes)
    scores: FloatArray  # (cells,)
    plausibility: FloatArray  # (cells,) NaN where no detector was evaluated
    failed: BoolArray  # (cells,) rejected, implausible or not allowed: never displayed
    rejected_by: IntArray  # (cells,) the flat score that rejects all cells with the same leaves, or EXACTLY
    contradicted: BoolArray  # (cells,) the result contradicts what a score had proven
    unsettled: BoolArray  # (cells,) failed only because no time was left to evaluate them

    def taken(self, which: BoolArray | slice) -> "VerifiedCells":
        """Return some of the cells."""
        return VerifiedCells(*(part[which] for part in self))  # type: ignore[arg-type]


def _contradictions(model: ModelAdapter, proof: Proof, own: FloatArray) -> BoolArray:
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
    recorded: Mapping[int, FloatArray],
    with_instances: bool,
    until: float | None = None,
) -> VerifiedCells:
    """Verify cells, and the instances themselves if requested, in one call to each of the user's objects.

    ``recorded`` holds the values (cells,) that black-box models and detectors had in the search, by the
    number of their requirement. ``until`` is the end of the time for cells, by the clock of
    `time.perf_counter`: after it, black boxes are not called again, and their recorded values count. The
    instances come after the cells.
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
    for number, model in enumerate(problem.models):
        name = problem.name_of(number)
        first, *others = problem.model_scores[number]
        proof = prove_cells(batch, number, instance, cells)
        earlier = recorded.get(first) if count else None
        if earlier is not None and not with_instances and _is_over(until):
            scores[number], open_rows = _as_recorded(earlier, model.threshold, model.tolerance)
        else:
            scores[number], open_rows = evaluate_closely(
                model.evaluate,
                frame,
                name,
                threshold=model.threshold,
                tolerance=model.tolerance,
                settled=proof.settled,
                until=None if with_instances else until,  # instances must be evaluated in any case
            )
            if earlier is not None:
                require_steady(earlier, scores[number, found], name, tolerance=model.tolerance)
        unsettled |= open_rows
        contradicted |= _contradictions(model, proof, scores[number])
        # If a forest rejects a cell, it rejects all cells that reach the same leaves. A linear model may
        # round a row differently at each position of a batch, so its rejection says nothing about other
        # cells. Nor does the rejection of one of several scores that decide together.
        if not others and problem.requirements[first].score.bound is Bound.TREE_LEAVES:
            rejected_by = np.where(scores[number] < model.threshold, first, rejected_by)
    thresholds = np.array([[model.threshold] for model in problem.models])
    accepted: BoolArray = np.asarray((scores >= thresholds).all(axis=0))
    failed = ~accepted | unsettled

    plausibility = np.full(len(rows), np.nan)
    if problem.detector is not None:
        by_score, proven = problem.flat_detector, None
        if by_score is not None:
            proven = batch.scores[by_score].prove(instance[found], cells[found])
        own = batch.own
        least = None if own is None else partial(own.least, instance[found])
        kept = [recorded[at] for at in recorded if problem.requirements[at].origin is Origin.DETECTOR]
        earlier = kept[0] if kept and count else None
        if earlier is not None and _is_over(until):
            needed = 0.0 if least is None else least(earlier)
            plausibility[found], open_rows = _as_recorded(earlier, needed, problem.detector.tolerance)
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
    constraints = check_constraints(problem, batch.values[instance[found]], rows[found], frame.iloc[found])
    if constraints.rejected_by_predicate.any():
        raise InvalidOutput(
            "A rule that is a function accepted a row during the search, and rejected it when called again. "
            "It must return the same result every time."
        )
    failed[found] |= ~constraints.allowed
    contradicted[found] |= constraints.broken_for_sure
    return VerifiedCells(
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


def _as_recorded(values: FloatArray, threshold: float | FloatArray, tolerance: float) -> Closely:
    """Return a black box's values from the search; those close to the threshold decide nothing."""
    return Closely(values, is_close(values, threshold, tolerance))
