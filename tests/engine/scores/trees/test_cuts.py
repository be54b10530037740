"""Check that a translated cut decides every double as the library's own comparison does."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from p2ce.engine.scores.trees.cuts import (
    LIGHTGBM_ZERO,
    cut_of_float32_at_most,
    cut_of_float32_below,
    cut_of_lightgbm,
)

SINGLES = st.floats(width=32, allow_nan=False, allow_infinity=False)
DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
EDGES = st.sampled_from(
    [
        0.0,
        -0.0,
        2.0 ** (-149),
        -(2.0 ** (-149)),
        2.0 ** (-150),
        -(2.0 ** (-150)),
        2.0 ** (-126),
        1.0,
        16777216.0,
        16777217.0,
        float(np.finfo(np.float32).max),
        -float(np.finfo(np.float32).max),
        2.0**128,
        -(2.0**128),
        1e300,
        -1e300,
    ]
)


def as_single(value: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.float32(value))


@given(SINGLES | DOUBLES | EDGES)
def test_the_cut_is_the_largest_double_that_rounds_to_at_most_the_threshold(threshold):
    cut = float(cut_of_float32_at_most(np.array([threshold]))[0])
    assert as_single(cut) <= threshold
    assert as_single(np.nextafter(cut, np.inf)) > threshold


@given(SINGLES | EDGES.map(as_single).filter(np.isfinite))
def test_the_strict_cut_is_the_largest_double_that_rounds_below_the_threshold(threshold):
    cut = float(cut_of_float32_below(np.array([threshold]))[0])
    assert as_single(cut) < threshold
    assert as_single(np.nextafter(cut, np.inf)) >= threshold


def test_an_infinite_threshold_sends_everything_left():
    assert cut_of_float32_at_most(np.array([np.inf]))[0] == np.inf


BAND = st.sampled_from([LIGHTGBM_ZERO, -LIGHTGBM_ZERO, 0.0, -0.0, 1e-40, -1e-40, 5e-324]).flatmap(
    lambda value: st.sampled_from([value, float(np.nextafter(value, 1.0)), float(np.nextafter(value, -1.0))])
)


@given(BAND | DOUBLES, BAND | DOUBLES)
@example(LIGHTGBM_ZERO, LIGHTGBM_ZERO)
@example(0.0, LIGHTGBM_ZERO)
@example(-LIGHTGBM_ZERO, -LIGHTGBM_ZERO)
def test_lightgbm_reads_tiny_values_as_zero(threshold, value):
    read = 0.0 if abs(value) <= LIGHTGBM_ZERO else value
    assert (value <= cut_of_lightgbm(np.array([threshold]))[0]) == (read <= threshold)
