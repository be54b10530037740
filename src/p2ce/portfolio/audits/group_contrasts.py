"""Compare a group with all people and with the best-off group: differences and ratios with intervals."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.portfolio.audits.audit_result import Contrast, MetricValue
from p2ce.portfolio.audits.group_figures import (
    Drawn,
    Ends,
    Work,
    between,
    costs_of,
    is_large,
    scale_of,
    share_in,
    successes,
    value_of,
)
from p2ce.portfolio.audits.metrics import Metric
from p2ce.portfolio.audits.open_costs import quantile_range
from p2ce.portfolio.audits.rate_intervals import (
    ShareRange,
    difference_interval,
    ratio_interval,
    ratio_to_whole,
    to_whole,
)
from p2ce.portfolio.audits.tallies import Tally


def best_off(work: Work, metric: Metric, tallies: Sequence[Tally]) -> int | None:
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


def _worst_and_best(work: Work, metric: Metric, tally: Tally) -> tuple[float, float]:
    """Return the worst and the best value of a metric over all outcomes of open searches; less is better."""
    if metric.kind != "rate":
        low, high = quantile_range(costs_of(work, metric, tally), metric.quantile)
        return scale_of(metric, tally) * high, scale_of(metric, tally) * low
    least, most = (count / tally.size(metric.base) for count in successes(metric, tally))
    return (most, least) if metric.best == "low" else (-least, -most)


def to_best(
    work: Work, metric: Metric, mine: Tally, best: Tally, drawn: Drawn, best_drawn: Drawn
) -> Contrast:
    """Compare a group with the best-off group, which shares no people with it."""
    if metric.kind == "rate":
        one, two = share_in(work, metric, mine), share_in(work, metric, best)
        return _rate_contrast(one, two, lambda distance: distance, lambda ratio: ratio)
    values = value_of(work, metric, mine), value_of(work, metric, best)
    return _cost_contrast(work, *values, drawn.mine[metric.name], best_drawn.mine[metric.name])


def to_overall(work: Work, metric: Metric, tally: Tally, drawn: Drawn) -> Contrast:
    """Compare a group with all people, including itself."""
    if metric.kind == "rate":
        return _rate_to_overall(work, metric, tally)
    values = value_of(work, metric, tally), value_of(work, metric, work.all_people)
    return _cost_contrast(work, *values, drawn.mine[metric.name], drawn.whole[metric.name])


def _rate_to_overall(work: Work, metric: Metric, tally: Tally) -> Contrast:
    others = without(work.all_people, tally)
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


def _cost_contrast(work: Work, mine: float, other: float, drawn: Ends, other_drawn: Ends) -> Contrast:
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


def without(all_people: Tally, tally: Tally) -> Tally:
    """Return the tally of all people outside a group, without costs."""
    counts = tuple(one - other for one, other in zip(all_people.counts, tally.counts, strict=True))
    return replace(all_people, counts=counts, costs=())
