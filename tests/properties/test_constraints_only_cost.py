"""Asking for more never makes anything cheaper."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import p2ce
from tests.oracle import no_cheaper
from tests.properties.amount import examples
from tests.properties.stated_problems import StatedProblem, numeric_problems, results_of

names = st.integers(0, 100)


def pick(case: StatedProblem, which: int) -> str:
    return str(case.frame.columns[which % case.frame.shape[1]])


def assert_no_cheaper(case: StatedProblem, stricter: p2ce.Explanation, before: p2ce.Explanation) -> None:
    assert no_cheaper(stricter, before)
    if before.status is p2ce.Status.NO_RECOURSE:
        assert stricter.status is p2ce.Status.NO_RECOURSE


@examples(25)
@given(case=numeric_problems(), which=names, kind=st.sampled_from(["fix", "increase_only", "decrease_only"]))
def test_fixing_or_turning_a_feature(case: StatedProblem, which: int, kind: str) -> None:
    before = case.explain()
    assume(before.status is not p2ce.Status.ALREADY_FAVOURABLE)
    name = pick(case, which)
    stricter = case.explain(actions=getattr(case.actions, kind)(name))
    assert_no_cheaper(case, stricter, before)
    for option in stricter:
        if name in option.changes:
            then, now = option.changes[name]
            assert kind != "fix"
            assert (now > then) == (kind == "increase_only")


@examples(25)
@given(case=numeric_problems(), which=names, cut=st.floats(0.0, 1.0), upper=st.booleans())
def test_narrowing_a_range(case: StatedProblem, which: int, cut: float, upper: bool) -> None:
    before = case.explain()
    assume(before.status is not p2ce.Status.ALREADY_FAVOURABLE)
    name = pick(case, which)
    known = case.actions[name].candidates()
    at = float(known[int(cut * (len(known) - 1))])
    ends = (float(known[0]), at) if upper else (at, float(known[-1]))
    stricter = case.explain(actions=case.actions.within({name: ends}))
    assert_no_cheaper(case, stricter, before)
    for option in stricter:
        if name in option.changes:
            assert ends[0] <= option.changes[name][1] <= ends[1]


@examples(25)
@given(case=numeric_problems(), fewer=st.integers(1, 3))
def test_allowing_fewer_changes(case: StatedProblem, fewer: int) -> None:
    explainer = case.explainer(max_changes=None)
    before = explainer.explain(case.person)
    assume(before.status is not p2ce.Status.ALREADY_FAVOURABLE)
    stricter = explainer.explain(case.person, max_changes=fewer)
    assert_no_cheaper(case, stricter, before)
    assert all(len(option.changes) <= fewer for option in stricter)
    assert results_of(stricter) == results_of(case.explain(max_changes=fewer))


@examples(25)
@given(case=numeric_problems(), contamination=st.sampled_from([0.05, 0.2, 0.5]))
def test_asking_for_plausible_points(case: StatedProblem, contamination: float) -> None:
    before = case.explain()
    assume(before.status is not p2ce.Status.ALREADY_FAVOURABLE)
    forest = p2ce.IsolationForest(n_estimators=10, contamination=contamination)
    stricter = case.explain(plausibility=forest)
    assert_no_cheaper(case, stricter, before)
    assert all(option.plausibility >= 0.0 for option in stricter)


@examples(25)
@given(case=numeric_problems(), more=st.floats(0.0, 0.4))
def test_a_higher_threshold(case: StatedProblem, more: float) -> None:
    before = case.explain(threshold=0.5)
    assume(before.status is not p2ce.Status.ALREADY_FAVOURABLE)
    stricter = case.explain(threshold=0.5 + more)
    assert_no_cheaper(case, stricter, before)
    assert all(option.score >= 0.5 + more for option in stricter)


@examples(20)
@given(case=numeric_problems())
def test_the_front_is_an_antichain_and_every_option_is_a_change(case: StatedProblem) -> None:
    found = case.explain(max_changes=None)
    costs = np.array([list(option.costs.values()) for option in found]).reshape(
        len(found), len(case.objectives)
    )
    for row in costs:
        assert not ((costs <= row).all(axis=1) & (costs < row - 1e-6).any(axis=1)).any()
    for option in found:
        assert option.changes
        for name, value in option.values.items():
            then, now = option.changes.get(name, (case.person[name], case.person[name]))
            assert then == case.person[name]
            assert now == value
            assert (now != then) == (name in option.changes)


@examples(15)
@given(case=numeric_problems())
def test_ties_add_only_points_of_equal_cost(case: StatedProblem) -> None:
    alone = case.explain(plausibility=p2ce.IsolationForest(n_estimators=10, contamination=0.3))
    tied = case.explain(plausibility=p2ce.IsolationForest(n_estimators=10, contamination=0.3), ties=True)
    assert tied.status is alone.status
    # Not by the score: a linear model rounds a row otherwise in other company.
    known = [(option.changes, option.costs) for option in tied]
    assert [option for option in alone if (option.changes, option.costs) not in known] == []
    kept = [tuple(option.costs.values()) for option in alone]
    for option in tied:
        assert any(tuple(option.costs.values()) == pytest.approx(costs, rel=1e-6, abs=1e-9) for costs in kept)
