"""Is what a table takes for granted decent by default, said once, and overruled in a word?"""

import logging
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from p2ce import rules
from p2ce.errors import InvalidPolicy
from p2ce.policy import Direction, Kind, Policy
from tests.clock import calls_of
from tests.optional import needs

ROWS = 60
PEOPLE = pd.DataFrame(
    {
        "Age": np.arange(20, 80),
        "Sex": ["f", "m"] * 30,
        "LatePayments": [0, 1, 2] * 20,
        "HasDefaulted": [0, 0, 1] * 20,
        "credit_history": ["good", "bad", "none"] * 20,
        "YearsAtJob": np.arange(ROWS) % 30,
        "YearsAtJob_lt_1": [1, 0, 0] * 20,
        "DaysEmployed": -np.arange(1, 61) * 7,
        "Grade_since": pd.Categorical(list("abc") * 20, categories=list("abc"), ordered=True),
        "customer_id": np.arange(ROWS) + 1_000,
        "Name": [f"person {row}" for row in range(ROWS)],
        "Income": 1_000 + np.arange(ROWS) * 10,
        "LoanMonths": [12, 24, 36] * 20,
    }
)
NEVER_FALL = ("LatePayments", "HasDefaulted", "YearsAtJob", "Grade_since")


def test_protected_attributes_history_and_time_are_restricted() -> None:
    policy = Policy.infer(PEOPLE)
    assert {feature.name for feature in policy.features if feature.protected} == {"Age", "Sex"}
    assert {feature.name for feature in policy.features if feature.fixed} == {
        *("Age", "Sex", "credit_history", "customer_id", "Name")
    }
    assert {f.name for f in policy.features if f.direction is Direction.UP} == set(NEVER_FALL)
    assert {f.name for f in policy.features if f.direction is Direction.DOWN} == {
        *("YearsAtJob_lt_1", "DaysEmployed")
    }
    assert not policy["HasDefaulted"].allows(1, 0)
    assert policy["HasDefaulted"].allows(0, 1)


def test_it_is_said_once_in_one_line_with_how_to_overrule(caplog: pytest.LogCaptureFixture) -> None:
    Policy.infer(PEOPLE)
    (record,) = caplog.records
    message = record.getMessage()
    assert record.levelno == logging.WARNING
    assert "\n" not in message
    for text in (
        "protected: 'Age', 'Sex'",
        "never fall: 'LatePayments', 'HasDefaulted', 'YearsAtJob', 'Grade_since'",
        "never rise: 'YearsAtJob_lt_1', 'DaysEmployed'",
        "fixed as a record of the past or of time: 'credit_history'",
        "fixed, since every row has a different value: 'customer_id', 'Name'",
        "free('Age')",
        "protect=None",
        "X.set_index('customer_id')",
    ):
        assert text in message


def test_an_identifier_is_no_example_of_what_to_free(caplog: pytest.LogCaptureFixture) -> None:
    Policy.infer(PEOPLE[["customer_id", "Age"]])
    Policy.infer(PEOPLE[["customer_id", "Income"]])
    both, only = (record.getMessage() for record in caplog.records)
    assert "To override: Policy.infer(X).free('Age'), or Policy.infer(X, protect=None)." in both
    assert "To override: Policy.infer(X, protect=None)." in only


def test_it_is_overruled_for_all_or_for_some(caplog: pytest.LogCaptureFixture) -> None:
    free = Policy.infer(PEOPLE, protect=None)
    assert not any(feature.fixed or feature.direction for feature in free.features)
    named = Policy.infer(PEOPLE, protect=["Income"])
    assert replace(named, stated=True) == free.protect("Income")
    assert not caplog.records
    restricted = [feature.name for feature in Policy.infer(PEOPLE).features]
    assert Policy.infer(PEOPLE).free(*restricted) == replace(free, stated=True)
    assert Policy.infer(PEOPLE).free("Age")["Age"] == free["Age"]
    assert free.fix("Age").increase_only("Income").free("Age", "Income") == replace(free, stated=True)


def test_a_range_survives_free() -> None:
    policy = Policy.infer(PEOPLE).within(Age=(30, 40)).free("Age")
    assert policy["Age"].candidates().tolist() == list(range(30, 41))


@pytest.mark.parametrize(
    ("protect", "error", "message"),
    [
        ("Age", InvalidPolicy, r"protect=\['Age'\]"),
        (3, InvalidPolicy, "'detect', a list of columns or None"),
        (["Agee"], InvalidPolicy, "Did you mean 'Age'"),
    ],
)
def test_what_is_wrong_about_protect_is_said(protect: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Policy.infer(PEOPLE, protect=protect)  # type: ignore[arg-type]


def test_the_other_direction_says_how_to_lift_the_inferred_one() -> None:
    with pytest.raises(InvalidPolicy, match=r"free\('LatePayments'\)"):
        Policy.infer(PEOPLE).decrease_only("LatePayments")
    Policy.infer(PEOPLE).free("LatePayments").decrease_only("LatePayments")
    with pytest.raises(InvalidPolicy, match=r"free\('Age'\)"):
        Policy.infer(PEOPLE).with_rules(rules.linked("YearsAtJob", "Age"))


def dummies(**columns: list[str]) -> pd.DataFrame:
    return pd.get_dummies(pd.DataFrame(columns)).assign(Income=range(60))


def test_dummies_are_one_hot_groups(caplog: pytest.LogCaptureFixture) -> None:
    people = dummies(Home=["own", "rent", "free"] * 20, job_kind=["cook", "clerk"] * 30)
    with caplog.at_level(logging.INFO, logger="p2ce"):
        policy = Policy.infer(people)
    assert policy.rules == (
        rules.one_hot("Home", ["Home_free", "Home_own", "Home_rent"], may_be_none=False),
        rules.one_hot("job_kind", ["job_kind_clerk", "job_kind_cook"], may_be_none=False),
    )
    (record,) = caplog.records
    assert "'Home' (3 columns); 'job_kind' (2 columns)" in record.getMessage()
    # What the user says about the same columns replaces it.
    own = rules.one_hot("Housing", ["Home_own", "Home_free", "Home_rent"], may_be_none=True)
    assert policy.with_rules(own).rules == (policy.rules[1], own)
    assert policy.without_rules(policy.rules[0]).rules == policy.rules[1:]


@pytest.mark.parametrize(
    "people",
    [
        dummies(Home=["own", "rent", "free"] * 20).drop(columns="Home_own"),  # a level was dropped
        dummies(Home=["own", "rent", "free"] * 20).rename(columns=lambda name: name.replace("_", "")),
        dummies(Home=["own", "rent", "free"] * 20).head(6),  # too few rows to be no accident
        dummies(Home=["own", "rent", "free"] * 20).assign(Home_tent=[1, *[0] * 59]),
    ],
    ids=["dropped", "names", "rows", "two"],
)
def test_what_is_no_group_is_none(people: pd.DataFrame) -> None:
    assert Policy.infer(people).rules == ()


def test_a_group_is_protected_as_a_whole() -> None:
    levels = ["married", "single", "widowed"] * 20
    policy = Policy.infer(dummies(status=levels, credit_history=["good", "bad", "none"] * 20))
    assert {f.name for f in policy.features if f.protected} == {
        *("status_married", "status_single", "status_widowed")
    }
    assert policy["credit_history_bad"].fixed
    free = policy.free("status", "credit_history")
    assert not any(feature.fixed for feature in free.features)
    with pytest.raises(InvalidPolicy, match="none"):
        policy.free("status_single")


@pytest.mark.parametrize("name", ["Home", "Home_own"])
def test_a_group_is_listed_by_its_name_or_by_a_column(name: str) -> None:
    people = dummies(Home=["own", "rent", "free"] * 20)
    policy = Policy.infer(people, protect=[name])
    assert {feature.name for feature in policy.features if feature.protected} == set(people) - {"Income"}


def test_the_grid_of_the_paper_has_the_same_protections_and_no_groups() -> None:
    people = dummies(Home=["own", "rent", "free"] * 20).assign(Age=range(60), LatePayments=[0, 1, 2] * 20)
    policy = Policy.infer(people, grid="paper")
    assert policy.rules == ()
    assert policy["Age"].protected
    assert policy["LatePayments"].direction is Direction.UP


@pytest.mark.parametrize("grid", ["data", "paper"])
@pytest.mark.parametrize("fractions", [[0.854] * 5, [0.2, 0.5, 1.7, 2.2]])
def test_counts_made_fractional_have_whole_candidates(
    grid: str, fractions: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    people = pd.DataFrame({"Trades": [*[0.0, 1.0, 1.0, 2.0, 4.0, 7.0] * 20, *fractions]})
    trades = Policy.infer(people, grid=grid)["Trades"]  # type: ignore[arg-type]
    assert trades.kind is Kind.WHOLE
    assert (trades.candidates() == np.floor(trades.candidates())).all()
    assert trades.allows(0.854, 1.0)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "'Trades'" in record.getMessage()


@pytest.mark.parametrize(
    "values",
    [
        [*[0.0] * 95, 0.1, 0.2, 0.3, 0.4, 0.5],  # a ratio that is 0 for most
        [*[0.0] * 50, *[1.0] * 45, 0.2, 0.4, 0.6, 0.7, 0.9],  # a utilisation
        [*[0.0, 1.0, 2.0] * 20, *[0.5, 1.5] * 10],  # a quarter is not whole
        [*range(60), 61.5],  # beyond the counts
    ],
)
def test_ratios_stay_numbers(values: list[float], caplog: pytest.LogCaptureFixture) -> None:
    assert Policy.infer(pd.DataFrame({"x": values}))["x"].kind is Kind.NUMBER
    assert not caplog.records


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_tables_of_any_library_say_the_same(library: str) -> None:
    needs(library)
    frame = dummies(Home=["own", "rent", "free"] * 20).assign(
        Age=range(60), late_30d=[0, 1, 2, 3, 4] * 12, late_90d=[0, 0, 1, 1, 2] * 12, Months=[-9, 1, 7] * 20
    )
    if library == "polars":
        import polars

        table = polars.from_pandas(frame)
    else:
        import pyarrow

        table = pyarrow.Table.from_pandas(frame)
    expected, found = Policy.infer(frame), Policy.infer(table)
    assert expected.rules
    assert expected.proposed_rules
    assert (found.rules, found.proposed_rules) == (expected.rules, expected.proposed_rules)
    for feature in expected.features:
        other = found[feature.name]
        assert (feature.fixed, feature.protected, feature.direction, feature.special) == (
            *(other.fixed, other.protected, other.direction, other.special),
        )


def test_many_rows_take_no_more_calls_than_few() -> None:
    rng = np.random.default_rng(0)
    people = pd.DataFrame({f"amount_{i}": rng.integers(0, 500, 50_000) for i in range(5)})
    assert calls_of(lambda: Policy.infer(people)) < 1.5 * calls_of(lambda: Policy.infer(people.head(5_000)))
