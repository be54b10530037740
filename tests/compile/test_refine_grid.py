"""Check that a grid holds what lies next to thresholds, on the side that an instance goes to."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce import rules
from p2ce.compile.refine_grid import Detail
from p2ce.explainer import problems_of
from tests.optional import mostly_slow

PEOPLE = pd.DataFrame({"Income": np.random.default_rng(5).lognormal(7, 1, 800)})
UNIT = PEOPLE["Income"].clip(*np.percentile(PEOPLE["Income"], (1, 99))).std(ddof=0)


@pytest.mark.parametrize("above", [True, False])
def test_whoever_crosses_a_threshold_stops_behind_it(above: bool) -> None:
    tree = DecisionTreeClassifier(max_depth=1).fit(PEOPLE, (PEOPLE["Income"] > 1234.5) == above)
    cut = float(tree.tree_.threshold[0])
    rows = PEOPLE[tree.predict(PEOPLE) == 0][:20]
    for found in p2ce.Explainer(tree, PEOPLE, target=1, plausibility=None).explain_many(rows):
        (option,) = found
        beyond = (option.values["Income"] - cut) * (1 if above else -1)
        assert 0.0 <= beyond <= 0.002 * UNIT


def test_the_finest_grid_lies_beside_the_thresholds_of_the_detector_too() -> None:
    tree = DecisionTreeClassifier(max_depth=1).fit(PEOPLE, PEOPLE["Income"] > 1234.5)
    forest = IsolationForest(n_estimators=5, max_samples=32, random_state=0).fit(PEOPLE)
    problem = problems_of(p2ce.Explainer(tree, PEOPLE, target=1, plausibility=forest)).own
    sides = problem.refinement["Income"].sides(problem.policy["Income"], Detail.FINEST)
    for one in forest.estimators_:
        cuts = one.tree_.threshold[one.tree_.feature == 0]
        for cut in cuts[(cuts > PEOPLE["Income"].min()) & (cuts < PEOPLE["Income"].max())]:
            assert np.abs(sides.above - cut).min() <= 0.002 * UNIT
            assert np.abs(sides.below - cut).min() <= 0.002 * UNIT


DRAW = np.random.default_rng(8)
LOANS = pd.DataFrame(
    {
        "Income": np.round(DRAW.lognormal(8, 1, 400)),
        "Rate": DRAW.random(400),
        "Debts": DRAW.integers(0, 9, 400),
    }
)
REPAID = LOANS["Income"] * (1 - LOANS["Rate"]) > 1500


@pytest.mark.parametrize("kind", mostly_slow(["tree", "linear", "function"], "linear"))
def test_a_range_around_anybody_has_candidates(kind: str) -> None:
    model = (
        make_pipeline(StandardScaler(), LogisticRegression())
        if kind == "linear"
        else DecisionTreeClassifier(max_depth=6, random_state=0)
    ).fit(LOANS, REPAID)
    policy = p2ce.Policy.infer(LOANS).fix("Debts")

    def score(people: pd.DataFrame) -> np.ndarray:
        return model.predict_proba(people)[:, 1]

    given = score if kind == "function" else model
    explainer = p2ce.Explainer(given, LOANS, target=True, policy=policy, plausibility=None)
    rows = LOANS[model.predict(LOANS) == 0][:40]
    changed = 0
    for _, row in rows.iterrows():
        income, rate = row["Income"], row["Rate"]
        narrow = policy.within(Income=(income, income * 1.3), Rate=(rate * 0.9, rate))
        explanation = explainer.explain(row, policy=narrow)
        assert explanation.status in ("OPTIMAL", "NO_RECOURSE")
        assert all(income <= option.values["Income"] <= income * 1.3 for option in explanation)
        assert all(rate * 0.9 <= option.values["Rate"] <= rate for option in explanation)
        changed += len(explanation)
        if not len(explanation):
            # Relaxing the two ranges leads where the explainer's own policy leads.
            assert len(explainer.relaxations(explanation))
    assert changed


def test_a_range_without_a_value_of_the_column_leaves_no_move() -> None:
    tree = DecisionTreeClassifier(max_depth=6, random_state=0).fit(LOANS, REPAID)
    explainer = p2ce.Explainer(tree, LOANS, target=True, plausibility=None)
    row = LOANS[tree.predict(LOANS) == 0].iloc[0]
    stuck = explainer.policy.within(Income=(row["Income"] + 0.2, row["Income"] + 0.8)).fix("Rate")
    explanation = explainer.explain(row, policy=stuck)
    assert all(set(option.changes) <= {"Debts"} for option in explanation)
    assert "none in this range" in p2ce.to_text(explanation, audience="auditor") + p2ce.to_html(explanation)


def salaries() -> tuple[pd.DataFrame, pd.Series]:
    """Make people whose total is what they earn, and who are accepted by their total."""
    draw = np.random.default_rng(2)
    salary, bonus = draw.integers(100, 900, 500) * 10.0, draw.integers(0, 300, 500) * 7.0
    people = pd.DataFrame({"Salary": salary, "Bonus": bonus, "Total": salary + bonus})
    return people, people["Total"] > 5_000


@pytest.mark.parametrize("rule", ["two inequalities", "linked"])
def test_nobody_is_reported_without_recourse_who_could_have_the_values_of_others(rule: str) -> None:
    """Rules tell apart what trees do not: the finest grid has all values of the data in their columns."""
    people, accepted = salaries()
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(people, accepted)
    policy = p2ce.Policy.infer(people, protect=None)
    if rule == "linked":
        policy = policy.fix("Bonus").with_rules(rules.linked("Salary", "Total", ratio=1))
    else:
        policy = policy.with_rules(
            rules.inequality("Total <= Salary + Bonus"), rules.inequality("Salary + Bonus <= Total")
        )
    explainer = p2ce.Explainer(tree, people, target=1, policy=policy, plausibility=None)
    rejected = people[tree.predict(people) == 0].head(40)
    others = people[tree.predict(people) == 1]
    for (_, row), found in zip(rejected.iterrows(), explainer.explain_many(rejected), strict=True):
        if found.status is not p2ce.Status.NO_RECOURSE:
            continue
        assert found.certificate.grid == "finest"
        for _, other in others.iterrows():
            if rule == "linked":
                salary = row["Salary"] + other["Total"] - row["Total"]
                proposal = {"Salary": salary, "Total": other["Total"]}
                if salary not in set(people["Salary"]):
                    continue
            else:
                proposal = other.to_dict()
            judged = explainer.evaluate(row, proposal)
            assert not (judged.valid and judged.allowed), (row.to_dict(), proposal)
