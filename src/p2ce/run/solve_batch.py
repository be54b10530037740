"""Solve some instances of a batch: by branch and bound, or by one of the paper's algorithms."""

import time
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.compile.batch import Batch
from p2ce.engine.solver.branch_and_bound import ExternalScores, Fronts, Incumbents, Listener, no_fronts, solve
from p2ce.run.estimation.apply_estimate import with_estimate
from p2ce.run.paper.solve_by_paper import solve_by_paper


class SearchLimits(NamedTuple):
    """The caller's limits, for each instance."""

    seconds: float | None = None
    work: int | None = None  # in units of the counter WORK: a search ends at the same box on every machine
    listener: Listener | None = None


class LimitsLeft(NamedTuple):
    """What is left of the limits for the current instances."""

    seconds: FloatArray | None = None  # (n,)
    work: IntArray | None = None  # (n,)
    listener: Listener | None = None

    @property
    def until(self) -> float | None:
        """The end of the time of all of them, by the clock of `time.perf_counter`; None without a limit."""
        if self.seconds is None:
            return None
        return time.perf_counter() + float(np.maximum(self.seconds, 0.0).sum())


def solve_batch(
    batch: Batch, instances: IntArray, limits: LimitsLeft, incumbents: Incumbents | None = None
) -> Fronts:
    """Find the fronts of some instances. Cells that the batch excludes are not on them.

    ``incumbents`` are accepted cells that are known in advance, of any instances of the batch.
    """
    problem = batch.problem
    if not len(instances):
        return no_fronts(len(problem.objectives), problem.grid.axis_count)
    if problem.method is not None:
        return solve_by_paper(batch, instances, limits.seconds, limits.work, limits.listener)
    flat = batch.instances if len(instances) == len(batch.values) else batch.flat_instances(instances)
    if problem.estimate is not None:
        flat = with_estimate(batch, instances, flat)
    return solve(
        problem.layout,
        flat,
        problem.settings,
        None if problem.kernel_decides_alone else external_scores(batch, instances, limits.until),
        time_limits=limits.seconds,
        work_limits=limits.work,
        listener=limits.listener,
        incumbents=None if incumbents is None else incumbents.of(instances),
    )


def solve_completely(batch: Batch, work: int, seconds: float | None = None) -> Fronts:
    """Find the fronts of all instances of a batch; work and seconds are for each of them."""
    count = len(batch.values)
    limits = LimitsLeft(None if seconds is None else np.full(count, seconds), np.full(count, work))
    return solve_batch(batch, np.arange(count), limits)


def external_scores(batch: Batch, instances: IntArray, until: float | None = None) -> ExternalScores:
    """Return the scores that are evaluated outside the kernel, for some instances of a batch."""
    external = {
        number: one for number, one in enumerate(batch.problem.requirements) if one.score.flat is None
    }
    return ExternalScores(
        scores={number: batch.scores[number] for number in external},
        recorded=[number for number, one in external.items() if one.is_recorded],
        instances=instances,
        until=until,
    )
