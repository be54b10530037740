"""Find by how much to widen the estimate so it misses no more instances' fronts than is allowed.

The rows of the reference that the model rejects are divided: attributions are learnt from some, and the rest
calibrate the estimate, since it would flatter itself on rows that it was learnt from.

Calibration is pure arithmetic, by the split-conformal rule. For each of n instances whose true front is
known, take the least widening that keeps the whole front. One more instance, drawn like these, needs more
than the r-th smallest of these widenings with a probability of at most (n + 1 − r)/(n + 1).
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.errors import InvalidOutput
from p2ce.models.estimates.attributions import Attributor
from p2ce.models.estimates.instance_gains import estimated_scores
from p2ce.models.estimates.shap_estimate import ShapEstimate

LEARNING_SHARE = 4  # with few rows, one in this many is for learning
LEARNING_ROWS = 256

UNIT_SHARE = 0.3  # of the typical distance to the threshold; a third or three times it prunes equally well
ROUNDING = 1e-9  # a point that is barely kept must still be kept if its gains are added in another order


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedEstimate:
    """A calibrated SHAP estimate, fitted once for an explainer: how it prunes, and how often it misses."""

    attributor: Attributor
    table: FloatArray  # (axes, width) the attribution of each base candidate
    personal: bool  # whether the single changes of each instance are also evaluated
    unit: float = 1.0  # of the residual
    residual: float = 0.0  # by how much the estimate is widened
    miss_rate: float | None = None
    sample_size: int | None = None


def divide(rejected: BoolArray, spec: ShapEstimate, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Choose rows of the reference to learn attributions from, at least one, and others to calibrate on.

    ``rejected`` (n,) marks the rows that the model rejects, since explanations are for rejected instances.
    Learning takes a quarter of them, at most 256. Calibration takes up to ``spec.sample_size`` of the rest,
    in this order. If the model rejects at most one row, attributions are learnt from all rows, and none is
    left to calibrate on, so nothing will be pruned.

    >>> learning, rest = divide(np.arange(50) < 40, ShapEstimate(sample_size=20), np.random.default_rng(0))
    >>> len(learning), len(rest), bool((rest < 40).all())
    (10, 20, True)
    """
    rows = rng.permutation(np.flatnonzero(rejected))
    if len(rows) < 2:
        everyone = rng.permutation(len(rejected))
        return everyone[:LEARNING_ROWS], rows[:0]
    count = min(LEARNING_ROWS, max(1, len(rows) // LEARNING_SHARE))
    return rows[:count], rows[count : count + spec.sample_size]


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
        raise InvalidOutput(
            f"The estimate cannot be calibrated: for {int(np.isnan(ordered).sum())} of {count} instances, "
            "scores and attributions add up to NaN, since some are infinite. Let the model return finite "
            "scores, or pass bound=None."
        )
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


def widen_estimate(
    base: FloatArray, gains: FloatArray, residual: float, unit: float
) -> tuple[FloatArray, FloatArray]:
    """Add the residual to the estimates of instances: return their new base (n,) and gains (n, axes, width).

    The widened estimate is additive too, so the search can prune with it directly. It grows by ``residual``
    times `allowance`. The reason: an additive estimate errs because features interact, and the error grows
    with the size of their effects.
    """
    if residual == math.inf:
        return np.full_like(base, math.inf), gains
    return base + residual * unit, gains + residual * np.abs(gains)
