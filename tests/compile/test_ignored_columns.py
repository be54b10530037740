"""A reference with columns that the model does not use gives the same explanations as without them."""

import logging

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import p2ce
from p2ce.errors import InvalidPolicy, InvalidReference
from p2ce.rules import inequality

X = pd.DataFrame(
    np.random.default_rng(0).normal(0, 1, (120, 3)).round(2), columns=["Income", "Debt", "Years"]
)
GOOD = (X.sum(axis=1) > 0).astype(int)
MODEL = LogisticRegression().fit(X, GOOD)
WIDE = X.assign(
    id=range(120),
    applied=pd.Timestamp("2026-11-18") + pd.to_timedelta(np.arange(120), unit="D"),
    spent=pd.Timedelta(days=1),
    home_own=np.arange(120) % 2,
    home_rent=1 - np.arange(120) % 2,
    good=GOOD,
)[["id", "good", "Debt", "applied", "Income", "spent", "Years", "home_own", "home_rent"]]
EXTRA = ["id", "good", "applied", "spent", "home_own", "home_rent"]
USED = WIDE.drop(columns=EXTRA)
BAD = int(np.argmin(X.sum(axis=1)))


def test_they_are_ignored_and_named_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="p2ce"):
        explainer = p2ce.Explainer(MODEL, WIDE, target=1, y=WIDE["good"])
        found = explainer.explain(WIDE.iloc[BAD])
        many = explainer.explain_many(WIDE.head(8))
    ignored = [text for one in caplog.records if "ignored" in (text := one.getMessage())]
    names = ", ".join(map(repr, EXTRA))
    assert ignored == [f"Columns that the model does not use are ignored: {names}."]
    plain = p2ce.Explainer(MODEL, USED, target=1, y=WIDE["good"])
    assert found == plain.explain(USED.iloc[BAD])
    assert list(many) == list(plain.explain_many(USED.head(8)))
    pd.testing.assert_frame_equal(explainer.reference, USED)


def test_a_policy_of_the_whole_table_is_used_in_part() -> None:
    table = WIDE.drop(columns="spent")
    whole, part = p2ce.Policy.infer(table), p2ce.Policy.infer(USED)
    assert len(whole.rules) == 1  # the one-hot group, which the model does not use
    explainer = p2ce.Explainer(MODEL, table, target=1, policy=whole)
    plain = p2ce.Explainer(MODEL, USED, target=1, policy=part)
    assert explainer.policy == plain.policy
    row = USED.iloc[BAD]
    assert explainer.explain(row) == plain.explain(row)
    fixed = explainer.explain(row, policy=whole.fix("Income", "id"))
    assert fixed == plain.explain(row, policy=part.fix("Income"))


def test_a_rule_about_an_ignored_column_and_another_is_an_error() -> None:
    table = WIDE.drop(columns="spent")
    policy = p2ce.Policy.infer(table).with_rules(inequality("Income <= id"))
    with pytest.raises(InvalidPolicy, match=r"'Income <= id'.*'id'"):
        p2ce.Explainer(MODEL, table, target=1, policy=policy)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (WIDE.assign(Incmoe=1.0), "'Incmoe', which the model was not fitted on"),
        (USED.rename(columns={"Income": "Incmoe"}), "'Income'.* Did you mean 'Incmoe'"),
    ],
)
def test_a_column_that_may_be_meant_as_another_is_an_error(table: pd.DataFrame, message: str) -> None:
    with pytest.raises(InvalidReference, match=message):
        p2ce.Explainer(MODEL, table, target=1)


def test_a_function_uses_all_columns() -> None:
    seen = set[str]()

    def score(frame: pd.DataFrame) -> np.ndarray:
        seen.update(frame.columns)
        return MODEL.predict_proba(frame[list(X)])[:, 1]

    p2ce.Explainer(score, WIDE.drop(columns="spent"))
    assert seen == set(WIDE.drop(columns="spent"))
