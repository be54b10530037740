"""Are tables of limits read as their owner means them, and recorded with the explanation?"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce import evidence, rules
from p2ce.compile.row_limits import stated_limits
from p2ce.errors import InvalidArgument
from tests.portfolio.evidence.forging import forged

PEOPLE = pd.DataFrame(
    {
        "Income": np.arange(60) * 10 + 100,
        "Debt": np.tile([50.0, 20.0, 80.5], 20),
        "Kind": ["a", "b", "c"] * 20,
    },
    index=[f"p{number}" for number in range(60)],
)
GOOD = (PEOPLE["Income"] - 3 * PEOPLE["Debt"] > 160).astype(int)


def _model() -> Any:
    columns = PEOPLE.assign(Kind=PEOPLE["Kind"].map({"a": 0, "b": 1, "c": 2}))
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(columns.to_numpy(), GOOD)

    def scores(rows: pd.DataFrame) -> np.ndarray:
        coded = rows.assign(Kind=rows["Kind"].map({"a": 0, "b": 1, "c": 2}))
        return np.asarray(tree.predict_proba(coded.to_numpy())[:, 1])

    return scores


def _explainer(**settings: Any) -> p2ce.Explainer:
    return p2ce.Explainer(
        _model(), PEOPLE, plausibility=None, objectives=("mean_distance", "changes"), **settings
    )


EXPLAINER = _explainer()
ROWS = PEOPLE.iloc[:6]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (pd.DataFrame({"Income_most": [1.0] * 6}, index=ROWS.index), "such as 'Income_low'"),
        (pd.DataFrame({"Incme_high": [1.0] * 6}, index=ROWS.index), "Did you mean 'Income'"),
        (pd.DataFrame({"Kind_high": [1.0] * 6}, index=ROWS.index), "'Kind' is a category"),
        (pd.DataFrame({"Income_high": ["1"] * 6}, index=ROWS.index), "expects numbers, got '1'.*of 'p0'"),
        (pd.DataFrame({"Income_high": [1.0] * 6}), "with the same index: it lacks 'p0'"),
        (pd.DataFrame({"Income_high": [1.0] * 7}, index=PEOPLE.index[:7]), "same index"),
        ({"Income_high": [1.0] * 5}, "one row for each of the 6 people, got 5 rows"),
        (pd.DataFrame({"Income_low": 5.0, "Income_high": 1.0}, index=ROWS.index), "of 'p0' are 5 to 1"),
        (7, "Expected a table"),
    ],
)
def test_an_unclear_table_is_an_error(limits: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        EXPLAINER.explain_many(ROWS, limits=limits)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"Income": 5}, r"must be \(low, high\), got 5"),
        ({"Incme": (0, 1)}, "Did you mean 'Income'"),
        ([("Income", 0, 1)], "must be a dict of ranges, got list"),
        ({"Income": (5, 1)}, "are 5 to 1, which is empty"),
    ],
)
def test_unclear_limits_of_one_row_are_an_error(limits: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        EXPLAINER.explain(ROWS.iloc[0], limits=limits)


def test_features_that_move_together_have_their_limits_in_the_policy() -> None:
    policy = EXPLAINER.policy.with_rules(rules.linked("Income", "Debt"))
    with pytest.raises(InvalidArgument, match="moves together with other features"):
        EXPLAINER.explain(ROWS.iloc[0], policy=policy, limits={"Debt": (0, 100)})


def test_empty_cells_are_no_limits_and_an_explanation_states_the_others() -> None:
    table = pd.DataFrame({"Income_high": [250, None] * 3, "Debt_low": [np.nan] * 6}, index=ROWS.index)
    limited, free = EXPLAINER.explain_many(ROWS, limits=table), EXPLAINER.explain_many(ROWS)
    for at, (one, other) in enumerate(zip(limited, free, strict=True)):
        if at % 2:
            assert one == other
            assert one.problem is other.problem
        else:
            assert stated_limits(one.problem) == {"Income": (None, 250.0)}
            assert all(option.values["Income"] <= max(250, one.person["Income"]) for option in one)
    again = p2ce.Explanation.from_json(limited[0].to_json())
    assert stated_limits(again.problem) == {"Income": (None, 250.0)}


def test_relaxations_lift_the_limits_of_a_row() -> None:
    row = PEOPLE.iloc[[2]]
    narrow = {"Income": (None, 130), "Debt": (70, None)}
    none = EXPLAINER.explain(row, limits=narrow)
    assert none.status is p2ce.Status.NO_RECOURSE
    found = EXPLAINER.relaxations(none)
    assert {one.kind for one in found.considered} >= {"range"}
    assert {one.feature for relaxation in found for one in relaxation.restrictions} <= {"Income", "Debt"}
    assert len(found)
    proposal = EXPLAINER.evaluate(row, {"Income": 600}, explanation=none)
    assert [one.restriction.kind for one in proposal.broken] == ["range"]


def test_relaxations_lift_limits_relative_to_today() -> None:
    explainer = _explainer(policy=EXPLAINER.policy.within_change(Income="+10%", Debt=(-5, 0)))
    none = explainer.explain(PEOPLE.iloc[[2]])
    assert none.status is p2ce.Status.NO_RECOURSE
    found = explainer.relaxations(none)
    lifted = [one for relaxation in found for one in relaxation.restrictions]
    assert {one.kind for one in lifted} == {"change"}
    assert "at most 10% above today's value and not below it" in str(found)
    (broken,) = explainer.evaluate(PEOPLE.iloc[[2]], {"Income": 600}).broken
    assert str(broken) == "Income: at most 10% above today's value and not below it, but 120 → 600"


@pytest.mark.parametrize("limits", [None, {"Income": (None, 400), "Debt": (15, None)}])
def test_evidence_holds_with_limits_and_not_without_them(limits: Any, tmp_path: Path) -> None:
    model = _model()
    explainer = _explainer(policy=EXPLAINER.policy.within_change(Income="+300%", Debt=(-40, 0)))
    found = explainer.explain(PEOPLE.iloc[[2]], limits=limits)
    assert len(found)
    evidence.save(found, tmp_path / "case.zip", explainer=explainer)
    report = evidence.check(tmp_path / "case.zip", model)
    assert {one.outcome for one in report.checks} == {"held"}, str(report)
    replay = evidence.replay(tmp_path / "case.zip", model)
    assert not replay.differences
    assert explainer.explain(PEOPLE.iloc[[2]], policy=EXPLAINER.policy) != found
    narrow = '{"Income": [null, 121]}'
    other = forged(tmp_path / "case.zip", lambda data: data["problem"]["settings"].update(limits=narrow))
    assert "broken" in {one.outcome for one in evidence.check(other, model).checks}
