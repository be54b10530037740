"""Settings between features keep out what breaks them, and never make anything cheaper."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from p2ce import rules
from tests.oracle import Group, Link, no_cheaper, plain
from tests.populations.random_tables import GROUP
from tests.properties.amount import examples
from tests.properties.stated_problems import StatedProblem, table_problems

QUICK = ["LightGBM", "histogram boosting", "logistic regression behind a one-hot encoder", "function"]


def plain_options(found: p2ce.Explanation) -> list[dict[str, Any]]:
    """Give the options as plain rows."""
    return [{name: plain(value) for name, value in option.values.items()} for option in found]


@examples(18)
@given(
    problem=table_problems(
        QUICK, columns=st.integers(3, 5), rule_count=st.integers(1, 4), detector=st.just(False)
    )
)
def test_no_option_breaks_a_rule(problem: StatedProblem) -> None:
    """Every rule is stated again in pandas; the objects that the search uses are not used."""
    for person, found in zip(problem.people, problem.explain_all(), strict=True):
        assert found.status is not p2ce.Status.ERROR
        rows = pd.DataFrame(plain_options(found), columns=list(problem.frame), dtype=object)
        for one in problem.stated:
            assert one.keeps(person, rows).all(), one.rule.text()


@examples(18)
@given(
    problem=table_problems(
        QUICK,
        columns=st.integers(2, 5),
        rule_count=st.integers(1, 3),
        group=st.just(False),
        link=st.just(False),
    )
)
def test_adding_a_rule_never_lowers_a_cost(problem: StatedProblem) -> None:
    """For rules that only take rows away.

    linked() and one_hot() do something else as well: what moves together is one move, which may go where
    no single feature's grid goes, and is priced and counted as one.
    """
    stated = [one.rule for one in problem.stated]
    assert stated
    before = problem.explain_all(actions=problem.actions)
    for count in range(1, len(stated) + 1):
        after = problem.explain_all(actions=problem.actions.rule(*stated[:count]))
        assert all(no_cheaper(*pair) for pair in zip(after, before, strict=True))
        before = after


@examples(15)
@given(problem=table_problems(QUICK, group=st.just(True), columns=st.integers(1, 3)))
def test_a_one_hot_group_never_shows_two_levels(problem: StatedProblem) -> None:
    (group,) = (one for one in problem.stated if isinstance(one, Group))
    for option in problem.explain():
        moved = [name for name in GROUP if name in option.changes]
        count = sum(option.values[name] for name in GROUP)
        assert count == 1 or (count == 0 and group.may_be_none)
        others = len(option.changes) - len(moved)
        if not any(isinstance(one, Link) for one in problem.stated) and "changes" in option.costs:
            assert option.costs["changes"] == others + bool(moved)


@examples(15)
@given(
    problem=table_problems(
        QUICK,
        columns=st.integers(2, 5),
        rule_count=st.integers(1, 4),
        group=st.just(False),
        link=st.just(True),
    )
)
def test_a_follower_moves_with_its_driver_and_counts_as_stated(problem: StatedProblem) -> None:
    links = [one for one in problem.stated if isinstance(one, Link)]
    assert links
    explained = problem.explain_all(objectives=("changes", "mean_distance"))
    for person, found in zip(problem.people, explained, strict=True):
        for row, option in zip(plain_options(found), found, strict=True):
            counted = len(option.changes)
            for link in links:
                before, after, start = person[link.driver], row[link.driver], person[link.follower]
                if None in (before, after, start):
                    assert link.follower not in option.changes
                    continue
                assert row[link.follower] == start + link.ratio * (after - before)
                counted -= link.follower in option.changes and link.counts == "once"
            assert option.costs["changes"] == counted
            assert problem.max_changes is None or counted <= problem.max_changes


PEOPLE = pd.DataFrame(
    {"age": [20, 30, 40, 50] * 5, "years": [0.0, 10.0, np.nan, 20.0] * 5, "pay": [1, 2, 3, 4] * 5}
)


def by_age(rows: pd.DataFrame) -> np.ndarray:
    """Accept from 50 on."""
    return rows["age"].to_numpy() / 50


def counted(person: dict[str, Any], *links: rules.Rule, limit: int | None) -> list[float]:
    """Give what the options count as changes."""
    actions = (
        p2ce.ActionSet.infer(PEOPLE, grid="paper")
        .step(age=10, years=10, pay=1)
        .within(pay=(0, 90), years=(0, 90))
    )
    arguments: dict[str, Any] = {"threshold": 1.0, "objectives": "changes", "plausibility": None}
    explainer = p2ce.Explainer(by_age, PEOPLE, actions=actions.rule(*links), max_changes=limit, **arguments)
    found = explainer.explain(person)
    for option in found:
        assert explainer.check(person, option.values).allowed
    return [option.costs["changes"] for option in found]


@pytest.mark.parametrize(
    ("first", "second", "count"),
    [("once", "once", 1), ("once", "each", 2), ("each", "once", 2), ("each", "each", 3)],
)
@pytest.mark.parametrize("chain", [True, False])
def test_a_chain_of_links_counts_those_that_were_stated_to(
    first: str, second: str, count: int, chain: bool
) -> None:
    person = {"age": 40, "years": 10.0, "pay": 2}
    links = (
        rules.linked("age", "years", counts=first),
        rules.linked("years" if chain else "age", "pay", counts=second),
    )
    assert counted(person, *links, limit=None) == [count]
    assert counted(person, *links, limit=count) == [count]
    if count > 1:
        assert counted(person, *links, limit=count - 1) == []


def test_a_follower_that_stays_missing_counts_as_no_change() -> None:
    person = {"age": 40, "years": np.nan, "pay": 2}
    link = rules.linked("age", "years", counts="each")
    assert counted(person, link, limit=1) == [1.0]
    assert counted(person, link, limit=None) == [1.0]
