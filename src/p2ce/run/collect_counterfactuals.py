"""Order and price the verified cells of a batch, and round them as displays require."""

import logging
import time
from contextlib import suppress

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.call_deadline import OutOfTime, no_calls_after
from p2ce.base.calls.evaluate import evaluate
from p2ce.base.comparing import quanta
from p2ce.compile.compiled_problem import Problem
from p2ce.errors import P2CEError
from p2ce.run.refinement.options import Options
from p2ce.run.refinement.refine_fronts import refine_fronts
from p2ce.run.rounds import Rounds
from p2ce.run.verified import Counterfactuals, Verified
from p2ce.run.verify.rounding import rounded_rows
from p2ce.run.verify.row_costs import reported

log = logging.getLogger("p2ce")


def collect_counterfactuals(rounds: Rounds) -> Verified:
    """Join the cells of all rounds, instance by instance and cheapest first, and round them.

    Once the time is up, no call begins: cells are neither refined nor rounded, and predictions are unknown.
    """
    with no_calls_after(rounds.last_call()):
        return _collected(rounds)


def _collected(rounds: Rounds) -> Verified:
    batch, outcomes = rounds.batch, rounds.outcomes
    problem = batch.problem
    instance = np.concatenate([checked.instance for checked in rounds.kept])
    cells = np.concatenate([checked.cells for checked in rounds.kept])
    totals = batch.tables.totals(instance, cells)
    # Cheapest first, objective after objective; equal costs in the order of the tie-breakers.
    walked = np.abs(cells - batch.placement.position[instance]).sum(axis=1)
    order = np.lexsort([*cells.T[::-1], walked, *quanta(totals).T[::-1], instance])
    instance, cells, totals = instance[order], cells[order], totals[order]
    begin = time.perf_counter()
    front = _refined(
        rounds,
        Options(
            instance,
            batch.rows(instance, cells),
            totals,
            np.concatenate([checked.scores for checked in rounds.kept])[order],
            np.concatenate([checked.plausibility for checked in rounds.kept])[order],
        ),
    )
    instance, rows, totals, scores, plausibility = front
    before = batch.values[instance]
    displayed, displayed_scores = rounded_rows(
        problem, before, rows, instance, own=batch.own, scores=scores, totals=totals
    )
    seconds = time.perf_counter() - begin
    rounded = np.flatnonzero((displayed != rows).any(axis=1))
    predictions = _predictions(problem, np.concatenate([rows, batch.values, displayed[rounded]]))
    outcomes.predictions[:] = predictions[len(rows) : len(rows) + len(batch.values)]
    displayed_predictions = predictions[: len(rows)].copy()
    displayed_predictions[rounded] = predictions[len(rows) + len(batch.values) :]
    if batch.own is not None and not outcomes.favourable.all():
        with suppress(OutOfTime):
            outcomes.plausibility[:] = batch.own.values
    outcomes.trusted[:] = outcomes.trusted.all()  # one contradiction refutes the scores behind every proof
    return Verified(
        outcomes=outcomes,
        found=Counterfactuals(
            instance=instance,
            rows=rows,
            moved=rows != before,
            costs=reported(problem, totals),
            scores=scores,
            predictions=predictions[: len(rows)],
            plausibility=plausibility,
            displayed=displayed,
            displayed_scores=displayed_scores,
            displayed_predictions=displayed_predictions,
        ),
        verify_seconds=rounds.verify_seconds + seconds,
    )


def _refined(rounds: Rounds, front: Options) -> Options:
    """Refine the fronts of instances whose grid was inferred and completely searched, cheapest first."""
    problem, known = rounds.batch.problem, rounds.outcomes
    if not problem.needs_refining:
        return front
    done = known.finished & known.trusted & ~known.gave_up & ~known.favourable
    try:
        found = refine_fronts(rounds.batch, front, done, rounds.left_to_refine())
    except P2CEError as error:
        # These rows are off the grid, where a model or a rule may fail.
        log.info("Nothing is refined, since rows between the candidates cannot be evaluated: %s", error)
        return front
    except OutOfTime:
        log.info("Nothing is refined, since the time is up.")
        return front
    known.refined[:] = found.tried
    known.verified[:] += found.confirmed
    refined = found.front
    order = np.lexsort([*refined.rows.T[::-1], *quanta(refined.totals).T[::-1], refined.instance])
    return refined.taken(order)


def _predictions(problem: Problem, rows: FloatArray) -> FloatArray:
    """Return the model's predictions if its score is only a lead."""
    predict = problem.model.predict
    if predict is None or problem.others:
        return np.full(len(rows), np.nan)
    try:
        return evaluate(predict, problem.frame(rows))
    except OutOfTime:
        return np.full(len(rows), np.nan)
