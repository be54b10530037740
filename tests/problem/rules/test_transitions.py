"""Are changes between values forbidden or allowed as listed?"""

from typing import Any

import numpy as np
import pytest

from p2ce.errors import InvalidActions
from p2ce.problem.rules import Rule, allow_only, forbid, rule_from_plain
from p2ce.tables.codebook import MISSING
from tests.problem.rules.random_rules import BOOK

OWN, RENT, FREE, NEW = 0.0, 1.0, 2.0, 3.0


def kept(rule: Rule, moves: list[tuple[float, float]]) -> list[bool]:
    resolved = rule.resolve(BOOK)
    before, after = np.array(moves).T
    assert resolved.holds is not None
    return resolved.holds({rule.columns[0]: before}, {rule.columns[0]: after}).tolist()


def test_listed_changes_are_forbidden() -> None:
    rule = forbid("housing", {"own": ["rent", None], None: "free"})
    moves = [
        (OWN, RENT),
        (OWN, MISSING),
        (OWN, FREE),
        (RENT, OWN),
        (MISSING, FREE),
        (MISSING, OWN),
        (NEW, RENT),
    ]
    assert kept(rule, moves) == [False, False, True, True, False, True, True]


def test_only_listed_changes_are_allowed() -> None:
    rule = allow_only("housing", {"rent": ["own"]})
    moves = [(RENT, OWN), (RENT, FREE), (OWN, RENT), (OWN, OWN), (NEW, NEW), (NEW, OWN)]
    assert kept(rule, moves) == [True, False, False, True, True, False]


def test_staying_is_no_change_even_if_listed() -> None:
    assert kept(forbid("housing", {"own": ["own", "rent"]}), [(OWN, OWN)]) == [True]


def test_numbers_and_bools_have_transitions_too() -> None:
    assert kept(forbid("flag", {True: [False]}), [(1.0, 0.0), (0.0, 1.0)]) == [False, True]
    assert kept(forbid("whole", {1: range(2, 4)}), [(1.0, 3.0), (1.0, 0.0)]) == [False, True]


@pytest.mark.parametrize("given", [{}, {"own": []}, ["own"], None])
def test_something_must_be_listed(given: Any) -> None:
    with pytest.raises(InvalidActions, match=r"expects what each value may become|lists nothing"):
        forbid("housing", given)


def test_unknown_labels_name_the_nearest() -> None:
    with pytest.raises(InvalidActions, match=r"'rnt', which is no value of 'housing'\. Did you mean 'rent'"):
        forbid("housing", {"own": ["rnt"]}).resolve(BOOK)


@pytest.mark.parametrize(
    "transitions",
    [
        [],
        {"own": "rent"},
        ["own"],
        [{"from": "own"}],
        [{"from": "own", "too": ["rent"]}],
        [{"from": "own", "to": []}],
        [{"from": "own", "to": ["rent"]}, {"from": "own", "to": ["free"]}],
    ],
)
def test_the_plain_form_is_checked(transitions: Any) -> None:
    with pytest.raises(InvalidActions):
        rule_from_plain({"rule": "forbid", "column": "housing", "transitions": transitions})
