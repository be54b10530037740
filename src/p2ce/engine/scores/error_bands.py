"""Certify from which score on a threshold is reached, and below which it is missed, despite rounding."""

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.engine.scores.trees.float_bisection import first_true

# A score, or an array of scores (n,) → the lowest and the highest number that the library may report for it.
Reported: TypeAlias = Callable[[Any], tuple[Any, Any]]


def certified(reported: Reported, threshold: float) -> tuple[float, float]:
    """Convert a threshold on the reported number to thresholds on the score: accept_from, reject_below."""
    accept_from = first_true(lambda score: reported(score)[0] >= threshold)
    reject_below = first_true(lambda score: reported(score)[1] >= threshold)
    return accept_from, min(reject_below, accept_from)


def widened(accept_from: float, reject_below: float, band: float) -> tuple[float, float]:
    """Move both thresholds outwards by ``band``, a bound of the error of a score."""
    if band == 0.0:
        return accept_from, reject_below
    return math.nextafter(accept_from + band, math.inf), math.nextafter(reject_below - band, -math.inf)


def summation_error(terms: int, magnitude: float, *, unit: float = 2.0**-53) -> float:
    """Bound how far a rounded sum of ``terms`` numbers can be from the true one, in any order.

    ``magnitude`` bounds the sum of their magnitudes. If products are rounded before they are added, count
    one more term. This is the usual n·u/(1 − n·u), with a margin for evaluating it in float64.
    """
    share = terms * unit
    if share >= 0.25:
        return math.inf
    return share / (1.0 - share) * magnitude * (1.0 + 2.0**-40)


def logistic(
    *,
    complement: bool,
    margin: Callable[[Any], Any] = np.float64,
    single: bool = False,
    slack: float = 8.0,
) -> Reported:
    """Bound ``1 / (1 + exp(-margin))`` as a library computes it; with ``complement``, one minus that.

    ``complement`` is for the first class, whose score is minus the margin. ``margin`` is the exact IEEE
    arithmetic between the score and the logistic function. ``single`` is for float32 libraries. Every exp in
    use is off by about one unit in the last place; ``slack`` units are allowed. The addition, the division
    and the subtraction are IEEE operations and monotone. So the ends of the interval are exact, even where
    the probability saturates at 1.
    """
    kind = np.float32 if single else np.float64
    unit = slack * float(np.finfo(kind).eps) / 2.0
    one = kind(1.0)

    def reported(score: Any) -> tuple[Any, Any]:
        with np.errstate(all="ignore"):
            power = np.exp(np.float64(-margin(-score if complement else score)))
            low = one / (one + kind(power * (1.0 + unit)))
            high = one / (one + kind(power * (1.0 - unit)))
            if complement:
                low, high = one - high, one - low
        return np.float64(low), np.float64(high)

    return reported


def exponential(margin: Callable[[Any], Any], *, single: bool) -> Reported:
    """Bound exp of a margin as a library computes it: within 8 half units, which no exp in use exceeds.

    ``margin`` is the exact IEEE arithmetic between the score and the exponential. Close to zero, where
    numbers have fewer digits, the bound only says that the prediction is about zero.
    """
    kind = np.float32 if single else np.float64
    unit = 4.0 * float(np.finfo(kind).eps)
    least = 1e-36 if single else 1e-300

    def reported(score: Any) -> tuple[Any, Any]:
        with np.errstate(all="ignore"):
            power = np.exp(np.float64(margin(score)))
            low = np.where(power >= least, np.float64(kind(power * (1.0 - unit))), 0.0)[()]
            high = np.float64(kind(np.maximum(power * (1.0 + unit), least)))
        return low, high

    return reported


def exactly(report: Callable[[Any], Any]) -> Reported:
    """Wrap a link that consists only of IEEE operations, which we therefore repeat bit by bit."""

    def reported(score: Any) -> tuple[Any, Any]:
        with np.errstate(all="ignore"):
            value = report(score)
        return value, value

    return reported


def of_arrays(reported: Reported) -> Callable[[FloatArray], tuple[FloatArray, FloatArray]]:
    """Return a link for arrays (n,), even if it was written for single scores; NaN stays NaN."""
    probe = np.array([0.25, 0.5])
    try:
        ends = reported(probe)
        takes_arrays = len(ends) == 2 and all(np.shape(end) == probe.shape for end in ends)
    except (TypeError, ValueError):  # such as `if score > 0` or float(score)
        takes_arrays = False

    def found(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        if takes_arrays:
            low, high = reported(scores)
        else:
            pairs = [reported(score) for score in scores.tolist()]
            low, high = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
        unknown = np.isnan(scores)
        return np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)

    return found
