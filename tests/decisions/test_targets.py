"""Check what is asked of several classes and of regressors, and that its thresholds are proven."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from p2ce.decisions.targets import (
    BEHIND,
    NO_TREES,
    Margin,
    Range,
    difference_score,
    exponential,
    leads,
    range_ends,
    read_range,
    refuse_scale,
    softmax_reaches,
    softmax_wins,
)

from p2ce.errors import InvalidArgument, InvalidTarget, InvalidThreshold
from p2ce.scores.error_bands import exactly
from p2ce.scores.score_rows import score_rows

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


@settings(max_examples=400, deadline=None)
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


@settings(max_examples=400, deadline=None)
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


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1), st.integers(0, 3))
def test_a_lead_is_at_least_zero_exactly_where_argmax_picks_the_class(rows, index):
    values = np.array(rows, dtype=float)
    assert ((leads(values, index) >= 0.0) == (values.argmax(axis=1) == index)).all()
    assert BEHIND < 0.0


def test_a_margin_without_trees_is_its_offset():
    empty, other = Margin(offset=2.0, forest=None, error=0.0), Margin(offset=0.5, forest=NO_TREES, error=0.25)
    score = difference_score(empty, other, columns=2, limits=lambda band: (band, -band))
    assert score_rows(score, np.array([[-np.inf, 1.0]])).tolist() == [1.5]
    assert score.accept_from == pytest.approx(0.25)
    assert difference_score(empty, empty, columns=2, limits=lambda band: (band, -band)).forest is not None


@settings(max_examples=300, deadline=None)
@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.sampled_from([0.0, 1e-3]))
def test_the_ends_of_a_range_are_thresholds_on_the_score(one, two, score, band):
    wanted = Range(min(one, two), max(one, two))
    ends = range_ends(wanted, exactly(float), band=band)
    for off in (0.0, 0.9 * band, -0.9 * band):  # as far as the library may be from our score
        inside = wanted.low <= score + off <= wanted.high
        assert (wanted.leads(np.array([score + off]))[0] >= 0.0) == inside
        if all(end.sign * score >= end.accept_from for end in ends):
            assert inside
        if any(end.sign * score < end.reject_below for end in ends):
            assert not inside


@settings(max_examples=300, deadline=None)
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


def request(target: object = (0, 1), threshold: float | None = None, scale: str | None = None) -> object:
    return SimpleNamespace(target=target, threshold=threshold, scale=scale)


def test_a_range_may_be_open_at_one_end():
    assert read_range(request((None, 3)), name="model") == (-math.inf, 3.0)
    assert read_range(request([np.float32(0.5), math.inf]), name="model") == (0.5, math.inf)
    assert read_range(request((2, 2)), name="model") == (2.0, 2.0)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (1, "is a regressor: pass target="),
        ("rich", "is a regressor: pass target="),
        ((1, 2, 3), "is a regressor: pass target="),
        ((None, None), "asks for nothing"),
        ((-math.inf, math.inf), "asks for nothing"),
        ((3, 1), "Exchange them"),
        ((math.nan, 1), "are numbers"),
        ((True, 2), "are numbers"),
        (("low", "high"), "are numbers"),
        ((math.inf, None), "are numbers"),
    ],
)
def test_what_is_no_range_is_told(target, message):
    with pytest.raises(InvalidTarget, match=message):
        read_range(request(target), name="model")


def test_a_regressor_takes_neither_threshold_nor_scale():
    with pytest.raises(InvalidThreshold, match="no threshold"):
        read_range(request(threshold=0.5), name="model")
    with pytest.raises(InvalidArgument, match="Leave scale out"):
        read_range(request(scale="decision"), name="model")
    with pytest.raises(InvalidArgument, match="Pass scale='probability', or leave scale out"):
        refuse_scale(request(scale="decision"), ("probability",), name="model")
