"""p-values are those of permutations, and none is smaller than that of any way in which searches may end."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from p2ce.portfolio.audits.group_tests import burden_p_value, holm, median_p_value, rate_p_value
from tests.portfolio.audits import completions as slow
from tests.portfolio.audits.completions import Person
from tests.portfolio.audits.test_cost_resampling import part
from tests.portfolio.audits.test_open_costs import person
from tests.properties.amount import examples

PERMUTATIONS = 4_000
SMALL = 1e-9  # what rounding may make of a sum


def alone(successes: int, size: int, all_successes: int, people: int) -> float:
    """Test a share that is known."""
    rest = all_successes - successes
    return rate_p_value((successes, successes), size, (rest, rest), people - size)


def medians(mine: list[float], others: list[float]) -> float:
    """Test a median of costs that are known."""
    one, all_people = ([(cost, cost) for cost in some] for some in (mine, [*mine, *others]))
    return median_p_value(part(one, of=all_people).costs, part(all_people).costs)


@given(st.data())
def test_the_test_of_a_share_is_exact(data: st.DataObject) -> None:
    size, others = (data.draw(st.integers(1, 30)) for _ in range(2))
    one, rest = data.draw(st.integers(0, size)), data.draw(st.integers(0, others))
    exact = slow.share_p_value(one, size, one + rest, size + others)
    assert alone(one, size, one + rest, size + others) == pytest.approx(exact)


def largest(mine: tuple[int, int], size: int, others: tuple[int, int], other_size: int) -> float:
    return max(
        slow.share_p_value(one, size, one + other, size + other_size)
        for one in range(mine[0], mine[1] + 1)
        for other in range(others[0], others[1] + 1)
    )


@given(st.data())
def test_an_open_share_has_the_largest_p_value_of_how_it_may_end(data: st.DataObject) -> None:
    size, other_size = (data.draw(st.integers(1, 18)) for _ in range(2))
    mine, others = (
        tuple(sorted(data.draw(st.tuples(st.integers(0, most), st.integers(0, most)))))
        for most in (size, other_size)
    )
    found, exact = rate_p_value(mine, size, others, other_size), largest(mine, size, others, other_size)
    may_be_equal = mine[0] * other_size <= others[1] * size and others[0] * size <= mine[1] * other_size
    assert found == (1.0 if may_be_equal else pytest.approx(exact))


@pytest.mark.parametrize(
    ("mine", "size", "others", "other_size", "corners", "exact"),
    [((0, 0), 15, (10, 21), 41, 0.0478, 0.0513), ((39, 41), 41, (59, 62), 76, 0.04997, 0.0512)],
)
def test_the_largest_p_value_may_lie_between_the_corners(
    mine: tuple[int, int],
    size: int,
    others: tuple[int, int],
    other_size: int,
    corners: float,
    exact: float,
) -> None:
    tried = (
        slow.share_p_value(one, size, one + other, size + other_size) for one in mine for other in others
    )
    assert max(tried) == pytest.approx(corners, abs=1e-4)
    assert largest(mine, size, others, other_size) == pytest.approx(exact, abs=1e-4)
    assert rate_p_value(mine, size, others, other_size) == pytest.approx(exact, abs=1e-4)


def test_nothing_is_found_where_shares_may_be_equal() -> None:
    assert rate_p_value((0, 40), 40, (100, 100), 100) == 1.0
    assert rate_p_value((1, 2), 3, (1, 1), 2) == 1.0  # the same up to whole people
    assert rate_p_value((3, 5), 9, (0, 0), 0) == 1.0  # there is no one else


@examples(250)
@given(st.lists(person, min_size=1, max_size=3), st.lists(person, min_size=1, max_size=3))
def test_no_median_has_a_larger_p_value_than_the_bound(mine: list[Person], others: list[Person]) -> None:
    everybody = [*mine, *others]
    if not any(math.isfinite(high) for _, high in mine):
        return  # too small to tell: no one of the group has an option for certain
    bound = median_p_value(part(mine, of=everybody).costs, part(everybody).costs)
    exact = [slow.median_p_value(one[: len(mine)], one[len(mine) :]) for one in slow.completions(everybody)]
    assert bound >= max(exact) - SMALL
    if all(low == high for low, high in everybody):
        assert bound == pytest.approx(max(exact))


@examples(150)
@given(st.lists(person, min_size=1, max_size=3), st.lists(person, min_size=1, max_size=2), st.data())
def test_no_burden_has_a_larger_p_value_than_the_bound(
    mine: list[Person], others: list[Person], data: st.DataObject
) -> None:
    if not any(math.isfinite(high) for _, high in mine):
        return
    counts = [data.draw(st.integers(0, 1)) for _ in range(4)]  # accepted and without, of either
    everybody = [*mine, *others]
    whole = part(everybody, accepted=counts[0] + counts[2], without=counts[1] + counts[3])
    group = part(mine, accepted=counts[0], without=counts[1], of=everybody)
    bound = burden_p_value(group, whole, PERMUTATIONS, np.random.default_rng(0))
    rest = [[True] * accepted + [False] * without for accepted, without in (counts[:2], counts[2:])]
    size = len(mine) + len(rest[0])
    is_accepted = [*[False] * len(mine), *rest[0], *[False] * len(others), *rest[1]]
    exact = []
    for one in slow.completions(everybody):
        costs = [*one[: len(mine)], *[None] * len(rest[0]), *one[len(mine) :], *[None] * len(rest[1])]
        exact.append(slow.burden_p_value(costs, [not accepted for accepted in is_accepted], size))
    error = 4 * math.sqrt(0.25 / PERMUTATIONS)
    assert bound >= max(exact) - error
    if all(low == high for low, high in everybody):
        assert bound == pytest.approx(max(exact), abs=error)


def test_a_single_open_person_does_not_hide_a_clear_difference() -> None:
    rng = np.random.default_rng(1)
    mine, others = rng.gamma(2.0, 2.5, 120), rng.gamma(2.0, 1.0, 120)
    known = [[(cost, cost) for cost in some.tolist()] for some in (mine, others)]
    for more in ((0.0, math.inf), (0.5, 9.0)):
        everybody = [*known[0], more, *known[1]]
        group, whole = part([*known[0], more], of=everybody), part(everybody)
        assert median_p_value(group.costs, whole.costs) < 0.001
        assert burden_p_value(group, whole, PERMUTATIONS, rng) < 0.01
        assert median_p_value(part([more], of=everybody).costs, whole.costs) == 1.0


def test_p_values_are_uniform_where_there_is_nothing_to_find() -> None:
    rng = np.random.default_rng(7)
    found = []
    for _ in range(300):
        costs = rng.gamma(2.0, 1.0, 60).tolist()
        found.append(medians(costs[:25], costs[25:]))
    assert np.mean(np.array(found) <= 0.1) <= 0.14
    assert kstest(found, "uniform").statistic < 0.12  # medians have few ranks
    found = []
    for _ in range(300):  # shares have few values, so p-values are at most too large
        outcomes = rng.random(200) < 0.3
        found.append(alone(int(outcomes[:80].sum()), 80, int(outcomes.sum()), 200))
    assert np.mean(np.array(found) <= 0.1) <= 0.14


def test_a_planted_difference_is_found() -> None:
    rng = np.random.default_rng(9)
    mine, others = rng.gamma(2.0, 1.8, 150).tolist(), rng.gamma(2.0, 1.0, 150).tolist()
    assert medians(mine, others) < 0.01
    everybody = [(cost, cost) for cost in [*mine, *others]]
    group, whole = part(everybody[:150], accepted=50, of=everybody), part(everybody, accepted=120)
    assert burden_p_value(group, whole, PERMUTATIONS, rng) < 0.01
    assert alone(90, 150, 130, 300) < 0.01


def test_no_p_value_is_zero() -> None:
    assert 0.0 < alone(500, 500, 500, 1_000) < 1e-200
    assert 0.0 < medians([9.0] * 60, [1.0] * 800) < 1e-20


def test_holm_corrects_for_the_number_of_comparisons() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=6), st.data())
def test_a_larger_p_value_lowers_no_corrected_one(p_values: list[float], data: st.DataObject) -> None:
    larger = [data.draw(st.floats(one, 1.0)) for one in p_values]
    assert all(one <= two for one, two in zip(holm(p_values), holm(larger), strict=True))
