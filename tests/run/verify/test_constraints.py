"""Check that rows are allowed exactly where no restriction is broken, and that the right one is named."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from p2ce import Policy, rules
from p2ce.compile.compiled_problem import Problem
from p2ce.explainer import problems_of
from p2ce.result import Restriction
from p2ce.result.rule_data import rule_data
from p2ce.run.verify.constraints import allowed_rows, check_constraints, violations
from p2ce.tables.codebook import MISSING

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
FREE = Policy.infer(FRAME)
SMALL = rules.predicate(lambda rows: rows["b"] < 3.0, name="b is small")
ACTIONS = {
    "free": FREE,
    "fixed": FREE.fix("a", "home"),
    "protected": FREE.protect("home"),
    "turned": FREE.increase_only("a", "school").decrease_only("b"),
    "narrow": FREE.within(a=(10, 20), b=(1.0, 2.0)),
    "named": FREE.candidates(a=[5, 15, 25], home=["own"]).within(a=(10, 30)),
    "known stays known": FREE.keep_missing("a"),
    "may go missing": FREE.allow_missing("a"),
    "rules": FREE.with_rules(
        rules.inequality("b <= a"),
        rules.change_at_most_one("a", "b"),
        rules.forbid("home", {"own": ["rent"]}),
    ),
    "function": FREE.with_rules(SMALL),
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
    """Build a small problem with a policy; the model's results do not matter."""

    def scores(frame: pd.DataFrame) -> np.ndarray:
        return (frame["b"] > 2.0).to_numpy(dtype=np.float64)

    return problems_of(
        p2ce.Explainer(scores, FRAME, target=1, policy=ACTIONS[kind], plausibility=None, max_changes=None)
    ).own


@given(
    kind=st.sampled_from(sorted(ACTIONS)),
    before=ROWS,
    after=ROWS,
    max_changes=st.sampled_from([None, 1, 2, 3]),
)
def test_a_row_is_allowed_where_it_violates_nothing(
    kind: str, before: tuple, after: tuple, max_changes: int | None
) -> None:
    problem = replace(setup_of(kind), max_changes=max_changes)
    then, now = np.array([before]), np.array([after])
    kept = check_constraints(problem, then, now, problem.frame(now))
    broken = [one.restriction.kind for one in violations(problem, then[0], now[0], problem.frame(now))]
    assert kept.allowed.tolist() == [not broken]
    # Functions of the user's are not known beforehand, and rules may be inside their error band; all else is.
    assert kept.broken_for_sure.tolist() == [any(kind != "rule" for kind in broken)]


@given(kind=st.sampled_from(sorted(ACTIONS)), before=ROWS, after=ROWS)
def test_rows_are_allowed_value_by_value(kind: str, before: tuple, after: tuple) -> None:
    """The rows hold codes; the features are evaluated in the user's own values."""
    problem = setup_of(kind)
    then, now = np.array([before]), np.array([after])
    cells = [
        (feature.name, *(problem.codebook[feature.name].plain(code) for code in pair))
        for feature, *pair in zip(problem.policy.features, before, after, strict=True)
    ]
    fine = all(_same(old, new) or problem.policy[name].allows(old, new) for name, old, new in cells)
    assert allowed_rows(problem.features, problem.codebook, then, now).tolist() == [fine]


def _same(old: Any, new: Any) -> bool:
    return old == new or (pd.isna(old) and pd.isna(new))


@pytest.mark.parametrize(
    ("kind", "changes", "broken"),
    [
        ("fixed", {"home": "own"}, Restriction(kind="fixed", feature="home")),
        ("protected", {"home": "own"}, Restriction(kind="fixed", feature="home")),
        ("turned", {"a": 3.0}, Restriction(kind="direction", feature="a", direction="up")),
        ("narrow", {"a": 3.0}, Restriction(kind="range", feature="a", low=10, high=20)),
        ("named", {"home": "free"}, Restriction(kind="values", feature="home", values=("own",))),
        ("free", {"a": None}, Restriction(kind="known", feature="a")),
        ("rules", {"a": 1.0}, Restriction(kind="rule", rule=rule_data(rules.inequality("b <= a")))),
        ("function", {"b": 5.0}, Restriction(kind="rule", rule=rule_data(SMALL))),
    ],
)
def test_the_restriction_that_is_broken_is_named(
    kind: str, changes: dict[str, Any], broken: Restriction
) -> None:
    problem = setup_of(kind)
    person = {"a": 10.0, "b": 2.0, "c": 0, "home": "rent", "school": "none"}
    then, now = (problem.codebook.encode(pd.DataFrame([row])) for row in (person, {**person, **changes}))
    (found,) = violations(problem, then[0], now[0], problem.frame(now))
    assert found.restriction == broken
    if broken.feature:
        new = changes[broken.feature]
        assert (found.before, _same(found.after, new)) == (person[broken.feature], True)


def test_a_missing_value_that_stays_missing_is_named() -> None:
    problem = setup_of("known stays known")
    then, now = np.array([[MISSING, 2.0, 0.0, 0.0, 0.0]]), np.array([[10.0, 2.0, 0.0, 0.0, 0.0]])
    (found,) = violations(problem, then[0], now[0], problem.frame(now))
    assert found.restriction == Restriction(kind="missing", feature="a")
