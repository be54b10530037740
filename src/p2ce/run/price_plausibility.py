"""Find the least costs of instances without the plausibility requirement, by limited searches."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.compile.compiled_problem import PLAUSIBILITY, Problem
from p2ce.compile.evaluate_rows import scoring_of
from p2ce.engine.solver.branch_and_bound import CELL_WORK
from p2ce.errors import P2CEError
from p2ce.result.price_of_plausibility import PriceOfPlausibility, SampledPrice
from p2ce.run.finest_grid import BATCH
from p2ce.run.solve_batch import SearchLimits
from p2ce.run.verified import Grid, Searched, Verified

# Explains a batch on the problem's own grid, within limits for each instance.
Explain: TypeAlias = Callable[[Problem, FloatArray, SearchLimits], Verified]

# The limit of a search without the requirement, in units of the counter WORK: some hundredths of a second. On
# the grids of German Credit, Taiwan and Adult, every search ends sooner; on their finest grids, most do.
MOST_WORK = 15_000_000
MOST_EVALUATIONS = 3_000  # if cells are evaluated outside the kernel, and a model may be slow
# Rows of the reference that are scored, and how many of the rejected ones are searched to describe a problem.
SCORED, SAMPLED, SAMPLED_OUTSIDE = 1_024, 50, 10


def price_plausibility(
    problem: Problem, values: FloatArray, verified: Verified, limits: SearchLimits, explain: Explain
) -> Verified:
    """Return the results with the least costs without plausibility of instances (n, d), if requested.

    Each instance is searched on the grid of its explanation. Results of `explain_none` are kept.
    """
    if not problem.prices_plausibility or PLAUSIBILITY not in problem.restrictions:
        return verified
    known = verified.outcomes
    who = np.flatnonzero(~known.favourable & (known.without_plausibility != Searched.COMPLETELY))
    finest = known.grid[who] == Grid.FINEST
    verified = _search(problem, values, who[~finest], verified, limits, explain)
    if (finer := problem.on_finest_grid) is not None:
        for begin in range(0, int(finest.sum()), BATCH):
            some = who[finest][begin : begin + BATCH]
            verified = _search(finer, values, some, verified, limits, explain)
    return verified


def _search(
    problem: Problem,
    values: FloatArray,
    who: IntArray,
    verified: Verified,
    limits: SearchLimits,
    explain: Explain,
) -> Verified:
    seconds = verified.seconds_left(limits.seconds, who)
    if not len(who) or (seconds is not None and seconds <= 0):
        return verified
    # Options on the finest grid are close to each other already, and too many to refine them all.
    refines = problem.refines and not problem.finest
    relaxed = replace(problem.without(frozenset([PLAUSIBILITY])), refines=refines)
    if problem.is_personal:
        relaxed = relaxed.for_instance(values[0])
    try:
        found = explain(relaxed, values[who], bounded(relaxed)._replace(seconds=seconds))
    except P2CEError:
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
    if known.favourable[at] or known.without_plausibility[at] == Searched.NOT:
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


def rejected_rows(problem: Problem, rows: FloatArray) -> IntArray:
    """Choose rejected rows of the reference (n, d), spread out: few if evaluation is outside the kernel."""
    some = np.arange(0, len(rows), -(-len(rows) // SCORED))
    rejected = some[scoring_of(problem)(rows[some]) < problem.threshold]
    most = SAMPLED if problem.kernel_decides_alone else SAMPLED_OUTSIDE
    if len(rejected) <= most:
        return rejected
    return rejected[np.linspace(0, len(rejected) - 1, most).astype(np.int64)]


def bounded(problem: Problem) -> SearchLimits:
    """Limit the work of a search for one instance."""
    return SearchLimits(work=MOST_WORK if problem.kernel_decides_alone else CELL_WORK * MOST_EVALUATIONS)


def sampled_price(prices: Iterable[PriceOfPlausibility | None], objectives: Sequence[str]) -> SampledPrice:
    """Summarise the prices of a sample. People with an unproven price are left out of the median."""
    known = list(prices)
    compared = [
        one for one in known if one is not None and one.with_proven and one.without_proven and one.ratio
    ]
    left = sum(one is not None and one.leaves_no_option for one in known)
    settled = sum(one is not None and _is_settled(one) for one in known)
    ratios = {name: [one.ratio[name] for one in compared if name in one.ratio] for name in objectives}
    return SampledPrice(
        people=len(known),
        left_without=left,
        undecided=len(known) - settled,
        compared=len(compared),
        median_ratio={name: float(np.median(found)) for name, found in ratios.items() if found},
    )


def _is_settled(price: PriceOfPlausibility) -> bool:
    """Return whether it is known if a person has an option only without the requirement."""
    if price.with_plausibility is not None or price.leaves_no_option:
        return True
    return price.without_plausibility is None and price.without_proven


def _least(problem: Problem, costs: FloatArray) -> dict[str, float] | None:
    """Name the least of costs (n, objectives); None if there are none."""
    if not len(costs):
        return None
    return dict(zip(problem.objective_names, costs.min(axis=0).tolist(), strict=True))
