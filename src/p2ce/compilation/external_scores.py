"""Get scores ready that are computed outside the compiled loop: networks, models that can only be asked."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import pandas as pd

from p2ce.adapters.evaluate import ask, ask_alone, is_close
from p2ce.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.compilation.compiled_problem import Problem
from p2ce.compilation.rule_scores import CheckedRule
from p2ce.decisions.model_adapter import ModelAdapter
from p2ce.grid.placement import Placement
from p2ce.scores.external import (
    ACCEPT,
    REJECT,
    UNDECIDED,
    Boxes,
    ExternalScore,
    OutOfTime,
    PreparedScore,
    Verdicts,
)
from p2ce.scores.score import CompiledScore
from p2ce.solver.evaluators import Evaluator

# For each model, of each of its scores; None where it is compiled.
Networks: TypeAlias = list[list[PreparedScore | None]]


class Unbounded:
    """A score of which nothing is known about a whole box."""

    __slots__ = ()

    def infeasible(self, owner: IntArray, boxes: Boxes) -> BoolArray:  # noqa: ARG002
        """Drop nothing."""
        return np.zeros(len(owner), dtype=np.bool_)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AskedPeople(Unbounded):
    """A model or detector that can only be asked, with the people it is asked about."""

    problem: Problem
    values: FloatArray  # (n, wide)
    placement: Placement
    call: Callable[[pd.DataFrame], FloatArray]
    threshold: float
    tolerance: float  # how far its answers about a row may differ from batch to batch
    who: str
    known: FloatArray | None = (
        None  # (n, axes, width) what it said of single changes before, NaN where not asked
    )
    until: float | None = None  # when no further call about a cell alone may begin, by time.perf_counter

    def judge(self, owner: IntArray, points: Int32Array) -> Verdicts:
        """Put the cells to the user's own object, all in one call.

        What it gets alone decides about a cell (`ask_closely`). Cells that are refused are never seen again,
        so that those close to the threshold are asked about alone at once; accepted ones are when they turn
        out to be on the front.
        """
        value = np.full(len(points), np.nan) if self.known is None else self._said_before(owner, points)
        new = np.flatnonzero(np.isnan(value))
        value[new] = ask(self.call, self._frame(owner[new], points[new]), self.who)
        close = np.flatnonzero(is_close(value, self.threshold, self.tolerance) & (value < self.threshold))
        if len(close):
            frame = self._frame(owner[close], points[close])
            alone = ask_alone(self.call, frame, self.who, until=self.until)
            if len(alone) < len(close):
                raise OutOfTime
            value[close] = alone
        return Verdicts(np.where(value >= self.threshold, ACCEPT, REJECT), value)

    def _frame(self, owner: IntArray, points: Int32Array) -> pd.DataFrame:
        return self.problem.frame(self.problem.rows(self.values, self.placement, owner, points))

    def _said_before(self, owner: IntArray, points: Int32Array) -> FloatArray:
        """Look up the single changes that were asked about already."""
        assert self.known is not None
        moved = points != self.placement.position[owner]
        axis = moved.argmax(axis=1)
        value = self.known[owner, axis, points[np.arange(len(points)), axis]]
        return np.asarray(np.where(moved.sum(axis=1) == 1, value, np.nan))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReadPeople:
    """A network with its people; what it is in doubt about is put to the user's own model."""

    network: PreparedScore
    model: AskedPeople

    def judge(self, owner: IntArray, points: Int32Array) -> Verdicts:
        """Judge by the network as read, and the few doubtful cells by the model."""
        said = self.network.judge(owner, points)
        doubtful = np.flatnonzero(said.verdict == UNDECIDED)
        if not len(doubtful):
            return said
        verdict = said.verdict.copy()
        verdict[doubtful] = self.model.judge(owner[doubtful], points[doubtful]).verdict
        return Verdicts(verdict, said.value)

    def infeasible(self, owner: IntArray, boxes: Boxes) -> BoolArray:
        """Bound the boxes by the network as read."""
        return self.network.infeasible(owner, boxes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RulePeople(Unbounded):
    """A rule that is a function of the user's, with the people it is asked about."""

    problem: Problem
    rule: CheckedRule
    values: FloatArray  # (n, wide)
    placement: Placement

    def judge(self, owner: IntArray, points: Int32Array) -> Verdicts:
        """Put the cells to the function, all in one call."""
        rows = self.problem.rows(self.values, self.placement, owner, points)
        holds = self.rule.holds_frame(self.problem.frame(rows))
        return Verdicts(np.where(holds, ACCEPT, REJECT), holds.astype(np.float64))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowPeople(Unbounded):
    """A network with people some of whose columns move as one: cells are judged as whole rows."""

    problem: Problem
    model: ModelAdapter
    score: ExternalScore
    values: FloatArray  # (n, wide)
    placement: Placement

    def judge(self, owner: IntArray, points: Int32Array) -> Verdicts:
        """Judge the cells by the network, each from scratch."""
        rows = self.problem.rows(self.values, self.placement, owner, points)
        return self.score.judge_rows(np.ascontiguousarray(rows[:, self.problem.columns_of(self.model)]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SomePeople:
    """Some people of a batch, numbered anew."""

    people: PreparedScore
    who: IntArray

    def judge(self, owner: IntArray, points: Int32Array) -> Verdicts:
        """Judge cells of those people."""
        return self.people.judge(self.who[owner], points)

    def infeasible(self, owner: IntArray, boxes: Boxes) -> BoolArray:
        """Bound boxes of those people."""
        return self.people.infeasible(self.who[owner], boxes)


def lay_out_networks(problem: Problem, placement: Placement, values: FloatArray) -> Networks:
    """Show the people to every score of a model that is read but not compiled; None for the others."""
    networks: Networks = []
    for model in problem.models:
        if all(isinstance(score, CompiledScore) for score in model.scores):
            networks.append([None] * len(model.scores))
            continue
        if problem.compounds:
            networks.append(
                [
                    None
                    if isinstance(score, CompiledScore)
                    else RowPeople(
                        problem=problem, model=model, score=score, values=values, placement=placement
                    )
                    for score in model.scores
                ]
            )
            continue
        columns = problem.columns_of(model)
        place = np.argsort(columns)  # of each of our columns among the model's own
        grid = replace(problem.grid, columns=place[problem.grid.columns])
        networks.append(
            [
                None
                if isinstance(score, CompiledScore)
                else score.lay_out(grid, placement, values[:, columns])
                for score in model.scores
            ]
        )
    return networks


def outside_scores(
    problem: Problem,
    placement: Placement,
    values: FloatArray,
    networks: Networks,
    who: IntArray,
    singles: FloatArray | None = None,
    *,
    until: float | None = None,
) -> list[Evaluator]:
    """List the scores that are computed outside, in the order in which they are asked.

    Networks come first, being quick, then rules that are functions, then models that are asked, and last a
    detector: it is asked only about what every model accepts. ``singles`` is what the
    model said of single changes of these people, if it was asked before. ``until`` is when the time of all
    of them is over, by the clock of `time.perf_counter`.
    """
    slots = problem.slots
    known = None
    if singles is not None and not problem.others:  # several models were asked for their joint score
        known = np.full(placement.values.shape, np.nan)
        known[who] = singles
    read, asked = [], []
    for i, model in enumerate(problem.models):
        own = AskedPeople(
            problem=problem,
            values=values,
            placement=placement,
            call=model.evaluate,
            threshold=model.threshold,
            tolerance=model.tolerance,
            who=problem.name_of(i),
            known=known,
            until=until,
        )
        for network, score in zip(networks[i], model.scores, strict=True):
            if network is not None:
                assert not isinstance(score, CompiledScore)
                # Where several scores decide together, what one of them doubts is settled by all.
                both = ReadPeople(network=network, model=own)
                read.append(
                    _some(both, who, has_bound=score.has_bound and not problem.compounds, keeps_values=False)
                )
        if model.is_black_box:
            asked.append(_some(own, who, has_bound=False, keeps_values=True))
    for rule in problem.rules:
        if rule.asks:
            checked = RulePeople(problem=problem, rule=rule, values=values, placement=placement)
            read.append(_some(checked, who, has_bound=False, keeps_values=False))
    detector = problem.judges
    if detector is not None and slots.detector is None:
        assert detector.evaluate is not None, "a detector without a compiled score is asked"
        own = AskedPeople(
            problem=problem,
            values=values,
            placement=placement,
            call=detector.evaluate,
            threshold=0.0,
            tolerance=detector.tolerance,
            who="detector",
            until=until,
        )
        asked.append(_some(own, who, has_bound=False, keeps_values=True))
    return read + asked


def _some(people: PreparedScore, who: IntArray, *, has_bound: bool, keeps_values: bool) -> Evaluator:
    return Evaluator(score=SomePeople(people=people, who=who), has_bound=has_bound, keeps_values=keeps_values)
