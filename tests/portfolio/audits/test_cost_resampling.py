"""Quantiles that are drawn at once have the distribution of quantiles of resamples, person by person."""

import math

import numpy as np
import pytest
from scipy.stats import ks_2samp

from p2ce.base.arrays import FloatArray
from p2ce.portfolio.audits.cost_resampling import MINE, WHOLE, Part, resamples_of
from p2ce.portfolio.audits.open_costs import HIGH, LOW
from tests.portfolio.audits.completions import Person
from tests.portfolio.audits.test_open_costs import costs_of

DRAWS = 4_000


def part(people: list[Person], accepted: int = 0, without: int = 0, of: list[Person] | None = None) -> Part:
    """Lay out a group; `of` is the whole, whose classes it has."""
    costs = costs_of(people)
    if of is None:
        return Part(accepted=accepted, without=without, costs=costs)
    whole = costs_of(of)
    ends = list(zip(whole.low.tolist(), whole.high.tolist(), strict=True))
    counts = [sum(one == end for one in people) for end in ends]
    shared = type(costs)(
        found=costs.found,
        known=costs.known,
        low=whole.low,
        high=whole.high,
        people=np.array(counts, dtype=np.int64),
    )
    return Part(accepted=accepted, without=without, costs=shared)


def resampled(people: list[Person], more: int, rng: np.random.Generator) -> FloatArray:
    """Draw people one by one, of these and of so many more without a cost: (draws, people, 2)."""
    rows = np.array([*people, *[(math.nan, math.nan)] * more], dtype=np.float64).reshape(-1, 2)
    return rows[rng.integers(0, len(rows), (DRAWS, len(rows)))]


def slow_end(drawn: FloatArray, share: float, end: int) -> FloatArray:
    """Find the end of the range of each resample by trying all costs, by the terms of each person."""
    low, high = drawn[:, :, 0], drawn[:, :, 1]
    found = np.full(len(drawn), np.inf)
    for value in np.unique(drawn[np.isfinite(drawn)])[::-1]:
        if end == LOW:
            terms = np.where(low <= value, 1.0 - share, np.where(np.isinf(high), 0.0, -share))
        else:
            terms = np.where(high <= value, 1.0 - share, -share)
        reached = np.where(np.isnan(low), 0.0, terms).sum(axis=1) >= 0
        found[reached] = value
    return np.where(np.isnan(low).all(axis=1), np.nan, found)


def assert_alike(one: FloatArray, other: FloatArray) -> None:
    one, other = (np.nan_to_num(some, nan=-1e3, posinf=1e3) for some in (one, other))
    assert ks_2samp(one, other).pvalue > 0.001


def some_people(rng: np.random.Generator, count: int, openly: float) -> list[Person]:
    costs = np.round(rng.gamma(2.0, 1.0, count), 1).tolist()
    kinds = rng.choice(3, count, p=[1 - openly, openly / 2, openly / 2]).tolist()
    return [
        (cost, cost) if kind == 0 else (cost / 2, cost if kind == 1 else math.inf)
        for cost, kind in zip(costs, kinds, strict=True)
    ]


@pytest.mark.parametrize("openly", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("share", [0.25, 0.5])
@pytest.mark.parametrize("count", [1, 6, 31])
def test_drawn_ranges_are_those_of_resamples(count: int, share: float, openly: float) -> None:
    rng = np.random.default_rng(count)
    people = some_people(rng, count, openly)
    mine = part(people, accepted=2, without=1)
    ((low, high),) = resamples_of(mine, mine, DRAWS, rng).ranges([(MINE, share)])
    drawn = resampled(people, 3, rng)
    assert_alike(low, slow_end(drawn, share, LOW))
    assert_alike(high, slow_end(drawn, share, HIGH))
    assert (low <= high)[~np.isnan(low)].all()


@pytest.mark.parametrize("openly", [0.0, 0.3])
@pytest.mark.parametrize(("mine", "others"), [(1, 3), (5, 2), (12, 40), (30, 1), (8, 0)])
def test_a_group_and_the_whole_come_from_one_resample(mine: int, others: int, openly: float) -> None:
    rng = np.random.default_rng(mine)
    some, more = some_people(rng, mine, openly), some_people(rng, others, openly)
    whole = part([*some, *more], accepted=3)
    group = part(some, accepted=1, of=[*some, *more])
    quick = resamples_of(group, whole, DRAWS, rng).ranges([(MINE, 0.5), (WHOLE, 0.5)])
    drawn = resampled(some, 1, rng)
    everybody = np.concatenate([drawn, resampled(more, 2, rng)], axis=1)
    slow = [[slow_end(people, 0.5, end) for end in (LOW, HIGH)] for people in (drawn, everybody)]
    for fast, twin in zip(quick, slow, strict=True):
        for end in (LOW, HIGH):
            assert_alike(fast[end], twin[end])
    for end in (LOW, HIGH):  # the least of the one, and the greatest of the other
        assert_alike(
            *(
                np.nan_to_num(a[end], posinf=50.0) - np.nan_to_num(b[1 - end], posinf=50.0)
                for a, b in (quick, slow)
            )
        )


def test_rejection_rates_come_from_the_same_resample() -> None:
    rng = np.random.default_rng(0)
    mine = part([(1.0, 1.0)] * 20, accepted=10, without=10)
    whole = part([(1.0, 1.0)] * 60, accepted=30, without=10)
    drawn = resamples_of(mine, whole, DRAWS, rng)
    assert drawn.rejection_rate(MINE).mean() == pytest.approx(0.75, abs=0.01)
    assert drawn.rejection_rate(WHOLE).mean() == pytest.approx(0.7, abs=0.01)
    assert np.corrcoef(drawn.rejection_rate(MINE), drawn.rejection_rate(WHOLE))[0, 1] > 0.4


def test_many_people_take_a_few_cuts() -> None:
    rng = np.random.default_rng(3)
    costs = np.arange(200_000.0)
    is_mine = rng.random(200_000) < 0.3
    parts = [part([]), part([])]
    some = [
        Part(
            accepted=0,
            without=0,
            costs=type(one.costs)(
                found=held, known=held, low=one.costs.low, high=one.costs.high, people=one.costs.people
            ),
        )
        for one, held in zip(parts, (costs[is_mine], costs), strict=True)
    ]
    (mine, _), (whole, _) = resamples_of(*some, 200, rng).ranges([(MINE, 0.5), (WHOLE, 0.5)])
    assert abs(whole.mean() - 100_000) < 200
    assert 150 < whole.std() < 320  # √n / 2 = 224
    assert np.corrcoef(mine, whole)[0, 1] > 0.3
