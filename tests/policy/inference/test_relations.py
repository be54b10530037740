"""Are relations found that hold in all of the data by nature, and none that hold by accident?"""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce import datasets
from p2ce.policy import Policy
from p2ce.policy.file.policy_document import read_document
from p2ce.policy.file.policy_file import parse_policy, policy_text
from p2ce.policy.inference.relations import Relation, broken_relations, relations_in
from p2ce.rules import inequality
from tests.real_data import HAS_DATA, REASON

ROWS = 200
RNG = np.random.default_rng(0)
LATE = RNG.poisson(4.0, ROWS)
CARDS = pd.DataFrame(
    {
        "late_30d": LATE,
        "late_60d": np.maximum(LATE - np.arange(ROWS) % 2, 0),
        "late_90d": np.maximum(LATE - np.arange(ROWS) % 4, 0),
        "credit_limit": RNG.integers(10, 100, ROWS) * 100.0,
        "credit_amount": RNG.integers(10, 100, ROWS) * 100.0,
    }
)


def test_a_chain_is_given_by_its_neighbours() -> None:
    assert set(relations_in(CARDS)) == {
        Relation("late_90d", "late_60d"),
        Relation("late_60d", "late_30d"),
    }


@pytest.mark.parametrize(
    "changed",
    [
        {"late_90d": CARDS["late_90d"].where(CARDS.index != 7, 9)},  # one row breaks it
        {"late_90d": 0},  # nothing to compare
        {"late_90d": CARDS["late_60d"]},  # two names of one column
        {"late_60d": CARDS["late_60d"] + 50},  # never close, and true of any two rows
        {"late_60d": [str(value) for value in CARDS["late_60d"]]},
    ],
    ids=["broken", "constant", "equal", "apart", "text"],
)
def test_what_may_be_an_accident_is_no_relation(changed: dict[str, object]) -> None:
    assert relations_in(CARDS[["late_60d", "late_90d"]].assign(**changed)) == ()


def test_other_units_and_few_rows_say_nothing() -> None:
    other = CARDS[["late_60d", "late_90d"]].rename(columns={"late_90d": "rooms"})
    assert relations_in(other) == ()
    assert relations_in(CARDS.head(30)) == ()


def test_missing_values_and_codes_break_nothing() -> None:
    people = CARDS[["late_60d", "late_90d"]].astype(float)
    people.loc[:20, "late_60d"] = np.nan
    people.loc[30:40, "late_90d"] = 99.0
    assert relations_in(people) == (Relation("late_90d", "late_60d"),)


@pytest.mark.skipif(not HAS_DATA, reason=REASON)
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "german",
            {
                Relation("CheckingAccountBalance_geq_200", "CheckingAccountBalance_geq_0"),
                Relation("SavingsAccountBalance_geq_500", "SavingsAccountBalance_geq_100"),
            },
        ),
        (
            "taiwan",
            {
                Relation("MostRecentBillAmount", "MaxBillAmountOverLast6Months"),
                Relation("MostRecentPaymentAmount", "MaxPaymentAmountOverLast6Months"),
                Relation("TotalOverdueCounts", "TotalMonthsOverdue"),
            },
        ),
        ("adult", set()),
    ],
)
def test_relations_of_public_tables(name: str, expected: set[Relation]) -> None:
    assert set(relations_in(datasets.load(name).data)) == expected


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=60, max_size=90))
def test_no_row_of_the_data_breaks_a_relation(rows: list[tuple[int, int]]) -> None:
    people = pd.DataFrame([(min(pair), max(pair)) for pair in rows], columns=["due_a", "due_b"])
    found = relations_in(people)
    assert set(found) <= {Relation("due_a", "due_b")}
    assert all(broken_relations(found, row) == () for row in people.to_dict("records"))


def test_a_row_breaks_what_it_exceeds() -> None:
    relations = (Relation("late_90d", "late_60d"), Relation("late_60d", "late_30d"))
    assert broken_relations(relations, {"late_90d": 3, "late_60d": 2, "late_30d": 2}) == relations[:1]
    for missing in (None, math.nan, pd.NA):
        assert broken_relations(relations, {"late_90d": 3, "late_60d": missing, "late_30d": 2}) == ()


def test_proposed_rules_survive_a_file_and_are_not_in_force_until_they_are_added() -> None:
    policy = Policy.infer(CARDS)
    proposed = {inequality("late_90d <= late_60d"), inequality("late_60d <= late_30d")}
    assert set(policy.proposed_rules) == proposed
    assert policy.rules == ()
    assert parse_policy(read_document(policy_text(policy))).policy() == policy
    assert "proposed rules, not in force\n    late_60d <= late_30d" in str(policy)
    added = policy.with_rules(*policy.proposed_rules)
    assert (set(added.rules), added.proposed_rules) == (proposed, ())


def test_a_proposed_rule_that_makes_no_sense_has_a_line() -> None:
    text = policy_text(Policy.infer(CARDS)).replace("late_60d <= late_30d", "late_60d <= late_3d")
    (problem,) = parse_policy(read_document(text)).faults
    assert "Did you mean 'late_30d'" in problem.message
    assert "late_3d" in text.splitlines()[problem.line]
