"""Bound what a library reports for a margin, and convert thresholds to certified thresholds on scores.

Every function here returns a pair (accept_from, reject_below) for a score, or a `Reported` for it. ``band``
bounds how far the library's own margin, after its rounding, may be from the score that the solver computes.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.engine.scores.combined.combination import Ends
from p2ce.engine.scores.error_bands import Reported, certified, of_arrays, widened
from p2ce.engine.scores.trees.float_bisection import first_true
from p2ce.models.decisions.target_arguments import Range


def softmax_wins(band: float, *, single: bool) -> tuple[float, float]:
    """Return certified thresholds on target minus other margin, for the target to win a softmax.

    A target that is ahead of all others by the gap has the largest margin M. Its power is exp(0), all others
    are at most exp(-gap), and the 32 half units between them exceed the error of exp (8) and of the division.
    A target that is behind any other by the gap is behind the largest one, by the same argument. If all
    scores are certified, the target wins.
    """
    gap = 32.0 * _unit(single)
    return widened(gap, -gap, band)


def margin_wins(_index: int, _other: int, band: float) -> tuple[float, float]:
    """Return thresholds for being strictly ahead or behind by the margins; the model decides ties."""
    return math.nextafter(band, math.inf), math.nextafter(-band, -math.inf)


def softmax_reaches(
    threshold: float, classes: int, *, band: float, largest: float, single: bool
) -> tuple[float, float]:
    """Return a certified threshold on target minus other margin, below which softmax misses a threshold.

    No difference certifies acceptance. P = e_t / Σ e is at most e_t / (e_t + e_k), so each difference must
    reach logit(threshold), rounded outwards. ``largest`` bounds every margin's magnitude: exp is applied to
    the differences from the largest margin, whose rounding errors are relative to their size.
    """
    if threshold < (1e-30 if single else 1e-290):  # powers this small may have been flushed to zero
        return math.inf, -math.inf
    unit = _unit(single)
    # Three things are rounded: the sum of the powers, each power (by 8 units), and the division.
    above = 1.0 + 2.0 * (classes + 4) * unit

    def reaches(lead: float) -> bool:
        with np.errstate(over="ignore"):
            other = float(np.exp(np.float64(-lead))) * (1.0 - 32.0 * unit)
        return above / (1.0 + other) >= threshold

    return widened(math.inf, first_true(reaches), band + 8.0 * unit * largest)


def banded(reported: Reported, band: float) -> Callable[[FloatArray], Ends]:
    """Return the ends of the reported number for values (n, 1) of a score, which may be off by ``band``."""
    link = of_arrays(reported)

    def number(values: FloatArray) -> Ends:
        value = values[:, 0]
        if band == 0.0:
            return link(value)
        low, high = np.nextafter(value - band, -np.inf), np.nextafter(value + band, np.inf)
        return link(low)[0], link(high)[1]

    return number


def softmax_share(
    classes: int, *, bands: FloatArray, largest: float, single: bool
) -> Callable[[FloatArray], Ends]:
    """Return the ends of a softmax for values (n, classes - 1) of target minus each other margin.

    The share is 1 / (1 + Σ exp(-lead)). Roundings are those of `softmax_reaches`. ``bands`` (classes - 1,)
    bounds the errors of the leads. Powers that are too small for normal numbers may have been flushed to 0.
    """
    unit, tiny = _unit(single), 1e-30 if single else 1e-290
    above = 1.0 + 2.0 * (classes + 4) * unit
    around = bands + 8.0 * unit * largest

    def number(leads: FloatArray) -> Ends:
        with np.errstate(all="ignore"):
            least = np.exp(-(leads + around)).sum(axis=1) * (1.0 - 40.0 * unit)
            most = np.exp(-(leads - around)).sum(axis=1) * (1.0 + 40.0 * unit)
            low, high = 1.0 / (1.0 + most) / above - tiny, above / (1.0 + least) + tiny
        return np.maximum(low, 0.0), high

    return number


def softmax_sum(
    wanted: int, others: int, *, bands: FloatArray, largest: float, single: bool
) -> Callable[[FloatArray], Ends]:
    """Return the ends of a sum of softmax shares for values (n, wanted · others) of wanted minus other.

    The sum is 1 / (1 + Σ 1 / Σ exp(lead)), over the other classes and the wanted ones. Each share is rounded
    as in `softmax_share`, and their sum once for each of them.
    """
    unit, tiny = _unit(single), wanted * (1e-30 if single else 1e-290)
    above = (1.0 + 2.0 * (wanted + others + 4) * unit) * (1.0 + 4.0 * (wanted + 1) * 2.0**-53)
    around = bands + 8.0 * unit * largest

    def behind(leads: FloatArray) -> FloatArray:
        powers = np.exp(leads).reshape(len(leads), wanted, others)
        ratios: FloatArray = (1.0 / powers.sum(axis=1)).sum(axis=1)
        return ratios

    def number(leads: FloatArray) -> Ends:
        with np.errstate(all="ignore"):
            most = behind(leads - around) * (1.0 + 40.0 * unit)
            least = behind(leads + around) * (1.0 - 40.0 * unit)
            low, high = 1.0 / (1.0 + most) / above - tiny, above / (1.0 + least) + tiny
        return np.maximum(low, 0.0), np.minimum(high, 1.0)

    return number


class End(NamedTuple):
    """One end of a range as certified thresholds on ``sign`` times the score of the prediction."""

    sign: float
    limits: tuple[float, float]


def range_ends(wanted: Range, reported: Reported, *, band: float) -> tuple[End, ...]:
    """Return certified thresholds for the ends that are not open, the upper one on minus the score.

    ``reported`` returns the library's lowest and highest prediction for a score, and never decreases.
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
    """Return half a unit in the last place of 1.0."""
    return 2.0**-24 if single else 2.0**-53
