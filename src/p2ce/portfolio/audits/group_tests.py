"""Test by permutation whether a group differs from all people, with a correction for many comparisons.

The null hypothesis of each test: among the people that the metric is based on, membership in the group is
independent of the outcome. The group is then a random subset of its size, and its number of people of a kind
is hypergeometric. The distribution over all permutations is computed for shares and medians. For the burden
it is drawn, with one number per permutation at any number of people.

If searches are open, a test has a p-value for each completion (`open_costs`). It reports the largest, or an
upper bound of all. So does the correction, since Holm's correction grows with every p-value.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.base.comparing import EQUAL_DIGITS
from p2ce.portfolio.audits.audit_result import Comparison, Group
from p2ce.portfolio.audits.cost_resampling import Part
from p2ce.portfolio.audits.group_figures import (
    FOR_TESTS,
    AuditWork,
    costs_of,
    objective_place,
    rng_of,
    successes,
    tally_outside,
)
from p2ce.portfolio.audits.metrics import HALF, Metric
from p2ce.portfolio.audits.open_costs import HIGH, LOW, Costs, count_below, quantile_range
from p2ce.portfolio.audits.tallies import Tally

EQUAL = 10.0**-EQUAL_DIGITS  # numbers that differ only by rounding are equal


def rate_p_value(mine: tuple[int, int], size: int, others: tuple[int, int], other_size: int) -> float:
    """Test the share of a group against the share of all people, two-sided.

    `mine` and `others` are the least and the most successes of the group and of all others. The p-value is
    the largest over all whole numbers between them, and 1 if the two shares may be equal.

    Let k be the successes of both together. The distribution of a permuted group depends only on k, and the
    p-value falls with the distance of the group's successes x from the expected k · size / people. If the
    shares cannot be equal, all x lie on one side of it. So for each k, the nearest x has the largest p-value:
    the least x, or the greatest.
    """
    people = size + other_size
    if mine[0] * other_size <= others[1] * size and others[0] * size <= mine[1] * other_size:
        return 1.0
    successes = np.arange(mine[0] + others[0], mine[1] + others[1] + 1)
    is_above = mine[0] * other_size > others[1] * size
    nearest = (
        np.maximum(mine[0], successes - others[1]) if is_above else np.minimum(mine[1], successes - others[0])
    )
    # In whole numbers, so that equal distances are equal.
    expected = size * successes
    distance = np.abs(nearest * people - expected)
    from scipy.stats import hypergeom

    above = hypergeom.sf(-(-(expected + distance) // people) - 1, people, successes, size)
    below = hypergeom.cdf((expected - distance) // people, people, successes, size)
    return min(float((above + below).max()), 1.0)


def median_p_value(mine: Costs, whole: Costs) -> float:
    """Test the median cost of a group against that of all people.

    Without open costs, the p-value is exact. With open costs it is an upper bound, which is 1 if the medians
    may be equal. Otherwise, their distance is at least the distance of their ranges. Let `high` be the least
    median of all people plus this distance, and `low` their greatest median minus it. A permuted median is as
    far away only if it is at least `high` or at most `low`. A random subset has a median of at least `high`
    if fewer than half of its people cost less. Suppose that k people of the group without a found option turn
    out to have one. For this k, the probability is largest if none of them costs less than `high`, and if all
    other people without a found option have one that costs no less: the same number then lies below among
    more people. A median of at most `low` is most probable if as many of the k as possible cost at most
    `low`, and if of the others exactly those have an option who can have one at that cost. The sum of both is
    the bound for k. The p-value is at most its maximum over all k.
    """
    gap = _gap(quantile_range(mine, HALF), quantile_range(whole, HALF))
    if gap is None:
        return 1.0
    from scipy.stats import hypergeom

    low, high = map(np.array, gap)
    k = np.arange(mine.without + 1)
    size = mine.with_option + k
    needed = -(-size // 2)  # at or below the median
    cheap, _ = count_below(whole, _before(high), HIGH)
    as_high = hypergeom.cdf(needed - 1, whole.with_option + whole.without - mine.without + k, cheap, size)
    cheap, may_be_cheap = count_below(whole, low, LOW)
    _, mine_may_be = count_below(mine, low, LOW)
    others = may_be_cheap - mine_may_be
    marked = cheap + others + np.minimum(k, mine_may_be)
    as_low = hypergeom.sf(needed - 1, whole.with_option + others + k, marked, size)
    return min(float((as_high + as_low).max()), 1.0)


def burden_p_value(mine: Part, whole: Part, permutations: int, rng: np.random.Generator) -> float:
    """Test the rejection rate × median cost.

    The permuted people do not depend on how searches end, since people without an option have a burden, too:
    their rejection. So each permuted group has a range of burdens, like the group and all people. It counts
    if its greatest possible distance reaches the least possible distance of the group.
    """
    size, people = (int(part.counts().sum()) for part in (mine, whole))
    rates = 1.0 - mine.accepted / size, 1.0 - whole.accepted / people
    ends = [quantile_range(part.costs, HALF) for part in (mine, whole)]
    gap = _gap(*((rate * low, rate * high) for rate, (low, high) in zip(rates, ends, strict=True)))
    if gap is None:
        return 1.0
    low, high = gap
    costs = whole.costs
    sure, unsure = costs.with_option, costs.without
    drawn = rng.multivariate_hypergeometric([whole.accepted, whole.without, sure, unsure], size, permutations)
    accepted, _, some, more = drawn.T
    rate = np.maximum(size - accepted, 1) / size
    low_known, low_open = count_below(costs, low / rate, LOW)
    high_known, _ = count_below(costs, _before(high / rate), HIGH)

    def marked(among: int, counts: IntArray, taken: IntArray) -> IntArray:
        return rng.hypergeometric(counts, among - counts, taken)

    # The sums of terms of `open_costs`. A subset without any cost counts as far away, which favours the null
    # hypothesis. Both tails are drawn separately and added.
    as_low = marked(sure, low_known, some) + HALF * marked(unsure, low_open, more) >= HALF * some
    as_high = ~(marked(sure, high_known, some) >= HALF * (some + more))
    return min((1 + int(as_low.sum()) + int(as_high.sum())) / (1 + permutations), 1.0)


def _gap(mine: tuple[float, float], whole: tuple[float, float]) -> tuple[float, float] | None:
    """Return the bounds, below and above, beyond which a figure is at least as far away as the group.

    Return None if the two ranges meet.
    """
    distance = max(mine[0] - whole[1], whole[0] - mine[1]) * (1.0 - EQUAL)
    return (whole[1] - distance, whole[0] + distance) if distance > 0 else None


def _before(value: FloatArray) -> FloatArray:
    """Return the next smaller number, so that "below" becomes "at most"."""
    found: FloatArray = np.nextafter(value, -math.inf)
    return found


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for many comparisons with Holm's method, which is valid under any dependence.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    steps = np.asarray(p_values)[order] * (len(p_values) - np.arange(len(p_values)))
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    found: list[float] = corrected.tolist()
    return found


def test_of(work: AuditWork, metric: Metric, tally: Tally) -> Comparison:
    """Test whether a group differs from all people in one metric, without the correction."""
    whole = work.all_people
    if metric.kind == "rate":
        others = tally_outside(whole, tally)
        p_value = rate_p_value(
            successes(metric, tally),
            tally.size(metric.base),
            successes(metric, others),
            others.size(metric.base),
        )
    elif metric.kind == "quantile":
        p_value = median_p_value(costs_of(work, metric, tally), costs_of(work, metric, whole))
    else:
        mine, all_people = (one.part(objective_place(work, metric)) for one in (tally, whole))
        p_value = burden_p_value(mine, all_people, work.permutations, rng_of(work, tally, FOR_TESTS))
    return Comparison(p_value=p_value, corrected=p_value)


def corrected_tests(groups: list[Group]) -> list[Group]:
    """Correct the p-values of all groups for the number of tests."""
    corrected = iter(holm([test.p_value for group in groups for test in group.tests.values()]))
    return [
        replace(
            group,
            tests={name: replace(test, corrected=next(corrected)) for name, test in group.tests.items()},
        )
        for group in groups
    ]
