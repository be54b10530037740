"""A model that takes its time is called for the limit and one call more at most, and ten times to begin."""

import time

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import Status

SECONDS = 0.2  # of a call
SLACK = 0.15  # of the machine


class Slow:
    """A model of which every call takes a while, however many rows it is about."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds, self.calls = seconds, 0

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        self.calls += 1
        time.sleep(self.seconds)
        return ((rows["a"] + rows["b"] + 0.01 * rows["c"]) / 40.0).to_numpy()


class SlowRegressor:
    def __init__(self) -> None:
        self.ask = Slow()

    def predict(self, rows: pd.DataFrame) -> np.ndarray:
        return self.ask(rows)


def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({name: rng.integers(0, 20, 300) for name in "abcd"})


PERSON = {"a": 1, "b": 2, "c": 3, "d": 4}


def taken(explainer: p2ce.Explainer, limit: float) -> tuple[float, p2ce.Explanation]:
    begin = time.perf_counter()
    found = explainer.explain(PERSON, time_limit=limit)
    return time.perf_counter() - begin, found


@pytest.mark.parametrize("threshold", [0.4503, 0.45], ids=["between scores", "at many scores"])
def test_explaining_takes_the_limit_and_one_call_at_most(threshold: float) -> None:
    """Also where many scores are exactly at the threshold, so that their rows are to be evaluated alone."""
    explainer = p2ce.Explainer(Slow(), people(), plausibility=None, target=1, threshold=threshold)
    explainer.warm_up()
    for limit in (0.05, 0.5, 1.2):
        seconds, found = taken(explainer, limit)
        assert seconds <= limit + SECONDS + SLACK
        assert found.status is Status.TIME_LIMIT


def test_a_detector_may_take_a_call_more() -> None:
    model, judge = Slow(), Slow()
    explainer = p2ce.Explainer(
        model, people(), plausibility=lambda rows: judge(rows) + 1.0, target=1, threshold=0.4503
    )
    explainer.warm_up()
    seconds, _ = taken(explainer, 0.5)
    assert seconds <= 0.5 + 2 * SECONDS + SLACK


def test_a_number_that_is_told_may_take_a_call_more() -> None:
    explainer = p2ce.Explainer(SlowRegressor(), people(), plausibility=None, target=(0.5, 1.0))
    explainer.warm_up()
    seconds, found = taken(explainer, 0.5)
    assert seconds <= 0.5 + 2 * SECONDS + SLACK
    assert found.status is Status.TIME_LIMIT


def test_a_limit_for_many_is_each_persons() -> None:
    explainer = p2ce.Explainer(Slow(), people(), plausibility=None, target=1, threshold=0.4503)
    explainer.warm_up()
    begin = time.perf_counter()
    found = explainer.explain_many(pd.DataFrame([PERSON] * 4), time_limit=0.3)
    assert time.perf_counter() - begin <= 4 * 0.3 + SECONDS + SLACK
    assert found.statuses[Status.TIME_LIMIT] == 4


def test_the_options_that_there_was_time_for_are_given() -> None:
    explainer = p2ce.Explainer(Slow(0.02), people(), plausibility=None, target=1, threshold=0.45)
    explainer.warm_up()
    _, found = taken(explainer, 1.0)
    assert len(found) > 0


def test_construction_takes_a_bounded_number_of_calls() -> None:
    model = Slow(0.0)
    p2ce.Explainer(model, people(), plausibility=None, target=1, threshold=0.4503)
    assert model.calls <= 12
    missing = people().astype(float)
    missing.loc[::7, ["a", "d"]] = np.nan
    lacking = Slow(0.0)
    p2ce.Explainer(
        lambda rows: lacking(rows.fillna(0.0)), missing, plausibility=None, target=1, threshold=0.4503
    )
    assert lacking.calls <= 12 + missing.shape[1]
