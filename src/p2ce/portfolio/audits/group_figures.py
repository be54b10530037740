"""Compute the figures of one group: counts, shares, costs and burden with intervals."""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.portfolio.audits.audit_result import Group, MetricValue
from p2ce.portfolio.audits.cost_resampling import MINE, WHOLE, resamples_of
from p2ce.portfolio.audits.metrics import HALF, Metric
from p2ce.portfolio.audits.open_costs import Costs
from p2ce.portfolio.audits.outcomes import REASONS, Outcome, Outcomes
from p2ce.portfolio.audits.rate_intervals import ShareRange, share_range
from p2ce.portfolio.audits.tallies import OrderedCosts, Tally

# The streams of random numbers of a group: for itself, as the best-off group, and for its tests.
AS_ITSELF, AS_THE_BEST, FOR_TESTS = range(3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Work:
    """The inputs for the figures of all groups."""

    outcomes: Outcomes
    ordered: tuple[OrderedCosts, ...]
    all_people: Tally
    metrics: tuple[Metric, ...]
    min_size: int
    confidence: float
    resamples: int
    permutations: int
    random_state: int


Ends: TypeAlias = tuple[FloatArray, FloatArray]  # the least and the greatest, resample by resample


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawn:
    """The costs and burdens of resamples of a group, and of all people in the same resamples."""

    mine: dict[str, Ends]  # by the name of the metric
    whole: dict[str, Ends]


def figures_of(
    work: Work, tally: Tally, drawn: Drawn, columns: tuple[str, ...], values: tuple[str, ...]
) -> Group:
    """Compute the figures of a group."""
    shares = tally.features / max(tally.with_recourse, 1)
    named = zip(work.outcomes.features, shares.tolist(), strict=False)
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
            metric.name: _estimate(work, metric, tally, drawn)
            for metric in work.metrics
            if is_large(work, tally, metric)
        },
        features=dict(sorted(named, key=lambda one: (-one[1], one[0])))
        if tally.with_recourse >= work.min_size
        else {},
    )


def _estimate(work: Work, metric: Metric, tally: Tally, drawn: Drawn) -> MetricValue:
    """Compute a metric with its interval."""
    if metric.kind == "rate":
        least, most = share_in(work, metric, tally)
        return MetricValue(value=least.value, low=least.low, high=most.high)
    return between(work, value_of(work, metric, tally), *drawn.mine[metric.name])


def is_large(work: Work, tally: Tally, metric: Metric) -> bool:
    """Return whether a metric is based on enough people."""
    return tally.size(metric.base) >= work.min_size


def rng_of(work: Work, tally: Tally, purpose: int) -> np.random.Generator:
    return np.random.default_rng([work.random_state, tally.entropy(), purpose])


def share_in(work: Work, metric: Metric, tally: Tally) -> ShareRange:
    return share_range(*successes(metric, tally), tally.size(metric.base), work.confidence)


def costs_of(work: Work, metric: Metric, tally: Tally) -> Costs:
    return tally.costs[place_of(work, metric)]


def place_of(work: Work, metric: Metric) -> int:
    """Return the position of a metric's objective."""
    return work.outcomes.objectives.index(metric.objective)


def value_of(work: Work, metric: Metric, tally: Tally) -> float:
    """Compute a cost or burden from the found options."""
    found = costs_of(work, metric, tally).found
    # The least occurring cost that at least this share of people do not exceed.
    return scale_of(metric, tally) * float(np.quantile(found, metric.quantile, method="inverted_cdf"))


def scale_of(metric: Metric, tally: Tally) -> float:
    """Return the factor of a cost: the burden is the rejection rate × the median."""
    return tally.rejected / tally.explained if metric.kind == "burden" else 1.0


def draw(work: Work, tally: Tally, purpose: int) -> Drawn:
    """Draw the costs and burdens of resamples of a group."""
    mine: dict[str, Ends] = {}
    whole: dict[str, Ends] = {}
    rng = rng_of(work, tally, purpose)
    for place, objective in enumerate(work.outcomes.objectives):
        named = [metric for metric in work.metrics if metric.objective == objective]
        if not is_large(work, tally, named[0]):
            continue
        drawn = resamples_of(tally.part(place), work.all_people.part(place), work.resamples, rng)
        medians = dict(zip((MINE, WHOLE), drawn.ranges([(MINE, HALF), (WHOLE, HALF)]), strict=True))
        for metric in named:
            if not metric.best:
                (mine[metric.name],) = drawn.ranges([(MINE, metric.quantile)])
                continue
            for scope, found in ((MINE, mine), (WHOLE, whole)):
                rate = drawn.rejection_rate(scope) if metric.kind == "burden" else 1.0
                low, high = medians[scope]
                found[metric.name] = rate * low, rate * high
    return Drawn(mine=mine, whole=whole)


def between(work: Work, value: float, lows: FloatArray, highs: FloatArray) -> MetricValue:
    """Return a value with the percentile interval of the draws."""
    tail = (1.0 - work.confidence) / 2
    some = ~np.isnan(lows)
    low = np.quantile(lows[some], tail, method="lower") if some.any() else math.nan
    high = np.quantile(highs[some], 1.0 - tail, method="higher") if some.any() else math.nan
    return MetricValue(value=value, low=float(low), high=float(high))


def successes(metric: Metric, tally: Tally) -> tuple[int, int]:
    """Count the people in the numerator of a rate: at least, and at most."""
    known = int(getattr(tally, metric.numerator))
    return known, known + (tally.unfinished if metric.is_open else 0)
