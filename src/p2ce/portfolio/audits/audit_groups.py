"""Compare groups of people by their explanations: ``p2ce.audit``."""

import os
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.portfolio.audits.audit_result import Audit, Group
from p2ce.portfolio.audits.group_figures import (
    AS_ITSELF,
    AS_THE_BEST,
    AuditWork,
    best_off,
    draw,
    figures_of,
    is_large,
    to_best,
    to_overall,
)
from p2ce.portfolio.audits.group_tests import corrected_tests, test_of
from p2ce.portfolio.audits.groupings import Grouping, groupings_of
from p2ce.portfolio.audits.metrics import metrics_of
from p2ce.portfolio.audits.outcomes import outcomes_of
from p2ce.portfolio.audits.tallies import ordered_costs, tallies_of, tally_of_all
from p2ce.result import Explanations

if TYPE_CHECKING:
    from p2ce.portfolio.runs.portfolio_results import PortfolioResults


def audit(
    explanations: "Explanations | PortfolioResults | str | os.PathLike[str]",
    groups: Any,
    *,
    data: Any = None,
    id_column: str | None = None,
    min_size: int = 30,
    confidence: float = 0.95,
    resamples: int = 2_000,
    permutations: int = 20_000,
    random_state: int = 0,
) -> Audit:
    """Compare groups: who is rejected, who has recourse, and at what cost, with intervals and tests.

    Args:
        explanations: `Explanations`, or the folder that ``p2ce portfolio run`` wrote.
        groups: Names of columns (of the people, of kept columns, or of `data`), or a table with a row per
            person: a dict of columns, or a DataFrame or Series whose index has the ids or whose rows are in
            the order of the people. The columns need not be the model's. Each column is one grouping, and all
            columns combined are another. People with a missing value form their own group.
        data: A table with the columns that `groups` names.
        id_column: The column of `data` that holds the ids. By default, the index holds them.
        min_size: Omit figures based on fewer people.
        confidence: The confidence level of all intervals.
        resamples: The bootstrap resamples for the intervals of costs and burden.
        permutations: The permutations for each test of a burden. Tests of shares and medians are exact.
        random_state: The seed. The same people give the same audit, in any order and with any group names.

    Rows that could not be explained count as errors, and in no other figure. The share with recourse is the
    share of rejected people for whom an option was found. Costs are those of each person's cheapest option in
    each objective. Quartiles are costs that occur, so half of the people need the median or less. The burden
    is the rejection rate × the median cost.

    Figures describe the options that were found. If some searches did not finish, intervals and p-values
    assume the least favourable outcome, and no group is called best-off unless that holds for every possible
    outcome. A person without a found option may have none, or one of any cost from the proven minimum
    (`Certificate.open_costs` on a given grid, else 0). A found option may be the cheapest, or the cheapest
    may cost as little as the proven minimum. So an interval may be infinite.

    >>> from p2ce.result import Explanation, Status
    >>> def one(status):
    ...     return Explanation(status=status, person={}, at_least=0.5, target=1, objectives=(), dtypes={})
    >>> people = [one(Status.NO_RECOURSE)] * 60 + [one(Status.ACCEPTED)] * 40
    >>> found = audit(Explanations(people), {"sex": ["f"] * 50 + ["m"] * 50})
    >>> found.by_group.loc["sex", ["rejected", "rejection_rate"]].to_dict("index")
    {'f': {'rejected': 50, 'rejection_rate': 1.0}, 'm': {'rejected': 10, 'rejection_rate': 0.2}}
    >>> float(found.tests["corrected"][0]) < 0.001
    True
    """
    _check("min_size", min_size, 1)
    _check("resamples", resamples, 100)
    _check("permutations", permutations, 100)
    _check("random_state", random_state, 0)
    if not (isinstance(confidence, float) and 0.5 <= confidence < 1.0):
        raise InvalidArgument(f"confidence must be at least 0.5 and below 1; got {echoed(confidence)}.")
    outcomes = outcomes_of(explanations)
    groupings = groupings_of(groups, outcomes, data, id_column)
    work = AuditWork(
        outcomes=outcomes,
        ordered=(ordered := ordered_costs(outcomes)),
        all_people=tally_of_all(outcomes, ordered),
        metrics=metrics_of(outcomes.objectives),
        min_size=min_size,
        confidence=confidence,
        resamples=resamples,
        permutations=permutations,
        random_state=random_state,
    )
    found = corrected_tests([group for grouping in groupings for group in _groups_of(work, grouping)])
    return Audit(
        all_people=figures_of(work, work.all_people, draw(work, work.all_people, AS_ITSELF), (), ()),
        groups=tuple(found),
        objectives=outcomes.objectives,
        min_size=min_size,
        confidence=confidence,
        resamples=resamples,
        permutations=permutations,
        random_state=random_state,
        comparisons=sum(len(group.tests) for group in found),
        package=version("p2ce"),
        problem=outcomes.problem,
        dates=outcomes.dates,
    )


def _groups_of(work: AuditWork, grouping: Grouping) -> Iterator[Group]:
    """Compute the groups of a grouping: figures, differences and tests."""
    tallies = list(tallies_of(grouping, work.outcomes, work.ordered))
    best = {metric.name: best_off(work, metric, tallies) for metric in work.metrics if metric.best}
    best_drawn = {
        place: draw(work, tallies[place], AS_THE_BEST) for place in set(best.values()) if place is not None
    }
    for place, tally in enumerate(tallies):
        alone = tally.explained == work.all_people.explained
        compared = [metric for metric in work.metrics if metric.best and is_large(work, tally, metric)]
        drawn = draw(work, tally, AS_ITSELF)
        yield replace(
            figures_of(work, tally, drawn, grouping.columns, grouping.values[place]),
            to_overall={metric.name: to_overall(work, metric, tally, drawn) for metric in compared},
            to_best={
                metric.name: to_best(work, metric, tally, tallies[other], drawn, best_drawn[other])
                for metric in compared
                if (other := best[metric.name]) is not None and other != place
            },
            tests={} if alone else {metric.name: test_of(work, metric, tally) for metric in compared},
        )


def _check(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidArgument(f"{name} must be a whole number of at least {least}; got {echoed(value)}.")
