"""A process that ends unexpectedly loses no one but the person who ends it every time."""

import gc
import os
import signal
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest

import p2ce
from p2ce import Policy, Status
from p2ce.errors import InvalidArgument
from p2ce.explainer import problems_of
from p2ce.run.many import processes
from p2ce.run.many.processes import receive, send
from tests.populations import loans

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as Unix has them")
BAD, BAD_ONCE = 50, 51  # values that no one in the reference has


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make several shares of few people, and several batches of a share."""
    monkeypatch.setattr("p2ce.run.many.explain_many.BATCH_OUTSIDE", 4)
    monkeypatch.setattr(processes, "SHARES_PER_JOB", 2)


def people(rows: int = 32, bad: tuple[int, ...] = ()) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"a": rng.integers(0, 12, rows), "b": rng.integers(0, 8, rows), "c": 1})
    frame.loc[list(bad), "c"] = BAD
    return frame


def score(rows: pd.DataFrame) -> np.ndarray:
    return np.asarray(1.0 / (1.0 + np.exp(-(rows["a"] + rows["b"] - 13.0) / 3.0)))


class Deadly:
    """A model that ends every process in which it sees a bad row, and the first one with a BAD_ONCE."""

    def __init__(self, mark: Path | None = None) -> None:
        self.mark, self.parent = mark, os.getpid()

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        if os.getpid() == self.parent:
            return score(rows)
        if self.mark is not None and (rows["c"] == BAD_ONCE).any() and not self.mark.exists():
            self.mark.touch()
            self.end()
        if (rows["c"] == BAD).any():
            self.end()
        return score(rows)

    def end(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def explained(model: Any) -> p2ce.Explainer:
    policy = Policy.infer(people(200)).fix("c")
    return p2ce.Explainer(model, people(200), policy=policy, plausibility=None, target=1)


def options(found: p2ce.Explanations) -> list[Any]:
    return [(one.status, list(one)) for one in found]


@pytest.mark.slow
def test_the_person_who_kills_processes_is_named_and_all_others_are_answered(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """Also one whose process is killed once, as the system does for lack of memory."""
    rows = people(bad=(21,))
    rows.loc[3, "c"] = BAD_ONCE
    explainer = explained(Deadly(tmp_path / "died"))
    expected = options(explainer.explain_many(rows))
    found = explainer.explain_many(rows, n_jobs=2)
    assert (tmp_path / "died").exists()
    assert found[21].status is Status.ERROR
    assert found[21].message == processes.ENDS_PROCESSES
    assert options(found)[:21] + options(found)[22:] == expected[:21] + expected[22:]
    assert any("ended unexpectedly" in record.getMessage() for record in caplog.records)


class Leaking(Deadly):
    """A model that leaves no memory for whatever its process does next."""

    def end(self) -> None:
        processes.answer_safely = no_memory


def no_memory(*_: object, **__: object) -> None:
    raise MemoryError("where nobody catches it for a person")


def test_a_process_without_memory_is_as_good_as_dead() -> None:
    explainer = explained(Leaking())
    found = explainer.explain_many(people(bad=(9,)), n_jobs=2)
    assert options(found) == options(explainer.explain_many(people(bad=(9,))))
    assert Status.ERROR not in found.statuses


class Unpicklable:
    def __init__(self) -> None:
        self.lock = threading.Lock()

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        return score(rows)


class Unreadable:
    """A model that ends whoever reads it."""

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        return score(rows)

    def __reduce__(self) -> Any:
        return sys.exit, (3,)


@pytest.mark.parametrize(
    ("model", "words"),
    [(Unpicklable, "pickling them raised TypeError"), (Unreadable, r"unpickling them called sys\.exit\(3\)")],
)
def test_what_cannot_be_sent_is_an_error_and_ends_nothing(model: Any, words: str) -> None:
    explainer = explained(model())
    with pytest.raises(InvalidArgument, match=f"{words}.*Use n_jobs=1"):
        explainer.explain_many(people(), n_jobs=2)
    assert Status.ERROR not in explainer.explain_many(people()).statuses


_held: list[weakref.ref[Any]] = []  # in a worker: the detectors of the problems that it received


def held_after(payload: bytes, key: str) -> int:
    """In a worker: receive a problem, and count the received detectors that the process still holds."""
    _held.append(weakref.ref(receive(payload, key).detector.again))
    gc.collect()
    return sum(detector() is not None for detector in _held)


def test_a_process_keeps_the_last_problem_only() -> None:
    """Only the collector frees a detector: it is in a cycle with the function that parses it again."""
    from joblib.externals.loky import ProcessPoolExecutor

    forests = [IsolationForest(n_estimators=10, random_state=seed) for seed in range(3)]
    detectors = [forest.fit(loans.people()) for forest in forests]
    problems = [problems_of(loans.explainer(plausibility=detector)).own for detector in detectors]
    process = ProcessPoolExecutor(max_workers=1)
    try:
        held = [process.submit(held_after, *send(problem)).result() for problem in problems]
    finally:
        process.shutdown(kill_workers=True)
    assert held == [1, 1, 1]
