"""Find by how much to widen the estimate so that it misses no more instances' fronts than is allowed.

This is pure arithmetic, by the split-conformal rule. For each of n instances whose true front is known, take
the least widening that keeps the whole front. One more instance, drawn like these, needs more than the r-th
smallest of these widenings with a probability of at most (n + 1 − r)/(n + 1).
"""

import math
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import FloatArray, Int32Array
from p2ce.models.estimates.instance_gains import estimated_scores

UNIT_SHARE = 0.3  # of the typical distance to the threshold; a third or three times it prunes equally well
ROUNDING = 1e-9  # a point that is barely kept must still be kept if its gains are added in another order


class Calibration(NamedTuple):
    """By how much the estimate is widened, and a bound on how often it then misses an instance's front."""

    residual: float  # in units of `allowance`; with +inf, nothing is pruned
    stated_rate: float
    sample_size: int


def calibrate(needed: FloatArray, miss_rate: float) -> Calibration:
    """Choose the residual from the residuals (n,) that n instances need; −inf if there is no front to miss.

    If there are too few instances for the requested rate, the result is the largest residual and its rate,
    1/(n + 1). If there are no instances with a front, the residual is +inf: nothing is pruned, so nothing
    is missed.

    >>> calibrate(np.array([0.1, 0.4, 0.2, 0.3]), 0.4)
    Calibration(residual=0.3, stated_rate=0.4, sample_size=4)
    >>> calibrate(np.array([0.1, 0.4]), 0.01)
    Calibration(residual=0.4, stated_rate=0.3333333333333333, sample_size=2)
    """
    ordered = np.sort(np.asarray(needed, dtype=np.float64))
    count = len(ordered)
    if np.isnan(ordered).any():
        raise ValueError("The residual that an instance needs must be a number or an infinity; got NaN.")
    # Instances without a front show that a miss is rare, but not how much to widen. So the rank goes up to
    # the first instance with a front.
    with_front = np.flatnonzero(ordered > -np.inf)
    if not len(with_front):
        return Calibration(residual=math.inf, stated_rate=0.0, sample_size=count)
    # Rounding may put (n + 1)·miss_rate slightly below the whole number that it should be.
    spared = math.floor((count + 1) * miss_rate * (1.0 + 1e-12))
    rank = max(min(count, count + 1 - spared), int(with_front[0]) + 1)
    # A residual below 0 would prune more than the estimate itself, without a reason.
    residual = max(float(ordered[rank - 1]), 0.0)
    rate = 0.0 if residual == math.inf else (count + 1 - rank) / (count + 1)
    return Calibration(residual=residual, stated_rate=rate, sample_size=count)


def typical_unit(base: FloatArray, threshold: float) -> float:
    """Choose the part of the allowance that all cells share, from the scores (n,) of rejected instances."""
    gap = float(np.median(np.abs(threshold - base))) if len(base) else 0.0
    return UNIT_SHARE * gap if gap > 0.0 else 1.0


def allowance(gains: FloatArray, unit: float) -> FloatArray:
    """Return the uncertainty of cells' estimates: a unit each, plus the size of their gains (m, axes)."""
    return np.asarray(unit + np.abs(gains).sum(axis=-1))


def needed_residual(
    points: Int32Array, base: float, gains: FloatArray, *, threshold: float, unit: float
) -> float:
    """Return the least residual that keeps all points (m, axes) of a front; −inf if there are no points."""
    if not len(points):
        return -math.inf
    short = threshold - estimated_scores(points, base, gains)
    least = float((short / allowance(gains[np.arange(gains.shape[0]), points], unit)).max())
    return least + ROUNDING * max(1.0, abs(least))


def widen(base: FloatArray, gains: FloatArray, residual: float, unit: float) -> tuple[FloatArray, FloatArray]:
    """Add the residual to the estimates of instances: return their new base (n,) and gains (n, axes, width).

    The widened estimate is additive too, so the search can prune with it directly. It grows by ``residual``
    times `allowance`. The reason: an additive estimate errs because features interact, and the error grows
    with the size of their effects.
    """
    if residual == math.inf:
        return np.full_like(base, math.inf), gains
    return base + residual * unit, gains + residual * np.abs(gains)
