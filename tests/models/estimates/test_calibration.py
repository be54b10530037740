"""Check that the stated miss rate holds, on whom it is calibrated, and on which scale."""

import math

import numpy as np
import pytest

from p2ce.errors import InvalidOutput
from p2ce.models.estimates.calibration import Calibration, calibrate, divide, needed_residual, widen_estimate
from p2ce.models.estimates.instance_gains import estimated_scores
from p2ce.models.estimates.link_scale import LinkScale, preferred_link, to_scale
from p2ce.models.estimates.shap_estimate import ShapEstimate


@pytest.mark.parametrize(
    ("count", "miss_rate", "rank", "rate"),
    [(99, 0.01, 99, 0.01), (199, 0.01, 198, 0.01), (150, 0.05, 144, 7 / 151), (5, 0.5, 3, 0.5)],
)
def test_the_rank_of_the_split_conformal_rule(count: int, miss_rate: float, rank: int, rate: float) -> None:
    needed = np.random.default_rng(0).permutation(count).astype(float)
    found = calibrate(needed, miss_rate)
    assert found == Calibration(residual=rank - 1.0, stated_rate=pytest.approx(rate), sample_size=count)
    assert found.stated_rate <= miss_rate


def test_too_few_people_state_the_rate_that_they_can() -> None:
    assert calibrate(np.arange(20.0), 0.01) == Calibration(residual=19.0, stated_rate=1 / 21, sample_size=20)


def test_nobody_prunes_nothing() -> None:
    assert calibrate(np.empty(0), 0.01) == Calibration(residual=math.inf, stated_rate=0.0, sample_size=0)
    assert calibrate(np.full(9, -math.inf), 0.1).residual == math.inf


def test_people_without_a_front_do_not_decide_the_width() -> None:
    mostly = np.append(np.full(98, -math.inf), 0.5)
    assert calibrate(mostly, 0.5) == Calibration(residual=0.5, stated_rate=0.01, sample_size=99)


def test_nan_is_rejected() -> None:
    with pytest.raises(InvalidOutput, match=r"add up to NaN.*pass bound=None"):
        calibrate(np.array([0.0, np.nan]), 0.1)


@pytest.mark.parametrize(("count", "miss_rate"), [(99, 0.05), (39, 0.1), (20, 0.01)])
def test_the_stated_rate_holds_on_fresh_people(count: int, miss_rate: float) -> None:
    rng = np.random.default_rng(1)
    draws = rng.exponential(size=(4_000, count + 1)) ** 2
    results = [calibrate(draw[:-1], miss_rate) for draw in draws]
    missed = np.mean([fresh > one.residual for fresh, one in zip(draws[:, -1], results, strict=True)])
    stated = results[0].stated_rate
    # Exchangeable draws without ties miss exactly as often as stated; allow four standard errors.
    assert abs(missed - stated) <= 4.0 * math.sqrt(stated * (1.0 - stated) / len(draws))


def test_what_a_person_needs_keeps_the_front() -> None:
    rng = np.random.default_rng(2)
    for _ in range(200):
        gains = rng.normal(size=(3, 5))
        points = rng.integers(0, 5, size=(4, 3)).astype(np.int32)
        base, threshold, unit = rng.normal(), rng.normal(), rng.uniform(0.01, 1.0)
        needed = needed_residual(points, base, gains, threshold=threshold, unit=unit)
        wider, gains_then = widen_estimate(np.array([base]), gains[None], needed, unit)
        assert (estimated_scores(points, wider[0], gains_then[0]) >= threshold).all()
        narrower, gains_before = widen_estimate(np.array([base]), gains[None], needed - 1e-6, unit)
        assert (estimated_scores(points, narrower[0], gains_before[0]) < threshold).any()


def test_no_front_needs_nothing_and_infinity_keeps_everything() -> None:
    nothing = np.empty((0, 2), dtype=np.int32)
    assert needed_residual(nothing, 0.0, np.zeros((2, 3)), threshold=1.0, unit=1.0) == -math.inf
    base, gains = widen_estimate(np.zeros(2), np.ones((2, 2, 3)), math.inf, 1.0)
    assert np.isinf(base).all()
    assert np.isfinite(gains).all()


@pytest.mark.parametrize("count", [2, 3, 40, 5_000])
def test_nobody_who_is_calibrated_on_was_learnt_from(count: int) -> None:
    rejected = np.random.default_rng(1).permutation(np.arange(2 * count) < count)
    one, other = (divide(rejected, ShapEstimate(sample_size=199), np.random.default_rng(0)) for _ in range(2))
    (learned, rest), (_, same) = one, other
    both = np.concatenate([learned, rest])
    assert len(np.unique(both)) == len(both)
    assert rejected[both].all()
    assert len(learned) >= 1
    assert 1 <= len(rest) <= 199
    assert rest.tolist() == same.tolist()


@pytest.mark.parametrize("count", [0, 1])
def test_nobody_to_calibrate_on(count: int) -> None:
    learned, rest = divide(np.arange(10) < count, ShapEstimate(), np.random.default_rng(0))
    assert (len(learned), len(rest)) == (10, 0)


def test_log_odds_undo_the_logistic_function_and_stay_finite() -> None:
    margins = np.linspace(-10.0, 10.0, 41)
    np.testing.assert_allclose(to_scale(1.0 / (1.0 + np.exp(-margins)), LinkScale.LOGIT), margins, atol=1e-9)
    turned = to_scale(np.array([0.0, 1e-9, 0.3, 1.0]), LinkScale.LOGIT)
    assert np.isfinite(turned).all()
    assert (np.diff(turned) >= 0.0).all()


def test_votes_are_compared_as_they_are() -> None:
    rng = np.random.default_rng(0)
    assert preferred_link(rng.binomial(5, 0.3, size=300) / 5, probabilities=True) is LinkScale.IDENTITY
    assert preferred_link(rng.random(300), probabilities=True) is LinkScale.LOGIT
    assert preferred_link(rng.normal(size=300), probabilities=False) is LinkScale.IDENTITY


def test_a_front_that_the_estimate_keeps_with_room_to_spare_does_not_narrow_it() -> None:
    assert calibrate(np.array([-0.5, -0.4]), 0.4).residual == 0.0
