"""How far may a share be off, seen in so few people? Wilson's interval, and Newcombe's for a difference."""

from math import isnan, nan, sqrt

Z = 1.959963984540054  # 95 % of a normal distribution lie within ± Z


def wilson(share: float, count: float) -> tuple[float, float]:
    """The 95 % interval of a share (0 to 1) that was seen among ``count``; (nan, nan) if among none."""
    if isnan(share) or not count > 0:
        return nan, nan
    centre = (share + Z * Z / (2 * count)) / (1 + Z * Z / count)
    half = Z * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count)) / (1 + Z * Z / count)
    # A share of exactly 0 or 1 is its own limit, not a rounding error beside it.
    low, high = min(centre - half, share), max(centre + half, share)
    return max(low, 0.0), min(high, 1.0)


def difference(share: float, count: float, other: float, other_count: float) -> tuple[float, float]:
    """The 95 % interval of ``share − other``, shares among different people (Newcombe's method 10)."""
    low, high = wilson(share, count)
    other_low, other_high = wilson(other, other_count)
    apart = share - other
    return (
        apart - sqrt((share - low) ** 2 + (other_high - other) ** 2),
        apart + sqrt((high - share) ** 2 + (other - other_low) ** 2),
    )
