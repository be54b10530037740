"""Return intervals of shares, and of the difference and the ratio of two shares of different people.

Where outcomes of some people are open, a share is a range, and all intervals cover every way in which these
may turn out: sampling error comes on top of the range, at both ends.
"""

import math
from functools import lru_cache
from typing import NamedTuple


class Share(NamedTuple):
    """So many of so many, with an exact interval."""

    value: float
    low: float
    high: float


class ShareRange(NamedTuple):
    """A share if all open outcomes turn out to be failures, and if all turn out to be successes."""

    least: Share
    most: Share


@lru_cache(maxsize=4096)  # the search for both ends takes a millisecond, and counts repeat
def share_of(successes: int, trials: int, confidence: float) -> Share:
    """Return a share with its exact interval, of Clopper and Pearson: it covers no less than `confidence`.

    >>> found = share_of(0, 10, 0.95)
    >>> found.low, round(found.high, 4)
    (0.0, 0.3085)
    """
    from scipy.stats import binomtest

    found = binomtest(successes, trials).proportion_ci(confidence, method="exact")
    return Share(successes / trials, float(found.low), float(found.high))


def share_range(least: int, most: int, trials: int, confidence: float) -> ShareRange:
    """Return the range of a share that has between `least` and `most` successes."""
    low = share_of(least, trials, confidence)
    return ShareRange(low, share_of(most, trials, confidence) if most != least else low)


def difference_interval(mine: ShareRange, other: ShareRange) -> tuple[float, float]:
    """Combine the intervals of two independent shares into one of their difference (Newcombe's method 10).

    Unlike a bootstrap it has a width where one of the shares is 0 or 1. Both ends of Newcombe's interval rise
    with `mine` and fall with `other`, so that these two corners span the intervals of all open outcomes.
    """
    return _least_difference(mine.least, other.most), -_least_difference(other.least, mine.most)


def ratio_interval(mine: ShareRange, other: ShareRange) -> tuple[float, float]:
    """Do the same for their ratio, on the scale of logarithms; `high` is infinite where `other` may be 0."""
    most_inverse = _least_ratio(other.least, mine.most)
    return _least_ratio(mine.least, other.most), 1.0 / most_inverse if most_inverse else math.inf


def to_whole(difference: float, weight: float) -> float:
    """Turn a difference to all others into one to the whole, of which the group is the part `weight`."""
    return (1.0 - weight) * difference


def ratio_to_whole(ratio: float, weight: float) -> float:
    """Turn a ratio to all others into one to the whole, of which the group is the part `weight`.

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
    if not other.value:  # without a logarithm; the quotient of the ends is the widest that it can be
        return mine.low / other.high
    distance = math.hypot(math.log(mine.value / mine.low), math.log(other.high / other.value))
    return mine.value / other.value * math.exp(-distance)
