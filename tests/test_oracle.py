"""Does the oracle give fronts that were worked out by hand, and does its law notice what is wrong?"""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import rules
from tests.oracle import Group, Link, Truth, added_up, assert_is_front, brute_force_front, quanta

PEOPLE = pd.DataFrame(
    {"a": [0, 1, 2, 0, 1, 2], "b": [0.0, 1.0, np.nan, 0.0, 1.0, 1.0], "c": ["x", "y", "x", "y", "x", "x"]}
)
ACTIONS = p2ce.Policy.infer(PEOPLE, grid="paper").candidates(a=[0, 1, 2], b=[0.0, 1.0])


def front(person: dict[str, Any], accepts: Any, *objectives: str, **stated: Any) -> Truth:
    return brute_force_front(person, PEOPLE, ACTIONS, accepts=accepts, objectives=objectives, **stated)


def test_fewest_changes_with_ties() -> None:
    found = front({"a": 0, "b": 0.0, "c": "x"}, lambda rows: rows["a"] >= 1, "changes")
    assert found.rows == {(1, 0.0, "x"), (2, 0.0, "x")}
    assert found.costs == {(int(quanta(np.array([1.0]))[0]),)}
    assert (found.allowed, found.valid) == (11, 8)


def test_a_trade_off_between_distance_and_changes() -> None:
    def accepts(rows: pd.DataFrame) -> Any:
        return (rows["a"] == 2) | ((rows["a"] == 1) & (rows["c"] == "y"))

    found = front({"a": 0, "b": 1.0, "c": "x"}, accepts, "max_distance", "changes")
    assert found.rows == {(2, 1.0, "x"), (1, 1.0, "y")}


def test_a_missing_value_may_be_filled_and_does_not_appear() -> None:
    found = front({"a": 0, "b": None, "c": "x"}, lambda rows: rows["b"].notna(), "changes")
    assert found.rows == {(0, 0.0, "x"), (0, 1.0, "x")}
    assert not front({"a": 0, "b": 1.0, "c": "x"}, lambda rows: rows["b"].isna(), "changes").valid


def test_a_follower_moves_with_its_driver() -> None:
    rule = rules.linked("a", "b", ratio=0.5)
    link = Link(
        rule=rule, keeps=lambda _, rows: rows["a"].notna(), driver="a", follower="b", ratio=0.5, counts="once"
    )
    found = front({"a": 0, "b": 0.0, "c": "x"}, lambda rows: rows["a"] >= 1, "changes", stated=[link])
    assert found.rows == {(2, 1.0, "x")}  # 0.5 is not a value of b


def test_two_causes_add_up() -> None:
    people = pd.DataFrame({"a": [0, 1], "b": [0, 9], "d": [0, 2]})
    policy = (
        p2ce.Policy.infer(people, grid="paper", protect=None).candidates(a=[0, 1], d=[0, 2]).within(b=(0, 9))
    )
    links = [
        Link(
            rule=rules.linked(name, "b", ratio=ratio),
            keeps=lambda _, rows: rows["b"].notna(),
            driver=name,
            follower="b",
            ratio=ratio,
            counts="each",
        )
        for name, ratio in (("a", 3.0), ("d", -1.0))
    ]
    links = [replace(link, keeps=added_up(links)) for link in links]
    truth = brute_force_front(
        {"a": 0, "b": 0, "d": 0},
        people,
        policy,
        accepts=lambda rows: rows["b"] == 1,
        objectives=["changes"],
        stated=links,
    )
    # From 0, d alone would lead b below its range.
    assert truth.allowed == 2
    assert truth.rows == {(1, 1, 2)}


def test_a_group_is_one_change() -> None:
    frame = pd.DataFrame({"one": [1, 0, 1], "two": [0, 1, 0]})
    rule = rules.one_hot("group", ["one", "two"], may_be_none=False)
    group = Group(
        rule=rule,
        keeps=lambda _, rows: rows["one"] + rows["two"] == 1,
        names=("one", "two"),
        may_be_none=False,
    )
    found = brute_force_front(
        {"one": 1, "two": 0},
        frame,
        p2ce.Policy.infer(frame, grid="paper"),
        accepts=lambda rows: rows["two"] == 1,
        objectives=["changes"],
        max_changes=1,
        stated=[group],
    )
    assert found.rows == {(0, 1)}
    assert found.allowed == 1


def test_the_law_notices_what_is_wrong() -> None:
    frame = PEOPLE[["a"]].assign(d=[0, 1, 2, 2, 1, 0])
    policy = p2ce.Policy.infer(frame, grid="paper")

    def score(rows: pd.DataFrame) -> np.ndarray:
        return np.asarray(rows["a"] + rows["d"], dtype=float)

    objectives = ["max_distance", "changes"]
    explainer = p2ce.Explainer(
        score, frame, target=1, policy=policy, at_least=2.0, objectives=objectives, plausibility=None
    )
    found = explainer.explain({"a": 0, "d": 0})
    truth = brute_force_front(
        {"a": 0, "d": 0}, frame, policy, accepts=lambda rows: score(rows) >= 2.0, objectives=objectives
    )
    assert len(found) == 2
    assert_is_front(found, truth)
    first, second = found
    wrong = [
        replace(found, counterfactuals=(first,)),
        replace(found, counterfactuals=(second, first)),
        replace(found, counterfactuals=(first, first)),
        replace(found, counterfactuals=(first, replace(second, costs=first.costs))),
        replace(found, counterfactuals=(first, replace(second, values={"a": 2, "d": 2}))),
        replace(found, counterfactuals=(first, replace(second, changes={}))),
        replace(found, status=p2ce.Status.NO_RECOURSE),
        replace(found, certificate=replace(found.certificate, proven=False)),
    ]
    for one in wrong:
        with pytest.raises(AssertionError):
            assert_is_front(one, truth)
