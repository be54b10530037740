"""Are changes between values, and levels of a one-hot group, those that the rule lists?"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidPolicy
from p2ce.policy.rules import Rule, allow_only, forbid, one_hot, rule_from_plain
from p2ce.tables.codebook import MISSING, codebook_of
from tests.policy.rules.random_rules import BOOK

OWN, RENT, FREE, NEW = 0.0, 1.0, 2.0, 3.0
GROUP = codebook_of(pd.DataFrame({"a": [0, 1], "b": [1, 0], "c": [0.0, np.nan], "job": ["x", "y"]}))
ROWS = st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, MISSING])] * 3), min_size=4, max_size=4)


@pytest.mark.parametrize(
    ("rule", "kept", "broken"),
    [
        (
            forbid("housing", {"own": ["rent", None], None: "free"}),
            [(OWN, FREE), (RENT, OWN), (MISSING, OWN), (NEW, RENT)],
            [(OWN, RENT), (OWN, MISSING), (MISSING, FREE)],
        ),
        (
            allow_only("housing", {"rent": ["own"]}),
            [(RENT, OWN), (OWN, OWN), (NEW, NEW)],
            [(RENT, FREE), (OWN, RENT), (NEW, OWN)],
        ),
        (forbid("housing", {"own": ["own", "rent"]}), [(OWN, OWN)], [(OWN, RENT)]),  # staying is not a change
        (forbid("flag", {True: [False]}), [(0.0, 1.0)], [(1.0, 0.0)]),
        (forbid("whole", {1: range(2, 4)}), [(1.0, 0.0)], [(1.0, 3.0)]),
    ],
)
def test_listed_changes_are_forbidden_or_the_only_ones(rule: Rule, kept: Any, broken: Any) -> None:
    column = rule.columns[0]
    for moves, holds in ((kept, True), (broken, False)):
        before, after = np.array(moves).T
        assert (rule.holds({column: before}, {column: after}, BOOK) == holds).all()


def codes(rows: list[tuple[float, ...]]) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    return dict(zip("abc", np.array(rows).T, strict=True))


@given(ROWS, ROWS, st.sampled_from([None, True, False]))
def test_exactly_one_level_holds_whatever_was_before(
    before: list[tuple[float, ...]], after: list[tuple[float, ...]], may_be_none: bool | None
) -> None:
    rule = one_hot("Group", ["a", "b", "c"], may_be_none)
    found = rule.holds(codes(before), codes(after), GROUP).tolist()
    levels = (0.0, 1.0) if may_be_none else (1.0,)
    assert found == [MISSING not in new and sum(new) in levels for new in after]
    # Rows with two levels, or none of those that may be, are not closed.
    levels = (1.0,) if may_be_none is False else (0.0, 1.0)
    assert rule.closed(codes(before)).tolist() == [
        MISSING not in old and sum(old) in levels for old in before
    ]


def test_the_data_decides_whether_none_is_a_level() -> None:
    rule = one_hot("Group", ["a", "b"])
    assert rule.settled(codes([(0, 0, 0), (1, 0, 0)])).may_be_none is True
    assert rule.settled(codes([(0, 1, 0), (1, 0, 0)])).may_be_none is False
    assert one_hot("Group", ["a", "b"], False).settled(codes([(0, 0, 0)])).may_be_none is False


def plain(transitions: Any) -> Rule:
    return rule_from_plain({"rule": "forbid", "column": "housing", "transitions": transitions})


NOTHING = r"expects what each value may become|lists no value"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *(
            (lambda given=given: forbid("housing", given), NOTHING)
            for given in ({}, {"own": []}, ["own"], None)
        ),
        (lambda: forbid("housing", {"own": ["rnt"]}).budgets(BOOK), r"'rnt', .*Did you mean 'rent'"),
        (lambda: plain([]), None),
        (lambda: plain({"own": "rent"}), None),
        (lambda: plain([{"from": "own"}]), None),
        (lambda: plain([{"from": "own", "too": ["rent"]}]), None),
        (lambda: plain([{"from": "own", "to": []}]), None),
        (lambda: plain([{"from": "own", "to": ["rent"]}, {"from": "own", "to": ["free"]}]), None),
        (lambda: one_hot("Group", ["a"]), "at least 2"),
        (lambda: one_hot("Group", "ab"), "a list of columns"),
        (lambda: one_hot("Group", ["a", "b"], "no"), "may_be_none"),  # type: ignore[arg-type]
        (lambda: one_hot("Group", ["a", "job"]).budgets(GROUP), "it already is a category"),
    ],
)
def test_a_mistake_is_named(call: Any, message: str | None) -> None:
    with pytest.raises(InvalidPolicy, match=message):
        call()
