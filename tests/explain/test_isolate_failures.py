"""One person's failure stays that person's: of a flaky model, of sys.exit(), of p2ce itself."""

import logging
import sys
import time
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import ActionSet, Status, rules
from p2ce.errors import FAULT, InvalidObjective, InvalidOutput, P2CEError
from p2ce.explain import isolate_failures
from p2ce.grid.candidate_costs import Join
from p2ce.objectives import CostTable, FittedObjective, Objective, Reference
from tests.populations import loans


def people(rows: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    return pd.DataFrame({name: rng.integers(0, 12, rows) for name in "abc"})


def score(rows: pd.DataFrame) -> np.ndarray:
    total = rows["a"] + rows["b"] - 0.5 * rows["c"] * (rows["a"] > 4)
    return np.asarray(1.0 / (1.0 + np.exp(-(total - 13.0) / 3.0)))


def explained(model: Any, **named: Any) -> p2ce.Explainer:
    return p2ce.Explainer(model, people(), **{"plausibility": None, "target": 1, **named})


class Flaky:
    """A model that raises, or answers NaN about a row, in one call of a hundred; always in the same ones."""

    def __init__(self, how: str) -> None:
        self.rng, self.how = np.random.default_rng(1), how
        self.failures, self.calls = 0, 0

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        self.calls += 1
        answers = score(rows)
        if self.rng.random() < 0.01:
            self.failures += 1
            if self.how == "raises":
                raise ConnectionError("now and then")
            answers[0] = np.nan
        return answers


@pytest.mark.parametrize("how", ["raises", "answers NaN"])
def test_a_model_that_fails_now_and_then_answers_everybody(how: str) -> None:
    model = Flaky(how)
    found = explained(model).explain_many(people())
    assert model.failures > 0
    expected = explained(score).explain_many(people())
    assert [one.status for one in found] == [one.status for one in expected]
    assert [list(one) for one in found] == [list(one) for one in expected]


def test_only_those_whose_rows_cannot_be_evaluated_are_errors() -> None:
    def picky(rows: pd.DataFrame) -> np.ndarray:
        if (rows["c"] > 100).any():
            raise ValueError("c is too large")
        return score(rows)

    rows = people()
    expected = explained(picky).explain_many(rows)
    bad = [3, 77, 78, 199]
    rows.loc[bad, "c"] = 101
    begin = time.perf_counter()
    found = explained(picky, actions=ActionSet.infer(people()).fix("c")).explain_many(rows)
    assert time.perf_counter() - begin < 20.0
    assert [place for place, one in enumerate(found) if one.status is Status.ERROR] == bad
    assert all("c is too large" in (found[place].message or "") for place in bad)
    assert len(found) == len(expected)


def test_a_model_that_has_died_ends_quickly() -> None:
    """The pauses of retries do not add up over people: a second in all, as `adapters/retries.py` states."""
    alive = True

    def model(rows: pd.DataFrame) -> np.ndarray:
        if not alive:
            raise ConnectionError("gone for good")
        return score(rows)

    explainer = explained(model)
    explainer.warm_up()
    alive = False
    begin = time.perf_counter()
    found = explainer.explain_many(people())
    assert time.perf_counter() - begin < 5.0
    assert found.statuses[Status.ERROR] == len(found)
    assert "gone for good" in (found[0].message or "")


def test_trees_are_asked_no_more_often_than_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """One call for a batch of everybody: what makes a failure safe costs nothing where nothing fails."""
    calls = []
    kind = type(loans.forest())
    predict = kind.predict_proba

    def counted(self: Any, rows: Any) -> Any:
        calls.append(len(rows))
        return predict(self, rows)

    monkeypatch.setattr(kind, "predict_proba", counted)
    explainer = loans.explainer(plausibility=None)
    explainer.warm_up()
    calls.clear()
    explainer.explain_many(loans.people())
    assert len(calls) == 1


class Exiting(Objective):
    """An objective whose prices end the program."""

    name = "exiting"
    join = Join.SUM

    def fit(self, reference: Reference) -> FittedObjective:
        return ExitingFitted()


class ExitingFitted(FittedObjective):
    name = "exiting"
    join = Join.SUM

    def costs(self, column: int, values: np.ndarray, current: np.ndarray) -> np.ndarray:
        if (current == 11).any():
            sys.exit(3)
        return np.asarray(np.abs(values - current))


def exits(rows: pd.DataFrame) -> np.ndarray:
    if (rows["c"] == 50).any():  # which nobody of the reference has
        sys.exit(3)
    return score(rows)


def yes_or_exit(rows: pd.DataFrame) -> "pd.Series[bool]":
    if (rows["c"] == 50).any():
        sys.exit(3)
    return rows["a"] >= 0


def dear_or_exit(current: float, values: np.ndarray) -> np.ndarray:
    if current == 11:
        sys.exit(3)
    return np.asarray(np.abs(values - current))


def fixed() -> ActionSet:
    return ActionSet.infer(people()).fix("c")


@pytest.mark.parametrize(
    ("ask", "value"),
    [
        (lambda: explained(exits, actions=fixed()), 50),
        (lambda: explained(score, plausibility=lambda rows: exits(rows) + 1.0, actions=fixed()), 50),
        (lambda: explained(score, objectives=[Exiting()]), 11),
        (lambda: explained(score, objectives=[CostTable("effort", {"c": dear_or_exit}, default=1.0)]), 11),
        (lambda: explained(score, actions=fixed().rule(rules.predicate(yes_or_exit))), 50),
    ],
    ids=["model", "detector", "objective", "table of costs", "rule"],
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_sys_exit_in_code_of_the_users_is_an_error_of_these_people(
    ask: Callable[[], p2ce.Explainer], value: int, n_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if n_jobs == 2:
        monkeypatch.setattr("p2ce.explain.explain_many.BATCH_OUTSIDE", 4)
        monkeypatch.setattr("p2ce.explain.explain_many.LARGEST_BATCH", 4)
    rows = people(12)
    rows["a"], rows["b"], rows["c"] = 2, 8, [1, value, 3] * 4
    explainer = ask()
    with pytest.raises((InvalidOutput, InvalidObjective), match=r"called sys\.exit\(3\)"):
        explainer.explain(rows.iloc[1])
    found = explainer.explain_many(rows, n_jobs=n_jobs)
    assert [one.status is Status.ERROR for one in found] == [False, True, False] * 4
    assert all("sys.exit(3)" in (one.message or "") for one in list(found)[1::3])


def test_ctrl_c_in_a_model_still_interrupts() -> None:
    awake = True

    def model(rows: pd.DataFrame) -> np.ndarray:
        if not awake:
            raise KeyboardInterrupt
        return score(rows)

    explainer = explained(model)
    awake = False
    with pytest.raises(KeyboardInterrupt):
        explainer.explain(people().iloc[0])
    found = explainer.explain_many(people(20))
    assert {one.message for one in found} == {"Interrupted before this row was explained. Explain it again."}


def test_want_of_memory_is_nobodys_fault(caplog: pytest.LogCaptureFixture) -> None:
    """Half of a batch needs half of the memory; whoever needs too much alone is an error."""

    def greedy(problem: Any, values: np.ndarray, limits: Any) -> Any:
        if len(values) > 20 or (values[:, 0] == 11).any():
            raise MemoryError("Unable to allocate 9 TiB")
        return explain(problem, values, limits)

    explain = isolate_failures.explain_batch
    explainer, rows = explained(score), people(60)
    expected = explainer.explain_many(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolate_failures, "explain_batch", greedy)
        found = explainer.explain_many(rows)
    large = (rows["a"] == 11).tolist()
    assert any(large)
    assert [one.status is Status.ERROR for one in found] == large
    for mine, one, whole in zip(large, found, expected, strict=True):
        assert ("9 TiB" in (one.message or "")) if mine else list(one) == list(whole)
    assert not any(FAULT in (one.message or "") for one in found)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.makes_faults
def test_a_mistake_of_p2ce_is_a_rows_error_and_told_once_with_where(caplog: pytest.LogCaptureFixture) -> None:
    def mistaken(problem: Any, values: np.ndarray, limits: Any) -> Any:
        if (values[:, 0] == 11).any():
            raise IndexError("index 3 is out of bounds")
        return explain(problem, values, limits)

    explain = isolate_failures.explain_batch
    explainer, rows = explained(score), people(60)
    expected = explainer.explain_many(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolate_failures, "explain_batch", mistaken)
        found = explainer.explain_many(rows)
    hit = (rows["a"] == 11).tolist()
    for mine, one, whole in zip(hit, found, expected, strict=True):
        if mine:
            assert (one.status, one.message) == (
                Status.ERROR,
                f"{FAULT}IndexError: index 3 is out of bounds",
            )
        else:
            assert list(one) == list(whole)
    told = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert [record.name for record in told] == ["p2ce"]
    message = told[0].getMessage()
    assert message.startswith(f"{sum(hit)} of 60 rows failed by a fault of p2ce.")
    assert "Traceback" in message
    assert "in mistaken" in message


def test_an_error_of_the_users_model_is_no_mistake_of_p2ce(caplog: pytest.LogCaptureFixture) -> None:
    """Neither of a model that is asked, nor of one that is read and then asked to verify."""
    for opaque in (False, True):
        model = deepcopy(loans.forest())
        asked = (lambda rows, model=model: model.predict_proba(rows)[:, 1]) if opaque else model
        explainer = loans.explainer(model=asked, plausibility=None, target=1)
        model.estimators_ = ["no tree"]  # as if somebody had changed it meanwhile
        with pytest.raises(P2CEError, match="raised AttributeError: 'str' object"):
            explainer.explain(loans.refused().iloc[0])
        found = explainer.explain_many(loans.refused().iloc[:3])
        assert {one.status for one in found} == {Status.ERROR}
        assert all("raised AttributeError: 'str' object" in (one.message or "") for one in found)
        assert not any(FAULT in (one.message or "") for one in found)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
