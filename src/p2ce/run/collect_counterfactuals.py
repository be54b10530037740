"""Order and price the verified cells of a batch, and round them as displays require."""

import logging
import time
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from p2ce.base.calls.budget import LimitReached
from p2ce.base.calls.model_call import evaluate
from p2ce.base.comparing import quanta
from p2ce.compile.batch import Batch
from p2ce.errors import P2CEError
from p2ce.objectives.objective import reported
from p2ce.run.refinement.refine_fronts import refine_fronts
from p2ce.run.refinement.trials import Options
from p2ce.run.time_limits import SharedLimits
from p2ce.run.verified import Counterfactuals, Outcomes, Verified
from p2ce.run.verify.rounding import rounded_rows
from p2ce.run.verify.verify_cells import VerifiedCells

log = logging.getLogger("p2ce")


def collect_counterfactuals(
    batch: Batch, kept: Sequence[VerifiedCells], known: Outcomes, shared: SharedLimits
) -> Verified:
    """Join the cells of all rounds, instance by instance and cheapest first; refine and round them."""
    problem = batch.problem
    instance = np.concatenate([checked.instance for checked in kept])
    cells = np.concatenate([checked.cells for checked in kept])
    totals = batch.tables.totals(instance, cells)
    # Cheapest first, objective after objective; equal costs in the order of the tie-breakers.
    walked = np.abs(cells - batch.placement.position[instance]).sum(axis=1)
    order = np.lexsort([*cells.T[::-1], walked, *quanta(totals).T[::-1], instance])
    instance, cells, totals = instance[order], cells[order], totals[order]
    front = Options(
        instance,
        batch.rows(instance, cells),
        totals,
        np.concatenate([checked.scores for checked in kept])[order],
        np.concatenate([checked.plausibility for checked in kept])[order],
    )
    begin = time.perf_counter()
    if problem.needs_refining:
        front, known = _refined(batch, front, known, shared)
    instance, rows, totals, scores, plausibility = front
    before = batch.values[instance]
    displayed, displayed_scores = rows, scores
    if problem.rounded_columns:
        displayed, displayed_scores = rounded_rows(
            problem, before, rows, instance, own=batch.own, limits=batch.limits, scores=scores, totals=totals
        )
    seconds = time.perf_counter() - begin
    rounded = np.flatnonzero((displayed != rows).any(axis=1))
    predictions = np.full(len(rows) + len(batch.values) + len(rounded), np.nan)
    if problem.model.predict is not None and not problem.others:  # if its score is only a lead
        with suppress(LimitReached):
            everything = np.concatenate([rows, batch.values, displayed[rounded]])
            predictions = evaluate(problem.model.predict, problem.frame(everything))
    of_rows, of_instances, of_rounded = np.split(predictions, [len(rows), len(rows) + len(batch.values)])
    displayed_predictions = of_rows.copy()
    displayed_predictions[rounded] = of_rounded
    # One contradiction refutes the scores behind every proof.
    known = known.with_values(slice(None), predictions=of_instances, trusted=known.trusted.all())
    if batch.own is not None and not known.favourable.all():
        with suppress(LimitReached):
            known = known.with_values(slice(None), plausibility=batch.own.values)
    return Verified(
        outcomes=known,
        found=Counterfactuals(
            instance=instance,
            rows=rows,
            moved=rows != before,
            costs=reported(problem.objectives, totals),
            scores=scores,
            predictions=of_rows,
            plausibility=plausibility,
            displayed=displayed,
            displayed_scores=displayed_scores,
            displayed_predictions=displayed_predictions,
        ),
        verify_seconds=sum(shared.checks) + seconds,
    )


def _refined(batch: Batch, front: Options, known: Outcomes, shared: SharedLimits) -> tuple[Options, Outcomes]:
    """Refine the fronts of instances whose grid was inferred and completely searched, cheapest first."""
    done = known.finished & known.trusted & ~known.gave_up & ~known.favourable
    try:
        found = refine_fronts(batch, front, done, shared.end_of_refinement(known))
    except P2CEError as error:
        # These rows are off the grid, where a model or a rule may fail.
        log.info("Nothing is refined, since rows between the candidates cannot be evaluated: %s", error)
        return front, known
    except LimitReached:
        log.info("Nothing is refined, since the time is up.")
        return front, known
    known = known.with_values(slice(None), refined=found.tried, verified=known.verified + found.confirmed)
    refined = found.front
    order = np.lexsort([*refined.rows.T[::-1], *quanta(refined.totals).T[::-1], refined.instance])
    return refined.taken(order), known
