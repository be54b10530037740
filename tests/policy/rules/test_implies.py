"""Does a condition mean the values, range or change that people wrote?"""

from typing import Any

import numpy as np
import pytest

from p2ce.errors import InvalidPolicy
from p2ce.policy.rules import CHANGES, implies
from p2ce.tables.codebook import MISSING
from tests.policy.rules.random_rules import BOOK


@pytest.mark.parametrize(
    ("column", "condition", "before", "after", "expected"),
    [
        ("housing", "rent", None, [0, 1, MISSING], [0, 1, 0]),
        ("housing", ["own", None], None, [0, 1, MISSING], [1, 0, 1]),
        ("whole", (1, 2), None, [0, 1, 2, 3], [0, 1, 1, 0]),
        ("rate", (None, 0.2), None, [0.1, 0.2, 0.3, MISSING], [1, 1, 0, 0]),
        ("rate", (0.2, np.inf), None, [0.1, 0.2, 0.3, MISSING], [0, 1, 1, 0]),
        ("grade", ("b", "c"), None, [0, 1, 2, 3, MISSING], [0, 1, 1, 0, 0]),
        ("whole", CHANGES, [1, 1], [1, 2], [0, 1]),
        ("whole", "changes", [1, 1], [1, 2], [0, 1]),
        ("rate", CHANGES, [MISSING, MISSING, 1], [MISSING, 1, MISSING], [0, 1, 1]),
        ("flag", True, None, [0, 1], [0, 1]),
        ("single", 0.1, None, [np.float32(0.1), 0.5], [1, 0]),
        ("single", (None, 0.1), None, [np.float32(0.1), 0.5], [1, 0]),
    ],
)
def test_conditions_mean_values_ranges_and_changes(
    column: str, condition: Any, before: list[float] | None, after: list[float], expected: list[int]
) -> None:
    """Where a condition is met, an impossible consequence breaks the rule."""
    name = "flag" if column != "flag" else "whole"
    rule = implies({column: condition}, {name: 1})
    rows = {column: np.array(after, dtype=float), name: np.zeros(len(after))}
    start = {**rows, column: np.array(after if before is None else before, dtype=float)}
    assert (~rule.holds(start, rows, BOOK)).tolist() == [bool(one) for one in expected]


def test_every_condition_must_be_met_and_every_consequence() -> None:
    rule = implies({"whole": 1, "flag": True}, {"nullable": 0, "rate": (0, 1)})
    rows = {
        "whole": np.array([1.0, 1.0, 1.0, 0.0]),
        "flag": np.array([1.0, 1.0, 1.0, 1.0]),
        "nullable": np.array([0.0, 0.0, 1.0, 1.0]),
        "rate": np.array([0.5, 2.0, 0.5, 2.0]),
    }
    assert rule.holds(rows, rows, BOOK).tolist() == [True, False, False, True]
    assert len(rule.budgets(BOOK)) == 2


def test_a_column_may_stand_on_both_sides() -> None:
    rule = implies({"housing": CHANGES}, {"housing": "own"})
    (budget,) = rule.budgets(BOOK)
    assert budget.columns == ("housing",)
    costs = budget.costs("housing", np.array([[0.0, 1.0, 2.0]]), np.array([[1.0]]))
    assert (costs <= budget.limit).tolist() == [[True, True, False]]


@pytest.mark.parametrize(
    ("column", "condition", "message"),
    [
        ("housing", "ownn", "names 'ownn', which is not a value of 'housing'. Did you mean 'own'"),
        ("housing", ("own", "rent"), "no order"),
        ("whole", "x", "'whole', which holds numbers"),
        ("whole", 0.5, "int64 cannot hold it"),
        ("flag", 2, "bool cannot hold it"),
        ("whole", (3, 1), "is empty. Swap"),
        ("whole", (1, 2, 3), "must be a range"),
        ("whole", (None, None), "open at both ends"),
        ("whole", [], "is empty"),
        ("whole", {"form": 1}, "an unknown entry 'form'. Did you mean 'from'"),
        ("whole", {"changes": False}, "is empty or has too many entries. Expected a value"),
        ("whole", {}, "is empty or has too many entries. Expected a value"),
    ],
)
def test_conditions_that_no_row_can_meet_are_rejected(column: str, condition: Any, message: str) -> None:
    with pytest.raises(InvalidPolicy, match=message):
        implies({column: condition}, {"rate": 1}).budgets(BOOK)


def test_both_sides_are_needed() -> None:
    with pytest.raises(InvalidPolicy, match="expects columns and their values as consequence"):
        implies({"a": 1}, {})
    with pytest.raises(InvalidPolicy, match="as condition"):
        implies("a", {"a": 1})  # type: ignore[arg-type]
