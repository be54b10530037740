"""How far may a figure be off, seen in so few people or seeds? 95 % intervals."""

from math import isnan, nan, sqrt

import numpy as np
import pandas as pd
from scipy.stats import t

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


def over_seeds(values: pd.Series, seeds: pd.Series) -> tuple[float, float, float]:
    """The mean of the seeds' means, and Student's 95 % interval for it; without one where a seed stands "
    "alone."""
    means = values.groupby(seeds.to_numpy()).mean().dropna().to_numpy(float)
    if len(means) < 2:
        return (float(means[0]) if len(means) else nan), nan, nan
    half = float(t.ppf(0.975, len(means) - 1)) * means.std(ddof=1) / np.sqrt(len(means))
    return float(means.mean()), float(means.mean() - half), float(means.mean() + half)
