"""Solve some instances of a batch: by branch and bound, or by one of the paper's algorithms."""

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.compile.batch import Batch
from p2ce.compile.requirements import Source
from p2ce.engine.scores.black_box_score import BlackBoxScore
from p2ce.engine.scores.external import Boxes, PreparedScore, Verdicts
from p2ce.engine.solver.branch_and_bound import Evaluator, Fronts, Listener, no_fronts, solve
from p2ce.engine.solver.incumbents import Incumbents
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SomeInstances:
    """A prepared score for some instances of a batch, as the solver numbers them, until the time is up."""

    score: PreparedScore
    who: IntArray
    until: float | None

    @property
    def bounds_boxes(self) -> bool:
        return self.score.bounds_boxes

    def evaluate(
        self,
        instance: IntArray,
        cells: Int32Array,
        *,
        until: float | None = None,  # noqa: ARG002
    ) -> Verdicts:
        """Evaluate cells of these instances."""
        return self.score.evaluate(self.who[instance], cells, until=self.until)

    def verify(self, instance: IntArray, cells: Int32Array) -> Verdicts:
        """Evaluate cells of these instances from scratch."""
        return self.score.verify(self.who[instance], cells)

    def infeasible(self, instance: IntArray, boxes: Boxes) -> BoolArray:
        """Bound boxes of these instances."""
        return self.score.infeasible(self.who[instance], boxes)


def solve_batch(
    batch: Batch, who: IntArray, limits: LimitsLeft, incumbents: Incumbents | None = None
) -> Fronts:
    """Find the fronts of some instances. Cells that the batch excludes are not on them.

    ``incumbents`` are accepted cells that are known in advance, of any instances of the batch.
    """
    problem = batch.problem
    if not len(who):
        return no_fronts(len(problem.objectives), problem.grid.axis_count)
    if problem.method is not None:
        return solve_by_paper(batch, who, limits.seconds, limits.work, limits.listener)
    instances = batch.instances if len(who) == len(batch.values) else batch.flat_instances(who)
    if problem.estimate is not None:
        instances = with_estimate(batch, who, instances)
    return solve(
        problem.layout,
        instances,
        problem.settings,
        None if problem.kernel_decides_alone else evaluators(batch, who, limits.until),
        time_limits=limits.seconds,
        work_limits=limits.work,
        listener=limits.listener,
        incumbents=None if incumbents is None else incumbents.of(who),
    )


def solve_completely(batch: Batch, work: int, seconds: float | None = None) -> Fronts:
    """Find the fronts of all instances of a batch; work and seconds are for each of them."""
    count = len(batch.values)
    limits = LimitsLeft(None if seconds is None else np.full(count, seconds), np.full(count, work))
    return solve_batch(batch, np.arange(count), limits)


def evaluators(batch: Batch, who: IntArray, until: float | None = None) -> list[Evaluator]:
    """List the scores that are evaluated outside the kernel, in their order."""
    return [
        Evaluator(
            score=SomeInstances(score=score, who=who, until=until),
            has_bound=score.bounds_boxes,
            # Verification compares two results of a black box; a rule's function only returns yes or no.
            keeps_values=isinstance(one.score, BlackBoxScore) and one.source is not Source.RULE,
        )
        for one, score in zip(batch.problem.requirements, batch.scores, strict=True)
        if one.score.flat is None
    ]
