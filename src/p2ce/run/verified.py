"""Store what is verified for a batch of instances: read-only arrays, which can be sent between processes."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.base.calls.budget import CallBudget
from p2ce.compile.arguments import BUDGETS
from p2ce.compile.compiled_problem import Problem
from p2ce.engine.solver.branch_and_bound import Fronts
from p2ce.result.explanation import ErrorKind
from p2ce.run.verify.verify_cells import VerifiedCells

if TYPE_CHECKING:
    from p2ce.run.time_limits import SearchLimits

log = logging.getLogger("p2ce")


class SearchedGrid(IntEnum):
    """The grid that an explanation is about."""

    OWN = 0  # the problem's own
    FINEST = 1  # the finest one instead
    FINEST_OPEN = 2  # the problem's own grid, although the finest one was not searched completely


class Searched(IntEnum):
    """How far an instance was searched without the plausibility requirement."""

    NOT = 0
    IN_PART = 1  # the cheapest one found may not be the cheapest
    COMPLETELY = 2


# Known about an instance itself, whatever the grid.
OF_THE_INSTANCE = ("scores", "predictions", "favourable", "plausibility")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReadOnlyArrays:
    """A record of arrays that nothing writes into."""

    def __post_init__(self) -> None:
        for field in fields(self):
            getattr(self, field.name).setflags(write=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcomes(ReadOnlyArrays):
    """What is known about each of n instances. Later results make a new record."""

    scores: FloatArray  # (n,) of the instances themselves, by the user's own model
    predictions: FloatArray  # (n,) what it predicts; NaN if the score itself is the prediction
    favourable: BoolArray  # (n,) the instance is accepted as it is
    plausibility: FloatArray  # (n,) of the instance as it is; NaN if it does not count
    grid: IntArray  # (n,) a `SearchedGrid`
    finished: BoolArray  # (n,)
    trusted: BoolArray  # (n,) the user's own objects never contradicted the scores
    gave_up: BoolArray  # (n,) the user's own objects kept rejecting cells inside the error band
    refined: IntArray  # (n,) rows between the grid's candidates that were tried
    verified: IntArray  # (n,) cells that the user's own objects evaluated
    discrepancies: IntArray  # (n,) cells on which the results differed
    counters: IntArray  # (n, COUNTERS)
    open_boxes: IntArray  # (n,)
    open_totals: FloatArray  # (n, objectives) the least joined cost that a point in an open box may have
    alternatives: Int32Array  # (n, axes) candidates on each axis, without the current one
    solve_seconds: FloatArray  # (n,)
    none_because: IntArray  # (n,) the index in `none_because.REASONS`; -1 if no reason is known
    without_plausibility: IntArray  # (n,) a `Searched`
    costs_without_plausibility: FloatArray  # (n, objectives) the least found there; NaN for none
    stopped_by: IntArray  # (n,) the index in `BUDGETS` of the budget that ended a search; -1 for none
    spent: IntArray  # (n, 2) calls and rows charged to the instance's budget; -1 if it has none

    @property
    def work(self) -> IntArray:
        """The work of solving each instance, in units of its counter: (n,)."""
        from p2ce.engine.solver.fronts import WORK

        return self.counters[:, WORK]

    def with_values(self, who: IntArray | slice, **values: Any) -> "Outcomes":
        """Return the outcomes with other values of some instances, field by field."""
        changed = {name: getattr(self, name).copy() for name in values}
        for name, value in values.items():
            changed[name][who] = value
        return replace(self, **changed)

    def after_search(self, who: IntArray, fronts: Fronts) -> "Outcomes":
        """Enter the results and the work of a search. Only the last round counts for what is open."""
        from p2ce.engine.solver.fronts import UNDECIDED

        counters = self.counters[who] + fronts.counters
        counters[:, UNDECIDED] = fronts.counters[:, UNDECIDED]
        return self.with_values(
            who,
            finished=fronts.finished,
            counters=counters,
            open_boxes=fronts.open_boxes,
            open_totals=fronts.open_totals,
            solve_seconds=self.solve_seconds[who] + fronts.seconds,
        )

    def after_check(self, checked: VerifiedCells, is_own: BoolArray) -> "Outcomes":
        """Enter the results of verifying cells. ``is_own`` (cells,) marks the instances themselves."""
        count, instance = len(self.scores), checked.instance
        known = self
        if is_own.any():
            own = instance[is_own]
            known = known.with_values(own, scores=checked.scores[is_own], favourable=~checked.failed[is_own])
        differs = (checked.failed & ~checked.unsettled & ~is_own) | checked.contradicted
        return known.with_values(
            slice(None),
            trusted=known.trusted & (np.bincount(instance[checked.contradicted], minlength=count) == 0),
            verified=known.verified + np.bincount(instance[~is_own], minlength=count),
            discrepancies=known.discrepancies + np.bincount(instance[differs], minlength=count),
        )


def nothing_known(count: int, objectives: int, alternatives: Int32Array, seconds: float) -> Outcomes:
    """Return outcomes with nothing known, after so many seconds for each instance."""
    from p2ce.engine.solver.fronts import COUNTERS

    return Outcomes(
        scores=np.full(count, np.nan),
        predictions=np.full(count, np.nan),
        favourable=np.zeros(count, dtype=np.bool_),
        plausibility=np.full(count, np.nan),
        grid=np.full(count, SearchedGrid.OWN),
        finished=np.ones(count, dtype=np.bool_),
        trusted=np.ones(count, dtype=np.bool_),
        gave_up=np.zeros(count, dtype=np.bool_),
        refined=np.zeros(count, dtype=np.int64),
        verified=np.zeros(count, dtype=np.int64),
        discrepancies=np.zeros(count, dtype=np.int64),
        counters=np.zeros((count, COUNTERS), dtype=np.int64),
        open_boxes=np.zeros(count, dtype=np.int64),
        open_totals=np.zeros((count, objectives)),
        alternatives=alternatives,
        solve_seconds=np.full(count, seconds),
        none_because=np.full(count, -1),
        without_plausibility=np.full(count, Searched.NOT),
        costs_without_plausibility=np.full((count, objectives), np.nan),
        stopped_by=np.full(count, -1),
        spent=np.full((count, 2), -1),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counterfactuals(ReadOnlyArrays):
    """Verified counterfactuals, one instance after another, cheapest first."""

    instance: IntArray  # (m,)
    rows: FloatArray  # (m, d) whole rows of new values
    moved: BoolArray  # (m, d)
    costs: FloatArray  # (m, objectives) as reported
    scores: FloatArray  # (m,) by the user's own model
    predictions: FloatArray  # (m,)
    plausibility: FloatArray  # (m,) decision values, NaN without a detector
    displayed: FloatArray  # (m, d) the rows, rounded for display where everything still holds
    displayed_scores: FloatArray  # (m,)
    displayed_predictions: FloatArray  # (m,)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Verified:
    """The result of a batch."""

    outcomes: Outcomes
    found: Counterfactuals
    verify_seconds: float  # for the whole batch

    def seconds_left(self, limit: float | None, who: IntArray) -> float | None:
        """Return what each of some instances has left of a limit in seconds; None without a limit."""
        if limit is None:
            return None
        taken = float(self.outcomes.solve_seconds[who].max(initial=0.0))
        return limit - taken - self.verify_seconds / len(self.outcomes.scores)

    def with_spent(self, budget: CallBudget) -> "Verified":
        """Enter what a single instance spent of its budget, and whether the budget ended the search."""
        known = self.outcomes
        is_open = ~known.finished | (known.grid == SearchedGrid.FINEST_OPEN)
        stopped_by = -1 if budget.reached is None else BUDGETS.index(budget.reached)
        spent = np.array([budget.calls, budget.rows])
        known = known.with_values(slice(None), stopped_by=np.where(is_open, stopped_by, -1), spent=spent)
        return replace(self, outcomes=known)

    def without_proof(self) -> "Verified":
        """Withdraw the proofs, since they depend on scores that are known to be wrong."""
        return replace(self, outcomes=self.outcomes.with_values(slice(None), trusted=False))

    def after_search(self, who: IntArray, found: "Verified") -> "Verified":
        """Enter the time of one more search of some instances, and whether it contradicts the scores."""
        known = self.outcomes
        seconds = found.outcomes.solve_seconds + found.verify_seconds / len(who)
        known = known.with_values(who, solve_seconds=known.solve_seconds[who] + seconds)
        if not found.outcomes.trusted.all():  # a contradiction refutes the scores behind all proofs
            known = known.with_values(slice(None), trusted=False)
        return replace(self, outcomes=known)

    def without_options(self) -> IntArray:
        """Return the instances for which it is proven that the searched grid has no counterfactual."""
        known = self.outcomes
        proven = known.finished & known.trusted & ~known.gave_up & ~known.favourable
        proven[self.found.instance] = False
        return np.flatnonzero(proven)

    def with_finest_open(self, who: IntArray) -> "Verified":
        """State that the finest grid was not searched for some instances."""
        return replace(self, outcomes=self.outcomes.with_values(who, grid=SearchedGrid.FINEST_OPEN))

    def merged(self, finer: "Verified", who: IntArray) -> "Verified":
        """Replace the results of instances without a counterfactual by those on the finest grid.

        If the search there was stopped, the proof on the coarser grid stays, unless an option was found.
        """
        settled = finer.outcomes.finished.copy()
        settled[finer.found.instance] = True
        changed = {}
        for field in fields(Outcomes):
            before, after = getattr(self.outcomes, field.name).copy(), getattr(finer.outcomes, field.name)
            if field.name in OF_THE_INSTANCE:
                continue
            if field.name == "alternatives":
                # An axis on which only the finest grid has candidates is not part of the coarser grid: 0
                # there.
                before, after = _as_wide(before, after), _as_wide(after, before)
            if field.name == "grid":
                before[who] = np.where(settled, SearchedGrid.FINEST, SearchedGrid.FINEST_OPEN)
            elif field.name == "solve_seconds":
                before[who] += after
            elif field.name == "trusted":
                before &= bool(after.all())  # a contradiction refutes the scores behind every proof
            else:
                before[who[settled]] = after[settled]
            changed[field.name] = before
        more = replace(finer.found, instance=who[finer.found.instance])
        order = np.argsort(np.concatenate([self.found.instance, more.instance]), kind="stable")
        joined = {
            field.name: np.concatenate([getattr(self.found, field.name), getattr(more, field.name)])[order]
            for field in fields(Counterfactuals)
        }
        return Verified(
            outcomes=replace(self.outcomes, **changed),
            found=Counterfactuals(**joined),
            verify_seconds=self.verify_seconds + finer.verify_seconds,
        )


# Explains a batch on the problem's own grid, within limits for each instance.
ExplainBatch: TypeAlias = "Callable[[Problem, FloatArray, SearchLimits], Verified]"


class Trust:
    """Whether the scores hold on which all proofs of an explainer depend.

    Once the user's own model has contradicted them, nothing is proven.
    """

    def __init__(self, *, silent: bool = False) -> None:
        self._holds = True
        self._silent = silent  # the owner checks `holds` instead

    @property
    def holds(self) -> bool:
        """Whether no instance has contradicted the scores so far."""
        return self._holds

    def judge(self, verified: Sequence[Verified]) -> list[Verified]:
        """Withdraw all proofs after a contradiction, and log the first one."""
        if self._holds and not all(one.outcomes.trusted.all() for one in verified):
            self._holds = False
            if not self._silent:
                log.warning(
                    "The model or detector contradicts its parsed scores. From now on, explanations of this "
                    "explainer are HEURISTIC. Was it changed after the explainer was made? Make a new one."
                )
        return list(verified) if self._holds else [one.without_proof() for one in verified]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The reason why some rows have no explanation."""

    kind: ErrorKind
    message: str
    traceback: str = ""  # of a bug in p2ce


def _as_wide(counts: Int32Array, other: Int32Array) -> Int32Array:
    """Append columns of 0 to counts (n, axes), up to the width of another array."""
    return np.pad(counts, ((0, 0), (0, max(0, other.shape[1] - counts.shape[1]))))
