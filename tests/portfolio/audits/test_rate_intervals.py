"""Intervals of differences and ratios of shares cover what they should."""

import math

import numpy as np
import pytest

from p2ce.portfolio.audits.rate_intervals import (
    difference_interval,
    ratio_interval,
    ratio_to_whole,
    share_of,
    share_range,
    to_whole,
)


def test_open_outcomes_make_a_range() -> None:
    assert share_range(6, 9, 10, 0.95) == (share_of(6, 10, 0.95), share_of(9, 10, 0.95))
    assert share_range(6, 6, 10, 0.95) == (share_of(6, 10, 0.95),) * 2


def test_intervals_of_ranges_hold_those_of_all_ways_in_which_they_may_turn_out() -> None:
    mine, other = (0, 9, 12), (7, 15, 15)  # least, most, of
    for interval in (difference_interval, ratio_interval):
        cases = [
            interval(share_range(one, one, 12, 0.9), share_range(two, two, 15, 0.9))
            for one in range(mine[0], mine[1] + 1)
            for two in range(other[0], other[1] + 1)
        ]
        hull = min(low for low, _ in cases), max(high for _, high in cases)
        assert interval(share_range(*mine, 0.9), share_range(*other, 0.9)) == hull


@pytest.mark.parametrize("mine", [(0.3, 0.4), (0.1, 0.02), (0.0, 0.2), (0.7, 0.3)])
@pytest.mark.parametrize("other", [(0.5, 0.0), (0.2, 0.3)])
@pytest.mark.parametrize("ends_well", [(True, False), (False, True)])
def test_intervals_cover_the_truth_however_open_outcomes_end(
    mine: tuple[float, float], other: tuple[float, float], ends_well: tuple[bool, bool]
) -> None:
    rng, size, runs = np.random.default_rng(3), 200, 1_000
    truth = [known + unknown * end for (known, unknown), end in zip((mine, other), ends_well, strict=True)]
    drawn = [rng.multinomial(size, [*one, max(1.0 - sum(one), 0.0)], runs).tolist() for one in (mine, other)]
    missed = np.zeros(2)
    for one, two in zip(*drawn, strict=True):
        shares = [share_range(known, known + unknown, size, 0.95) for known, unknown, _ in (one, two)]
        for place, (interval, value) in enumerate(
            ((difference_interval, truth[0] - truth[1]), (ratio_interval, truth[0] / truth[1]))
        ):
            low, high = interval(*shares)
            missed[place] += not low <= value <= high
    assert (missed / runs <= 0.06).all()  # 5 % and what chance adds


@pytest.mark.parametrize(("mine", "other"), [(0.5, 0.5), (0.95, 0.8), (0.02, 0.1), (1.0, 0.9)])
def test_intervals_of_differences_and_ratios_cover_the_truth(mine: float, other: float) -> None:
    rng = np.random.default_rng(1)
    covered = np.zeros(2)
    for one, two in zip(rng.binomial(60, mine, 400), rng.binomial(90, other, 400), strict=True):
        shares = share_range(int(one), int(one), 60, 0.9), share_range(int(two), int(two), 90, 0.9)
        low, high = difference_interval(*shares)
        covered[0] += low <= mine - other <= high
        low, high = ratio_interval(*shares)
        covered[1] += low <= mine / other <= high
    assert (covered / 400 >= 0.88).all()


def test_what_is_compared_with_others_is_compared_with_the_whole() -> None:
    mine, others = share_of(30, 40, 0.95), share_of(10, 60, 0.95)
    whole = 40 / 100
    assert to_whole(mine.value - others.value, 0.4) == pytest.approx(mine.value - whole)
    assert ratio_to_whole(mine.value / others.value, 0.4) == pytest.approx(mine.value / whole)
    assert ratio_to_whole(0.0, 0.4) == 0.0
    assert ratio_to_whole(math.inf, 0.4) == 2.5  # the others have nothing: the whole is the group's part


def test_a_share_of_nothing_or_all_still_has_a_width() -> None:
    nobody, everybody = share_range(0, 0, 30, 0.95), share_range(30, 30, 30, 0.95)
    low, high = difference_interval(everybody, nobody)
    assert low < 0.9
    assert high == 1.0
    assert ratio_interval(nobody, everybody)[0] == 0.0
    assert 0.0 < ratio_interval(nobody, everybody)[1] < 0.2
    assert 5.0 < ratio_interval(everybody, nobody)[0] < math.inf
    assert ratio_interval(everybody, nobody)[1] == math.inf
    assert ratio_interval(nobody, nobody) == (0.0, math.inf)
