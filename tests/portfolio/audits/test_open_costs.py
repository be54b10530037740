"""The range of a quantile is that of all ways in which open searches may end."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.portfolio.audits.open_costs import (
    CLASSES,
    HIGH,
    LOW,
    Costs,
    cost_classes,
    count_below,
    quantile_range,
)
from tests.portfolio.audits.completions import FAR, Person, completions, quantile, with_option

costs = st.sampled_from([0.0, 1.0, 2.0, 3.0])
known = costs.map(lambda cost: (cost, cost))
unproven = st.tuples(costs, costs).map(lambda pair: (min(pair), max(pair)))
unfinished = costs.map(lambda low: (low, math.inf))
person = known | unproven | unfinished


def costs_of(people: list[Person]) -> Costs:
    """Lay out people as audits do."""
    low, high = np.array(people, dtype=np.float64).reshape(-1, 2).T
    is_known = low == high
    class_low, class_high, class_of = cost_classes(low[~is_known], high[~is_known])
    return Costs(
        found=np.sort(high[np.isfinite(high)]),
        known=np.sort(low[is_known]),
        low=class_low,
        high=class_high,
        people=np.bincount(class_of, minlength=len(class_low)),
    )


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
@given(people=st.lists(person, min_size=1, max_size=5))
def test_a_quantile_ranges_over_all_completions(people: list[Person], share: float) -> None:
    found = [quantile(some, share) for one in completions(people) if (some := with_option(one))]
    low, high = quantile_range(costs_of(people), share)
    assert (low, min(high, FAR)) == (min(found), max(found))


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
@pytest.mark.parametrize("people", [1, 2, 7, 40])
def test_the_quantile_of_known_costs_is_one_that_somebody_has(share: float, people: int) -> None:
    costs = np.sort(np.random.default_rng(people).gamma(2.0, 1.0, people))
    expected = np.quantile(costs, share, method="inverted_cdf")
    assert quantile_range(costs_of([(cost, cost) for cost in costs.tolist()]), share) == (expected,) * 2


def test_who_may_have_no_option_can_only_raise_a_median_that_they_cannot_reach() -> None:
    people = [(float(cost), float(cost)) for cost in range(1, 8)]
    assert quantile_range(costs_of([*people, (50.0, math.inf)]), 0.5) == (4.0, 4.0)
    assert quantile_range(costs_of([*people, *[(50.0, math.inf)] * 2]), 0.5) == (4.0, 5.0)
    assert quantile_range(costs_of([*people, *[(0.0, math.inf)] * 2]), 0.5) == (3.0, 5.0)
    assert quantile_range(costs_of([*people, *[(0.0, math.inf)] * 8]), 0.5) == (0.0, math.inf)


@given(st.lists(person, max_size=12), st.sampled_from([LOW, HIGH]))
def test_people_below_a_cost_are_counted(people: list[Person], end: int) -> None:
    values = np.array([-1.0, 0.0, 1.5, 3.0, 9.0])
    certain, others = count_below(costs_of(people), values, end)
    for place, value in enumerate(values.tolist()):
        cheap = [one for one in people if one[end] <= value]
        assert certain[place] == sum(math.isfinite(high) for _, high in cheap)
        assert others[place] == sum(math.isinf(high) for _, high in cheap)


def test_many_different_costs_share_classes_that_contain_them() -> None:
    rng = np.random.default_rng(0)
    low = rng.random(3_000)
    high = np.where(rng.random(3_000) < 0.5, np.inf, low + rng.random(3_000))
    class_low, class_high, class_of = cost_classes(low, high)
    assert len(class_low) == 2 * CLASSES**2
    assert (class_low[class_of] <= low).all()
    assert (class_high[class_of] >= high).all()
    assert (np.isinf(class_high[class_of]) == np.isinf(high)).all()
    again = rng.permutation(3_000)
    shuffled = cost_classes(low[again], high[again])
    np.testing.assert_array_equal(shuffled[0], class_low)
    np.testing.assert_array_equal(shuffled[2], class_of[again])
