"""Bound what a library reports for a margin, and turn thresholds on it into certified thresholds on scores.

Every function here gives a pair (accept_from, reject_below) for a score, or a `Reported` for it. ``band``
bounds how far the library's own margin, as rounded by it, may be from the score that the solver computes.
"""

import math
from typing import NamedTuple

import numpy as np

from p2ce.decisions.target_arguments import Range
from p2ce.scores.error_bands import Reported, certified, widened
from p2ce.scores.float_bisection import first_true


def softmax_wins(band: float, *, single: bool) -> tuple[float, float]:
    """Certify a difference of margins, target minus other, for the target to win a softmax.

    A target that is ahead of all others by the gap has the largest margin M: its power is exp(0), all others
    are at most exp(-gap), and 32 half units between them outlast the error of exp (8) and of the division. A
    target behind any other by the gap is behind the largest one, by the same argument. If all scores are
    certified, the target wins.
    """
    gap = 32.0 * _unit(single)
    return widened(gap, -gap, band)


def margin_wins(_index: int, _other: int, band: float) -> tuple[float, float]:
    """Certify what is strictly ahead or behind by the margins themselves; the model decides about ties."""
    return math.nextafter(band, math.inf), math.nextafter(-band, -math.inf)


def softmax_reaches(
    threshold: float, classes: int, *, band: float, largest: float, single: bool
) -> tuple[float, float]:
    """Certify a difference of margins for the target's softmax probability to miss a threshold.

    No difference certifies acceptance. P = e_t / Σ e is at most e_t / (e_t + e_k), so each difference must
    reach logit(threshold), outwards. ``largest`` bounds every margin's magnitude: the differences from the
    largest margin, of which exp is taken, are rounded relative to themselves.
    """
    if threshold < (1e-30 if single else 1e-290):  # powers this small may have been flushed to zero
        return math.inf, -math.inf
    unit = _unit(single)
    # Rounded are the sum of the powers, each power (by 8 units), and the division.
    above = 1.0 + 2.0 * (classes + 4) * unit

    def reaches(lead: float) -> bool:
        with np.errstate(over="ignore"):
            other = float(np.exp(np.float64(-lead))) * (1.0 - 32.0 * unit)
        return above / (1.0 + other) >= threshold

    return widened(math.inf, first_true(reaches), band + 8.0 * unit * largest)


class End(NamedTuple):
    """One end of a range as certified thresholds on ``sign`` times the score of the prediction."""

    sign: float
    limits: tuple[float, float]


def range_ends(wanted: Range, reported: Reported, *, band: float) -> tuple[End, ...]:
    """Certify the ends that are not open, the upper one on minus the score.

    ``reported`` gives what the library may predict for a score, lowest and highest, and never decreases.
    """
    ends = []
    if wanted.low > -math.inf:
        ends.append(End(1.0, widened(*certified(reported, wanted.low), band)))
    if wanted.high < math.inf:

        def turned(score: float) -> tuple[float, float]:
            low, high = reported(-score)
            return -high, -low

        ends.append(End(-1.0, widened(*certified(turned, -wanted.high), band)))
    return tuple(ends)


def _unit(single: bool) -> float:
    """Half a unit in the last place of 1.0."""
    return 2.0**-24 if single else 2.0**-53
