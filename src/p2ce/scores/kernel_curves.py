"""Bend a kernel machine's arguments: the curve φ, its range over an interval, and lines above and below it.

`line_above` and `line_below` give slope a and offset p with φ(z) ≤ a·z + p, or ≥, for every real z of the
interval from ``low`` to ``high``. The slope may be any number, rounded or not, and the offset is proven for
it: the extreme value of φ(z) − a·z is taken at an end of the interval or where φ′(z) = a. There

    exp z − a·z  =  a·(1 − ln a),               its smallest value,
    z^k − a·z    =  −(k − 1)·(|a|/k)^(k/(k−1)),  its smallest value, and for odd k minus its largest, at −z.

Every offset is moved outwards by what rounding can do to those few operations.
"""

import numpy as np

from p2ce.arrays import BoolArray, FloatArray

# exp of every library in use errs by about one unit in the last place: sixteen are allowed, and four times
# that for the handful of operations around it. Powers to a fraction err by more where they are large.
UNIT = 2.0**-53
EXP_UNITS = 64.0
POWER_UNITS = 4096.0
# What is lost where a number becomes too small to be a normal one, and more.
FLOOR = 1e-200


def bend(kernel: str, degree: int, z: FloatArray) -> FloatArray:
    """Compute φ(z)."""
    return np.exp(z) if kernel == "rbf" else power(z, degree)


def power(z: FloatArray, degree: int) -> FloatArray:
    """Raise to a whole power by squaring, as libsvm does: fewer than two roundings per factor."""
    result, square = np.ones_like(z), z
    while degree > 0:
        if degree % 2 == 1:
            result = result * square
        degree //= 2
        if degree:
            square = square * square
    return result


def largest(kernel: str, degree: int, low: FloatArray, high: FloatArray) -> FloatArray:
    """Bound φ from above between two ends."""
    if kernel == "rbf" or degree % 2 == 1:
        top = bend(kernel, degree, high)
    else:
        top = power(np.maximum(np.abs(low), np.abs(high)), degree)
    return np.asarray(top + _units(kernel, degree) * np.abs(top) + FLOOR)


def smallest(kernel: str, degree: int, low: FloatArray, high: FloatArray) -> FloatArray:
    """Bound φ from below between two ends."""
    if kernel == "rbf" or degree % 2 == 1:
        least = bend(kernel, degree, low)
    else:
        # The point of the interval that is nearest to zero.
        least = power(np.clip(0.0, low, high), degree)
    return np.asarray(least - _units(kernel, degree) * np.abs(least) - FLOOR)


def line_above(kernel: str, degree: int, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give slope and offset of a line that φ does not exceed between two ends: the chord, or near it."""
    at_low, at_high = bend(kernel, degree, low), bend(kernel, degree, high)
    slope = _chord(low, high, at_low, at_high)
    offset = np.maximum(at_low - slope * low, at_high - slope * high)
    if kernel == "poly" and degree % 2 == 1 and degree > 1:
        root, depth = _turn(slope, degree)
        offset = np.where(_inside(-root, low, high), np.maximum(offset, depth), offset)
    size = np.abs(at_low) + np.abs(at_high) + np.abs(slope) * (np.abs(low) + np.abs(high)) + np.abs(offset)
    return slope, offset + (_units(kernel, degree) * size + FLOOR)


def line_below(kernel: str, degree: int, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give slope and offset of a line that φ does not fall below between two ends: a tangent, or near it."""
    if kernel == "rbf":
        # Touching in the middle proved more than touching where the tangent is parallel to the chord.
        middle = 0.5 * (low + high)
        slope = np.exp(middle)
        # exp may be off, and then the line touches beside the middle: by its error, as ln(1 + e) ≈ e.
        return slope, slope * (1.0 - middle) - (EXP_UNITS * UNIT * slope * (1.0 + np.abs(middle)) + FLOOR)
    at_low, at_high = power(low, degree), power(high, degree)
    slope = _chord(low, high, at_low, at_high)
    if degree > 1 and degree % 2 == 0:
        offset = -_turn(slope, degree)[1]
    else:
        offset = np.minimum(at_low - slope * low, at_high - slope * high)
        if degree > 1:
            root, depth = _turn(slope, degree)
            offset = np.where(_inside(root, low, high), np.minimum(offset, -depth), offset)
    size = np.abs(at_low) + np.abs(at_high) + np.abs(slope) * (np.abs(low) + np.abs(high)) + np.abs(offset)
    return slope, offset - (_units(kernel, degree) * size + FLOOR)


def _units(kernel: str, degree: int) -> float:
    return UNIT * (EXP_UNITS if kernel == "rbf" else POWER_UNITS + 8.0 * degree)


def _chord(low: FloatArray, high: FloatArray, at_low: FloatArray, at_high: FloatArray) -> FloatArray:
    slope: FloatArray = (at_high - at_low) / np.maximum(high - low, FLOOR)
    return slope


def _inside(z: FloatArray, low: FloatArray, high: FloatArray) -> BoolArray:
    """Tell whether z may lie in an interval; it only makes a line looser to say so wrongly."""
    return np.asarray((z >= low - 1e-9 * np.abs(low) - FLOOR) & (z <= high + 1e-9 * np.abs(high) + FLOOR))


def _turn(slope: FloatArray, degree: int) -> tuple[FloatArray, FloatArray]:
    """Give |z| where z^degree has this slope, and how far z^degree − slope·z is below or above zero there.

    A falling slope, which only rounding can give to an odd power's chord, has no such place and is taken
    for a rising one: the line is then looser than need be.
    """
    share = np.abs(slope) / degree
    root = share ** (1.0 / (degree - 1))
    return root, (degree - 1) * share * root
