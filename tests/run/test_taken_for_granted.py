"""Is an explainer without policy decent, and does one with policy take nothing for granted?"""

import logging

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce import datasets
from p2ce.explainer import problems_of
from p2ce.policy.inference.infer_features import encode_columns
from p2ce.policy.inference.relations import Relation, broken_relations
from p2ce.policy.inference.special_values import detected
from tests.real_data import HAS_DATA, REASON

ROWS = 300
RNG = np.random.default_rng(5)
RAW = pd.DataFrame(
    {
        "Age": RNG.integers(20, 70, ROWS),
        "LatePayments": RNG.poisson(1.0, ROWS),
        "Trades": RNG.integers(0, 9, ROWS).astype(float),
        "Income": RNG.integers(10, 60, ROWS),
        "Home": RNG.choice(["own", "rent", "free"], ROWS),
        "Code": np.where(np.arange(ROWS) % 10 == 0, -9, RNG.integers(0, 40, ROWS)),
    }
).assign(MaxIncome=lambda rows: rows["Income"] + np.arange(ROWS) % 3)
PEOPLE = pd.get_dummies(RAW)
PEOPLE.loc[PEOPLE.index[:9], "Trades"] = 0.854
GOOD = (
    PEOPLE["Age"] / 20 - PEOPLE["LatePayments"] + PEOPLE["Trades"] / 3 + PEOPLE["Income"] / 12
    + PEOPLE["Home_own"] + PEOPLE["Code"] / 20
) > 6  # fmt: skip
MODEL = DecisionTreeClassifier(max_depth=7, random_state=0).fit(PEOPLE, GOOD.astype(int))
LEVELS = [name for name in PEOPLE if name.startswith("Home_")]


@pytest.fixture(scope="module")
def explained() -> tuple[pd.DataFrame, p2ce.Explanations]:
    rejected = PEOPLE[MODEL.predict(PEOPLE) == 0]
    return rejected, p2ce.Explainer(MODEL, PEOPLE, target=1, plausibility=None).explain_many(rejected)


def test_default_options_are_decent(explained: tuple[pd.DataFrame, p2ce.Explanations]) -> None:
    rejected, found = explained
    options = [
        (row, option) for (_, row), one in zip(rejected.iterrows(), found, strict=True) for option in one
    ]
    assert len(options) > 50
    assert any("Trades" in option.changes for _, option in options)
    for row, option in options:
        assert "Age" not in option.changes
        assert option.values["LatePayments"] >= row["LatePayments"]
        assert sum(option.values[level] for level in LEVELS) == 1
        assert option.values["Code"] != -9 or "Code" not in option.changes
        assert "Trades" not in option.changes or float(option.values["Trades"]).is_integer()


def test_a_person_may_stand_at_a_fraction(explained: tuple[pd.DataFrame, p2ce.Explanations]) -> None:
    rejected, found = explained
    fractions = [one for one, trades in zip(found, rejected["Trades"], strict=True) if trades == 0.854]
    assert fractions
    assert all(one.status is p2ce.Status.OPTIMAL for one in fractions)
    assert all(one.person["Trades"] == 0.854 for one in fractions)
    kept = [option for one in fractions for option in one if "Trades" not in option.changes]
    assert all(option.values["Trades"] == 0.854 for option in kept)


def test_with_given_actions_nothing_is_protected_and_nothing_is_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    policy = p2ce.Policy.infer(PEOPLE, protect=None, special_values=None)
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="p2ce"):
        explainer = p2ce.Explainer(MODEL, PEOPLE, policy=policy, target=1, plausibility=None)
    assert not caplog.records
    assert not any(feature.fixed or feature.direction for feature in explainer.policy.features)


def test_without_actions_it_is_said_once_for_each_topic(caplog: pytest.LogCaptureFixture) -> None:
    p2ce.Explainer(MODEL, PEOPLE, target=1, plausibility=None)
    names, codes, counts = (record.getMessage() for record in caplog.records)
    assert "protected: 'Age'; never fall: 'LatePayments'" in names
    assert "-9 in 'Code'" in codes
    assert "'Trades'" in counts


def test_the_problem_knows_the_relations_that_are_not_in_force() -> None:
    policy = p2ce.Policy.infer(PEOPLE, protect=None)
    given = p2ce.Explainer(MODEL, PEOPLE, policy=policy, target=1, plausibility=None)
    inferred = p2ce.Explainer(MODEL, PEOPLE, target=1, plausibility=None)
    (income,) = problems_of(given).own.relations
    assert income == Relation("Income", "MaxIncome")
    assert problems_of(inferred).own.relations == (income,)
    ruled = policy.with_rules(*policy.proposed_rules)
    kept = p2ce.Explainer(MODEL, PEOPLE, policy=ruled, target=1, plausibility=None)
    assert problems_of(kept).own.relations == ()
    rejected = PEOPLE[MODEL.predict(PEOPLE) == 0]
    for one in kept.explain_many(rejected):
        assert all(broken_relations([income], option.values) == () for option in one)


def test_unseen_categories_are_said_once_with_the_nearest(caplog: pytest.LogCaptureFixture) -> None:
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    model.fit(RAW[["Home"]], GOOD)
    explainer = p2ce.Explainer(model, RAW[["Home"]], target=True, plausibility=None)
    caplog.clear()
    explainer.explain({"Home": "rents"})
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert (
        record.getMessage() == "'Home' holds 'rents', which the reference does not know. Did you mean 'rent'?"
    )
    caplog.clear()
    explainer.explain({"Home": "rents"})
    explainer.explain_many(pd.DataFrame({"Home": ["rents", "own"]}))
    assert not caplog.records
    explainer.explain_many(pd.DataFrame({"Home": ["boat", "tent", "own"]}))
    (record,) = caplog.records
    assert "'Home' holds 'boat', 'tent'" in record.getMessage()


@pytest.mark.skipif(not HAS_DATA, reason=REASON)
@pytest.mark.parametrize(
    ("name", "codes"), [("german", {}), ("taiwan", {}), ("adult", {"capital_gain": (99999.0,)})]
)
def test_public_tables_have_no_other_codes(name: str, codes: dict[str, tuple[float, ...]]) -> None:
    assert detected(encode_columns(datasets.load(name).data).numbers) == codes
