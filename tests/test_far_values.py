"""Does one far value, far candidate or prohibitive price leave the comparison of all other costs as it was?

The truth comes from a brute force of a page, in fractions, that shares nothing with the library.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import p2ce

Row = dict[str, float]
Price = Callable[[str, float, float], Fraction]  # column, before, after → what the change adds
EQUAL = Fraction(1, 10**9)  # costs that agree to nine digits count as equal
NAMES = ("a", "b", "c")


def reference_people() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    return pd.DataFrame({name: rng.integers(0, 11, 300).astype(float) for name in NAMES})


REFERENCE = reference_people()
CANDIDATES = {name: [float(value) for value in range(11)] for name in NAMES}


def fitted_tree() -> DecisionTreeClassifier:
    rng = np.random.default_rng(0)
    label = (REFERENCE["a"] + 2.0 * REFERENCE["b"] + rng.normal(0, 2, len(REFERENCE)) > 17.0).astype(int)
    return DecisionTreeClassifier(max_depth=5, random_state=0).fit(REFERENCE, label)


TREE = fitted_tree()


def explainer_of(
    candidates: Mapping[str, Sequence[float]] = CANDIDATES,
    objectives: Sequence[object] = ("mean_distance", "max_distance", "changes"),
    **options: object,
) -> p2ce.Explainer:
    actions = p2ce.ActionSet.infer(REFERENCE).values(
        {name: list(values) for name, values in candidates.items()}
    )
    return p2ce.Explainer(
        TREE,
        REFERENCE,
        actions=actions,
        objectives=tuple(objectives),
        plausibility=None,
        max_changes=2,
        **options,
    )


def deviation(name: str) -> Fraction:
    return Fraction(float(REFERENCE[name].to_numpy().std()))


def mean_distance(name: str, before: float, after: float) -> Fraction:
    return abs(Fraction(after) - Fraction(before)) / deviation(name) / len(NAMES)


def max_distance(name: str, before: float, after: float) -> Fraction:
    return abs(Fraction(after) - Fraction(before)) / deviation(name)


def one_each(name: str, before: float, after: float) -> Fraction:
    return Fraction(1)


DISTANCES: dict[str, tuple[Price, bool]] = {
    "mean_distance": (mean_distance, False),
    "max_distance": (max_distance, True),
    "changes": (one_each, False),
}


def cost_of(person: Row, cell: Row, prices: Mapping[str, tuple[Price, bool]]) -> dict[str, Fraction]:
    """Price a cell by the definitions, without rounding."""
    moved = [name for name in NAMES if cell[name] != person[name]]
    found = {}
    for objective, (price, by_max) in prices.items():
        parts = [price(name, person[name], cell[name]) for name in moved]
        found[objective] = max(parts) if by_max else sum(parts, Fraction(0))
    return found


def less(one: Fraction, other: Fraction) -> bool:
    return one < other and other - one > EQUAL * other


def plain_front(
    person: Row,
    candidates: Mapping[str, Sequence[float]] = CANDIDATES,
    prices: Mapping[str, tuple[Price, bool]] = DISTANCES,
) -> list[dict[str, Fraction]]:
    """List the cost vectors of every accepted cell that is not dominated, with at most two changes."""
    choices = [sorted({person[name], *candidates[name]}) for name in NAMES]
    cells = [dict(zip(NAMES, values, strict=True)) for values in product(*choices)]
    cells = [cell for cell in cells if 1 <= sum(cell[name] != person[name] for name in NAMES) <= 2]
    accepted = TREE.predict_proba(pd.DataFrame(cells))[:, 1] >= 0.5
    costs = [cost_of(person, cell, prices) for cell, fine in zip(cells, accepted, strict=True) if fine]

    def dominates(one: dict[str, Fraction], other: dict[str, Fraction]) -> bool:
        return not any(less(other[name], one[name]) for name in prices) and any(
            less(one[name], other[name]) for name in prices
        )

    return [cost for cost in costs if not any(dominates(one, cost) for one in costs)]


def near(one: Mapping[str, float], other: Mapping[str, Fraction]) -> bool:
    return all(abs(Fraction(one[name]) - other[name]) <= 2 * EQUAL * abs(other[name]) for name in other)


def require_front(
    found: p2ce.Explanation,
    truth: list[dict[str, Fraction]],
    person: Row,
    prices: Mapping[str, tuple[Price, bool]],
) -> None:
    """Both fronts hold the same costs, and every reported cost is that of the values it stands beside."""
    assert found.status is p2ce.Status.OPTIMAL
    assert truth
    for option in found:
        exact = cost_of(person, option.values, prices)
        for name, cost in option.costs.items():
            assert abs(Fraction(cost) - exact[name]) <= Fraction(1, 10**14) * exact[name]
        assert any(near(option.costs, cost) for cost in truth)
    for cost in truth:
        assert any(near(option.costs, cost) for option in found)


FAR_PEOPLE = [1e12, 1e15, -1e20, 3e30]


@pytest.mark.parametrize("far", FAR_PEOPLE)
@pytest.mark.parametrize("a", [0.0, 1.0, 3.0])
def test_a_person_with_a_far_value(far: float, a: float) -> None:
    person = {"a": a, "b": 2.0, "c": far}
    require_front(explainer_of().explain(person), plain_front(person), person, DISTANCES)


@pytest.mark.parametrize("far", [1e12, 1e15, -1e20])
@pytest.mark.parametrize("column", NAMES)
def test_a_far_candidate_that_nobody_needs(far: float, column: str) -> None:
    candidates = {**CANDIDATES, column: [*CANDIDATES[column], far]}
    person = {"a": 1.0, "b": 2.0, "c": 4.0}
    found = explainer_of(candidates).explain(person)
    require_front(found, plain_front(person, candidates), person, DISTANCES)
    without = explainer_of().explain(person)
    assert [option.costs for option in found] == [option.costs for option in without]


def test_a_prohibitive_price() -> None:
    def effort(name: str, before: float, after: float) -> Fraction:
        del before
        return Fraction(LIST[name][after])

    # Steps that differ in the third digit, and one value that nobody is meant to take.
    LIST = {
        name: {value: 0.2 + 0.001 * value * place for value in CANDIDATES[name]}
        for place, name in enumerate(NAMES, 1)
    }
    LIST["c"][10.0] = 1e13
    prices: dict[str, tuple[Price, bool]] = {"effort": (effort, False), "changes": (one_each, False)}
    explainer = explainer_of(objectives=[p2ce.CostTable("effort", LIST), "changes"])
    for a in (0.0, 1.0, 3.0):
        person = {"a": a, "b": 2.0, "c": 10.0 - a}
        found = explainer.explain(person)
        require_front(found, plain_front(person, prices=prices), person, prices)
        assert min(option.costs["effort"] for option in found) > 0.2


def test_prices_of_any_span_are_reported_apart() -> None:
    spans = {"a": 1e-200, "b": 1.0, "c": 1e200}
    LIST = {name: {value: spans[name] * (1 + value) for value in CANDIDATES[name]} for name in NAMES}

    def effort(name: str, before: float, after: float) -> Fraction:
        del before
        return Fraction(LIST[name][after])

    prices: dict[str, tuple[Price, bool]] = {"effort": (effort, False)}
    explainer = explainer_of(objectives=[p2ce.CostTable("effort", LIST)])
    for a in (0.0, 3.0, 6.0):
        person = {"a": a, "b": 2.0, "c": 5.0}
        require_front(explainer.explain(person), plain_front(person, prices=prices), person, prices)


values = st.integers(0, 10).map(float)
far_values = st.floats(1e9, 1e30) | st.floats(-1e30, -1e9)


@settings(max_examples=40)
@given(st.tuples(values, values, values), st.sampled_from(NAMES), far_values)
def test_a_far_candidate_leaves_the_rest_of_the_front(
    person: tuple[float, ...], column: str, far: float
) -> None:
    row = dict(zip(NAMES, person, strict=True))
    far = float(np.float32(far))
    before = explainer_of().explain(row)
    after = explainer_of({**CANDIDATES, column: [*CANDIDATES[column], far]}).explain(row)
    if before.status is p2ce.Status.ALREADY_FAVOURABLE:
        assert after.status is before.status
        return
    near_by = [option for option in after if option.values[column] != far]
    assert [(option.values, option.costs) for option in near_by] == [
        (option.values, option.costs) for option in before if option in near_by
    ]
    # Only a far option that is better in something may stand beside them; it dominates none: it costs most.
    if before.status is p2ce.Status.OPTIMAL:
        cheapest = min(option.costs["mean_distance"] for option in before)
        assert min(option.costs["mean_distance"] for option in after) == cheapest
        lost = [option for option in before if option not in near_by]
        assert all(
            any(other.costs["changes"] < option.costs["changes"] for other in after) for option in lost
        )


@settings(max_examples=40)
@given(st.tuples(values, values), far_values, far_values)
def test_how_far_a_far_value_is_changes_nothing_else(
    near_values: tuple[float, float], one: float, other: float
) -> None:
    """The third value decides nothing: rows that keep it have the same options, wherever it is."""
    explainer = explainer_of()
    kept = []
    for far in (one, other):
        row = {"a": near_values[0], "b": near_values[1], "c": float(np.float32(far))}
        if (TREE.predict_proba(pd.DataFrame([row]))[0, 1] >= 0.5) or np.sign(one) != np.sign(other):
            return
        found = explainer.explain(row)
        kept.append([(option.changes, option.costs) for option in found if "c" not in option.changes])
    assert kept[0] == kept[1]
