"""Are tables of limits read as their owner means them, and recorded with the explanation?"""

from dataclasses import replace
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
from p2ce.policy.rules import rule_from_plain
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


def test_a_column_of_a_one_hot_group_has_no_limits() -> None:
    people = pd.DataFrame({"x": range(20), "home_own": [0, 1] * 10, "home_rent": [1, 0] * 10})
    explainer = p2ce.Explainer(lambda rows: rows["x"] / 20, people, plausibility=None)
    assert any(rule.kind == "one_hot" for rule in explainer.policy.rules)
    with pytest.raises(InvalidArgument, match="'home_own', a column of a one-hot group"):
        explainer.explain(people.iloc[0], limits={"home_own": (0, 1)})


def test_linked_features_stay_inside_the_limits_of_each() -> None:
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"a": rng.integers(0, 30, 120), "b": rng.integers(0, 60, 120)})
    good = (people["a"] / 10 + people["b"] / 20 > 3).astype(int)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(people, good)
    policy = p2ce.Policy.infer(people, protect=None).step(a=2, b=5).with_rules(rules.linked("a", "b"))
    explainer = p2ce.Explainer(model, people, target=1, policy=policy, plausibility=None)
    rows = people[model.predict(people) == 0].head(12)
    table = pd.DataFrame({"a_high": rows["a"] + 6, "b_high": rows["b"] + 4}, index=rows.index)
    for at, found in zip(rows.index, explainer.explain_many(rows, limits=table), strict=True):
        row = rows.loc[[at]]
        most = min(int(row["a"].iloc[0]) + 6, 29), min(int(row["b"].iloc[0]) + 4, 59)
        own = policy.within(a=(0, most[0]), b=(0, most[1]))
        expected = explainer.explain(row, policy=own)
        assert [option.changes for option in found] == [option.changes for option in expected]


def test_empty_cells_are_no_limits_and_an_explanation_states_the_others() -> None:
    table = pd.DataFrame({"Income_high": [250, None] * 3, "Debt_low": [np.nan] * 6}, index=ROWS.index)
    limited, free = EXPLAINER.explain_many(ROWS, limits=table), EXPLAINER.explain_many(ROWS)
    for at, (one, other) in enumerate(zip(limited, free, strict=True)):
        if at % 2:
            assert one == other
            assert one.problem is other.problem
        else:
            assert stated_limits(one.problem) == {"Income": (None, 250.0)}
            most = max(250, PEOPLE["Income"].iloc[at])
            assert (one.to_frame(kind="pandas")["Income"] <= most).all()
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


def test_limits_without_a_candidate_leave_a_feature_as_it_is() -> None:
    """Whatever is asked of an explanation: no policy could state such a range."""
    policies = {"step": EXPLAINER.policy.step(Debt=20), "given": EXPLAINER.policy.candidates(Debt=[20, 60])}
    for policy in policies.values():
        explainer, row = _explainer(policy=policy), PEOPLE.iloc[[2]]
        none = explainer.explain(row, limits={"Income": (None, 130), "Debt": (82, 90)})
        assert none.status is p2ce.Status.NO_RECOURSE
        assert [one.feature for one in explainer.relaxations(none).considered][:1] == ["Income"]
        assert not explainer.evaluate(row, {"Debt": 60}, explanation=none).allowed
        assert explainer.feature_map(none, "Income", "Debt").columns == ("Income", "Debt")
        some = explainer.explain(row, limits={"Debt": (82, 90)})
        assert explainer.more(some, exclude=["Income"]).status is p2ce.Status.NO_RECOURSE


def test_what_comes_next_is_on_the_same_grid() -> None:
    """`more` keeps the limits of the person as they are, so it adds no candidate."""
    limits = {"Income": (None, 390), "Debt": (15, None)}
    for at in (0, 2, 6):
        row = PEOPLE.iloc[[at]]
        first = EXPLAINER.explain(row, limits=limits)
        second = EXPLAINER.more(first)
        assert second.certificate is not None
        assert stated_limits(second.problem) == stated_limits(first.problem)
        ours = replace(
            EXPLAINER.policy, rules=tuple(rule_from_plain(one) for one in second.certificate.rules)
        )
        assert second.counterfactuals == EXPLAINER.explain(row, policy=ours, limits=limits).counterfactuals


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
