"""A search stops on demand: by the clock, within a call of a slow model, or by its listener.

Time passes by a clock that only the tests move: with each reading, where the search itself takes time, and
with each call of a slow model.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier

import p2ce
from p2ce import Status
from p2ce.explainer import problems_of
from tests.clock import Clock

SECONDS = 0.1  # of a call
READING = 0.01  # seconds that pass with each reading of the clock, of which a slice of work takes a few
BETWEEN = 3  # readings in a slice and on the way to the next one
LATE = 40 * READING  # for what is under way when the limit passes, and for the summary of what is open


@pytest.fixture(scope="module")
def hard() -> tuple[p2ce.Explainer, pd.DataFrame]:
    """Allow any number of changes among many fine features: far more than a moment's work."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 30)), columns=[f"f{i:02}" for i in range(30)])
    margin = (frame.to_numpy() * rng.normal(size=30)).sum(axis=1) + rng.normal(size=300)
    model = GradientBoostingClassifier(n_estimators=100, max_depth=4, random_state=0).fit(frame, margin > 0)
    detector = p2ce.PlausibilityForest(n_estimators=50)
    arguments: dict[str, Any] = {"target": True, "at_least": 0.97, "max_changes": None}
    explainer = p2ce.Explainer(model, frame, plausibility=detector, **{"target": 1, **arguments})
    explainer.warm_up()
    return explainer, frame.iloc[np.argsort(model.predict_proba(frame)[:, 1])[:3]]


@pytest.mark.parametrize("limit", [0.0, 0.05, 0.8])
def test_the_limit_is_obeyed(hard: Any, clock: Clock, limit: float) -> None:
    """The longer the search, the more is open at its end; summing that up is on the clock as well."""
    explainer, people = hard
    clock.step = READING
    for position in range(2):
        begin = clock.now
        found = explainer.explain(people.iloc[position], time_limit=limit)
        assert clock.now - begin <= BETWEEN * limit + LATE
        assert found.status is Status.TIME_LIMIT
        assert not found.certificate.proven
        assert found.certificate.open_boxes > 0
        assert all(option.score >= 0.97 and option.plausibility >= 0.0 for option in found)


def test_every_row_of_a_batch_has_the_limit(hard: Any, clock: Clock) -> None:
    explainer, people = hard
    clock.step = READING
    begin = clock.now
    found = explainer.explain_many(people, time_limit=0.1)
    assert clock.now - begin <= BETWEEN * len(people) * 0.1 + LATE
    assert {one.status for one in found} == {Status.TIME_LIMIT}
    assert all(one.timings["search"] >= 0.09 for one in found)


def test_a_listener_hears_and_cancels(hard: Any) -> None:
    explainer, people = hard
    heard: list[p2ce.Progress] = []

    def listen(news: p2ce.Progress) -> bool:
        heard.append(news)
        return len(heard) < 3

    found = explainer.explain(people.iloc[0], listener=listen)
    assert found.status is Status.TIME_LIMIT
    assert len(heard) == 3
    assert [news.elapsed for news in heard] == sorted(news.elapsed for news in heard)
    assert all(news.people == 1 and news.person == 0 and news.open_boxes >= 0 for news in heard)


class Liar:
    """Rejects whatever the search finds, so that it has to continue; says so after a while."""

    def __init__(self, clock: Clock) -> None:
        self.calls, self.seconds, self.clock = 0, 0.0, clock

    def __call__(self, frame: pd.DataFrame) -> np.ndarray:
        self.calls += 1
        self.clock.move(self.seconds)
        return np.full(len(frame), 0.1)


@pytest.fixture
def liar(hard: Any, clock: Clock) -> Iterator[tuple[p2ce.Explainer, pd.DataFrame, Liar]]:
    explainer, people = hard
    honest, lie = problems_of(explainer).own, Liar(clock)
    problems_of(explainer).replace_own(replace(honest, model=replace(honest.model, evaluate=lie)))
    yield explainer, people, lie
    problems_of(explainer).replace_own(honest)


def test_cells_that_fail_verification_start_neither_the_clock_nor_the_listener_anew(liar: Any) -> None:
    explainer, people, lie = liar
    lie.seconds = 2.0  # longer than the limit: after a rejection, the search does not start once more
    found = explainer.explain(people.iloc[0], time_limit=1.0, max_changes=4)
    assert lie.calls <= 1
    assert len(found) == 0
    assert found.status in (Status.TIME_LIMIT, Status.HEURISTIC)
    lie.seconds = 0.0
    heard: list[p2ce.Progress] = []

    def listen(news: p2ce.Progress) -> bool:
        heard.append(news)
        return news.found == 0  # continue until there is something to verify

    explainer.explain(people.iloc[0], time_limit=5, max_changes=4, listener=listen)
    assert sum(news.found > 0 for news in heard) <= 1


class Slow:
    """A model of which every call takes a while, however many rows it has."""

    def __init__(self, clock: Clock | None = None) -> None:
        self.clock, self.calls = clock, 0

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        self.calls += 1
        if self.clock is not None:
            self.clock.move(SECONDS)
        return ((rows["a"] + rows["b"] + 0.01 * rows["c"]) / 40.0).to_numpy()


PEOPLE = pd.DataFrame({name: np.random.default_rng(0).integers(0, 20, 300) for name in "abcd"})


@pytest.mark.parametrize("threshold", [0.4503, 0.45], ids=["between scores", "at many scores"])
def test_a_slow_model_takes_the_limit_and_one_call_at_most(threshold: float, clock: Clock) -> None:
    """Also where many scores are exactly at the threshold, so their rows are evaluated alone."""
    model = Slow(clock)
    explainer = p2ce.Explainer(model, PEOPLE, plausibility=None, target=1, at_least=threshold)
    assert model.calls <= 12
    explainer.warm_up()
    for limit in (0.05, 0.5):
        model.calls = 0
        found = explainer.explain({"a": 1, "b": 2, "c": 3, "d": 4}, time_limit=limit)
        assert model.calls * SECONDS <= limit + SECONDS
        assert found.status is Status.TIME_LIMIT


class Stalling:
    """Objects that the caller passes, of which every call takes longer than the limit from some call on."""

    def __init__(self, clock: Clock) -> None:
        self.quick, self.calls, self.slow, self.clock = 0, 0, 0, clock

    def expect(self, quick: int) -> None:
        self.quick, self.calls, self.slow = quick, 0, 0

    def call(self) -> None:
        self.calls += 1
        if self.calls > self.quick:
            self.slow += 1
            self.clock.move(0.3)


class Classifier:
    """A classifier that stalls; ``several`` classes, one of which has to win."""

    def __init__(self, stalling: Stalling, *, several: bool = False) -> None:
        self.stalling, self.several = stalling, several
        self.classes_ = np.arange(3 if several else 2)

    def predict_proba(self, rows: pd.DataFrame) -> np.ndarray:
        self.stalling.call()
        return self._shares(rows)

    def predict(self, rows: pd.DataFrame) -> np.ndarray:
        self.stalling.call()
        return self._shares(rows).argmax(axis=1)

    def _shares(self, rows: pd.DataFrame) -> np.ndarray:
        share = ((rows["a"] + rows["b"] + 0.01 * rows["c"]) / 40.0).clip(0, 1).to_numpy()
        others = (1 - share) / (len(self.classes_) - 1)
        return np.stack([others, share, *[others] * (len(self.classes_) - 2)], axis=1)


class Regressor:
    """A regressor that stalls."""

    _estimator_type = "regressor"

    def __init__(self, stalling: Stalling) -> None:
        self.stalling = stalling

    def predict(self, rows: pd.DataFrame) -> np.ndarray:
        self.stalling.call()
        return (rows["a"] + rows["b"] + 0.01 * rows["c"]).to_numpy()


def stalling_explainer(kind: str, stalling: Stalling) -> p2ce.Explainer:
    def plausible(rows: pd.DataFrame) -> np.ndarray:
        stalling.call()
        return np.where(rows["d"] % 3 == 0, -1.0, 1.0)

    arguments: dict[str, Any] = {"target": 1, "plausibility": None}
    if kind == "regressor":
        return p2ce.Explainer(Regressor(stalling), PEOPLE, **{**arguments, "target": (20.0, None)})
    model = Classifier(stalling, several=kind == "several classes")
    if kind == "detector":
        arguments["plausibility"] = plausible
    if kind == "no recourse":
        arguments |= {"at_least": 0.99, "max_changes": 1}
    return p2ce.Explainer(model, PEOPLE, **arguments)


@pytest.mark.parametrize("kind", ["classifier", "regressor", "several classes", "detector", "no recourse"])
def test_one_call_at_most_is_under_way_when_the_limit_passes(kind: str, clock: Clock) -> None:
    """Each slow call takes longer than the limit: after one of them, nothing may call again."""
    stalling = Stalling(clock)
    stalling.expect(10**9)
    explainer = stalling_explainer(kind, stalling)
    explainer.warm_up()
    row = {"a": 1, "b": 2, "c": 3, "d": 4}
    for quick in (0, 1, 2, 3, 5):
        stalling.expect(quick)
        found = explainer.explain(row, time_limit=0.1)
        assert stalling.slow <= 1, (quick, stalling.calls)
        assert found.status in (Status.TIME_LIMIT, Status.NO_RECOURSE, Status.OPTIMAL)
        stalling.expect(quick)
        many = explainer.explain_many(pd.DataFrame([row, {**row, "a": 3}]), time_limit=0.1)
        assert stalling.slow <= 1, (quick, stalling.calls)
        assert {one.status for one in many} <= {Status.TIME_LIMIT, Status.NO_RECOURSE, Status.OPTIMAL}


def test_construction_takes_a_call_more_for_each_column_with_missing_values() -> None:
    missing = PEOPLE.astype(float)
    missing.loc[::7, ["a", "d"]] = np.nan
    model = Slow()
    filled = lambda rows: model(rows.fillna(0.0))  # noqa: E731
    p2ce.Explainer(filled, missing, plausibility=None, target=1, at_least=0.4503)
    assert model.calls <= 12 + missing.shape[1]
