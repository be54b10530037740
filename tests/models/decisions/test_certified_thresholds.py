"""Are the thresholds on differences of margins, and on the ends of a range, proven?"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.scores.error_bands import exactly
from p2ce.models.decisions.certified_thresholds import (
    banded,
    margin_wins,
    range_ends,
    softmax_reaches,
    softmax_share,
    softmax_sum,
    softmax_wins,
)
from p2ce.models.decisions.target_arguments import Range
from tests.properties.amount import examples

# Margins that are equal, neighbours, or far apart.
margin = st.one_of(st.floats(-40, 40), st.integers(-3, 3).map(float))
nearly = st.sampled_from([0.0, 1e-16, -1e-16, 1e-8, -1e-8, 1e-6, -1e-6, 3e-6, 1e-14, -1e-14])
margins = st.lists(st.tuples(margin, nearly).map(sum), min_size=3, max_size=6)
tied = st.tuples(margin, st.lists(nearly, min_size=3, max_size=5)).map(
    lambda pair: [pair[0] + d for d in pair[1]]
)


def softmax(values: np.ndarray) -> np.ndarray:
    powers = np.exp(values - values.max())
    return powers / powers.sum()


@pytest.mark.parametrize("single", [False, True])
def test_a_lead_that_a_softmax_cannot_show_is_in_doubt(single):
    kind = np.float32 if single else np.float64
    accept_from, reject_below = softmax_wins(0.0, single=single)
    for lead in float(np.finfo(kind).eps) * 2.0 ** np.arange(-6.0, -2.0):
        first, second = softmax(np.array([0.0, -lead], dtype=kind))
        assert first == second
        assert reject_below <= -lead < lead < accept_from


@examples(120)
@given(margins | tied, st.booleans())
def test_who_surely_wins_is_picked_and_who_surely_loses_is_not(found, single):
    rounded = np.array(found, dtype=np.float32 if single else np.float64)
    real = rounded.astype(float)
    chosen = int(np.argmax(softmax(rounded)))
    for index in range(len(real)):
        ahead = real[index] - np.delete(real, index)
        accept_from, reject_below = softmax_wins(2.0**-48 * 100, single=single)
        if (ahead >= accept_from).all():
            assert chosen == index
        if (ahead < reject_below).any():
            assert chosen != index


@examples(120)
@given(st.floats(0, 4), st.floats(-4, 4))
def test_margins_decide_only_beyond_their_error(band, difference):
    accept_from, reject_below = margin_wins(1, 0, band)
    if difference >= accept_from:
        assert difference > band
    if difference < reject_below:
        assert difference < -band


@examples(120)
@given(margins | tied, st.booleans(), st.floats(0, 1), st.integers(-2, 2))
def test_a_probability_that_is_reached_is_never_ruled_out(found, single, anywhere, steps):
    rounded = np.array(found, dtype=np.float32 if single else np.float64)
    real = rounded.astype(float)
    largest = float(np.abs(real).max())
    for index, reported in enumerate(softmax(rounded).astype(float)):
        beside = reported
        for _ in range(abs(steps)):
            beside = float(np.nextafter(beside, math.inf if steps > 0 else -math.inf))
        for threshold in (anywhere, min(1.0, max(0.0, beside)), 0.0, 1.0):
            accept_from, reject_below = softmax_reaches(
                threshold, len(real), band=1e-13, largest=largest, single=single
            )
            assert accept_from == math.inf
            if reported >= threshold:
                assert (real[index] - np.delete(real, index) >= reject_below).all()


def test_a_threshold_rules_out_what_clearly_misses_it():
    for single in (True, False):
        for threshold in (0.01, 0.5, 0.99):
            _, reject_below = softmax_reaches(threshold, 3, band=0.0, largest=5.0, single=single)
            assert reject_below == pytest.approx(math.log(threshold / (1 - threshold)), abs=1e-4)


@examples(100)
@given(st.floats(-4, 4), st.floats(-4, 4), st.floats(-6, 6))
def test_the_ends_of_a_range_allow_for_all_that_may_be_reported(one, two, score):
    wanted = Range(min(one, two), max(one, two))
    ends = range_ends(wanted, lambda score: (score - 1.0, score + 1.0), band=0.0)
    for off in (0.9, 0.0, -0.9):
        inside = wanted.low <= score + off <= wanted.high
        if all(end.sign * score >= end.limits[0] for end in ends):
            assert inside
        if any(end.sign * score < end.limits[1] for end in ends):
            assert not inside


@examples(100)
@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.sampled_from([0.0, 1e-3]))
def test_the_ends_of_a_range_are_thresholds_on_the_score(one, two, score, band):
    wanted = Range(min(one, two), max(one, two))
    ends = range_ends(wanted, exactly(float), band=band)
    for off in (0.0, 0.9 * band, -0.9 * band):  # as far as the library may be from our score
        inside = wanted.low <= score + off <= wanted.high
        assert (wanted.leads(np.array([score + off]))[0] >= 0.0) == inside
        if all(end.sign * score >= end.limits[0] for end in ends):
            assert inside
        if any(end.sign * score < end.limits[1] for end in ends):
            assert not inside


@examples(120)
@given(margins | tied, st.booleans())
def test_a_share_lies_between_its_ends(found, single):
    rounded = np.array(found, dtype=np.float32 if single else np.float64)
    own = softmax(rounded).astype(float)
    real = rounded.astype(float)
    largest = float(np.abs(real).max())
    for index in range(len(real)):
        leads = real[index] - np.delete(real, index)
        share = softmax_share(len(real), bands=np.full(len(leads), 1e-14), largest=largest, single=single)
        low, high = share(leads[None, :])
        assert low[0] <= own[index] <= high[0]
        assert high[0] - low[0] < (1e-3 if single else 1e-11)


@examples(200)
@given(st.one_of(margins, tied), st.booleans(), st.data())
def test_a_sum_of_softmax_shares_lies_between_its_ends_and_never_falls(found, single, data):
    rounded = np.array(found, dtype=np.float32 if single else np.float64)
    own, real = softmax(rounded), rounded.astype(float)
    wanted = sorted(data.draw(st.sets(st.integers(0, len(real) - 1), min_size=2, max_size=len(real) - 1)))
    others = [place for place in range(len(real)) if place not in wanted]
    leads = (real[wanted][:, None] - real[others]).reshape(1, -1)
    ends = softmax_sum(
        len(wanted),
        len(others),
        bands=np.full(leads.shape[1], 1e-14),
        largest=float(np.abs(real).max()),
        single=single,
    )
    low, high = ends(leads)
    for order in (wanted, wanted[::-1]):  # the library may add in any order
        assert low[0] <= min(float(sum(float(own[place]) for place in order)), 1.0) <= high[0]
    assert high[0] - low[0] < (1e-3 if single else 1e-11)
    raised = leads + data.draw(st.lists(st.floats(0, 5), min_size=leads.size, max_size=leads.size))
    assert ends(raised)[0][0] >= low[0]
    assert ends(raised)[1][0] >= high[0]


@pytest.mark.parametrize("far", [800.0, -800.0, 1e6])
def test_far_margins_leave_a_sum_of_shares_within_its_ends(far):
    """Powers overflow or vanish."""
    ends = softmax_sum(2, 2, bands=np.zeros(4), largest=abs(far), single=False)
    own = softmax(np.array([far, 0.0, 1.0, -far]))
    low, high = ends(np.array([[far - 1.0, far + far, -1.0, far]]))
    assert low[0] <= own[:2].sum() <= high[0]


def test_a_band_moves_the_ends_of_a_number_outwards():
    values = np.array([[-1.0], [0.5], [np.nan]])
    low, high = banded(exactly(lambda total: total / 2.0), 0.25)(values)
    np.testing.assert_allclose(low, [-0.625, 0.125, np.nan])
    np.testing.assert_allclose(high, [-0.375, 0.375, np.nan])
    assert (low[:2] < [-0.625, 0.125]).all()
    np.testing.assert_array_equal(banded(exactly(lambda total: total), 0.0)(values)[0], values[:, 0])
