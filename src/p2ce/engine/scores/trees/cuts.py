"""Translate each library's split rule to one plain float64 ``<=`` that sends every value to the same side."""

import numpy as np

from p2ce.base.arrays import FloatArray

# LightGBM writes its zero threshold as the float constant 1e-35f, and compares rows with exactly this number.
LIGHTGBM_ZERO = float(np.float32(1e-35))

# float32 rounds to infinity from here on: half a unit in the last place above the largest float32.
_FLOAT32_OVERFLOW = 2.0**128 - 2.0**103


def cut_of_float32_at_most(threshold: FloatArray) -> FloatArray:
    """Find the largest double T with ``float32(T) <= threshold``: (n,) → (n,).

    For finite x, ``x <= T`` in float64 then decides exactly as ``float32(x) <= threshold``.
    """
    threshold = np.asarray(threshold, dtype=np.float64)
    with np.errstate(over="ignore", under="ignore"):
        rounded = threshold.astype(np.float32)
        # The largest float32 that does not exceed the threshold.
        floor = np.where(
            rounded.astype(np.float64) > threshold, np.nextafter(rounded, np.float32(-np.inf)), rounded
        )
        above = np.nextafter(floor, np.float32(np.inf))
    # Two neighbouring float32 have an exact midpoint in float64. Next to infinity, it is set explicitly.
    middle = floor.astype(np.float64) / 2.0 + above.astype(np.float64) / 2.0
    middle = np.where(np.isposinf(above), _FLOAT32_OVERFLOW, middle)
    middle = np.where(np.isneginf(floor), -_FLOAT32_OVERFLOW, middle)
    # Ties round to the even neighbour, so the midpoint itself rounds to the floor only if the floor is even.
    floor_is_even = (floor.view(np.int32) & 1) == 0
    cut = np.where(floor_is_even, middle, np.nextafter(middle, -np.inf))
    return np.where(np.isposinf(threshold), np.inf, cut)


def cut_of_float32_below(threshold: FloatArray) -> FloatArray:
    """Find the largest double T with ``float32(T) < threshold``, for float32 thresholds: (n,) → (n,)."""
    with np.errstate(over="ignore", under="ignore"):
        single = np.asarray(threshold, dtype=np.float64).astype(np.float32)
        below = np.nextafter(single, np.float32(-np.inf))
    return cut_of_float32_at_most(below.astype(np.float64))


def cut_of_lightgbm(threshold: FloatArray) -> FloatArray:
    """Find the cut for LightGBM, which treats every magnitude up to 1e-35f as zero: (n,) → (n,)."""
    threshold = np.asarray(threshold, dtype=np.float64)
    whole_band_left = (threshold >= 0.0) & (threshold < LIGHTGBM_ZERO)
    whole_band_right = (threshold < 0.0) & (threshold >= -LIGHTGBM_ZERO)
    cut = np.where(whole_band_left, LIGHTGBM_ZERO, threshold)
    return np.where(whole_band_right, np.nextafter(-LIGHTGBM_ZERO, -np.inf), cut)
