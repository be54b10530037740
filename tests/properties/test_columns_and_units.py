"""Neither the order of the columns nor the unit of a feature changes an explanation."""

import copy
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import IsolationForest as SklearnForest
from sklearn.tree import DecisionTreeClassifier

import p2ce
from tests.properties.amount import examples
from tests.properties.stated_problems import CORE, StatedProblem, numeric_problems, results_of, state_problem


def with_columns(model: Any, order: list[int]) -> Any:
    """Return the same model for the columns in another order."""
    moved = copy.deepcopy(model)
    new_place = np.argsort(order)
    if hasattr(moved, "coef_"):
        moved.coef_ = moved.coef_[:, order].copy()
    else:
        members = np.ravel(getattr(moved, "estimators_", [moved]))
        for member in members:
            feature = member.tree_.feature
            feature[feature >= 0] = new_place[feature[feature >= 0]]
    moved.feature_names_in_ = moved.feature_names_in_[order]
    return moved


def reordered(policy: p2ce.Policy, names: list[str]) -> p2ce.Policy:
    return p2ce.Policy(features=tuple(policy[name] for name in names))


def is_same(one: p2ce.Explanation, other: p2ce.Explanation) -> bool:
    """Compare results up to the last bits of the scores: sums over columns add up in another order.

    A model of float32 columns adds in single precision.
    """
    (status, options), (other_status, other_options) = results_of(one), results_of(other)
    scores, others = ([option[2] for option in some] for some in (options, other_options))
    rest, other_rest = (
        [(changes, costs, plausibility) for changes, costs, _, plausibility in some]
        for some in (options, other_options)
    )
    return (status, rest) == (other_status, other_rest) and scores == pytest.approx(others, rel=1e-6)


@examples(20)
@given(case=numeric_problems(), shuffle=st.randoms(use_true_random=False), detector=st.booleans())
def test_column_order_changes_nothing(case: StatedProblem, shuffle: Any, detector: bool) -> None:
    order = list(range(case.frame.shape[1]))
    shuffle.shuffle(order)
    names = [str(case.frame.columns[i]) for i in order]
    forest = SklearnForest(n_estimators=10, contamination=0.3, random_state=0).fit(case.frame)
    arguments = {
        "objectives": case.objectives,
        "plausibility": forest if detector else None,
        "policy": case.policy,
    }
    before = p2ce.Explainer(case.model, case.frame, **{"target": 1, **arguments}).explain(case.person)
    person = {name: case.person[name] for name in names}
    # The caller's frame in another order.
    assert (
        p2ce.Explainer(case.model, case.frame[names], **{"target": 1, **arguments}).explain(person) == before
    )
    # The model itself fitted in another order.
    arguments["policy"] = reordered(case.policy, names)
    moved = with_columns(case.model, order)
    after = p2ce.Explainer(moved, case.frame[names], **{"target": 1, **arguments}).explain(person)
    assert is_same(after, before)
    assert list(after.person) == names


@examples(15)
@given(seed=st.integers(0, 10_000), power=st.integers(-3, 6), detector=st.booleans())
def test_the_unit_of_a_feature_changes_nothing(seed: int, power: int, detector: bool) -> None:
    objectives = ["mean_distance", "max_distance", "percentile_shift"]
    case = state_problem("decision tree", CORE["decision tree"], seed, columns=5, objectives=objectives)
    # Whole and single-precision columns cannot be halved; powers of two round nothing.
    scaled = [name for name in case.frame.columns if case.frame[name].dtype == np.float64]
    unit = dict.fromkeys(scaled, 2.0**power)
    frame = case.frame.assign(**{name: case.frame[name] * unit[name] for name in scaled})
    policy = p2ce.Policy.infer(frame, grid="paper").candidates(
        {
            name: [value * unit.get(name, 1.0) for value in case.policy[name].candidates().tolist()]
            for name in frame.columns
        }
    )

    def an_explanation(people: pd.DataFrame, policy: p2ce.Policy, person: dict[str, Any]) -> p2ce.Explanation:
        model = DecisionTreeClassifier(max_depth=5, random_state=0).fit(people, case.label)
        forest = SklearnForest(n_estimators=10, contamination=0.3, random_state=0).fit(people)
        explainer = p2ce.Explainer(
            model,
            people,
            target=1,
            policy=policy,
            objectives=case.objectives,
            plausibility=forest if detector else None,
        )
        return explainer.explain(person)

    named = {name: case.policy[name].candidates().tolist() for name in case.frame.columns}
    plain = p2ce.Policy.infer(case.frame, grid="paper").candidates(named)
    before = an_explanation(case.frame, plain, case.person)
    after = an_explanation(
        frame, policy, {name: value * unit.get(name, 1) for name, value in case.person.items()}
    )
    assert after.status is before.status
    assert [option.costs for option in after] == [option.costs for option in before]
    for now, then in zip(after, before, strict=True):
        assert now.values == {name: value * unit.get(name, 1) for name, value in then.values.items()}
        assert (now.score, now.plausibility) == (then.score, then.plausibility)
