"""Check the thresholds on scores against probabilities computed in the ordinary way."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from p2ce.engine.scores.error_bands import (
    certified,
    exactly,
    exponential,
    logistic,
    of_arrays,
    summation_error,
    widened,
)
from p2ce.engine.scores.trees.float_bisection import first_true
from tests.properties.amount import examples

SCORES = st.floats(-60.0, 60.0)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_first_score_is_found_to_the_last_bit(edge):
    assert first_true(lambda score: score >= edge) in (edge, -math.inf)
    assert first_true(lambda score: score > edge) in (math.nextafter(edge, math.inf), math.inf)


def test_a_test_that_never_or_always_holds_gives_an_infinity():
    assert first_true(lambda score: False) == math.inf
    assert first_true(lambda score: True) == -math.inf


@given(SCORES, SCORES, st.booleans(), st.booleans())
def test_certified_cover_the_logistic_function(score, at, complement, single):
    def report(margin: float) -> float:
        kind = np.float32 if single else np.float64
        second = expit(kind(margin))
        return float(kind(1.0) - second if complement else second)

    threshold = report(at)
    accept_from, reject_below = certified(logistic(complement=complement, single=single), threshold)
    accepted = report(float(np.float32(-score if complement else score))) >= threshold
    shown = float(np.float32(score))
    assert accepted or shown < accept_from
    assert not accepted or shown >= reject_below


@given(SCORES, st.booleans(), st.booleans())
def test_the_logistic_function_lies_between_its_bounds(score, complement, single):
    low, high = logistic(complement=complement, single=single)(score)
    kind = np.float32 if single else np.float64
    power = kind(np.exp(np.float64(score if complement else -score)))
    second = kind(1.0) / (kind(1.0) + power)
    assert low <= float(kind(1.0) - second if complement else second) <= high


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("complement", [False, True])
def test_the_ends_of_the_scale(complement, single):
    link = logistic(complement=complement, single=single)
    assert certified(link, 0.0) == (-math.inf, -math.inf)
    accept_from, reject_below = certified(link, 1.0)
    assert math.isfinite(reject_below) == math.isfinite(accept_from)
    assert accept_from < 800.0  # a probability of 1 is reported far from infinity


def test_half_is_reached_just_below_zero():
    accept_from, reject_below = certified(logistic(complement=False), 0.5)
    assert -1e-14 < reject_below < 0.0 < accept_from < 1e-14
    assert expit(-1e-17) >= 0.5  # why zero itself would be too high


def test_an_exact_link_leaves_no_gap():
    assert certified(exactly(lambda total: total / 3.0), 1.0 / 3.0) == (
        pytest.approx(1.0),
        pytest.approx(1.0),
    )
    accept_from, reject_below = certified(exactly(lambda total: total / 3.0), 0.1)
    assert accept_from == reject_below
    assert accept_from / 3.0 >= 0.1 > math.nextafter(accept_from, 0.0) / 3.0


def test_widening_goes_outwards():
    assert widened(1.0, 0.5, 0.0) == (1.0, 0.5)
    accept_from, reject_below = widened(1.0, 0.5, 0.25)
    assert accept_from > 1.25
    assert reject_below < 0.25
    assert widened(math.inf, -math.inf, 1.0) == (math.inf, -math.inf)


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=60), st.randoms())
def test_the_error_of_a_sum_is_bounded_in_any_order(terms, random):
    exact = math.fsum(terms)
    random.shuffle(terms)
    total = np.float32(0.0)
    for term in terms:
        total = np.float32(total + np.float32(term))
    assert abs(float(total) - exact) <= summation_error(len(terms), sum(map(abs, terms)), unit=2.0**-24)


@examples(300)
@given(st.floats(-700, 700) | st.floats(-80, 80), st.booleans())
def test_the_exponential_lies_between_its_bounds(score, single):
    low, high = exponential(float, single=single)(score)
    with np.errstate(all="ignore"):
        own = float(np.exp(np.float32(score))) if single else math.exp(score)
    if not single or float(np.float32(score)) == score:
        assert low <= own <= high
    after = exponential(float, single=single)(math.nextafter(score, math.inf))
    assert low <= after[0]
    assert high <= after[1]


@pytest.mark.parametrize(
    "link",
    [
        logistic(complement=False),
        logistic(complement=True, single=True, margin=lambda total: 2.0 * total),
        exponential(np.float64, single=True),
        exponential(lambda total: total / 3.0, single=False),
        exactly(lambda total: total / 7.0),
        exactly(math.tanh),  # of a plug-in, for one score at a time
        exactly(lambda score: 1.0 if score > 0.3 else 0.0),
    ],
)
def test_a_link_says_the_same_of_an_array_as_of_each_score(link):
    scores = np.array([-800.0, -3.0, -0.1, 0.0, 0.25, 0.5, 40.0, 800.0])
    low, high = of_arrays(link)(scores)
    each = np.array([link(score) for score in scores.tolist()], dtype=np.float64)
    np.testing.assert_allclose(low, each[:, 0], rtol=1e-15)
    np.testing.assert_allclose(high, each[:, 1], rtol=1e-15)
    assert np.isnan(of_arrays(link)(np.array([np.nan, 1.0]))).tolist() == [[True, False]] * 2
