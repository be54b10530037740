"""Check that the vectorised and the spoken re-check of the constraints agree."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from p2ce import ActionSet, rules
from p2ce.compilation.compiled_problem import Problem
from p2ce.tables.codebook import MISSING
from p2ce.verification.constraints import allowed_rows, broken_rules, check_constraints

SCHOOL = ["none", "school", "phd"]
FRAME = pd.DataFrame(
    {
        "a": np.arange(60.0),
        "b": np.arange(60) / 10,
        "c": [0, 1] * 30,
        "home": (["own"] * 30 + ["rent"] * 20 + ["free"] * 10),
        "school": pd.Categorical(SCHOOL * 20, categories=SCHOOL, ordered=True),
    }
).assign(a=lambda frame: frame["a"].where(frame["a"] != 7))
FREE = ActionSet.infer(FRAME)
ACTIONS = {
    "free": FREE,
    "fixed": FREE.fix("a", "home"),
    "protected": FREE.protect("home"),
    "turned": FREE.increase_only("a", "school").decrease_only("b"),
    "narrow": FREE.within(a=(10, 20), b=(1.0, 2.0)),
    "named": FREE.values(a=[5, 15, 25], home=["own"]).within(a=(10, 30)),
    "known stays known": FREE.keep_missing("a"),
    "may go missing": FREE.allow_missing("a"),
    "rules": FREE.rule(
        rules.inequality("b <= a"), rules.exclusive("a", "b"), rules.forbid("home", {"own": ["rent"]})
    ),
    "function": FREE.rule(rules.predicate(lambda rows: rows["b"] < 3.0, name="b is small")),
}
ROWS = st.tuples(
    st.sampled_from([0.0, 5.0, 10.0, 15.0, 25.0, 60.0, MISSING]),
    st.sampled_from([0.0, 1.0, 1.5, 4.0]),
    st.sampled_from([0.0, 1.0]),
    st.sampled_from([0.0, 1.0, 2.0]),
    st.sampled_from([0.0, 1.0, 2.0]),
)


@cache
def setup_of(kind: str) -> Problem:
    """Ask a small question over an action set; what the model says does not matter."""

    def scores(frame: pd.DataFrame) -> np.ndarray:
        return (frame["b"] > 2.0).to_numpy(dtype=np.float64)

    return p2ce.Explainer(scores, FRAME, actions=ACTIONS[kind], plausibility=None, max_changes=None)._problem


@given(
    kind=st.sampled_from(sorted(ACTIONS)),
    before=ROWS,
    after=ROWS,
    max_changes=st.sampled_from([None, 1, 2, 3]),
)
def test_words_and_verdicts_agree(kind: str, before: tuple, after: tuple, max_changes: int | None) -> None:
    problem = replace(setup_of(kind), max_changes=max_changes)
    then, now = np.array([before]), np.array([after])
    kept = check_constraints(problem, then, now, problem.frame(now))
    words = broken_rules(problem, then[0], now[0], problem.frame(now))
    assert kept.allowed.tolist() == [not words]
    assert all(word.endswith(".") for word in words)
    # Functions of the user's are not known beforehand, and rules in doubt not for sure; all else is.
    assert kept.broken_for_sure.tolist() == [any(not word.startswith("The rule ") for word in words)]


@given(kind=st.sampled_from(sorted(ACTIONS)), before=ROWS, after=ROWS)
def test_rows_are_allowed_value_by_value(kind: str, before: tuple, after: tuple) -> None:
    """The rows hold codes; the features are asked in the user's own values."""
    problem = setup_of(kind)
    then, now = np.array([before]), np.array([after])
    cells = [
        (feature.name, *(problem.codebook[feature.name].plain(code) for code in pair))
        for feature, *pair in zip(problem.actions.features, before, after, strict=True)
    ]
    fine = all(_same(old, new) or problem.actions[name].allows(old, new) for name, old, new in cells)
    assert allowed_rows(problem.features, problem.codebook, then, now).tolist() == [fine]


def _same(old: Any, new: Any) -> bool:
    return old == new or (pd.isna(old) and pd.isna(new))


@given(kind=st.sampled_from(sorted(ACTIONS)), row=ROWS)
def test_staying_breaks_no_constraint_of_a_feature(kind: str, row: tuple) -> None:
    outside = np.array([row])
    problem = setup_of(kind)
    assert allowed_rows(problem.features, problem.codebook, outside, outside).all()


@pytest.mark.parametrize(
    ("kind", "changes", "words"),
    [
        ("fixed", {"home": "own"}, "'home' is fixed, but goes rent → own."),
        ("turned", {"a": 3.0}, "'a' may only increase, but goes 10 → 3."),
        ("named", {"home": "free"}, "'home' goes rent → free, outside of what within() and values() allow."),
        ("free", {"a": None}, "'a' goes 10 → missing, outside of what within() and values() allow."),
        ("rules", {"a": 1.0}, "The rule 'b <= a' does not hold."),
        ("function", {"b": 5.0}, "The rule 'b is small says yes' does not hold."),
    ],
)
def test_what_is_broken_is_said_in_words(kind: str, changes: dict[str, Any], words: str) -> None:
    problem = setup_of(kind)
    person = {"a": 10.0, "b": 2.0, "c": 0, "home": "rent", "school": "none"}
    then, now = (problem.codebook.encode(pd.DataFrame([row])) for row in (person, {**person, **changes}))
    assert broken_rules(problem, then[0], now[0], problem.frame(now)) == [words]
