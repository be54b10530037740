"""Find how much the estimate must be widened so that it misses no more people's fronts than is allowed.

Pure arithmetic, by the split-conformal rule: for each of n people whose true front is known, take the
least widening that keeps the whole front. One more person, drawn like these, needs more than the r-th
smallest of them with a chance of at most (n + 1 − r)/(n + 1).
"""

import math
from typing import NamedTuple

import numpy as np

from p2ce.arrays import FloatArray, Int32Array
from p2ce.estimates.instance_gains import estimated_scores

UNIT_SHARE = 0.3  # of the typical distance to the threshold; from a third to three times it prunes alike
ROUNDING = 1e-9  # a point that is just kept must still be kept when its gains are added in another order


class Calibration(NamedTuple):
    """By how much the estimate is widened, and how often it then misses a person's front at most."""

    residual: float  # in units of `allowance`; +inf prunes nothing
    stated_rate: float
    sample_size: int


def calibrate(needed: FloatArray, miss_rate: float) -> Calibration:
    """Choose the residual from what each of n people needed (n,); −inf for one who has no front to miss.

    Too few people for the wished rate give the largest residual and the rate that it has, 1/(n + 1).
    No scores give +inf: nothing is pruned, so that nothing is ever missed.

    >>> calibrate(np.array([0.1, 0.4, 0.2, 0.3]), 0.4)
    Calibration(residual=0.3, stated_rate=0.4, sample_size=4)
    >>> calibrate(np.array([0.1, 0.4]), 0.01)
    Calibration(residual=0.4, stated_rate=0.3333333333333333, sample_size=2)
    """
    ordered = np.sort(np.asarray(needed, dtype=np.float64))
    count = len(ordered)
    if np.isnan(ordered).any():
        raise ValueError("What a person needs must be a number or an infinity; got NaN.")
    # People without a front say that a miss is rare, not how wide to be: the first with a front does.
    with_front = np.flatnonzero(ordered > -np.inf)
    if not len(with_front):
        return Calibration(residual=math.inf, stated_rate=0.0, sample_size=count)
    # (n + 1)·miss_rate may fall a hair short of the whole number that it is.
    spared = math.floor((count + 1) * miss_rate * (1.0 + 1e-12))
    rank = max(min(count, count + 1 - spared), int(with_front[0]) + 1)
    # Below 0 the estimate would prune by more than it says, for no good reason.
    residual = max(float(ordered[rank - 1]), 0.0)
    rate = 0.0 if residual == math.inf else (count + 1 - rank) / (count + 1)
    return Calibration(residual=residual, stated_rate=rate, sample_size=count)


def typical_unit(base: FloatArray, threshold: float) -> float:
    """Choose the part of the allowance that every cell has, from the scores (n,) of rejected people."""
    gap = float(np.median(np.abs(threshold - base))) if len(base) else 0.0
    return UNIT_SHARE * gap if gap > 0.0 else 1.0


def allowance(gains: FloatArray, unit: float) -> FloatArray:
    """State how unsure the estimates of cells are: a unit each, and the size of their gains (m, axes)."""
    return np.asarray(unit + np.abs(gains).sum(axis=-1))


def needed_residual(
    points: Int32Array, base: float, gains: FloatArray, *, threshold: float, unit: float
) -> float:
    """Return the least residual that keeps all points (m, axes) of a front; −inf if there is none."""
    if not len(points):
        return -math.inf
    short = threshold - estimated_scores(points, base, gains)
    least = float((short / allowance(gains[np.arange(gains.shape[0]), points], unit)).max())
    return least + ROUNDING * max(1.0, abs(least))


def widen(base: FloatArray, gains: FloatArray, residual: float, unit: float) -> tuple[FloatArray, FloatArray]:
    """Add the residual to the estimate of people: their new base (n,) and gains (n, axes, width).

    The widened estimate is additive like the one before, so that the search prunes with it as it is. It
    grows by ``residual`` times what `allowance` gives: errors of an additive estimate come from what
    features do together, and grow with how much they do.
    """
    if residual == math.inf:
        return np.full_like(base, math.inf), gains
    return base + residual * unit, gains + residual * np.abs(gains)
