"""Do rules mean the same to the search, which adds up budgets, and to the check, which asks the rule?"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce import Policy, rules
from p2ce.compile.rule_scores import compile_rules
from p2ce.policy.rules.rule import Rule
from p2ce.tables.codebook import MISSING, codebook_of
from tests.properties.amount import examples

PEOPLE = pd.DataFrame(
    {
        "age": [20, 30, 40, 50, 60, 70],
        "home": ["own", "own", "own", "rent", "rent", "free"],
        "income": [10.5, 20.0, None, 40.25, 50.0, 60.0],
        "late": [0, 1, 2, 3, 4, 5],
        "insured": [True, False, True, False, True, True],
    }
)
BOOK = codebook_of(PEOPLE)
NAMES = BOOK.names
FREE = Policy.infer(PEOPLE, protect=None)
RULES: dict[str, Rule] = {
    "whole inequality": rules.inequality("2*late <= age - 15"),
    "inequality": rules.inequality("income <= 0.5*age + late"),
    "equality": rules.inequality("insured == late - 2*late + 3"),
    "if then": rules.implies({"home": ["own", "free"], "late": rules.CHANGES}, {"age": (30, 50)}),
    "forbid": rules.forbid("home", {"own": ["rent"], "rent": ["free"]}),
    "allow only": rules.allow_only("home", {"own": ["free"]}),
    "change_at_most_one": rules.change_at_most_one("age", "home", "income"),
    "together": rules.together("late", "insured", "home"),
    "at most one": rules.at_most_one_nonzero("late", "insured"),
}
ROWS = st.tuples(
    st.sampled_from([20.0, 30.0, 31.0, 70.0]),
    st.sampled_from([0.0, 1.0, 2.0, MISSING]),
    st.sampled_from([10.5, 15.0, 40.25, MISSING]),
    st.sampled_from([0.0, 1.0, 3.0, 5.0]),
    st.sampled_from([0.0, 1.0]),
)


@pytest.mark.parametrize("name", RULES)
@examples(60)
@given(before=ROWS, after=ROWS)
def test_budgets_say_what_the_rule_says(name: str, before: tuple, after: tuple) -> None:
    (checked,) = compile_rules(FREE.with_rules(RULES[name]), BOOK)
    then, now = np.array([before]), np.array([after])
    scores = checked.scores(NAMES)
    assert scores
    assert not checked.is_predicate
    spent = [-score.spending.of_row(then, now)[0] for score in scores]
    holds = checked.holds(NAMES, then, now)[0]
    if all(value >= score.accept_from for value, score in zip(spent, scores, strict=True)):
        assert holds
    if any(value < score.reject_below for value, score in zip(spent, scores, strict=True)):
        assert not holds
    if all(budget.whole for budget in checked.budgets):
        assert all(score.accept_from == score.reject_below for score in scores)


def test_columns_are_those_of_the_model_in_its_order() -> None:
    """The same rule, whichever way round the model has its columns, and with more behind them."""
    rule = RULES["inequality"]
    (checked,) = compile_rules(FREE.with_rules(rule), BOOK)
    mixed = ["insured", "late", "home", "income", "age", "home (level)"]
    rows = BOOK.encode(PEOPLE)
    order = [NAMES.index(name) for name in mixed[:-1]]
    wide = np.column_stack([rows[:, order], np.zeros(len(rows))])
    (score,), (other,) = checked.scores(NAMES), checked.scores(mixed)
    assert other.column_count == 6
    np.testing.assert_array_equal(score.spending.of_row(rows, rows), other.spending.of_row(wide, wide))
    np.testing.assert_array_equal(checked.holds(NAMES, rows, rows), checked.holds(mixed, wide, wide))


def test_predicates_are_called_and_nothing_else_is_known_of_them() -> None:
    seen: list[pd.DataFrame] = []

    def known(frame: pd.DataFrame) -> Any:
        seen.append(frame)
        return frame["income"].notna()

    (checked,) = compile_rules(FREE.with_rules(rules.predicate(known, name="income is known")), BOOK)
    assert checked.is_predicate
    assert checked.scores(NAMES) == []
    rows = BOOK.encode(PEOPLE)
    assert checked.holds(NAMES, rows, rows).all()  # not for it to say
    assert not seen
    assert checked.holds_frame(PEOPLE).tolist() == PEOPLE["income"].notna().tolist()
    assert len(seen) == 1


def test_a_rounded_sum_certifies_nothing_and_its_limit_is_not_rejected() -> None:
    (checked,) = compile_rules(FREE.with_rules(RULES["inequality"]), BOOK)
    (score,), (budget,) = checked.scores(NAMES), checked.budgets
    assert not budget.whole
    assert score.accept_from == np.inf
    assert score.reject_below < -budget.limit


def test_a_missing_value_keeps_an_inequality_whatever_the_others_are() -> None:
    (checked,) = compile_rules(FREE.with_rules(rules.inequality("late + income <= 3")), BOOK)
    row = np.array([[20.0, 0.0, MISSING, 5.0, 0.0]])
    (score,) = checked.scores(NAMES)
    assert checked.holds(NAMES, row, row).all()
    assert -score.spending.of_row(row, row)[0] >= score.reject_below
