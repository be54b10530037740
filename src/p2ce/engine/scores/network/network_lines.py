"""Find lines above and below an activation over an interval, proven in floating point too.

Any slope is valid if the shift is large enough: ``shift ≥ max f(z) − slope·z`` over the interval. That
maximum has a closed form, so the proof does not depend on how well a slope was chosen:

* A piecewise linear f with slopes ``below`` ≤ 1 and 1 is convex, so the maximum lies at an end. Below it, any
  line through the origin with a slope between ``below`` and 1 is valid without a shift.
* tanh is convex below zero and concave above. The maximum lies at an end, or on the concave side where tanh'
  equals the slope, at z* = artanh √(1 − slope). There it is √(1 − slope) − slope·z*. Slopes below 1e-10 are
  set to 0, so that z* is known to 1e-5. A z* outside the interval that is nevertheless included only raises
  the line.
* The logistic function is a scaled and shifted tanh. Lines below are mirrored lines above.

Every shift is rounded upwards by more than its arithmetic can lose.
"""

from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.engine.scores.network.network_layers import Layer
from p2ce.engine.scores.network.network_rounding import DOUBLE

_FLATTEST = 1e-10
_TOUCH_ERROR = 1e-5


class Lines(NamedTuple):
    """For each activation, a line above and a line below it: ``slope · z + shift``, arrays of one shape."""

    upper_slope: FloatArray
    upper_shift: FloatArray
    lower_slope: FloatArray
    lower_shift: FloatArray


def lines_around(layer: Layer, low: FloatArray, high: FloatArray) -> Lines:
    """Enclose the activation of a layer whose pre-activations lie between ``low`` and ``high``."""
    if layer.activation == "tanh":
        above, lift = _above_tanh(low, high)
        below, drop = _above_tanh(-high, -low)
        return Lines(above, lift, below, -drop)
    if layer.activation == "sigmoid":
        above, lift = _above_tanh(low / 2.0, high / 2.0)
        below, drop = _above_tanh(-high / 2.0, -low / 2.0)
        room = 4.0 * DOUBLE
        return Lines(above / 4.0, 0.5 + lift / 2.0 + room, below / 4.0, 0.5 - drop / 2.0 - room)
    return _around_kink(layer.below, low, high)


def _around_kink(below: float, low: FloatArray, high: FloatArray) -> Lines:
    kinked = (low < 0.0) & (high > 0.0)
    one_side = np.where(low >= 0.0, 1.0, np.where(high <= 0.0, below, np.nan))
    secant = np.clip((high - below * low) / np.where(kinked, high - low, 1.0), below, 1.0)
    shift = np.maximum((below - secant) * low, (1.0 - secant) * high) * (1.0 + 2.0**-49) + 1e-300
    nothing = np.zeros_like(low)
    return Lines(
        np.where(kinked, secant, one_side),
        np.where(kinked, shift, nothing),
        # Of the lines through the origin, choose the one that leaves the smaller triangle.
        np.where(kinked, np.where(high > -low, 1.0, below), one_side),
        nothing,
    )


def _above_tanh(low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    at_low, at_high = np.tanh(low), np.tanh(high)
    slope = _good_slope(low, high, at_low, at_high)
    slope = np.where(slope < _FLATTEST, 0.0, np.minimum(slope, 1.0))
    touch, root = _touches(slope)
    shift = np.maximum(at_low - slope * low, at_high - slope * high)
    inside = (touch >= low - _TOUCH_ERROR) & (touch <= high + _TOUCH_ERROR)
    shift = np.where(inside, np.maximum(shift, root - slope * touch), shift)
    room = 64.0 * DOUBLE * (2.0 + slope * (np.abs(low) + np.abs(high)))
    return slope, shift + room


def _good_slope(low: FloatArray, high: FloatArray, at_low: FloatArray, at_high: FloatArray) -> FloatArray:
    """Choose the slope of a tight line; no proof rests on it."""
    middle = np.tanh((low + high) / 2.0)
    tangent = 1.0 - middle * middle
    width = high - low
    wide = width > 1e-6
    secant = np.where(wide, (at_high - at_low) / np.where(wide, width, 1.0), tangent)
    slope = np.where(low >= 0.0, tangent, secant)
    # From the low end to a tangent on the concave side: each step doubles the digits of the tangent point.
    leaning = (low < 0.0) & (high > 0.0) & (1.0 - at_high * at_high < secant)
    if leaning.any():
        start, value = low[leaning], at_low[leaning]
        steep = secant[leaning]
        for _ in range(3):
            touch, _root = _touches(np.clip(steep, _FLATTEST, 1.0))
            steep = (np.tanh(touch) - value) / (touch - start)
        slope[leaning] = steep
    return slope


def _touches(slope: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Find where tanh has this slope on the concave side, and its value there; infinitely far for slope 0."""
    root = np.sqrt(1.0 - slope)
    positive = slope > 0.0
    touch = np.where(positive, np.log((1.0 + root) / np.sqrt(np.where(positive, slope, 1.0))), np.inf)
    # Infinity is never inside an interval, but infinity times slope 0 would be NaN.
    return np.where(positive, touch, 1e300), root
