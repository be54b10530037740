"""Does one far value, far candidate or prohibitive price leave the comparison of other costs as it was?"""

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import p2ce
from tests.oracle import assert_is_front, brute_force_front, quanta, reported_quanta, undominated
from tests.properties.amount import examples

Row = dict[str, float]
NAMES = ("a", "b", "c")
OBJECTIVES = ("mean_distance", "max_distance", "changes")
REFERENCE = pd.DataFrame(
    np.random.default_rng(5).integers(0, 11, (300, 3)).astype(float), columns=list(NAMES)
)
CANDIDATES = {name: [float(value) for value in range(11)] for name in NAMES}
NOISE = np.random.default_rng(0).normal(0, 2, len(REFERENCE))
LABEL = (REFERENCE["a"] + 2.0 * REFERENCE["b"] + NOISE > 17.0).astype(int)
TREE = DecisionTreeClassifier(max_depth=5, random_state=0).fit(REFERENCE, LABEL)


def actions_of(candidates: Mapping[str, Sequence[float]]) -> p2ce.Policy:
    return p2ce.Policy.infer(REFERENCE).candidates(
        {name: list(values) for name, values in candidates.items()}
    )


def explainer_of(
    candidates: Mapping[str, Sequence[float]] = CANDIDATES, objectives: Sequence[object] = OBJECTIVES
) -> p2ce.Explainer:
    return p2ce.Explainer(
        TREE,
        REFERENCE,
        target=1,
        policy=actions_of(candidates),
        objectives=tuple(objectives),
        plausibility=None,
        max_changes=2,
    )


def accepts(rows: pd.DataFrame) -> np.ndarray:
    return np.asarray(TREE.predict(rows) == 1)


def require_front(person: Row, candidates: Mapping[str, Sequence[float]] = CANDIDATES) -> None:
    """Compare an explanation with the evaluation of every cell."""
    found = explainer_of(candidates).explain(person)
    truth = brute_force_front(
        person, REFERENCE, actions_of(candidates), accepts=accepts, objectives=OBJECTIVES, max_changes=2
    )
    assert_is_front(found, truth)
    assert found.status is p2ce.Status.OPTIMAL


@pytest.mark.parametrize("far", [1e12, 1e15, -1e20, 3e30])
def test_a_person_with_a_far_value(far: float) -> None:
    require_front({"a": 1.0, "b": 2.0, "c": far})


# Steps that differ in the third digit next to one value that no one is meant to take; prices of any span.
PLACES = {"a": 1, "b": 2, "c": 3}
STEPS = {name: {value: 0.2 + 0.001 * value * PLACES[name] for value in CANDIDATES[name]} for name in NAMES}
STEPS["c"][10.0] = 1e13
SPANS = {"a": 1e-200, "b": 1.0, "c": 1e200}
SPANNED = {name: {value: SPANS[name] * (1 + value) for value in CANDIDATES[name]} for name in NAMES}


@pytest.mark.parametrize("prices", [STEPS, SPANNED], ids=["a prohibitive price", "any span"])
def test_prices_are_compared_apart(prices: dict[str, dict[float, float]]) -> None:
    explainer = explainer_of(objectives=[p2ce.objectives.CostTable("effort", prices), "changes"])
    for a in (0.0, 1.0, 3.0):
        person = {"a": a, "b": 2.0, "c": 10.0 - a}
        cells = pd.DataFrame(list(product(*CANDIDATES.values())), columns=list(NAMES))
        moved = cells.ne(pd.Series(person))
        effort = sum(cells[name].map(prices[name]).where(moved[name], 0.0) for name in NAMES)
        few = accepts(cells) & moved.sum(axis=1).between(1, 2)
        costs = np.column_stack(
            [quanta(effort[few].to_numpy()), quanta(moved.sum(axis=1)[few].to_numpy(float))]
        )
        found = explainer.explain(person)
        assert set(reported_quanta(found)) == undominated(costs)
        for option in found:
            exact = sum(prices[name][after] for name, (_, after) in option.changes.items())
            assert option.costs["effort"] == pytest.approx(exact, rel=1e-14)


values = st.integers(0, 10).map(float)
far_values = st.floats(1e9, 1e30) | st.floats(-1e30, -1e9)


@examples(15)
@given(st.tuples(values, values, values), st.sampled_from(NAMES), far_values)
def test_a_far_candidate_leaves_the_rest_of_the_front(
    person: tuple[float, ...], column: str, far: float
) -> None:
    row = dict(zip(NAMES, person, strict=True))
    if not accepts(pd.DataFrame([row]))[0]:
        require_front(row, {**CANDIDATES, column: [*CANDIDATES[column], float(np.float32(far))]})
