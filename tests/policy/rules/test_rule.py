"""The laws of every rule: budgets mean the same as the truth, and a rule survives being written down."""

import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidPolicy
from p2ce.policy.rules import (
    Rule,
    at_most_one_nonzero,
    change_at_most_one,
    forbid,
    implies,
    inequality,
    linked,
    one_hot,
    predicate,
    rule_from_plain,
    together,
)
from p2ce.policy.rules.rule import Codes
from p2ce.tables.codebook import codebook_of
from tests.policy.rules.random_rules import BOOK, PEOPLE, budget_rules, codes
from tests.properties.amount import examples

ALL = st.one_of(
    budget_rules(),
    st.builds(
        linked,
        st.just("whole"),
        st.just("rate"),
        ratio=st.floats(-3, 3).filter(bool),
        counts=st.sampled_from(["once", "each"]),
    ),
    st.builds(
        one_hot,
        st.just("Group"),
        st.just(["flag", "whole"]),
        may_be_none=st.sampled_from([None, True, False]),
    ),
    st.builds(predicate, st.just("some.module:function"), name=st.sampled_from([None, "said so"])),
)


def totals(rule: Rule, before: Codes, after: Codes) -> list[np.ndarray[Any, Any]]:
    """Add up every budget for one value per row."""
    return [
        np.sum(
            [
                budget.costs(column, after[column][:, None], before[column][:, None])[:, 0]
                for column in budget.columns
            ],
            axis=0,
        )
        for budget in rule.budgets(BOOK)
    ]


@given(budget_rules(), codes(), codes())
def test_a_rule_holds_exactly_where_all_its_budgets_do(rule: Rule, before: Codes, after: Codes) -> None:
    truth = rule.holds(before, after, BOOK)
    within, accept_from = np.ones(40, dtype=bool), np.ones(40, dtype=bool)
    for budget, total in zip(rule.budgets(BOOK), totals(rule, before, after), strict=True):
        within &= total <= budget.limit
        assert set(budget.columns) <= set(rule.columns)
        if budget.whole:
            assert (budget.limit - 0.5).is_integer()
            assert (np.isneginf(total) | (total == np.floor(total))).all()
        if not budget.whole:  # rounding is decided by the truth
            accept_from &= ~(np.abs(total - budget.limit) < 1e-6)
    assert truth.dtype == np.bool_
    assert truth.shape == (40,)
    np.testing.assert_array_equal(truth[accept_from], within[accept_from])


@examples(30)
@given(budget_rules(), codes(6), codes(8))
def test_costs_of_many_candidates_are_those_of_each(rule: Rule, before: Codes, after: Codes) -> None:
    for budget in rule.budgets(BOOK):
        for column in budget.columns:
            values, current = after[column][None, :], before[column][:, None]
            costs = budget.costs(column, values, current)
            assert costs.shape == (6, 8)
            one_by_one = [
                [budget.costs(column, v[None, None], c[None, None])[0, 0] for v in values[0]]
                for c in current[:, 0]
            ]
            np.testing.assert_array_equal(costs, one_by_one)


@given(ALL)
def test_a_rule_survives_its_plain_form_and_json(rule: Rule) -> None:
    plain = rule.to_plain()
    assert rule_from_plain(plain) == rule
    again = rule_from_plain(json.loads(json.dumps(plain)))
    assert again == rule
    assert again.text() == rule.text()
    assert "\n" not in rule.text()


@examples(50)
@given(ALL, codes(5), codes(5))
def test_rules_and_their_budgets_can_be_sent_to_other_processes(
    rule: Rule, before: Codes, after: Codes
) -> None:
    assert pickle.loads(pickle.dumps(rule)) == rule
    assert hash(pickle.loads(pickle.dumps(rule))) == hash(rule)
    again, book = pickle.loads(pickle.dumps((rule, BOOK)))
    np.testing.assert_array_equal(rule.holds(before, after, BOOK), again.holds(before, after, book))
    assert len(pickle.loads(pickle.dumps(rule.budgets(BOOK)))) == len(rule.budgets(BOOK))


@given(budget_rules(), codes(), codes())
def test_renaming_categories_changes_nothing(rule: Rule, before: Codes, after: Codes) -> None:
    names = {"own": "z9", "rent": "a0", "free": "m5"}
    renamed = codebook_of(PEOPLE.assign(housing=PEOPLE["housing"].map(names)))
    text = json.dumps(rule.to_plain())
    for old, new in names.items():
        text = text.replace(f'"{old}"', f'"{new}"')
    same = rule_from_plain(json.loads(text))
    np.testing.assert_array_equal(rule.holds(before, after, BOOK), same.holds(before, after, renamed))


@pytest.mark.parametrize(
    "rule",
    [
        together("whole", "Ratee"),
        change_at_most_one("whole", "Ratee"),
        at_most_one_nonzero("whole", "Ratee"),
        inequality("whole <= Ratee"),
        linked("whole", "Ratee"),
        one_hot("Group", ["whole", "Ratee"]),
        forbid("Ratee", {1: [2]}),
        implies({"whole": 1}, {"Ratee": 1}),
        predicate(len, columns=["Ratee"]),
    ],
    ids=lambda rule: rule.kind,
)
def test_an_unknown_column_names_the_nearest(rule: Rule) -> None:
    with pytest.raises(InvalidPolicy, match=r"'Ratee', which is not a column\. Did you mean 'rate'"):
        rule.budgets(BOOK)


@pytest.mark.parametrize("make", [together, change_at_most_one, at_most_one_nonzero])
def test_groups_need_two_different_columns(make: Any) -> None:
    with pytest.raises(InvalidPolicy, match="at least 2 columns, got 'a'"):
        make("a")
    with pytest.raises(InvalidPolicy, match="names 'a' twice"):
        make("a", "a")
    with pytest.raises(InvalidPolicy, match="Pass names one by one"):
        make(["a", "b"], "c")
    assert make("a", "b").columns == ("a", "b")
