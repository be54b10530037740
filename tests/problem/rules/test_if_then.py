"""Does a condition mean the values, range or change that people wrote?"""

from typing import Any

import numpy as np
import pytest

from p2ce.errors import InvalidActions
from p2ce.problem.rules import CHANGES, if_then, rule_from_plain
from p2ce.tables.codebook import MISSING
from tests.problem.rules.random_rules import BOOK


def met(column: str, condition: Any, after: list[float], before: list[float] | None = None) -> list[bool]:
    """Tell where a condition is met: there, an impossible consequence breaks the rule."""
    name = "flag" if column != "flag" else "whole"
    resolved = if_then(if_={column: condition}, then={name: 1}).resolve(BOOK)
    rows = {column: np.array(after), name: np.zeros(len(after))}
    start = {**rows, column: np.array(after if before is None else before)}
    assert resolved.holds is not None
    return (~resolved.holds(start, rows)).tolist()


def test_values_ranges_and_changes() -> None:
    assert met("housing", "rent", [0.0, 1.0, MISSING]) == [False, True, False]
    assert met("housing", ["own", None], [0.0, 1.0, MISSING]) == [True, False, True]
    assert met("whole", (1, 2), [0.0, 1.0, 2.0, 3.0]) == [False, True, True, False]
    assert met("rate", (None, 0.2), [0.1, 0.2, 0.3, MISSING]) == [True, True, False, False]
    assert met("rate", (0.2, np.inf), [0.1, 0.2, 0.3, MISSING]) == [False, True, True, False]
    assert met("grade", ("b", "c"), [0.0, 1.0, 2.0, 3.0, MISSING]) == [False, True, True, False, False]
    assert met("whole", CHANGES, [1.0, 2.0], [1.0, 1.0]) == [False, True]
    assert met("whole", "changes", [1.0, 2.0], [1.0, 1.0]) == [False, True]
    assert met("rate", CHANGES, [MISSING, 1.0, MISSING], [MISSING, MISSING, 1.0]) == [False, True, True]
    assert met("flag", True, [0.0, 1.0]) == [False, True]


def test_values_are_those_that_the_column_holds() -> None:
    single = float(np.float32(0.1))
    assert met("single", 0.1, [single, 0.5]) == [True, False]
    assert met("single", (None, 0.1), [single, 0.5]) == [True, False]


def test_every_condition_must_be_met_and_every_consequence() -> None:
    rule = if_then(if_={"whole": 1, "flag": True}, then={"nullable": 0, "rate": (0, 1)}).resolve(BOOK)
    rows = {
        "whole": np.array([1.0, 1.0, 1.0, 0.0]),
        "flag": np.array([1.0, 1.0, 1.0, 1.0]),
        "nullable": np.array([0.0, 0.0, 1.0, 1.0]),
        "rate": np.array([0.5, 2.0, 0.5, 2.0]),
    }
    assert rule.holds is not None
    assert rule.holds(rows, rows).tolist() == [True, False, False, True]
    assert len(rule.budgets) == 2


def test_a_column_may_stand_on_both_sides() -> None:
    rule = if_then(if_={"housing": CHANGES}, then={"housing": "own"})
    (budget,) = rule.resolve(BOOK).budgets
    assert budget.columns == ("housing",)
    costs = budget.costs("housing", np.array([[0.0, 1.0, 2.0]]), np.array([[1.0]]))
    assert (costs <= budget.limit).tolist() == [[True, True, False]]


def test_a_label_called_changes_survives_in_a_list() -> None:
    rule = if_then(if_={"x": ["changes"]}, then={"y": CHANGES})
    assert rule.text() == "if x is 'changes', then y changes"
    assert rule_from_plain(rule.to_plain()) == rule


@pytest.mark.parametrize(
    ("column", "condition", "message"),
    [
        ("housing", "ownn", "names 'ownn', which is no value of 'housing'. Did you mean 'own'"),
        ("housing", ("own", "rent"), "no order"),
        ("whole", "x", "'whole', which holds numbers"),
        ("whole", 0.5, "int64 never holds it"),
        ("flag", 2, "bool never holds it"),
    ],
)
def test_values_that_a_column_never_has_are_rejected(column: str, condition: Any, message: str) -> None:
    with pytest.raises(InvalidActions, match=message):
        if_then(if_={column: condition}, then={"rate": 1}).resolve(BOOK)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ((3, 1), "is empty. Swap"),
        ((1, 2, 3), "is a range"),
        ((None, None), "open at both ends"),
        ([], "is empty"),
        ({"form": 1}, "Cannot read the condition"),
        ({"changes": False}, "Cannot read the condition"),
        ({}, "Cannot read the condition"),
    ],
)
def test_conditions_that_cannot_be_read_are_rejected(condition: Any, message: str) -> None:
    with pytest.raises(InvalidActions, match=message):
        if_then(if_={"whole": condition}, then={"rate": 1})


def test_both_sides_are_needed() -> None:
    with pytest.raises(InvalidActions, match="expects columns and their values for then"):
        if_then(if_={"a": 1}, then={})
    with pytest.raises(InvalidActions, match="for if_"):
        if_then(if_="a", then={"a": 1})  # type: ignore[arg-type]
