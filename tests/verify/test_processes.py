"""A process that ends abruptly loses nobody but the person who ends it every time."""

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import ActionSet, Status
from p2ce.errors import InvalidOption
from p2ce.verify import processes

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as Unix has them")
BAD = 50  # a value that nobody of the reference has


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make several shares of few people, and several batches of a share."""
    monkeypatch.setattr("p2ce.verify.many.BATCH_IN_WAVES", 4)
    monkeypatch.setattr(processes, "SHARES_PER_JOB", 2)


def people(rows: int = 32, bad: tuple[int, ...] = ()) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"a": rng.integers(0, 12, rows), "b": rng.integers(0, 8, rows), "c": 1})
    frame.loc[list(bad), "c"] = BAD
    return frame


def score(rows: pd.DataFrame) -> np.ndarray:
    return np.asarray(1.0 / (1.0 + np.exp(-(rows["a"] + rows["b"] - 13.0) / 3.0)))


class Deadly:
    """A model that ends the process in which it sees a bad row: every time, or where ``once`` names a file, once."""

    def __init__(self, how: str = "kill", once: Path | None = None) -> None:
        self.how, self.once, self.parent = how, once, os.getpid()

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        if (rows["c"] == BAD).any() and os.getpid() != self.parent:
            if self.once is None or not self.once.exists():
                if self.once is not None:
                    self.once.touch()
                self.end()
        return score(rows)

    def end(self) -> None:
        if self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        os._exit(1)


def explained(model: Any) -> p2ce.Explainer:
    actions = ActionSet.infer(people(200)).fix("c")
    return p2ce.Explainer(model, people(200), actions=actions, plausibility=None, target=1)


def options(found: p2ce.Explanations) -> list[Any]:
    return [(one.status, list(one)) for one in found]


def test_the_person_who_kills_processes_is_named_and_all_others_are_answered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    rows = people(bad=(21,))
    explainer = explained(Deadly())
    expected = options(explainer.explain_many(people()))
    found = explainer.explain_many(rows, n_jobs=2)
    assert found[21].status is Status.ERROR
    assert found[21].message == processes.ENDS_PROCESSES
    assert options(found)[:21] + options(found)[22:] == expected[:21] + expected[22:]
    assert any("ended abruptly" in record.getMessage() for record in caplog.records)


def test_a_process_that_is_killed_once_loses_nobody(tmp_path: Path) -> None:
    """As the system does for want of memory: the people are answered again."""
    explainer = explained(Deadly("exit", once=tmp_path / "died"))
    found = explainer.explain_many(people(bad=(3,)), n_jobs=2)
    assert (tmp_path / "died").exists()
    assert options(found) == options(explainer.explain_many(people(bad=(3,))))
    assert Status.ERROR not in found.statuses


def test_a_killed_worker_from_outside_loses_nobody() -> None:
    """Somebody kills a process that works: nothing but time is lost."""
    explainer = explained(slow_score)
    expected = options(explainer.explain_many(people()))
    explainer.warm_up(n_jobs=2)
    killed: list[int] = []

    def kill() -> None:
        from joblib.externals.loky import get_reusable_executor

        time.sleep(0.3)
        workers = list(get_reusable_executor(reuse=True)._processes)
        os.kill(workers[0], signal.SIGKILL)
        killed.append(workers[0])

    killer = threading.Thread(target=kill)
    killer.start()
    found = explainer.explain_many(people(), n_jobs=2)
    killer.join()
    assert killed
    assert options(found) == expected


def slow_score(rows: pd.DataFrame) -> np.ndarray:
    time.sleep(0.01)
    return score(rows)


def test_where_every_process_ends_nobody_is_tried_for_long() -> None:
    explainer = explained(Deadly())
    begin = time.perf_counter()
    found = explainer.explain_many(people(bad=tuple(range(32))), n_jobs=2)
    assert time.perf_counter() - begin < 60.0
    messages = [one.message for one in found]
    assert set(messages) == {processes.ENDS_PROCESSES, processes.NOT_TRIED}
    assert messages.count(processes.ENDS_PROCESSES) < processes.MOST_LOST


class Greedy(Deadly):
    """A model for whose sake there is no memory to send the answers back."""

    def end(self) -> None:
        processes.answer_safely = no_memory


def no_memory(*_: object, **__: object) -> None:
    raise MemoryError("in the process, outside of what is caught for each person")


def test_want_of_memory_in_a_process_is_like_its_end() -> None:
    explainer = explained(Greedy())
    found = explainer.explain_many(people(bad=(9,)), n_jobs=2)
    assert Status.ERROR not in found.statuses or found.statuses[Status.ERROR] < len(found)
    expected = options(explainer.explain_many(people()))
    for place, (one, whole) in enumerate(zip(options(found), expected, strict=True)):
        assert place == 9 or one == whole


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
    ("model", "told"),
    [(Unpicklable, "pickling them raised TypeError"), (Unreadable, r"unpickling them called sys\.exit\(3\)")],
)
def test_what_cannot_be_sent_is_told_and_ends_nothing(model: Any, told: str) -> None:
    explainer = explained(model())
    with pytest.raises(InvalidOption, match=f"{told}.*Use n_jobs=1"):
        explainer.explain_many(people(), n_jobs=2)
    assert Status.ERROR not in explainer.explain_many(people()).statuses
