"""p-values are those of permutations, uniform where nothing is to be found and small where something is."""

import numpy as np
import pytest
from scipy.stats import hypergeom, kstest

from p2ce.audits.permutation_tests import (
    burden_p_value,
    holm,
    median_p_value,
    open_rate_p_value,
    rate_p_value,
)

PERMUTATIONS = 4_000


def exact_p_value(successes: int, size: int, all_successes: int, people: int) -> float:
    possible = np.arange(size + 1)
    as_far = np.abs(possible * people - size * all_successes) >= abs(
        successes * people - size * all_successes
    )
    return float(hypergeom(people, all_successes, size).pmf(possible)[as_far].sum())


def test_the_test_of_a_rate_is_exact() -> None:
    rng = np.random.default_rng(0)
    for case in ((9, 20, 30, 100), (3, 40, 20, 80), (5, 5, 9, 30)):
        assert rate_p_value(*case, 40_000, rng) == pytest.approx(exact_p_value(*case), abs=0.01)


@pytest.mark.parametrize(
    ("mine", "others"), [((5, 8), (50, 60)), ((30, 36), (30, 45)), ((0, 5), (28, 36)), ((36, 40), (70, 70))]
)
def test_open_outcomes_have_the_largest_p_value_of_how_they_may_end(
    mine: tuple[int, int], others: tuple[int, int]
) -> None:
    size, other_size = 40, 100
    largest = max(
        exact_p_value(one, size, one + other, size + other_size)
        for one in range(mine[0], mine[1] + 1)
        for other in range(others[0], others[1] + 1)
    )
    found = open_rate_p_value(mine, size, others, other_size, 40_000, np.random.default_rng(0))
    assert 0.0 < largest < 0.2
    assert found == pytest.approx(largest, abs=0.005)


def test_nothing_is_found_where_shares_may_be_equal() -> None:
    rng = np.random.default_rng(0)
    assert open_rate_p_value((0, 40), 40, (100, 100), 100, 100, rng) == 1.0
    assert open_rate_p_value((1, 2), 3, (1, 1), 2, 100, rng) == 1.0  # the same up to whole people
    assert open_rate_p_value((3, 5), 9, (0, 0), 0, 100, rng) == 1.0  # there is nobody else
    known = open_rate_p_value((9, 9), 20, (21, 21), 80, 100, np.random.default_rng(1))
    assert known == rate_p_value(9, 20, 30, 100, 100, np.random.default_rng(1))


@pytest.mark.parametrize("kind", ["median", "burden"])
def test_drawn_permutations_are_permutations(kind: str) -> None:
    """Compare with labels that are permuted one by one."""
    rng = np.random.default_rng(5)
    people, size = 90, 30
    costs = np.where(rng.random(people) < 0.4, np.nan, np.round(rng.gamma(2.0, 1.0, people), 1))
    accepted = np.isnan(costs) & (rng.random(people) < 0.7)
    if kind == "median":
        costs, accepted = costs[~np.isnan(costs)], accepted[~np.isnan(costs)]
        people, size = len(costs), 20
    is_mine = np.arange(people) < size

    def figure(of: np.ndarray) -> float:
        some = np.sort(costs[of & ~np.isnan(costs)])
        rate = 1.0 if kind == "median" else 1.0 - accepted[of].mean()
        return float(rate * np.quantile(some, 0.5, method="inverted_cdf"))

    whole, found = figure(np.ones(people, dtype=bool)), figure(is_mine)
    permuted = np.array([figure(rng.permutation(is_mine)) for _ in range(2_000)])
    slow = (1 + (np.abs(permuted - whole) >= abs(found - whole) - 1e-12).sum()) / 2_001

    def parts(of: np.ndarray) -> tuple[np.ndarray, tuple[int, int]]:
        return np.sort(costs[of & ~np.isnan(costs)]), (
            int(accepted[of].sum()),
            int((np.isnan(costs) & ~accepted)[of].sum()),
        )

    (mine, counts), (everybody, all_counts) = parts(is_mine), parts(np.ones(people, dtype=bool))
    quick = (
        median_p_value(mine, everybody, 10_000, rng)
        if kind == "median"
        else burden_p_value(mine, everybody, counts, all_counts, 10_000, rng)
    )
    assert quick == pytest.approx(slow, abs=0.05)


def test_p_values_are_uniform_where_there_is_nothing_to_find() -> None:
    rng = np.random.default_rng(7)
    found = []
    for _ in range(300):
        costs = rng.gamma(2.0, 1.0, 60)
        found.append(median_p_value(np.sort(costs[:25]), np.sort(costs), 500, rng))
    assert kstest(found, "uniform").pvalue > 0.001
    found = []
    for _ in range(300):  # shares have few values, so that p-values are at most too large
        outcomes = rng.random(200) < 0.3
        found.append(rate_p_value(int(outcomes[:80].sum()), 80, int(outcomes.sum()), 200, 500, rng))
    assert np.mean(np.array(found) <= 0.1) <= 0.14


def test_a_planted_difference_is_found() -> None:
    rng = np.random.default_rng(9)
    mine, others = rng.gamma(2.0, 1.8, 150), rng.gamma(2.0, 1.0, 150)
    everybody = np.sort(np.concatenate([mine, others]))
    assert median_p_value(np.sort(mine), everybody, PERMUTATIONS, rng) < 0.01
    assert burden_p_value(np.sort(mine), everybody, (50, 0), (120, 0), PERMUTATIONS, rng) < 0.01
    assert rate_p_value(90, 150, 130, 300, PERMUTATIONS, rng) < 0.01


def test_no_p_value_is_zero() -> None:
    rng = np.random.default_rng(0)
    assert rate_p_value(500, 500, 500, 1_000, 100, rng) == pytest.approx(1 / 101)


def test_holm_corrects_for_the_number_of_comparisons() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
