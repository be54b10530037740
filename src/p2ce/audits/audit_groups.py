"""Compare groups of people by what their explanations say: ``p2ce.audit``."""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.audits.audit_result import Audit, Comparison, Contrast, Estimate, Group
from p2ce.audits.cost_resampling import MINE, WHOLE, resamples_of
from p2ce.audits.groupings import Grouping, groupings_of
from p2ce.audits.metrics import HALF, Metric, metrics_of
from p2ce.audits.open_costs import Costs, quantile_of, quantile_range
from p2ce.audits.outcomes import REASONS, Outcome, Outcomes, outcomes_of
from p2ce.audits.permutation_tests import burden_p_value, holm, median_p_value, rate_p_value
from p2ce.audits.rate_intervals import (
    ShareRange,
    difference_interval,
    ratio_interval,
    ratio_to_whole,
    share_range,
    to_whole,
)
from p2ce.audits.tallies import OrderedCosts, Tally, ordered_costs, tallies_of, tally_of_all
from p2ce.errors import InvalidArgument
from p2ce.result import Explanations
from p2ce.visible import echoed

if TYPE_CHECKING:
    from p2ce.portfolio.portfolio_results import PortfolioResults

# What a stream of random numbers is for: those of a group as itself, as the best-off, and for its tests.
AS_ITSELF, AS_THE_BEST, FOR_TESTS = range(3)


def audit(
    results: "Explanations | PortfolioResults | str | os.PathLike[str]",
    groups: Any,
    *,
    data: Any = None,
    index_column: str | None = None,
    min_size: int = 30,
    confidence: float = 0.95,
    resamples: int = 2_000,
    permutations: int = 20_000,
    random_state: int = 0,
) -> Audit:
    """Compare groups: who is rejected, who has recourse, what it costs, with intervals and tests.

    Args:
        results: `Explanations`, or the folder that ``p2ce portfolio run`` wrote.
        groups: Names of columns (of the people, of columns that the run kept, or of `data`), or a table with
            a row per person: a DataFrame or Series whose index has the people's labels or is in their order,
            or a dict of columns. Groups need not be columns of the model. Every column makes a grouping, and
            all of them together one more. People whose value is missing are a group of their own.
        data: A table that has the columns that `groups` names.
        index_column: The column of `data` that names people; without it, the index does.
        min_size: A figure that fewer people are behind is too small to tell, and is left out.
        confidence: Of all intervals.
        resamples: Of the bootstrap, for the intervals of costs and burden.
        permutations: Of each test of a burden; those of shares and medians are exact.
        random_state: The seed. The same people give the same audit, in any order, whatever groups are called.

    People whose row could not be explained are counted as errors, and in nothing else. The share with
    recourse is that of rejected people for whom an option was found. Costs are those of the cheapest option
    of each person in each objective: quartiles that somebody has, so that half of the people pay the median
    or less. The burden is the rejection rate × the median cost.

    Figures are about what was found. Where searches are unfinished, intervals contain those of every way in
    which they may end, no way has a larger p-value than a test, and a group is the best-off only if it is so
    however they end. A person for whom no option was found may have none, or one of any cost from the proven
    least on (`Certificate.open_costs` on a given grid, else 0); an option that was found may be the cheapest,
    or one that costs that little. So an interval may be infinite.

    >>> from p2ce.result import Explanation, Status
    >>> def one(status):
    ...     return Explanation(status=status, person={}, threshold=0.5, target=1, objectives=(), dtypes={})
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
        raise InvalidArgument(f"confidence expects a number from 0.5 up to 1, got {echoed(confidence)}.")
    outcomes = outcomes_of(results)
    groupings = groupings_of(groups, outcomes, data, index_column)
    work = _Work(
        outcomes=outcomes,
        ordered=(ordered := ordered_costs(outcomes)),
        everybody=tally_of_all(outcomes, ordered),
        metrics=metrics_of(outcomes.objectives),
        min_size=min_size,
        confidence=confidence,
        resamples=resamples,
        permutations=permutations,
        random_state=random_state,
    )
    found = _corrected([group for grouping in groupings for group in work.groups_of(grouping)])
    return Audit(
        everybody=work.figures(work.everybody, work.drawn(work.everybody, AS_ITSELF), (), ()),
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


Ends: TypeAlias = tuple[FloatArray, FloatArray]  # the least and the greatest, resample by resample


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Drawn:
    """The costs and burdens of resamples of a group, and of everybody in the same resamples."""

    mine: dict[str, Ends]  # by the name of the metric
    whole: dict[str, Ends]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Work:
    """What all groups are computed from."""

    outcomes: Outcomes
    ordered: tuple[OrderedCosts, ...]
    everybody: Tally
    metrics: tuple[Metric, ...]
    min_size: int
    confidence: float
    resamples: int
    permutations: int
    random_state: int

    def groups_of(self, grouping: Grouping) -> Iterator[Group]:
        """Compute the groups of a grouping: figures, differences and tests."""
        tallies = list(tallies_of(grouping, self.outcomes, self.ordered))
        best = {metric.name: self.best_off(metric, tallies) for metric in self.metrics if metric.best}
        best_drawn = {
            place: self.drawn(tallies[place], AS_THE_BEST)
            for place in set(best.values())
            if place is not None
        }
        for place, tally in enumerate(tallies):
            alone = tally.explained == self.everybody.explained
            compared = [metric for metric in self.metrics if metric.best and self.is_large(tally, metric)]
            drawn = self.drawn(tally, AS_ITSELF)
            yield replace(
                self.figures(tally, drawn, grouping.columns, grouping.values[place]),
                to_overall={metric.name: self.to_overall(metric, tally, drawn) for metric in compared},
                to_best={
                    metric.name: self.to_best(metric, tally, tallies[other], drawn, best_drawn[other])
                    for metric in compared
                    if (other := best[metric.name]) is not None and other != place
                },
                tests={} if alone else {metric.name: self.test(metric, tally) for metric in compared},
            )

    def figures(
        self, tally: Tally, drawn: _Drawn, columns: tuple[str, ...], values: tuple[str, ...]
    ) -> Group:
        """Compute what there is to say of a group by itself."""
        shares = tally.features / max(tally.with_recourse, 1)
        named = zip(self.outcomes.features, shares.tolist(), strict=False)
        return Group(
            columns=columns,
            values=values,
            people=tally.people,
            errors=tally.counts[Outcome.ERROR],
            accepted=tally.counts[Outcome.ACCEPTED],
            rejected=tally.rejected,
            with_recourse=tally.with_recourse,
            no_recourse=tally.no_recourse,
            none_because=dict(zip(REASONS, tally.none_because, strict=True)),
            unfinished=tally.unfinished,
            unproven=tally.unproven,
            metrics={
                metric.name: self.estimate(metric, tally, drawn)
                for metric in self.metrics
                if self.is_large(tally, metric)
            },
            features=dict(sorted(named, key=lambda one: (-one[1], one[0])))
            if tally.with_recourse >= self.min_size
            else {},
        )

    def is_large(self, tally: Tally, metric: Metric) -> bool:
        """Return whether enough people are behind a metric."""
        return tally.size(metric.base) >= self.min_size

    def rng(self, tally: Tally, purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.random_state, tally.entropy(), purpose])

    def share(self, metric: Metric, tally: Tally) -> ShareRange:
        return share_range(*_successes(metric, tally), tally.size(metric.base), self.confidence)

    def place(self, metric: Metric) -> int:
        """Return which objective a metric is about."""
        return self.outcomes.objectives.index(metric.objective)

    def costs(self, metric: Metric, tally: Tally) -> Costs:
        return tally.costs[self.place(metric)]

    def estimate(self, metric: Metric, tally: Tally, drawn: _Drawn) -> Estimate:
        """Compute a metric with its interval."""
        if metric.kind == "rate":
            least, most = self.share(metric, tally)
            return Estimate(value=least.value, low=least.low, high=most.high)
        return self.between(self.value(metric, tally), *drawn.mine[metric.name])

    def value(self, metric: Metric, tally: Tally) -> float:
        """Compute a cost or burden of what was found."""
        return self.scale(metric, tally) * quantile_of(self.costs(metric, tally).found, metric.quantile)

    def scale(self, metric: Metric, tally: Tally) -> float:
        """Return what a cost is multiplied by: the burden is the rejection rate × the median."""
        return tally.rejected / tally.explained if metric.kind == "burden" else 1.0

    def drawn(self, tally: Tally, purpose: int) -> _Drawn:
        """Draw all costs and burdens of resamples of a group."""
        mine: dict[str, Ends] = {}
        whole: dict[str, Ends] = {}
        rng = self.rng(tally, purpose)
        for place, objective in enumerate(self.outcomes.objectives):
            named = [metric for metric in self.metrics if metric.objective == objective]
            if not self.is_large(tally, named[0]):
                continue
            drawn = resamples_of(tally.part(place), self.everybody.part(place), self.resamples, rng)
            medians = dict(zip((MINE, WHOLE), drawn.ranges([(MINE, HALF), (WHOLE, HALF)]), strict=True))
            for metric in named:
                if not metric.best:
                    (mine[metric.name],) = drawn.ranges([(MINE, metric.quantile)])
                    continue
                for scope, found in ((MINE, mine), (WHOLE, whole)):
                    rate = drawn.rejection_rate(scope) if metric.kind == "burden" else 1.0
                    low, high = medians[scope]
                    found[metric.name] = rate * low, rate * high
        return _Drawn(mine=mine, whole=whole)

    def between(self, value: float, lows: FloatArray, highs: FloatArray) -> Estimate:
        """Put the percentile interval of what was drawn around a value."""
        tail = (1.0 - self.confidence) / 2
        some = ~np.isnan(lows)
        low = np.quantile(lows[some], tail, method="lower") if some.any() else math.nan
        high = np.quantile(highs[some], 1.0 - tail, method="higher") if some.any() else math.nan
        return Estimate(value=value, low=float(low), high=float(high))

    def best_off(self, metric: Metric, tallies: Sequence[Tally]) -> int | None:
        """Find the group that is best off, of two or more that are large enough.

        None where that depends on how unfinished searches end.
        """
        large = [place for place, tally in enumerate(tallies) if self.is_large(tally, metric)]
        if len(large) < 2:
            return None
        ranges = {place: self.worst_and_best(metric, tallies[place]) for place in large}
        # Of equal ones the largest.
        first = min(large, key=lambda place: (ranges[place], -tallies[place].size(metric.base)))
        worst, _ = ranges.pop(first)
        return first if all(worst <= best for _, best in ranges.values()) else None

    def worst_and_best(self, metric: Metric, tally: Tally) -> tuple[float, float]:
        """Return a metric at its worst and at its best, as unfinished searches may end; less is better."""
        if metric.kind != "rate":
            low, high = quantile_range(self.costs(metric, tally), metric.quantile)
            return self.scale(metric, tally) * high, self.scale(metric, tally) * low
        least, most = (count / tally.size(metric.base) for count in _successes(metric, tally))
        return (most, least) if metric.best == "low" else (-least, -most)

    def to_best(
        self, metric: Metric, mine: Tally, best: Tally, drawn: _Drawn, best_drawn: _Drawn
    ) -> Contrast:
        """Compare a group with the best-off one, which has nobody in common with it."""
        if metric.kind == "rate":
            one, two = self.share(metric, mine), self.share(metric, best)
            return _rate_contrast(one, two, lambda distance: distance, lambda ratio: ratio)
        values = self.value(metric, mine), self.value(metric, best)
        return self.cost_contrast(*values, drawn.mine[metric.name], best_drawn.mine[metric.name])

    def to_overall(self, metric: Metric, tally: Tally, drawn: _Drawn) -> Contrast:
        """Compare a group with the whole that it is a part of."""
        if metric.kind == "rate":
            return self.rate_to_overall(metric, tally)
        values = self.value(metric, tally), self.value(metric, self.everybody)
        return self.cost_contrast(*values, drawn.mine[metric.name], drawn.whole[metric.name])

    def rate_to_overall(self, metric: Metric, tally: Tally) -> Contrast:
        others = _without(self.everybody, tally)
        if not others.size(metric.base):
            same = Estimate(value=0.0, low=0.0, high=0.0)
            return Contrast(difference=same, ratio=Estimate(value=1.0, low=1.0, high=1.0))
        weight = tally.size(metric.base) / self.everybody.size(metric.base)
        return _rate_contrast(
            self.share(metric, tally),
            self.share(metric, others),
            lambda distance: to_whole(distance, weight),
            lambda ratio: ratio_to_whole(ratio, weight),
        )

    def cost_contrast(self, mine: float, other: float, drawn: Ends, other_drawn: Ends) -> Contrast:
        """Compare two costs or burdens, the least of one with the greatest of the other."""
        (low, high), (other_low, other_high) = drawn, other_drawn
        return Contrast(
            difference=self.between(mine - other, low - other_high, high - other_low),
            ratio=self.between(
                mine / other, _ratios(low, other_high, 0.0), _ratios(high, other_low, math.inf)
            )
            if other
            else None,
        )

    def test(self, metric: Metric, tally: Tally) -> Comparison:
        """Test whether a group is like the whole in one metric; the correction comes later."""
        whole = self.everybody
        if metric.kind == "rate":
            others = _without(whole, tally)
            p_value = rate_p_value(
                _successes(metric, tally),
                tally.size(metric.base),
                _successes(metric, others),
                others.size(metric.base),
            )
        elif metric.kind == "quantile":
            p_value = median_p_value(self.costs(metric, tally), self.costs(metric, whole))
        else:
            mine, all_people = (one.part(self.place(metric)) for one in (tally, whole))
            p_value = burden_p_value(mine, all_people, self.permutations, self.rng(tally, FOR_TESTS))
        return Comparison(p_value=p_value, corrected=p_value)


def _ratios(mine: FloatArray, other: FloatArray, nothing: float) -> FloatArray:
    """Divide; something by 0 is infinite, and 0 by 0, which may be anything, is what stands for `nothing`."""
    by_zero = np.where(mine > 0, math.inf, nothing)
    by_zero = np.where(np.isnan(mine), mine, by_zero)
    return np.divide(mine, other, out=by_zero, where=other != 0)


def _rate_contrast(
    mine: ShareRange,
    other: ShareRange,
    scaled: Callable[[float], float],
    ratio_scaled: Callable[[float], float],
) -> Contrast:
    """Compare two shares of different people, and bring the result to another scale."""
    one, two = mine.least.value, other.least.value
    low, high = difference_interval(mine, other)
    difference = Estimate(value=scaled(one - two), low=scaled(low), high=scaled(high))
    value = ratio_scaled(one / two if two else math.inf)
    if not (one or two) or math.isinf(value):  # compared with 0
        return Contrast(difference=difference)
    low, high = ratio_interval(mine, other)
    ratio = Estimate(value=value, low=ratio_scaled(low), high=ratio_scaled(high))
    return Contrast(difference=difference, ratio=ratio)


def _successes(metric: Metric, tally: Tally) -> tuple[int, int]:
    """Count the people in the numerator of a rate: those known, and those possible."""
    known = int(getattr(tally, metric.numerator))
    return known, known + (tally.unfinished if metric.is_open else 0)


def _without(everybody: Tally, tally: Tally) -> Tally:
    """Count everybody who is not of a group; costs are left out."""
    counts = tuple(one - other for one, other in zip(everybody.counts, tally.counts, strict=True))
    return replace(everybody, counts=counts, costs=())


def _corrected(groups: list[Group]) -> list[Group]:
    """Correct the p-values of all groups for their number."""
    corrected = iter(holm([test.p_value for group in groups for test in group.tests.values()]))

    def with_corrected(tests: dict[str, Comparison]) -> dict[str, Comparison]:
        return {name: replace(test, corrected=next(corrected)) for name, test in tests.items()}

    return [replace(group, tests=with_corrected(group.tests)) for group in groups]


def _check(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidArgument(f"{name} expects a whole number of at least {least}, got {echoed(value)}.")
