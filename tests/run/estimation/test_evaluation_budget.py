"""Slow black-box models: limits of time, who falls back on an estimate, and the same on any machine."""

import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.engine.solver.branch_and_bound import Progress
from p2ce.explainer import problems_of
from p2ce.result.certificate import Status
from p2ce.run.estimation import evaluation_budget as budget
from tests.clock import Clock
from tests.oracle import no_cheaper
from tests.populations import loans

SMALL = p2ce.ShapEstimate(sample_size=6, background=3, rows_per_candidate=1)
ENOUGH = 0.985


def wavy(rows: pd.DataFrame) -> np.ndarray:
    """Score so that three columns have to fit together: most cells have to be evaluated."""
    wave = np.sin(rows["Income"] / 3.0) + np.cos(3.0 * rows["Debt"]) + np.sin(7.0 * rows["Rate"])
    return np.asarray(wave / 6.0 + 0.5, dtype=np.float64)


class Slow:
    """A model that puts a clock forward by so many seconds."""

    def __init__(self, seconds: float, clock: Clock | None = None) -> None:
        self.seconds, self.clock = seconds, clock

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        if self.clock is not None:
            self.clock.move(self.seconds)
        return wavy(rows)


def explainer(model: Any, **changed: Any) -> p2ce.Explainer:
    return p2ce.Explainer(
        model, loans.people(), **{"target": 1, "plausibility": None, "at_least": ENOUGH, **changed}
    )


def many() -> p2ce.Policy:
    """Leave some ten thousand cells."""
    choices = {"Income": list(range(10, 60, 2)), "Debt": [step / 4.0 for step in range(-16, 17)]}
    return p2ce.Policy.infer(loans.people(), protect=None).candidates(choices).fix("Years")


def rejected(threshold: float = ENOUGH) -> pd.DataFrame:
    return loans.rejected_by(wavy, threshold)


@pytest.fixture(scope="module")
def of_many_cells() -> tuple[p2ce.Explainer, Slow]:
    """Return an explainer of many thousands of cells, and its slow model."""
    model = Slow(0.02)
    made = explainer(model, max_changes=None, policy=many())
    made.warm_up()
    return made, model


@pytest.fixture
def slow(of_many_cells: tuple[p2ce.Explainer, Slow], clock: Clock) -> p2ce.Explainer:
    """Let the clock of this test pass with each call of the model."""
    made, model = of_many_cells
    model.clock = clock
    return made


@pytest.fixture(scope="module")
def whole() -> list[p2ce.Explanation]:
    """Return the true fronts of the two who take longest."""
    complete = explainer(wavy, max_changes=None, bound=None, policy=many())
    found = complete.explain_many(rejected().iloc[:12])
    return sorted(found, key=lambda one: -one.certificate.scored)[:2]


def assert_is_stopped(found: p2ce.Explanation, truth: p2ce.Explanation) -> None:
    """State the law of a search that was stopped: its options hold, and what it lacks is in what is open."""
    assert found.status is Status.TIME_LIMIT
    certificate = found.certificate
    assert not certificate.proven
    assert certificate.open_boxes >= 1
    assert certificate.bound == "complete"
    assert all(option.score >= ENOUGH for option in found)
    assert no_cheaper(found, truth)
    known = [option.costs for option in found]
    for option in truth:
        if not any(all(cost[k] <= option.costs[k] + 1e-9 for k in cost) for cost in known):
            assert all(option.costs[k] >= certificate.open_costs[k] - 1e-9 for k in option.costs)


def test_a_slow_model_is_stopped_and_more_time_finds_more(
    slow: p2ce.Explainer, whole: list[p2ce.Explanation], clock: Clock
) -> None:
    for truth in whole:
        stopped = []
        for limit in (0.0, 0.05, 0.2):
            begin = clock.now
            stopped.append(slow.explain(truth.person, time_limit=limit))
            assert clock.now - begin <= limit + 0.021  # of the call that was under way
            assert_is_stopped(stopped[-1], truth)
        assert stopped[1].certificate.scored < stopped[2].certificate.scored
        assert no_cheaper(stopped[1], stopped[2])
    begin = clock.now
    found = slow.explain_many(pd.DataFrame([one.person for one in whole]), time_limit=0.05)
    assert clock.now - begin <= 2 * 0.05 + 0.021
    for one, truth in zip(found, whole, strict=True):
        assert_is_stopped(one, truth)


@pytest.mark.parametrize("batches", [1, 3])
def test_a_listener_hears_of_every_batch_and_stops_the_search(
    slow: p2ce.Explainer, whole: list[p2ce.Explanation], batches: int
) -> None:
    heard: list[Progress] = []

    def listen(news: Progress) -> bool:
        heard.append(news)
        return len(heard) < batches

    assert_is_stopped(slow.explain(whole[0].person, listener=listen), whole[0])
    assert [news.people for news in heard] == [1] * batches
    assert [news.elapsed for news in heard] == sorted(news.elapsed for news in heard)
    assert heard[-1].open_boxes >= 1


def test_a_listener_that_returns_nothing_stops_nothing() -> None:
    made = explainer(wavy, max_changes=2, at_least=0.9)
    person = rejected().iloc[0]
    heard: list[Progress] = []
    found = made.explain(person, listener=heard.append)
    assert heard
    assert found.status is Status.OPTIMAL
    assert found.counterfactuals == made.explain(person).counterfactuals


@pytest.mark.parametrize(
    ("threshold", "logged"), [(0.0, "The model accepts all"), (1.1, "The model rejects all"), (0.5, "")]
)
def test_a_model_that_decides_alike_about_everybody_is_logged(
    threshold: float, logged: str, caplog: pytest.LogCaptureFixture
) -> None:
    people = pd.concat([loans.people()] * 4, ignore_index=True)
    people = people.iloc[np.argsort(-wavy(people))]  # sorted, so the first rows say nothing
    policy = p2ce.Policy.infer(people, protect=None)
    made = p2ce.Explainer(wavy, people, policy=policy, target=1, plausibility=None, at_least=threshold)
    assert logged in caplog.text
    assert bool(logged) == bool(caplog.text)
    if not logged:
        assert len(problems_of(made).known.compiled.rejected) == budget.TRIED_INSTANCES


def test_what_takes_too_long_is_estimated_unless_proof_is_required(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    arguments: dict[str, Any] = {"max_changes": 2, "at_least": 0.9}
    complete = explainer(wavy, **arguments)
    complete.warm_up()
    monkeypatch.setattr(budget, "MOST_EVALUATIONS", 1)
    answered = explainer(wavy, **arguments).explain_many(rejected(0.9).iloc[:40])
    assert caplog.text.count("A complete search takes too long (2 of 2 instances") == 1
    found = next(one for one in answered if one.status is Status.HEURISTIC)
    certificate = found.certificate
    assert (certificate.bound, certificate.estimate.method, certificate.proven) == ("shap", "sampling", False)
    assert certificate.estimate.miss_rate is not None
    assert certificate.estimate.sample_size > 50
    truth = complete.explain(found.person)
    assert (truth.status, truth.certificate.bound) == (Status.OPTIMAL, "complete")
    assert no_cheaper(found, truth)
    proven = explainer(wavy, bound=None, **arguments).explain(found.person)
    assert (proven.status, proven.certificate.bound) == (Status.OPTIMAL, "none")
    supported = loans.explainer(plausibility=lambda rows: 3.0 - rows["Debt"].abs())
    certificate = supported.explain(loans.rejected().iloc[0]).certificate
    assert (certificate.bound, certificate.proven) == ("tree leaves", True)


def facts(explainer: p2ce.Explainer, people: pd.DataFrame) -> list[dict[str, Any]]:
    """Return all that explanations say, but for the time they took."""
    found = [*explainer.explain_many(people), explainer.explain(people.iloc[0])]
    plain = [one.to_dict(problem=False) for one in found]
    return [{name: one[name] for name in one if name not in ("elapsed", "timings")} for one in plain]


@pytest.mark.parametrize(("bound", "most"), [("auto", 1_000), ("auto", 1), (SMALL, 10**9), (None, 10**9)])
def test_a_slow_clock_changes_no_explanation(bound: Any, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MOST_EVALUATIONS", most)
    arguments: dict[str, Any] = {"max_changes": 2, "at_least": 0.9, "bound": bound}
    people = rejected(0.9).iloc[:6]
    quick = facts(explainer(Slow(0.0), **arguments), people)
    clock = Clock()
    monkeypatch.setattr(time, "perf_counter", clock)
    assert facts(explainer(Slow(3600.0, clock), **arguments), people) == quick
    assert clock.now > 3600.0
    estimated = [one["certificate"]["bound"] == "shap" for one in quick]
    assert set(estimated) == {bound is SMALL or most == 1}


@pytest.mark.parametrize(
    ("limit", "logged"),
    [
        ({"time_limit": 1e-9}, "time_limit=1e-09 cut the calibration: 0 of 40 instances"),
        (
            {"max_evaluations": 16},
            "Too many of the 16 instances to calibrate on could not be solved to the end",
        ),
    ],
    ids=["time_limit", "max_evaluations"],
)
def test_a_calibration_that_is_cut_says_so(
    limit: dict[str, Any], logged: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The instances of the first round take all evaluations: the others are not looked at."""
    spec = p2ce.ShapEstimate(sample_size=40, background=3, rows_per_candidate=1, **limit)
    explainer(wavy, max_changes=2, bound=spec, at_least=0.9).warm_up()
    assert logged in caplog.text
    assert ("cut the calibration" in caplog.text) == ("time_limit" in limit)
