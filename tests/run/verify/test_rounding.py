"""Values are rounded for people only where the rounded row was verified as well."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import p2ce
from p2ce import Policy


def people() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "Income": rng.normal(2_000.0, 600.0, 300),
            "Rate": rng.uniform(0.0, 0.3, 300).astype(np.float32),
            "Debt": rng.integers(0, 9, 300),
        }
    )


def score(frame: pd.DataFrame) -> Any:
    rich = (frame["Income"] - 2_200.0) / 1_000.0
    return 1.0 / (1.0 + np.exp(-(rich - 4.0 * frame["Rate"] - 0.1 * frame["Debt"]).to_numpy(float)))


def explainer(**changed: Any) -> p2ce.Explainer:
    frame = people()
    policy = (
        Policy.infer(frame, grid="paper", protect=None)
        .within(Income=(0.0, 4_000.0))
        .display(Income={"decimals": 0}, Rate={"style": "percent", "decimals": 1})
    )
    made = {"policy": policy, "plausibility": p2ce.PlausibilityForest(n_estimators=20), **changed}
    return p2ce.Explainer(score, frame, **made)


def rejected() -> pd.DataFrame:
    frame = people()
    return frame[score(frame) < 0.5].iloc[:30]


def test_displayed_values_hold_as_much_as_those_found() -> None:
    made = explainer()
    results = made.explain_many(rejected())
    shown = [(entry, option) for entry in results for option in entry if option.rounded]
    assert len(shown) > 10
    for entry, option in shown:
        assert option.rounded.keys() <= option.changes.keys()
        for name, value in option.rounded.items():
            display = made.policy[name].display
            assert value == pytest.approx(display.rounded(option.values[name]), rel=1e-6)
            assert value != option.values[name]
        verdict = made.evaluate(entry.person, {**option.values, **option.rounded})
        assert verdict.ok


def test_a_rounding_that_the_model_rejects_is_not_displayed() -> None:
    policy = Policy.infer(people(), protect=None).fix("Rate", "Debt").display(Income={"decimals": 0})
    made = explainer(policy=policy.candidates(Income=[2_200.4]), at_least=0.50005, plausibility=None)
    person = {"Income": 2_000.0, "Rate": 0.0, "Debt": 0}
    assert not made.evaluate(person, {"Income": 2_200.0}).valid
    assert [option.rounded for option in made.explain(person)] == [{}]


def test_a_change_that_rounding_would_undo_is_displayed_in_full() -> None:
    frame = people()
    policy = Policy.infer(frame, protect=None).fix("Income", "Debt").display(Rate={"decimals": 0})
    made = explainer(policy=policy.candidates(Rate=[-0.25]), plausibility=None)
    # −0.25 rounds to 0: where one person stands, and where the model rejects the other.
    for income, rate in ((2_000.0, 0.0), (1_300.0, 0.25)):
        found = made.explain({"Income": income, "Rate": rate, "Debt": 0})
        assert [option.rounded for option in found] == [{}]


def test_rounding_respects_the_policy() -> None:
    policy = (
        Policy.infer(people(), protect=None)
        .fix("Rate", "Debt")
        .within(Income=(0.0, 2_500.6))
        .candidates(Income=[2_500.6])
        .display(Income={"decimals": 0})
    )
    # 2,501 lies outside of what within() allows, although the model would take it.
    found = explainer(policy=policy, plausibility=None).explain({"Income": 2_000.0, "Rate": 0.0, "Debt": 0})
    assert found[0].values["Income"] == 2_500.6
    assert found[0].rounded == {}


def test_displayed_options_stand_to_each_other_as_the_exact_ones_do() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"Income": rng.uniform(500, 4_000, 400), "Years": rng.uniform(0, 20, 400)})
    model = LogisticRegression().fit(frame, frame["Income"] / 4_000 + frame["Years"] / 20 > 1.1)
    policy = (
        Policy.infer(frame, protect=None)
        .display(Income={"decimals": 0}, Years={"decimals": 0})
        .step(Income=50, Years=0.25)
    )
    made = p2ce.Explainer(model, frame, policy=policy, target=True)
    results = made.explain_many(frame[~model.predict(frame)].iloc[:60])
    rounded = 0
    for entry in results:
        shown = [made.evaluate(entry.person, {**option.values, **option.rounded}) for option in entry]
        rounded += sum(bool(option.rounded) for option in entry)
        for option, verdict in zip(entry, shown, strict=True):
            assert verdict.ok
            assert option.displayed_score == pytest.approx(verdict.score)
            for other, its in zip(entry, shown, strict=True):
                for name in entry.objectives:
                    exactly = np.sign(round(option.costs[name] - other.costs[name], 7))
                    assert np.sign(round(verdict.costs[name] - its.costs[name], 7)) == exactly
    assert rounded > 0


def test_a_model_that_knows_no_rounded_values_predicts_all_the_same() -> None:
    def strict(rows: pd.DataFrame) -> Any:
        if (rows["Rate"] * 4 % 1).any():
            raise ValueError("rates come in quarters")
        return ((rows["Rate"] >= 0.5) & (rows["Debt"] >= 3)).to_numpy(float)

    quarters = pd.DataFrame({"Rate": np.arange(8) / 4, "Debt": np.arange(8)})
    policy = Policy.infer(quarters, protect=None).step(Rate=0.25).display(Rate={"decimals": 1})
    found = p2ce.Explainer(strict, quarters, policy=policy, target=1, plausibility=None).explain(
        quarters.iloc[0]
    )
    assert found.status is p2ce.Status.OPTIMAL
    assert len(found) >= 1
