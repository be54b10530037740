"""Compute the figures of a group, and compare it with all people and with the best-off group."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.portfolio.audits.audit_result import Contrast, Group, MetricValue
from p2ce.portfolio.audits.cost_resampling import MINE, WHOLE, resamples_of
from p2ce.portfolio.audits.metrics import HALF, Metric
from p2ce.portfolio.audits.open_costs import Costs, quantile_range
from p2ce.portfolio.audits.outcomes import REASONS, AuditOutcomes, Outcome
from p2ce.portfolio.audits.rate_intervals import (
    ShareRange,
    difference_interval,
    ratio_interval,
    ratio_to_whole,
    share_range,
    to_whole,
)
from p2ce.portfolio.audits.tallies import OrderedCosts, Tally

# The streams of random numbers of a group: for itself, as the best-off group, and for its tests.
AS_ITSELF, AS_THE_BEST, FOR_TESTS = range(3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AuditWork:
    """The inputs for the figures of all groups."""

    outcomes: AuditOutcomes
    ordered: tuple[OrderedCosts, ...]
    all_people: Tally
    metrics: tuple[Metric, ...]
    min_size: int
    confidence: float
    resamples: int
    permutations: int
    random_state: int


DrawnEnds: TypeAlias = tuple[FloatArray, FloatArray]  # the least and the greatest, resample by resample


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawn:
    """The costs and burdens of resamples of a group, and of all people in the same resamples."""

    mine: dict[str, DrawnEnds]  # by the name of the metric
    whole: dict[str, DrawnEnds]


def figures_of(
    work: AuditWork, tally: Tally, drawn: Drawn, columns: tuple[str, ...], values: tuple[str, ...]
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


def _estimate(work: AuditWork, metric: Metric, tally: Tally, drawn: Drawn) -> MetricValue:
    """Compute a metric with its interval."""
    if metric.kind == "rate":
        least, most = share_in(work, metric, tally)
        return MetricValue(value=least.value, low=least.low, high=most.high)
    return between(work, value_of(work, metric, tally), *drawn.mine[metric.name])


def is_large(work: AuditWork, tally: Tally, metric: Metric) -> bool:
    """Return whether a metric is based on enough people."""
    return tally.size(metric.base) >= work.min_size


def rng_of(work: AuditWork, tally: Tally, purpose: int) -> np.random.Generator:
    return np.random.default_rng([work.random_state, tally.entropy(), purpose])


def share_in(work: AuditWork, metric: Metric, tally: Tally) -> ShareRange:
    return share_range(*successes(metric, tally), tally.size(metric.base), work.confidence)


def costs_of(work: AuditWork, metric: Metric, tally: Tally) -> Costs:
    return tally.costs[objective_place(work, metric)]


def objective_place(work: AuditWork, metric: Metric) -> int:
    """Return the position of a metric's objective."""
    return work.outcomes.objectives.index(metric.objective)


def value_of(work: AuditWork, metric: Metric, tally: Tally) -> float:
    """Compute a cost or burden from the found options."""
    found = costs_of(work, metric, tally).found
    # The least occurring cost that at least this share of people do not exceed.
    return scale_of(metric, tally) * float(np.quantile(found, metric.quantile, method="inverted_cdf"))


def scale_of(metric: Metric, tally: Tally) -> float:
    """Return the factor of a cost: the burden is the rejection rate × the median."""
    return tally.rejected / tally.explained if metric.kind == "burden" else 1.0


def draw(work: AuditWork, tally: Tally, purpose: int) -> Drawn:
    """Draw the costs and burdens of resamples of a group."""
    mine: dict[str, DrawnEnds] = {}
    whole: dict[str, DrawnEnds] = {}
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


def between(work: AuditWork, value: float, lows: FloatArray, highs: FloatArray) -> MetricValue:
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


def best_off(work: AuditWork, metric: Metric, tallies: Sequence[Tally]) -> int | None:
    """Return the best-off group among two or more that are large enough.

    Return None if the outcome of unfinished searches decides it.
    """
    large = [place for place, tally in enumerate(tallies) if is_large(work, tally, metric)]
    if len(large) < 2:
        return None
    ranges = {place: _worst_and_best(work, metric, tallies[place]) for place in large}
    # Among equal groups, the largest.
    first = min(large, key=lambda place: (ranges[place], -tallies[place].size(metric.base)))
    worst, _ = ranges.pop(first)
    return first if all(worst <= best for _, best in ranges.values()) else None


def _worst_and_best(work: AuditWork, metric: Metric, tally: Tally) -> tuple[float, float]:
    """Return the worst and the best value of a metric over all outcomes of open searches; less is better."""
    if metric.kind != "rate":
        low, high = quantile_range(costs_of(work, metric, tally), metric.quantile)
        return scale_of(metric, tally) * high, scale_of(metric, tally) * low
    least, most = (count / tally.size(metric.base) for count in successes(metric, tally))
    return (most, least) if metric.best == "low" else (-least, -most)


def to_best(
    work: AuditWork, metric: Metric, mine: Tally, best: Tally, drawn: Drawn, best_drawn: Drawn
) -> Contrast:
    """Compare a group with the best-off group, which shares no people with it."""
    if metric.kind == "rate":
        one, two = share_in(work, metric, mine), share_in(work, metric, best)
        return _rate_contrast(one, two, lambda distance: distance, lambda ratio: ratio)
    values = value_of(work, metric, mine), value_of(work, metric, best)
    return _cost_contrast(work, *values, drawn.mine[metric.name], best_drawn.mine[metric.name])


def to_overall(work: AuditWork, metric: Metric, tally: Tally, drawn: Drawn) -> Contrast:
    """Compare a group with all people, including itself."""
    if metric.kind == "rate":
        return _rate_to_overall(work, metric, tally)
    values = value_of(work, metric, tally), value_of(work, metric, work.all_people)
    return _cost_contrast(work, *values, drawn.mine[metric.name], drawn.whole[metric.name])


def _rate_to_overall(work: AuditWork, metric: Metric, tally: Tally) -> Contrast:
    others = tally_outside(work.all_people, tally)
    if not others.size(metric.base):
        same = MetricValue(value=0.0, low=0.0, high=0.0)
        return Contrast(difference=same, ratio=MetricValue(value=1.0, low=1.0, high=1.0))
    weight = tally.size(metric.base) / work.all_people.size(metric.base)
    return _rate_contrast(
        share_in(work, metric, tally),
        share_in(work, metric, others),
        lambda distance: to_whole(distance, weight),
        lambda ratio: ratio_to_whole(ratio, weight),
    )


def _cost_contrast(
    work: AuditWork, mine: float, other: float, drawn: DrawnEnds, other_drawn: DrawnEnds
) -> Contrast:
    """Compare two costs or burdens: the least of one with the greatest of the other."""
    (low, high), (other_low, other_high) = drawn, other_drawn
    return Contrast(
        difference=between(work, mine - other, low - other_high, high - other_low),
        ratio=between(work, mine / other, _ratios(low, other_high, 0.0), _ratios(high, other_low, math.inf))
        if other
        else None,
    )


def _ratios(mine: FloatArray, other: FloatArray, nothing: float) -> FloatArray:
    """Divide. A positive number by 0 is infinite, and 0 by 0, which may be anything, is `nothing`."""
    by_zero = np.where(mine > 0, math.inf, nothing)
    by_zero = np.where(np.isnan(mine), mine, by_zero)
    return np.divide(mine, other, out=by_zero, where=other != 0)


def _rate_contrast(
    mine: ShareRange,
    other: ShareRange,
    scaled: Callable[[float], float],
    ratio_scaled: Callable[[float], float],
) -> Contrast:
    """Compare two shares of different people, and convert the result to another scale."""
    one, two = mine.least.value, other.least.value
    low, high = difference_interval(mine, other)
    difference = MetricValue(value=scaled(one - two), low=scaled(low), high=scaled(high))
    value = ratio_scaled(one / two if two else math.inf)
    if not (one or two) or math.isinf(value):  # compared with 0
        return Contrast(difference=difference)
    low, high = ratio_interval(mine, other)
    ratio = MetricValue(value=value, low=ratio_scaled(low), high=ratio_scaled(high))
    return Contrast(difference=difference, ratio=ratio)


def tally_outside(all_people: Tally, tally: Tally) -> Tally:
    """Return the tally of all people outside a group, without costs."""
    counts = tuple(one - other for one, other in zip(all_people.counts, tally.counts, strict=True))
    return replace(all_people, counts=counts, costs=())
