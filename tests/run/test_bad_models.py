"""Whatever a model does in another process: rows end in ERROR or one line is raised, and nothing is left."""

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from joblib.externals.loky import get_reusable_executor

import p2ce
from p2ce import Status
from tests.optional import mostly_slow

PEOPLE = pd.DataFrame({name: np.random.default_rng(0).integers(0, 20, 120) for name in "abc"})
ROWS = PEOPLE[PEOPLE["a"] < 8].head(4)


class Unwritable(Exception):
    """An error that cannot say what it is."""

    def __str__(self) -> str:
        raise ValueError("no words")


class Unpicklable(Exception):
    """An error that does not travel between processes."""

    def __init__(self) -> None:
        super().__init__("locked")
        self.lock = threading.Lock()


class NeedsTwo(Exception):
    """An error that is pickled, and cannot be unpickled."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


def throw(error: BaseException) -> Any:
    raise error


def endless(values: np.ndarray) -> Any:
    return throw(RecursionError("too deep"))


# What a model does with its scores, in a separate process.
MISDEEDS: dict[str, Callable[[np.ndarray], Any]] = {
    "raises": lambda _: throw(ValueError("first\nsecond")),
    "raises without words": lambda _: throw(Unwritable()),
    "raises what cannot be pickled": lambda _: throw(Unpicklable()),
    "raises what cannot be unpickled": lambda _: throw(NeedsTwo("a", "b")),
    "raises a generator's end": lambda _: throw(GeneratorExit()),
    "raises an own kind": lambda _: throw(type("Own", (BaseException,), {})("x")),
    "runs out of memory": lambda _: throw(MemoryError()),
    "recurses": endless,
    "leaves": lambda _: sys.exit(3),
    "returns nothing": lambda _: None,
    "returns text": lambda values: ["yes"] * len(values),
    "returns one number": lambda _: 0.5,
    "returns too few": lambda values: values[:-1] if len(values) > 1 else [],
    "returns a table": lambda values: np.zeros((len(values), 2, 2)),
    "returns NaN": lambda values: np.full(len(values), np.nan),
    "returns infinity": lambda values: np.full(len(values), np.inf),
    "returns ragged lists": lambda values: [[0.1], [0.1, 0.2]] + [[0.3]] * len(values),
    "returns an object": lambda _: object(),
    "interrupts": lambda _: throw(KeyboardInterrupt()),
    "ends the process": lambda _: os._exit(1),
    "kills the process": lambda _: os.kill(os.getpid(), signal.SIGKILL),
    "crashes": lambda _: ctypes.string_at(0),
}
SLEEPS = {"sleeps": lambda values: time.sleep(0.4) or values}
ENDS = {"ends the process", "kills the process", "crashes"}
SLOW = ENDS - {"ends the process"}  # which stands for the others


class Model:
    """Scores rows; in other processes it misbehaves."""

    def __init__(self, misdeed: str) -> None:
        self.misdeed, self.parent = misdeed, os.getpid()

    def __call__(self, rows: pd.DataFrame) -> Any:
        values = ((rows["a"] + rows["b"]) / 40.0).to_numpy()
        return values if os.getpid() == self.parent else {**MISDEEDS, **SLEEPS}[self.misdeed](values)


def test_models_are_sent_with_their_module() -> None:
    """Otherwise the tests below would only show that nothing can be unpickled."""
    found = p2ce.Explainer(Good(), PEOPLE, plausibility=None, target=1, max_changes=2).explain_many(
        ROWS, n_jobs=2
    )
    assert {one.status for one in found} == {Status.OPTIMAL}


class Good:
    """Scores rows."""

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        return ((rows["a"] + rows["b"]) / 40.0).to_numpy()


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
@pytest.mark.parametrize("misdeed", mostly_slow(MISDEEDS, *(MISDEEDS.keys() - SLOW)))
def test_a_model_that_misbehaves_in_other_processes_costs_its_rows(
    misdeed: str, capfd: pytest.CaptureFixture[str]
) -> None:
    explainer = p2ce.Explainer(Model(misdeed), PEOPLE, plausibility=None, target=1, max_changes=2)
    # A process takes seconds to start, so few rows end one.
    found = explainer.explain_many(ROWS.head(2) if misdeed in ENDS else ROWS, n_jobs=2)
    assert {one.status for one in found} == {Status.ERROR}
    for one in found:
        assert one.message
        assert "\n" not in one.message
        assert one.error == ("interrupted" if misdeed == "interrupts" else "model")
        assert ("process" in one.message) == (misdeed in ENDS)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="processes are listed elsewhere")
def test_no_process_is_left_behind() -> None:
    """After all that the tests above start; loky keeps some for the next call, until it is told not to."""
    get_reusable_executor().shutdown(wait=True, kill_workers=True)
    end = time.monotonic() + 60
    while time.monotonic() < end and workers():
        time.sleep(0.05)
    assert workers() == []


def test_a_slow_model_ends_by_the_limit_in_other_processes() -> None:
    explainer = p2ce.Explainer(Model("sleeps"), PEOPLE, plausibility=None, target=1, max_changes=2)
    found = explainer.explain_many(ROWS, n_jobs=2, time_limit=0.05)
    assert [one.status for one in found] == [Status.TIME_LIMIT] * len(ROWS)


def workers() -> list[str]:
    """List the processes of loky that this one started."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
                parent = int(stat.read().rpartition(")")[2].split()[1])
            with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as line:
                command = line.read().replace("\0", " ")
        except OSError:
            continue
        if parent == os.getpid() and "loky" in command and "resource_tracker" not in command:
            found.append(command)
    return found
