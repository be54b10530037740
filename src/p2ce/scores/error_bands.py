"""Find which scores surely, and which possibly, reach a threshold once a library has rounded them."""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

# The lowest and the highest number that the library may report for a score.
Reported: TypeAlias = Callable[[float], tuple[float, float]]


def first_score(reaches: Callable[[float], bool]) -> float:
    """Find the smallest double at which a test that only ever turns from False to True is True.

    Minus infinity means that it always is, plus infinity that it never is.
    """
    largest = _rank(float(np.finfo(np.float64).max))
    low, high = -largest, largest
    if reaches(_unrank(low)):
        return -math.inf
    if not reaches(_unrank(high)):
        return math.inf
    while high - low > 1:
        middle = (low + high) // 2
        if reaches(_unrank(middle)):
            high = middle
        else:
            low = middle
    return _unrank(high)


def sure_and_maybe(reported: Reported, threshold: float) -> tuple[float, float]:
    """Turn a threshold on what is reported into the two thresholds on the score."""
    accept_from = first_score(lambda score: reported(score)[0] >= threshold)
    reject_below = first_score(lambda score: reported(score)[1] >= threshold)
    return accept_from, min(reject_below, accept_from)


def widened(accept_from: float, reject_below: float, band: float) -> tuple[float, float]:
    """Move both thresholds outwards by ``band``, the largest possible error of a score."""
    if band == 0.0:
        return accept_from, reject_below
    return math.nextafter(accept_from + band, math.inf), math.nextafter(reject_below - band, -math.inf)


def summation_error(terms: int, magnitude: float, *, unit: float = 2.0**-53) -> float:
    """Bound how far a rounded sum of ``terms`` numbers can be from the true one, in any order.

    ``magnitude`` bounds the sum of their magnitudes; products that are rounded before they are added
    count as one term more. This is the usual n·u/(1 − n·u), with room for evaluating it in float64.
    """
    share = terms * unit
    if share >= 0.25:
        return math.inf
    return share / (1.0 - share) * magnitude * (1.0 + 2.0**-40)


def logistic(
    *, complement: bool, margin: Callable[[float], float] = float, single: bool = False, slack: float = 8.0
) -> Reported:
    """Bound ``1 / (1 + exp(-margin))`` as a library computes it, or with ``complement`` one minus that.

    ``complement`` belongs to the first class, whose score is minus the margin. ``margin`` is the exact
    IEEE arithmetic between the score and the logistic function. ``single`` is for float32 libraries.
    Every exp in use errs by about one unit in the last place; ``slack`` units are allowed. The
    addition, the division and the subtraction are IEEE operations and monotone, so the ends of the
    interval are exact, also where the probability saturates at 1.
    """
    kind = np.float32 if single else np.float64
    unit = slack * float(np.finfo(kind).eps) / 2.0
    one = kind(1.0)

    def reported(score: float) -> tuple[float, float]:
        with np.errstate(all="ignore"):
            power = np.exp(np.float64(-margin(-score if complement else score)))
            low = one / (one + kind(power * (1.0 + unit)))
            high = one / (one + kind(power * (1.0 - unit)))
            if complement:
                low, high = one - high, one - low
        return float(low), float(high)

    return reported


def exactly(report: Callable[[float], float]) -> Reported:
    """Wrap a link that consists of IEEE operations only, so that we repeat it bit by bit."""

    def reported(score: float) -> tuple[float, float]:
        value = report(score)
        return value, value

    return reported


def _rank(value: float) -> int:
    """Number the doubles in ascending order, both zeros being 0."""
    bits = int(np.float64(value).view(np.int64))
    return bits if bits >= 0 else -(bits & 0x7FFF_FFFF_FFFF_FFFF)


def _unrank(rank: int) -> float:
    magnitude = float(np.int64(abs(rank)).view(np.float64))
    return magnitude if rank >= 0 else -magnitude
