"""Search on for instances without an option: on the finest grid, then without their restrictions.

The reason is the first single restriction, in the order plausibility, rules, max_changes, without which there
is an option on the same grid. If no single one is enough, they are removed one after another in that order,
and the reason is the one whose removal yields an option. If there is no option without all of them, the
reason is the model. The searches are limited, and only proven results count.
"""

from dataclasses import replace
from typing import get_args

import numpy as np

from p2ce.base.arrays import BoolArray, IntArray
from p2ce.base.calls.budget import LimitReached
from p2ce.compile.compiled_problem import Problem
from p2ce.compile.lay_out import (
    MAX_CHANGES,
    PLAUSIBILITY,
    RULES,
    for_instance,
    on_finest_grid,
    relaxed,
    restrictions_in_force,
    with_limit,
)
from p2ce.compile.own_ranges import Rows, codes_of
from p2ce.engine.solver.branch_and_bound import CELL_WORK
from p2ce.errors import P2CEError
from p2ce.policy.rules.leave_out import LeaveOut
from p2ce.result.certificate import NoneBecause
from p2ce.run.price_plausibility import BATCH, with_free_costs
from p2ce.run.time_limits import SearchLimits
from p2ce.run.verified import ExplainBatch, SearchedGrid, Verified

# The limit for solving an instance on the finest grid, in units of the counter WORK: about a second. It is
# counted and not timed, so results do not depend on the speed of the machine.
MOST_WORK = 400_000_000
MOST_EVALUATIONS = 20_000  # if cells are evaluated outside the kernel, and a model may be slow


def try_finest_grid(
    problem: Problem,
    values: Rows,
    verified: Verified,
    none: IntArray,
    limits: SearchLimits,
    explain: ExplainBatch,
) -> Verified:
    """Return the results with those on the finest grid for instances that have no option on the own grid.

    Only inferred candidates are refined: the user stated the explicit steps, ranges and values.
    """
    finer = on_finest_grid(problem) if problem.estimate is None else None
    if finer is None:
        return verified
    if problem.is_personal:
        finer = for_instance(finer, codes_of(values)[0])
    work = MOST_WORK if finer.kernel_decides_alone else CELL_WORK * MOST_EVALUATIONS
    for begin in range(0, len(none), BATCH):
        some = none[begin : begin + BATCH]
        left = verified.seconds_left(limits.seconds, some)
        if left is not None and left <= 0.0:  # not even the instances can be evaluated again
            verified = verified.with_finest_open(some)
            continue
        try:
            found = explain(finer, values[some], SearchLimits(left, work, limits.listener))
        except LimitReached:
            verified = verified.with_finest_open(some)
        else:
            verified = verified.merged(found, some)
    return verified


IN_ORDER: tuple[NoneBecause, ...] = (PLAUSIBILITY, RULES, MAX_CHANGES)
REASONS: tuple[NoneBecause, ...] = get_args(NoneBecause)
UNKNOWN = -1  # the index for "no reason"
# One option is enough. So a search begins with little work, in units of the counter WORK. Only open cases get
# more, up to some hundredths of a second.
WORK = (1_500_000, 15_000_000)
EVALUATIONS = (300, 3_000)  # the same if cells are evaluated outside the kernel, and a model may be slow


def explain_none(
    problem: Problem, values: Rows, verified: Verified, limits: SearchLimits, explain: ExplainBatch
) -> Verified:
    """Return the results with the reasons why instances (n, d) are proven to have no recourse.

    This is not done for the paper's algorithms, which are timed as printed, nor if options are left out:
    then there are options, and a reason would be about the rest.
    """
    if problem.method is not None or any(isinstance(rule, LeaveOut) for rule in problem.policy.rules):
        return verified
    from p2ce.engine.solver.fronts import ESTIMATE

    who, known = verified.without_options(), verified.outcomes
    who = who[(known.counters[who, ESTIMATE] == 0) & (known.grid[who] != SearchedGrid.FINEST_OPEN)]
    for grid in (SearchedGrid.OWN, SearchedGrid.FINEST):
        mine = who[known.grid[who] == grid]
        searched = on_finest_grid(problem) if grid == SearchedGrid.FINEST and len(mine) else problem
        for begin in range(0, len(mine), BATCH):
            assert searched is not None, "only a search on the finest grid names it"
            searches = _Reasons(searched, values, verified, limits, explain)
            searches.find(mine[begin : begin + BATCH])
            verified = searches.verified
    return verified


class _Reasons:
    """The searches for the reasons of some instances, each without some restrictions.

    ``verified`` is replaced by what they find.
    """

    def __init__(
        self,
        problem: Problem,
        values: Rows,
        verified: Verified,
        limits: SearchLimits,
        explain: ExplainBatch,
    ) -> None:
        self.problem, self.values, self.verified = problem, values, verified
        self.limits, self.explain = limits, explain

    def find(self, who: IntArray) -> None:
        """Find the reasons that can be proven."""
        active = [one for one in IN_ORDER if one in restrictions_in_force(self.problem)]
        sure = who  # provably none without any single one of the restrictions so far
        unsure = who[:0]
        for one in active:
            opens, shut = self._try(frozenset([one]), sure)
            self._note(sure[opens], one)
            # If it is not known whether this one is the reason, no later single one can be proven to be the
            # reason.
            unsure, sure = np.union1d(unsure, sure[~opens & ~shut]), sure[shut]
        if len(active) <= 1:
            self._note(sure, "model")
            return
        left = np.union1d(sure, unsure)
        opens, shut = self._try(frozenset(active), left)
        self._note(left[shut], "model")
        sure, possible = np.setdiff1d(sure, left[shut]), left[opens]
        for count in range(2, len(active)):
            opens, shut = self._try(frozenset(active[:count]), sure)
            self._note(sure[opens], active[count - 1])
            sure = sure[shut]
        self._note(np.intersect1d(sure, possible), active[-1])

    def _note(self, who: IntArray, reason: NoneBecause) -> None:
        outcomes = self.verified.outcomes.with_values(who, none_because=REASONS.index(reason))
        self.verified = replace(self.verified, outcomes=outcomes)

    def _try(self, dropped: frozenset[NoneBecause], who: IntArray) -> tuple[BoolArray, BoolArray]:
        """Return which instances have an option without some restrictions, and which provably have none."""
        opens, shut = np.zeros(len(who), dtype=np.bool_), np.zeros(len(who), dtype=np.bool_)
        if not len(who):
            return opens, shut
        free = relaxed(self.problem, dropped)
        alone = free.kernel_decides_alone
        steps = [(free, work) for work in (WORK if alone else [CELL_WORK * one for one in EVALUATIONS])]
        if MAX_CHANGES in dropped and self.problem.max_changes is not None:
            # One more change is often enough, and found sooner than with any number of them.
            steps.insert(0, (with_limit(free, self.problem.max_changes + 1), steps[0][1]))
        for problem, work in steps:
            left = np.flatnonzero(~opens & ~shut)
            seconds = self.verified.seconds_left(self.limits.seconds, who[left])
            if not len(left) or (seconds is not None and seconds <= 0):
                break
            if self.problem.is_personal:
                problem = for_instance(problem, codes_of(self.values)[0])
            try:
                found = self.explain(problem, self.values[who[left]], SearchLimits(seconds, work))
            except (P2CEError, LimitReached):
                break  # beyond its restrictions, a model or a rule may fail
            known = found.outcomes
            opens[left[found.found.instance]] = True
            if problem.max_changes == free.max_changes:
                shut[left] = known.finished & known.trusted & ~known.gave_up & ~opens[left]
            if dropped == {PLAUSIBILITY}:
                self.verified = with_free_costs(self.verified, who[left], found)
            self.verified = self.verified.after_search(who[left], found)
        return opens, shut
