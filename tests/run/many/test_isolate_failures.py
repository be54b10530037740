"""A failure stays with its row: of a flaky model, of sys.exit(), of too little memory, of p2ce itself."""

import logging
import sys
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import Policy, Status, rules
from p2ce.errors import InvalidObjective, InvalidOutput, P2CEError
from p2ce.objectives import CostTable
from p2ce.run.many import processes
from tests.populations import loans


def people(rows: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    return pd.DataFrame({name: rng.integers(0, 12, rows) for name in "abc"})


def score(rows: pd.DataFrame) -> np.ndarray:
    total = rows["a"] + rows["b"] - 0.5 * rows["c"] * (rows["a"] > 4)
    return np.asarray(1.0 / (1.0 + np.exp(-(total - 13.0) / 3.0)))


def explainer_of(model: Any, **named: Any) -> p2ce.Explainer:
    return p2ce.Explainer(model, people(), **{"plausibility": None, "target": 1, **named})


def errors(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if record.levelno >= logging.ERROR]


class Flaky:
    """A model that raises, or returns NaN for a row, in one call of twenty; always in the same ones."""

    def __init__(self, how: str) -> None:
        self.rng, self.how, self.failures = np.random.default_rng(1), how, 0

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        scores = score(rows)
        if self.rng.random() < 0.05:
            self.failures += 1
            if self.how == "raises":
                raise ConnectionError("now and then")
            scores[0] = np.nan
        return scores


@pytest.mark.parametrize("how", ["raises", "returns NaN"])
def test_a_model_that_fails_now_and_then_is_called_again(how: str) -> None:
    model = Flaky(how)
    found = explainer_of(model).explain_many(people(60))
    assert model.failures > 0
    expected = explainer_of(score).explain_many(people(60))
    assert [(one.status, list(one)) for one in found] == [(one.status, list(one)) for one in expected]


def test_only_rows_that_cannot_be_evaluated_are_errors() -> None:
    calls = 0

    def picky(rows: pd.DataFrame) -> np.ndarray:
        nonlocal calls
        calls += 1
        if (rows["c"] > 100).any():
            raise ValueError("c is too large")
        return score(rows)

    rows, bad = people(60), [3, 17, 18, 59]
    rows.loc[bad, "c"] = 101
    explainer = explainer_of(picky, policy=Policy.infer(people(), protect=None).fix("c"))
    calls = 0
    found = explainer.explain_many(rows)
    assert calls < 20_000
    assert [place for place, one in enumerate(found) if one.status is Status.ERROR] == bad
    assert all("c is too large" in (found[place].message or "") for place in bad)


def exits(rows: pd.DataFrame) -> np.ndarray:
    if (rows["c"] == 50).any():  # which no one in the reference has
        sys.exit(3)
    return score(rows)


def true_or_exit(rows: pd.DataFrame) -> "pd.Series[bool]":
    if (rows["c"] == 50).any():
        sys.exit(3)
    return rows["a"] >= 0


def cost_or_exit(current: float, values: np.ndarray) -> np.ndarray:
    if current == 11:
        sys.exit(3)
    return np.asarray(np.abs(values - current))


def fixed() -> Policy:
    return Policy.infer(people(), protect=None).fix("c")


@pytest.mark.parametrize(
    ("make", "value", "n_jobs"),
    [
        (lambda: explainer_of(exits, policy=fixed()), 50, 2),
        (lambda: explainer_of(score, plausibility=lambda rows: exits(rows) + 1.0, policy=fixed()), 50, 1),
        (
            lambda: explainer_of(score, objectives=[CostTable("effort", {"c": cost_or_exit}, default=1.0)]),
            11,
            1,
        ),
        (lambda: explainer_of(score, policy=fixed().with_rules(rules.predicate(true_or_exit))), 50, 1),
    ],
    ids=["model in processes", "detector", "table of costs", "rule"],
)
def test_sys_exit_in_the_users_code_is_an_error_of_these_rows(
    make: Callable[[], p2ce.Explainer], value: int, n_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("p2ce.run.many.explain_many.BATCH_OUTSIDE", 4)
    monkeypatch.setattr("p2ce.run.many.explain_many.LARGEST_BATCH", 4)
    rows = people(12)
    rows["a"], rows["b"], rows["c"] = 2, 8, [1, value, 3] * 4
    explainer = make()
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

    explainer = explainer_of(model)
    awake = False
    with pytest.raises(KeyboardInterrupt):
        explainer.explain(people().iloc[0])
    found = explainer.explain_many(people(20))
    assert {one.message for one in found} == {"Interrupted before this row was explained. Explain it again."}


@pytest.mark.makes_faults
@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError("Unable to allocate 9 TiB"), "9 TiB"),
        (
            IndexError("index 3 is out of bounds"),
            "A bug in p2ce, not a problem of the row: IndexError: index 3 is out of bounds",
        ),
    ],
    ids=["memory", "fault of p2ce"],
)
def test_what_fails_in_p2ce_is_the_error_of_these_rows_and_a_fault_is_logged_once(
    error: Exception, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Half of a batch needs half of the memory; a row that needs too much alone is an error."""

    def failing(problem: Any, values: np.ndarray, limits: Any) -> Any:
        needs_too_much = isinstance(error, MemoryError) and len(values) > 20
        if needs_too_much or (values[:, 0] == 11).any():
            raise error
        return explain(problem, values, limits)

    explain = processes.explain_batch
    explainer, rows = explainer_of(score), people(60)
    expected = explainer.explain_many(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "explain_batch", failing)
        found = explainer.explain_many(rows)
    hit = (rows["a"] == 11).tolist()
    assert [one.status is Status.ERROR for one in found] == hit
    for mine, one, whole in zip(hit, found, expected, strict=True):
        assert (message in (one.message or "")) if mine else list(one) == list(whole)
    if isinstance(error, MemoryError):
        assert not any(one.error == "fault" for one in found)
        assert not errors(caplog)
        return
    (record,) = errors(caplog)
    logged = record.getMessage()
    assert logged.startswith(f"{sum(hit)} of 60 rows failed because of a bug in p2ce.")
    assert "Traceback" in logged
    assert "in failing" in logged


@pytest.mark.parametrize("black_box", [False, True])
def test_an_error_of_the_users_model_is_no_fault_of_p2ce(
    black_box: bool, caplog: pytest.LogCaptureFixture
) -> None:
    model = deepcopy(loans.forest())
    passed = (lambda rows: model.predict_proba(rows)[:, 1]) if black_box else model
    explainer = loans.explainer(model=passed, plausibility=None, target=1)
    model.estimators_ = ["no tree"]  # as if someone had changed it meanwhile
    with pytest.raises(P2CEError, match="raised AttributeError: 'str' object"):
        explainer.explain(loans.rejected().iloc[0])
    for one in explainer.explain_many(loans.rejected().iloc[:3]):
        assert one.status is Status.ERROR
        assert "raised AttributeError: 'str' object" in (one.message or "")
        assert one.error == "model"
    assert not errors(caplog)
