"""Quantiles that are drawn at once have the distribution of quantiles of resamples, person by person."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

from p2ce.arrays import FloatArray
from p2ce.audits.cost_resampling import place_of, quantile_of, resampled_medians, resampled_quantiles

DRAWS = 4_000


def slow_quantiles(costs: FloatArray, size: int, quantile: float, rng: np.random.Generator) -> FloatArray:
    resamples = rng.choice(costs, (DRAWS, size))
    found: FloatArray = np.quantile(resamples, quantile, axis=1, method="inverted_cdf")
    return found


@pytest.mark.parametrize("quantile", [0.25, 0.5, 0.75])
@pytest.mark.parametrize("people", [1, 2, 7, 40])
def test_the_quantile_is_one_that_somebody_has(quantile: float, people: int) -> None:
    costs = np.sort(np.random.default_rng(people).gamma(2.0, 1.0, people))
    assert quantile_of(costs, quantile) == np.quantile(costs, quantile, method="inverted_cdf")


@pytest.mark.parametrize("whole", [False, True], ids=["any costs", "few counts"])
@pytest.mark.parametrize("size", [1, 6, 35])
def test_a_drawn_quantile_is_that_of_a_resample(size: int, whole: bool) -> None:
    rng = np.random.default_rng(0)
    costs = np.sort(rng.integers(1, 5, 31).astype(float) if whole else rng.gamma(2.0, 1.0, 31))
    for quantile in (0.25, 0.5):
        quick = resampled_quantiles(costs, np.full(DRAWS, size), quantile, rng)
        assert ks_2samp(quick, slow_quantiles(costs, size, quantile, rng)).pvalue > 0.001


@pytest.mark.parametrize(("mine", "others"), [(1, 3), (5, 2), (12, 40), (30, 1), (8, 0)])
def test_medians_of_a_group_and_of_the_whole_come_from_one_resample(mine: int, others: int) -> None:
    rng = np.random.default_rng(mine)
    costs = np.sort(np.round(rng.gamma(2.0, 1.0, mine + others), 1))
    is_mine = rng.permutation(np.arange(mine + others) < mine)
    sizes = np.full(DRAWS, mine + 2), np.full(DRAWS, others)
    quick = [costs[at] for at in resampled_medians(is_mine, *sizes, rng)]
    drawn = rng.choice(costs[is_mine], (DRAWS, mine + 2))
    everybody = drawn
    if others:
        everybody = np.hstack([drawn, rng.choice(costs[~is_mine], (DRAWS, others))])
    slow = [np.quantile(some, 0.5, axis=1, method="inverted_cdf") for some in (drawn, everybody)]
    for fast, twin in (*zip(quick, slow, strict=True), (quick[0] - quick[1], slow[0] - slow[1])):
        assert ks_2samp(fast, twin).pvalue > 0.001


def test_many_people_take_a_few_cuts() -> None:
    rng = np.random.default_rng(3)
    is_mine = rng.random(200_000) < 0.3
    sizes = np.full(200, int(is_mine.sum())), np.full(200, int((~is_mine).sum()))
    mine, whole = resampled_medians(is_mine, *sizes, rng)
    assert abs(whole.mean() - 100_000) < 200
    assert 150 < whole.std() < 320  # √n / 2 = 224
    assert np.corrcoef(mine, whole)[0, 1] > 0.3


def test_places_are_counted_from_one() -> None:
    assert place_of(0.5, np.array([0, 1, 2, 3, 4])).tolist() == [1, 1, 1, 2, 2]
    assert place_of(0.25, np.array([4, 5])).tolist() == [1, 2]
