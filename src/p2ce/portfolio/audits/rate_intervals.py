"""Compute intervals of shares, and of the difference and the ratio of two shares of different people.

If the outcomes of some people are open, a share is a range. The intervals then cover every possible outcome:
sampling error is added to the range at both ends.
"""

import math
from functools import lru_cache
from typing import NamedTuple


class Share(NamedTuple):
    """A share with an exact interval."""

    value: float
    low: float
    high: float


class ShareRange(NamedTuple):
    """A share if all open outcomes turn out to be failures, and if all turn out to be successes."""

    least: Share
    most: Share


@lru_cache(maxsize=4096)  # the search for both ends takes a millisecond, and counts repeat
def share_of(successes: int, trials: int, confidence: float) -> Share:
    """Return a share with its exact Clopper-Pearson interval, which covers at least `confidence`.

    >>> found = share_of(0, 10, 0.95)
    >>> found.low, round(found.high, 4)
    (0.0, 0.3085)
    """
    from scipy.stats import binomtest

    found = binomtest(successes, trials).proportion_ci(confidence, method="exact")
    return Share(successes / trials, float(found.low), float(found.high))


def share_range(least: int, most: int, trials: int, confidence: float) -> ShareRange:
    """Return the range of a share with between `least` and `most` successes."""
    low = share_of(least, trials, confidence)
    return ShareRange(low, share_of(most, trials, confidence) if most != least else low)


def difference_interval(mine: ShareRange, other: ShareRange) -> tuple[float, float]:
    """Combine the intervals of two independent shares into one of their difference (Newcombe's method 10).

    Unlike a bootstrap interval, it has a width if one of the shares is 0 or 1. Both ends of Newcombe's
    interval rise with `mine` and fall with `other`, so these two corners span the intervals of all open
    outcomes.
    """
    return _least_difference(mine.least, other.most), -_least_difference(other.least, mine.most)


def ratio_interval(mine: ShareRange, other: ShareRange) -> tuple[float, float]:
    """Do the same for their ratio, on a log scale. `high` is infinite if `other` may be 0."""
    most_inverse = _least_ratio(other.least, mine.most)
    return _least_ratio(mine.least, other.most), 1.0 / most_inverse if most_inverse else math.inf


def to_whole(difference: float, weight: float) -> float:
    """Convert a difference to all others into one to all people; the group's share of them is `weight`."""
    return (1.0 - weight) * difference


def ratio_to_whole(ratio: float, weight: float) -> float:
    """Convert a ratio to all others into one to all people; the group's share of them is `weight`.

    >>> ratio_to_whole(2.0, 0.5)
    1.3333333333333333
    """
    if not ratio:
        return 0.0
    return 1.0 / (weight + (1.0 - weight) / ratio) if weight or math.isfinite(ratio) else math.inf


def _least_difference(mine: Share, other: Share) -> float:
    return mine.value - other.value - math.hypot(mine.value - mine.low, other.high - other.value)


def _least_ratio(mine: Share, other: Share) -> float:
    if not mine.value:
        return 0.0
    if not other.value:  # it has no logarithm, so take the widest quotient of the ends
        return mine.low / other.high
    distance = math.hypot(math.log(mine.value / mine.low), math.log(other.high / other.value))
    return mine.value / other.value * math.exp(-distance)
