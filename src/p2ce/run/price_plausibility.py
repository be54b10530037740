"""Find the least costs of instances without the plausibility requirement, by limited searches."""

from dataclasses import replace

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.base.calls.budget import LimitReached
from p2ce.compile.compiled_problem import Problem
from p2ce.compile.lay_out import PLAUSIBILITY, for_instance, on_finest_grid, relaxed
from p2ce.compile.own_ranges import Rows, codes_of
from p2ce.compile.refine_grid import Detail
from p2ce.engine.solver.branch_and_bound import CELL_WORK
from p2ce.errors import P2CEError
from p2ce.result.analysis import PriceOfPlausibility
from p2ce.run.time_limits import SearchLimits
from p2ce.run.verified import ExplainBatch, Searched, SearchedGrid, Verified

# The limit of a search without the requirement, in units of the counter WORK: some hundredths of a second. On
# the grids of German Credit, Taiwan and Adult, every search ends sooner; on their finest grids, most do.
# instances at a time, since their tables are long
BATCH = 16


MOST_WORK = 15_000_000
MOST_EVALUATIONS = 3_000  # if cells are evaluated outside the kernel, and a model may be slow


def price_plausibility(
    problem: Problem, values: Rows, verified: Verified, limits: SearchLimits, explain: ExplainBatch
) -> Verified:
    """Return the results with the least costs without plausibility of instances (n, d), if requested.

    Each instance is searched on the grid of its explanation. Results of `explain_none` are kept.
    """
    if problem.required_detector is None:
        return verified
    known = verified.outcomes
    who = np.flatnonzero(~known.favourable & (known.without_plausibility != Searched.COMPLETELY))
    finest = known.grid[who] == SearchedGrid.FINEST
    verified = _search(problem, values, who[~finest], verified, limits, explain)
    if (finer := on_finest_grid(problem)) is not None:
        for begin in range(0, int(finest.sum()), BATCH):
            some = who[finest][begin : begin + BATCH]
            verified = _search(finer, values, some, verified, limits, explain)
    return verified


def _search(
    problem: Problem,
    values: Rows,
    who: IntArray,
    verified: Verified,
    limits: SearchLimits,
    explain: ExplainBatch,
) -> Verified:
    seconds = verified.seconds_left(limits.seconds, who)
    if not len(who) or (seconds is not None and seconds <= 0):
        return verified
    # Options on the finest grid are close to each other already, and too many to refine them all.
    refines = problem.refines and problem.detail is not Detail.FINEST
    free = replace(relaxed(problem, frozenset([PLAUSIBILITY])), refines=refines)
    if problem.is_personal:
        free = for_instance(free, codes_of(values)[0])
    try:
        found = explain(free, values[who], bounded(free)._replace(seconds=seconds))
    except (P2CEError, LimitReached):
        return verified  # where the detector rejects everything, a model may fail
    return with_free_costs(verified, who, found).after_search(who, found)


def with_free_costs(verified: Verified, who: IntArray, found: Verified) -> Verified:
    """Enter the least costs that a search of some instances without plausibility has found."""
    outcomes, known = verified.outcomes, found.outcomes
    costs = outcomes.costs_without_plausibility.copy()
    np.fmin.at(costs, who[found.found.instance], found.found.costs)
    complete = known.finished & known.trusted & ~known.gave_up
    state = np.where(complete, Searched.COMPLETELY, Searched.IN_PART)
    outcomes = outcomes.with_values(
        who,
        costs_without_plausibility=costs[who],
        without_plausibility=np.maximum(outcomes.without_plausibility[who], state),
    )
    return replace(verified, outcomes=outcomes)


def price_of(problem: Problem, verified: Verified, at: int, *, proven: bool) -> PriceOfPlausibility | None:
    """Compare the least costs of one instance. ``proven`` says whether those of its options are proven."""
    known = verified.outcomes
    if known.favourable[at]:
        return None
    own = verified.found.costs[verified.found.instance == at]
    # A plausible option is an option without the requirement, too.
    free = np.vstack([own, known.costs_without_plausibility[[at]]])
    complete = bool(known.without_plausibility[at] == Searched.COMPLETELY and known.trusted[at])
    return PriceOfPlausibility(
        with_plausibility=_least(problem, own),
        with_proven=proven,
        without_plausibility=_least(problem, free[~np.isnan(free).any(axis=1)]),
        without_proven=complete,
    )


def bounded(problem: Problem) -> SearchLimits:
    """Limit the work of a search for one instance."""
    return SearchLimits(work=MOST_WORK if problem.kernel_decides_alone else CELL_WORK * MOST_EVALUATIONS)


def _least(problem: Problem, costs: FloatArray) -> dict[str, float] | None:
    """Name the least of costs (n, objectives); None if there are none."""
    if not len(costs):
        return None
    return dict(zip(problem.objective_names, costs.min(axis=0).tolist(), strict=True))
