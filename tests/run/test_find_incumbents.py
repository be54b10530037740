"""Slow black boxes under a time limit: accepted cells come first, and everything counts against the limit."""

import time
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier

import p2ce
from p2ce import Status
from p2ce.explainer import problems_of
from tests.clock import Clock
from tests.oracle import no_cheaper

FEATURES = 23
CALL, ROW = 0.05, 0.002  # seconds that a call and each of its rows take, by the clock of the tests


@cache
def people() -> pd.DataFrame:
    draw = np.random.default_rng(3)
    found = pd.DataFrame(draw.normal(size=(400, FEATURES)), columns=[f"f{i:02}" for i in range(FEATURES)])
    return found.assign(f00=(found["f00"] > 0).astype(int), f01=np.round(found["f01"] * 10))


@cache
def calibrated() -> CalibratedClassifierCV:
    rows = people()
    repaid = rows["f02"] + rows["f03"] - rows["f04"] + 0.1 * rows["f01"] + rows["f00"] > 0.3
    forest = RandomForestClassifier(8, max_depth=4, random_state=0)
    return CalibratedClassifierCV(forest, cv=2).fit(rows, repaid)


class Slow:
    """Scores rows as the calibrated forest does, and counts and times its calls."""

    def __init__(self, clock: Clock | None = None) -> None:
        self.calls, self.rows, self.longest, self.clock = 0, 0, 0.0, clock

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        self.calls, self.rows = self.calls + 1, self.rows + len(rows)
        if self.clock is not None:
            taken = CALL + ROW * len(rows)
            self.clock.move(taken)
            self.longest = max(self.longest, taken)
        return calibrated().predict_proba(rows)[:, 1]


def policy() -> p2ce.Policy:
    return (
        p2ce.Policy.infer(people(), protect=None)
        .fix("f02")
        .increase_only("f03")
        .with_rules(p2ce.rules.change_at_most_one("f03", "f04"))
    )


def rejected(count: int) -> pd.DataFrame:
    scores = calibrated().predict_proba(people())[:, 1]
    return people().iloc[np.flatnonzero((scores < 0.4) & (scores > 0.2))[:count]]


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> tuple[p2ce.Explainer, Slow, Clock]:
    clock = Clock()
    model = Slow(clock)
    quick = p2ce.Explainer(Slow(), people(), policy=policy(), at_least=0.5)
    problems_of(quick).load_kernels(problems_of(quick).own)  # compiled by the real clock
    monkeypatch.setattr(time, "perf_counter", clock)
    return p2ce.Explainer(model, people(), policy=policy(), at_least=0.5), model, clock


def assert_holds(found: p2ce.Explanation) -> None:
    """State the law of a returned option, whatever the time: it keeps everything."""
    assert found.status is Status.TIME_LIMIT
    before = found.person
    for option in found:
        row = pd.DataFrame([option.values])[list(people())]
        assert calibrated().predict_proba(row)[0, 1] >= 0.5
        assert len(option.changes) <= 3
        assert "f02" not in option.changes
        assert option.values["f03"] >= before["f03"]
        assert not {"f03", "f04"} <= set(option.changes)
        assert option.plausibility >= 0.0


@pytest.mark.parametrize("limit", [0.0, 0.2, 2.0, 5.0])
def test_everything_counts_against_the_limit(slow: Any, limit: float) -> None:
    explainer, model, clock = slow
    for _, row in rejected(3).iterrows():
        begin = clock.now
        found = explainer.explain(row, time_limit=limit)
        assert clock.now - begin <= limit + 2 * model.longest
        assert_holds(found)
    begin = clock.now
    for found in explainer.explain_many(rejected(3), time_limit=limit):
        assert_holds(found)
    assert clock.now - begin <= 3 * limit + 2 * model.longest


def test_accepted_cells_are_there_after_a_few_calls(slow: Any) -> None:
    explainer, model, _ = slow
    answered = 0
    for _, row in rejected(6).iterrows():
        calls, rows = model.calls, model.rows
        found = explainer.explain(row, time_limit=2.5)
        assert model.calls - calls <= 30
        assert model.rows - rows <= 1_200
        answered += len(found) > 0
        # A cell that was sought counts again in the search, which remembers its value.
        assert found.certificate.scored <= 2 * (model.rows - rows)
    assert answered >= 1


@pytest.mark.parametrize("ties", [False, True])
def test_a_search_that_ends_has_the_same_front_with_and_without_a_limit(ties: bool) -> None:
    few = policy().fix(*[f"f{i:02}" for i in range(7, FEATURES)])
    given: dict[str, Any] = {"at_least": 0.5, "max_changes": 2, "bound": None, "ties": ties}
    made = p2ce.Explainer(Slow(), people(), policy=few, **given)
    made.warm_up()
    for _, row in rejected(3).iterrows():
        free, limited = made.explain(row), made.explain(row, time_limit=600)
        assert limited.status == free.status
        assert limited.counterfactuals == free.counterfactuals
        assert no_cheaper(made.explain(row, time_limit=0.3), free)


def mixed(count: int = 300) -> pd.DataFrame:
    """Draw numbers, categories, missing values, a one-hot group and two features that move together."""
    draw = np.random.default_rng(5)
    job = draw.integers(0, 3, count)
    age = draw.integers(20, 70, count)
    return pd.DataFrame(
        {
            "Income": np.where(draw.random(count) < 0.1, np.nan, draw.integers(10, 60, count)),
            "Housing": draw.choice(["own", "rent", "free"], count),
            "Clerk": job == 0,
            "Driver": job == 1,
            "Nurse": job == 2,
            "Age": age,
            "Years": age - 18,
            "Debts": draw.integers(0, 6, count),
        }
    )


def decides(rows: pd.DataFrame) -> np.ndarray:
    income = rows["Income"].fillna(25).to_numpy(float)
    lead = (
        income + 8 * (rows["Housing"] == "own") + 5 * rows["Nurse"] - 4 * rows["Debts"] + 0.3 * rows["Years"]
    )
    return np.asarray(1 / (1 + np.exp(-(lead.to_numpy(float) - 40) / 5)))


def has_few_debts(rows: pd.DataFrame) -> "pd.Series[bool]":
    return rows["Debts"] <= 4


@pytest.mark.parametrize("most", [1, 3, None])
@pytest.mark.parametrize("detector", [None, lambda rows: 60.0 - rows["Income"].fillna(0) - rows["Debts"]])
def test_any_kind_of_feature_rule_and_detector_is_respected(most: int | None, detector: Any) -> None:
    rows = mixed()
    policy = (
        p2ce.Policy.infer(rows, protect=None)
        .step(Income=2)
        .fix("Housing")
        .with_rules(
            p2ce.rules.one_hot("Job", ["Clerk", "Driver", "Nurse"]),
            p2ce.rules.linked("Years", "Age"),
            p2ce.rules.predicate(has_few_debts, name="few debts"),
        )
    )
    made = p2ce.Explainer(decides, rows, policy=policy, at_least=0.5, max_changes=most, plausibility=detector)
    for _, row in rows[decides(rows) < 0.3][:4].iterrows():
        free, limited = made.explain(row), made.explain(row, time_limit=600)
        assert (limited.status, limited.counterfactuals) == (free.status, free.counterfactuals)
        assert limited.certificate.discrepancies == free.certificate.discrepancies == 0


def test_calibration_runs_where_it_fits(slow: Any, caplog: pytest.LogCaptureFixture) -> None:
    _, _, clock = slow
    caplog.set_level("INFO", logger="p2ce")
    spec = p2ce.ShapEstimate(sample_size=4, background=2, rows_per_candidate=1, max_evaluations=400)
    model = Slow(clock)
    explainer = p2ce.Explainer(model, people(), policy=policy().without_rules(policy().rules[0]), bound=spec)
    row = rejected(1).iloc[0]
    begin = clock.now
    explainer.explain(row, time_limit=1.0)
    assert clock.now - begin <= 1.0 + 2 * model.longest
    assert "too long for time_limit" in caplog.text
    assert problems_of(explainer).own.estimate is None
    explainer.explain(row, time_limit=1_000.0)
    assert problems_of(explainer).own.estimate is not None
