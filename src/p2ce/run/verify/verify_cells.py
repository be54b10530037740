"""Verify cells with the user's own model and detector, in one call each, and with every constraint."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.base.calls.budget import LimitReached
from p2ce.base.calls.model_call import Closely, evaluate_closely, is_close, is_over, require_steady
from p2ce.compile.batch import Batch, prove_cells
from p2ce.compile.evaluate_rows import detector_scores
from p2ce.compile.requirements import Origin
from p2ce.engine.scores.external import ACCEPT, REJECT, UNDECIDED
from p2ce.errors import InvalidOutput
from p2ce.models.decisions.adapter import Adapter
from p2ce.run.verify.constraints import check_constraints

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
    rows = batch.rows(instance, cells)
    if with_instances:
        rows = np.concatenate([rows, batch.values])
        cells = np.concatenate([cells, batch.placement.position])
        instance = np.concatenate([instance, np.arange(len(batch.values))])
    frame = problem.codebook.decode(rows, problem.labels)
    # Instances must be evaluated in any case.
    models = _verify_by_models(
        batch,
        instance,
        cells,
        frame,
        recorded,
        None if with_instances else until,
        needed=with_instances,
    )
    # The cells without the instances, which need neither plausibility nor constraints.
    mine, instances, rows, frame = slice(count), instance[:count], rows[:count], frame.iloc[:count]
    detector = None
    if problem.detector is not None:
        detector = _verify_by_detector(
            batch, problem.detector, instances, cells[:count], rows, frame, recorded, until
        )
    constraints = check_constraints(problem, batch.values[instances], rows, frame, batch.limits, instances)
    if constraints.rejected_by_predicate.any():
        raise InvalidOutput(
            "A rule that is a function accepted a row during the search, and rejected it when called again. "
            "It must return the same result every time."
        )
    failed, contradicted = ~models.accepted | models.unsettled, models.contradicted
    unsettled, rejected_by = models.unsettled, models.rejected_by
    failed[mine] |= ~constraints.allowed
    contradicted[mine] |= constraints.broken_for_sure
    plausibility = np.full(len(cells), np.nan)
    if detector is not None:
        failed[mine] |= detector.unsettled | detector.implausible
        contradicted[mine] |= detector.contradicted
        unsettled[mine] |= detector.unsettled
        if problem.flat_detector is not None:
            rejected_by[mine][models.accepted[mine] & detector.implausible] = problem.flat_detector
        plausibility[mine] = detector.values
    return VerifiedCells(
        instance=instance,
        cells=cells,
        scores=problem.joint(models.scores) if problem.others else models.scores[0],
        plausibility=plausibility,
        failed=failed,
        # A contradicted score cannot exclude other cells.
        rejected_by=np.where(contradicted, EXACTLY, rejected_by),
        contradicted=contradicted,
        unsettled=unsettled,
    )


class _ByModels(NamedTuple):
    """What the models themselves say of rows."""

    scores: FloatArray  # (models, n)
    accepted: BoolArray  # (n,) by every model
    unsettled: BoolArray  # (n,) no time was left to evaluate the row alone
    contradicted: BoolArray  # (n,) a model contradicts its scores
    rejected_by: IntArray  # (n,) the number of the forest that rejects the row, or EXACTLY


def _verify_by_models(
    batch: Batch,
    instance: IntArray,
    cells: Int32Array,
    frame: pd.DataFrame,
    recorded: Mapping[int, FloatArray],
    until: float | None,
    *,
    needed: bool,
) -> _ByModels:
    """Evaluate rows with every model. Their first rows are the cells for which values are recorded.

    If a budget does not cover that, the recorded values count; without them, the rows are unsettled. If rows
    are ``needed``, `LimitReached` is raised instead.
    """
    problem, count = batch.problem, len(frame)
    scores = np.empty((len(problem.models), count))
    contradicted = np.zeros(count, dtype=np.bool_)
    unsettled = np.zeros(count, dtype=np.bool_)
    rejected_by = np.full(count, EXACTLY)
    for number, model in enumerate(problem.models):
        first = problem.model_scores[number][0]
        proof = prove_cells(batch, number, instance, cells)
        earlier = recorded.get(first)
        found = None
        if earlier is None or not is_over(until):
            try:
                found = evaluate_closely(
                    model.evaluate,
                    frame,
                    threshold=model.threshold,
                    tolerance=model.tolerance,
                    settled=proof.verdict != UNDECIDED,
                    until=until,
                )
            except LimitReached:
                if needed:
                    raise
        if found is None:
            found = _as_recorded(earlier, count, model.threshold, model.tolerance)
        elif earlier is not None:
            name = problem.name_of(number)
            require_steady(
                earlier,
                found.values[: len(earlier)],
                name,
                tolerance=model.tolerance,
                allowed=model.score_tolerance,
            )
        scores[number], open_rows = found
        unsettled |= open_rows
        # The model itself contradicts what its scores prove, or reports another value.
        own, accepts = scores[number], scores[number] >= model.threshold
        evaluated = ~np.isnan(own)
        contradicted |= evaluated & np.where(accepts, proof.verdict == REJECT, proof.verdict == ACCEPT)
        if model.report is not None and model.score is not None:
            apart = np.abs(model.report(proof.value) - own)
            contradicted |= evaluated & ~(apart <= model.tolerance * np.maximum(1.0, np.abs(own)))
        # If a forest rejects a cell, it rejects all cells that reach the same leaves. A linear model may
        # round a row differently at each position of a batch, so its rejection says nothing about other
        # cells. Nor does the rejection of one of several scores that decide together.
        if (forest := problem.forest_of_model[number]) is not None:
            rejected_by = np.where(scores[number] < model.threshold, forest, rejected_by)
    thresholds = np.array([[model.threshold] for model in problem.models])
    accepted = np.asarray((scores >= thresholds).all(axis=0))
    return _ByModels(scores, accepted, unsettled, contradicted, rejected_by)


class _ByDetector(NamedTuple):
    """What the detector itself says of cells."""

    values: FloatArray  # (cells,)
    implausible: BoolArray  # (cells,) False unless plausibility is required
    unsettled: BoolArray  # (cells,) no time was left to evaluate the row alone
    contradicted: BoolArray  # (cells,) the detector contradicts its score


def _verify_by_detector(
    batch: Batch,
    detector: Adapter,
    instance: IntArray,
    cells: Int32Array,
    rows: FloatArray,
    frame: pd.DataFrame,
    recorded: Mapping[int, FloatArray],
    until: float | None,
) -> _ByDetector:
    """Evaluate cells with the detector."""
    problem, count = batch.problem, len(cells)
    no = np.zeros(count, dtype=np.bool_)
    proven = None
    if problem.flat_detector is not None:
        proven = batch.scores[problem.flat_detector].prove(instance, cells)
    least = None if batch.own is None else partial(batch.own.least, instance)
    tolerance = detector.tolerance
    called = [at for at in recorded if problem.requirements[at].origin is Origin.DETECTOR]
    earlier = recorded[called[0]] if called else None
    found = None
    if earlier is None or not is_over(until):
        with suppress(LimitReached):
            found = detector_scores(
                problem,
                rows,
                frame,
                value=None if proven is None else proven.value,
                settled=None if proven is None else proven.verdict != UNDECIDED,
                until=until,
                least=least,
            )
    if found is None:
        wanted = 0.0 if least is None or earlier is None else least(earlier)
        found = _as_recorded(earlier, count, wanted, tolerance)
    elif earlier is not None:
        require_steady(earlier, found.values, "detector", tolerance=tolerance)
    values, unsettled = found
    if problem.required_detector is None:
        return _ByDetector(values, no, unsettled, no)
    if proven is not None and problem.required_detector.is_its_score:
        implausible = proven.verdict != ACCEPT  # our own forest: its compiled score is the detector
    else:
        implausible = ~(values >= (0.0 if least is None or unsettled.all() else least(values)))
    contradicted = no if proven is None else (proven.verdict == ACCEPT) & implausible & ~np.isnan(values)
    return _ByDetector(values, implausible, unsettled, contradicted)


def _as_recorded(
    values: FloatArray | None, count: int, threshold: float | FloatArray, tolerance: float
) -> Closely:
    """Return a black box's values from the search; those close to the threshold decide nothing.

    Without values, nothing is decided.
    """
    if values is None:
        return Closely(np.full(count, np.nan), np.ones(count, dtype=np.bool_))
    return Closely(values, is_close(values, threshold, tolerance))
