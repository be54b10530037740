"""Models that take their time: who falls back on an estimate, on any machine alike, and when time is up."""

import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.explain import evaluation_budget as pace
from p2ce.result.status import Status
from p2ce.solver.branch_and_bound import Progress
from tests.oracle import no_cheaper
from tests.populations import loans

SMALL = p2ce.ShapEstimate(people=6, background=3, rows=1)


ENOUGH = 0.985


def wavy(rows: pd.DataFrame) -> np.ndarray:
    """Score so that three columns have to fit together: most cells have to be looked at."""
    wave = np.sin(rows["Income"] / 3.0) + np.cos(3.0 * rows["Debt"]) + np.sin(7.0 * rows["Rate"])
    return np.asarray(wave / 6.0 + 0.5, dtype=np.float64)


class Slow:
    """Takes so long for a call, and so much more for each row."""

    def __init__(self, seconds: float, per_row: float = 0.0, clock: "Clock | None" = None) -> None:
        self.seconds, self.per_row, self.clock = seconds, per_row, clock

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        time.sleep(self.seconds + self.per_row * len(rows))
        if self.clock is not None:
            self.clock.ahead += 3600.0
        return wavy(rows)


def explainer(model: Any, **changed: Any) -> p2ce.Explainer:
    return p2ce.Explainer(model, loans.people(), **{"plausibility": None, "threshold": ENOUGH, **changed})


def many() -> p2ce.ActionSet:
    """Leave some ten thousand cells."""
    choices = {"Income": list(range(10, 60, 2)), "Debt": [step / 4.0 for step in range(-16, 17)]}
    return p2ce.ActionSet.infer(loans.people()).values(choices).fix("Years")


def refused(threshold: float = ENOUGH) -> pd.DataFrame:
    people = loans.people()
    return people[wavy(people) < threshold]


@pytest.fixture(scope="module")
def slow() -> p2ce.Explainer:
    """Ask a slow model about many thousands of cells."""
    made = explainer(Slow(0.03), max_changes=None, actions=many())
    made.warm_up()
    return made


@pytest.fixture(scope="module")
def whole() -> list[p2ce.Explanation]:
    """Give the true answers for the people who take longest."""
    complete = explainer(wavy, max_changes=None, bound="none", actions=many())
    found = complete.explain_many(refused().iloc[:40])
    return sorted(found, key=lambda one: -one.certificate.scored)[:4]


@pytest.mark.parametrize("limit", [0.0, 0.05, 0.2])
def test_a_slow_model_is_stopped_and_what_was_found_holds(
    slow: p2ce.Explainer, whole: list[p2ce.Explanation], limit: float
) -> None:
    for truth in whole:
        begin = time.perf_counter()
        found = slow.explain(truth.person, time_limit=limit)
        taken = time.perf_counter() - begin
        assert found.status is Status.TIME_LIMIT
        assert taken < limit + 1.0  # a call under way is waited for
        certificate = found.certificate
        assert not certificate.proven
        assert certificate.open_boxes >= 1
        assert certificate.bound == "complete"
        assert all(option.score >= ENOUGH for option in found)
        assert no_cheaper(found, truth)
        # Whatever is still missing costs no less than what is said to be open, in everything.
        known = [option.costs for option in found]
        for option in truth:
            if not any(all(cost[k] <= option.costs[k] + 1e-9 for k in cost) for cost in known):
                assert all(option.costs[k] >= certificate.open_costs[k] - 1e-9 for k in option.costs)


def test_more_time_finds_more(slow: p2ce.Explainer, whole: list[p2ce.Explanation]) -> None:
    person = whole[0].person
    short, longer = (slow.explain(person, time_limit=limit) for limit in (0.05, 0.3))
    assert longer.certificate.scored > short.certificate.scored
    assert no_cheaper(short, longer)


def test_many_people_each_get_their_time(slow: p2ce.Explainer, whole: list[p2ce.Explanation]) -> None:
    people = pd.DataFrame([one.person for one in whole])
    begin = time.perf_counter()
    found = slow.explain_many(people, time_limit=0.05)
    assert time.perf_counter() - begin < 2.0
    assert set(found.statuses) == {Status.TIME_LIMIT}
    assert all(one.certificate.open_boxes >= 1 for one in found)
    assert all(option.score >= ENOUGH for one in found for option in one)


@pytest.mark.parametrize("waves", [1, 3])
def test_a_listener_hears_of_every_wave_and_stops_the_search(
    slow: p2ce.Explainer, whole: list[p2ce.Explanation], waves: int
) -> None:
    heard: list[Progress] = []

    def listen(news: Progress) -> bool:
        heard.append(news)
        return len(heard) < waves

    found = slow.explain(whole[0].person, listener=listen)
    assert len(heard) == waves
    assert found.status is Status.TIME_LIMIT
    assert found.certificate.open_boxes >= 1
    assert all(option.score >= ENOUGH for option in found)
    assert [news.people for news in heard] == [1] * waves
    assert [news.elapsed for news in heard] == sorted(news.elapsed for news in heard)
    assert heard[-1].open_boxes >= 1


def test_a_listener_that_answers_nothing_stops_nothing() -> None:
    asking = explainer(wavy, max_changes=2, threshold=0.9)
    person = refused().iloc[0]
    heard: list[Progress] = []
    found = asking.explain(person, listener=heard.append)
    assert heard
    assert found.status is Status.OPTIMAL
    assert found.counterfactuals == asking.explain(person).counterfactuals


@pytest.mark.parametrize(("threshold", "decides"), [(0.0, "accepts"), (1.1, "rejects")])
def test_a_model_that_decides_alike_about_everybody_is_told(
    threshold: float, decides: str, caplog: pytest.LogCaptureFixture
) -> None:
    explainer(wavy, threshold=threshold)
    assert f"The model {decides} all" in caplog.text
    caplog.clear()
    explainer(wavy, threshold=0.5)
    assert not caplog.text


def test_a_sorted_frame_is_looked_at_everywhere(caplog: pytest.LogCaptureFixture) -> None:
    people = pd.concat([loans.people()] * 4, ignore_index=True)
    people = people.iloc[np.argsort(-wavy(people))]
    made = p2ce.Explainer(wavy, people, plausibility=None, threshold=0.5)
    assert len(made._compiled.rejected) == pace.TRIED_INSTANCES
    assert "reference rows that were evaluated" not in caplog.text


def test_a_large_grid_that_is_quickly_searched_is_asked_completely(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "MOST_EVALUATIONS", 500)
    asking = explainer(wavy, max_changes=2, threshold=0.9)
    assert asking.describe().cells > 500
    found = asking.explain(refused(0.9).iloc[0])
    assert found.status is Status.OPTIMAL
    assert found.certificate.bound == "complete"


def test_what_takes_too_long_is_estimated_and_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(pace, "MOST_EVALUATIONS", 1)
    asking = explainer(wavy, max_changes=2, threshold=0.9)
    answered = asking.explain_many(refused(0.9))
    assert caplog.text.count("A complete search takes too long (2 of 2 instances") == 1
    assert Status.HEURISTIC in answered.statuses
    found = next(one for one in answered if one.status is Status.HEURISTIC)
    certificate = found.certificate
    assert certificate.bound == "shap"
    assert not certificate.proven
    assert certificate.miss_rate is not None
    assert certificate.sample_size > 50
    assert certificate.explainer == "sampling"
    monkeypatch.undo()
    complete = explainer(wavy, max_changes=2, threshold=0.9).explain(found.person)
    assert complete.status is Status.OPTIMAL
    assert complete.certificate.bound == "complete"
    assert no_cheaper(found, complete)


def test_nobody_falls_back_who_asks_for_proof_or_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "MOST_EVALUATIONS", 1)
    proven = explainer(wavy, max_changes=2, bound="none", threshold=0.9).explain(refused(0.9).iloc[0])
    assert proven.status is Status.OPTIMAL
    assert proven.certificate.bound == "none"
    read = loans.explainer(plausibility=lambda rows: 3.0 - rows["Debt"].abs())
    found = read.explain(loans.refused().iloc[0])
    assert found.certificate.bound == "tree leaves"
    assert found.certificate.proven


def test_an_estimate_is_stopped_by_the_clock_too() -> None:
    asking = explainer(Slow(0.01), max_changes=None, bound=SMALL, threshold=0.9)
    # Calibrating is not on the person's clock.
    asking.warm_up()
    begin = time.perf_counter()
    found = asking.explain(refused(0.9).iloc[0], time_limit=0.0)
    assert time.perf_counter() - begin < 1.0
    assert found.status is Status.TIME_LIMIT
    assert found.certificate.open_boxes >= 1


class Clock:
    """A clock that a model puts forward, by an hour for each of its calls."""

    def __init__(self) -> None:
        self.ahead, self.now = 0.0, time.perf_counter

    def __call__(self) -> float:
        return self.now() + self.ahead


def told(explainer: p2ce.Explainer, people: pd.DataFrame) -> list[dict[str, Any]]:
    """Give all that answers say, but for what they took."""
    found = [*explainer.explain_many(people), explainer.explain(people.iloc[0])]
    plain = [one.to_dict(question=False) for one in found]
    return [{name: one[name] for name in one if name not in ("elapsed", "timings")} for one in plain]


@pytest.mark.parametrize("slowness", ["sleeps", "clock"])
@pytest.mark.parametrize(
    ("bound", "most"), [("auto", 10**9), ("auto", 1_000), ("auto", 1), (SMALL, 10**9), ("none", 10**9)]
)
def test_a_slow_day_gives_the_same_answers(
    bound: Any, most: int, slowness: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "MOST_EVALUATIONS", most)
    asked: dict[str, Any] = {"max_changes": 2, "threshold": 0.9, "bound": bound}
    people = refused(0.9).iloc[:12]
    quick = told(explainer(Slow(0.0), **asked), people)
    if slowness == "sleeps":
        slow = told(explainer(Slow(0.01, 1e-5), **asked), people)
    else:
        clock = Clock()
        monkeypatch.setattr(time, "perf_counter", clock)
        slow = told(explainer(Slow(0.0, clock=clock), **asked), people)
        assert clock.ahead > 3600.0
    assert slow == quick
    estimated = [one["certificate"]["bound"] == "shap" for one in quick]
    assert set(estimated) == {bound is SMALL or most == 1}


def test_a_calibration_that_time_cut_says_so(caplog: pytest.LogCaptureFixture) -> None:
    spec = p2ce.ShapEstimate(people=40, background=3, rows=1, seconds=1e-9)
    explainer(wavy, max_changes=2, bound=spec, threshold=0.9).warm_up()
    assert "seconds=1e-09 cut the calibration: 0 of 40 instances" in caplog.text


def test_a_calibration_that_its_evaluations_cut_says_so(caplog: pytest.LogCaptureFixture) -> None:
    """The people of the first round take all there is: the others are not looked at."""
    spec = p2ce.ShapEstimate(people=40, background=3, rows=1, evaluations=16)
    explainer(wavy, max_changes=2, bound=spec, threshold=0.9).warm_up()
    assert "cut the calibration" not in caplog.text
    assert "Too many of the 16 instances to calibrate on could not be solved to the end" in caplog.text
