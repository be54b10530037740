"""Settings between features keep out what breaks them, and never make anything cheaper."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from p2ce import rules
from tests.properties.amount import examples
from tests.properties.cases import no_cheaper
from tests.properties.random_tables import GROUP, plain
from tests.properties.rules_in_pandas import Group, Link
from tests.properties.table_questions import Question, questions
from tests.properties.whole_tables import as_typed_frame

QUICK = ["LightGBM", "histogram boosting", "logistic regression behind a one-hot encoder", "function"]


def rows_of(found: p2ce.Explanation) -> list[dict[str, Any]]:
    """Give the options as plain rows."""
    return [{name: plain(value) for name, value in option.values.items()} for option in found]


def explain(question: Question, **changed: Any) -> p2ce.Explanation:
    return question.explainer(**changed).explain(as_typed_frame([question.person], question.frame))


def explain_all(question: Question, **changed: Any) -> p2ce.Explanations:
    return question.explainer(**changed).explain_many(as_typed_frame(question.people, question.frame))


@examples(18)
@given(
    question=questions(
        QUICK, columns=st.integers(3, 5), rule_count=st.integers(1, 4), detector=st.just(False)
    )
)
def test_no_option_breaks_a_rule(question: Question) -> None:
    """Every rule is said again in pandas; the objects that the search uses are not used."""
    for person, found in zip(question.people, explain_all(question), strict=True):
        assert found.status is not p2ce.Status.ERROR
        rows = pd.DataFrame(rows_of(found), columns=list(question.frame), dtype=object)
        for one in question.spoken:
            assert one.keeps(person, rows).all(), one.rule.text()


@examples(18)
@given(
    question=questions(
        QUICK,
        columns=st.integers(2, 5),
        rule_count=st.integers(1, 3),
        group=st.just(False),
        link=st.just(False),
    )
)
def test_adding_a_rule_never_lowers_a_cost(question: Question) -> None:
    """For rules that only take rows away.

    linked() and one_hot() do something else as well: what moves together is one move, which may go where
    no single feature's grid goes, and is priced and counted as one.
    """
    said = [one.rule for one in question.spoken]
    assert said
    before = explain_all(question, actions=question.actions)
    for count in range(1, len(said) + 1):
        after = explain_all(question, actions=question.actions.rule(*said[:count]))
        assert all(no_cheaper(*pair) for pair in zip(after, before, strict=True))
        before = after


@examples(15)
@given(question=questions(QUICK, group=st.just(True), columns=st.integers(1, 3)))
def test_a_one_hot_group_never_shows_two_levels(question: Question) -> None:
    (group,) = (one for one in question.spoken if isinstance(one, Group))
    for option in explain(question):
        moved = [name for name in GROUP if name in option.changes]
        count = sum(option.values[name] for name in GROUP)
        assert count == 1 or (count == 0 and group.may_be_none)
        others = len(option.changes) - len(moved)
        if not any(isinstance(one, Link) for one in question.spoken) and "changes" in option.costs:
            assert option.costs["changes"] == others + bool(moved)


@examples(15)
@given(
    question=questions(
        QUICK,
        columns=st.integers(2, 5),
        rule_count=st.integers(1, 4),
        group=st.just(False),
        link=st.just(True),
    )
)
def test_a_follower_moves_with_its_driver_and_counts_as_said(question: Question) -> None:
    links = [one for one in question.spoken if isinstance(one, Link)]
    assert links
    answered = explain_all(question, objectives=("changes", "mean_distance"))
    for person, found in zip(question.people, answered, strict=True):
        for row, option in zip(rows_of(found), found, strict=True):
            counted = len(option.changes)
            for link in links:
                before, after, start = person[link.driver], row[link.driver], person[link.follower]
                if None in (before, after, start):
                    assert link.follower not in option.changes
                    continue
                assert row[link.follower] == start + link.ratio * (after - before)
                counted -= link.follower in option.changes and link.counts == "once"
            assert option.costs["changes"] == counted
            assert question.max_changes is None or counted <= question.max_changes


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
def test_a_chain_of_links_counts_those_that_were_said_to(
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
