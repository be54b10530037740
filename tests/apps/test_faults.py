"""Faults on the command line: a killed process, a model that raises or exits, a mistake of p2ce."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from p2ce import Explanations, Status
from p2ce.run.many import processes
from tests.apps.command_line import run

Capture = pytest.CaptureFixture[str]
# A custom model: what it does about the person of whom the income is 4321 is written in its place.
MODEL = """
import os, signal, sys
import numpy as np


class Model:
    def __call__(self, rows):
        if (rows["Income"] == 4321).any():
            ACT
        trust = rows["Income"] / 1500 - rows["Rate"] / 4
        return 1 / (1 + np.exp(2 - trust.to_numpy(dtype=float)))


def make():
    return Model()
"""
COLUMNS = ("--drop", "Repaid", "--drop", "id", "--drop", "Savings", "--drop", "Has guarantor")
SEVENTH = 7


def words(folder: Path, act: str, name: str, *more: object) -> list[object]:
    """Write the model, and explain people of whom one is special."""
    (folder / f"{name}.py").write_text(MODEL.replace("ACT", act), encoding="utf-8")
    lines = Path("people.csv").read_text(encoding="utf-8").splitlines()
    income = lines[0].split(",").index("Income")
    cells = lines[1 + SEVENTH].split(",")
    cells[income] = "4321"
    lines[1 + SEVENTH] = ",".join(cells)
    Path("people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    base = ["explain", "--model", f"{name}:make", "--data", "people.csv", "--reference", "train.csv"]
    return [*base, *COLUMNS, "--no-plausibility", "--target", "1", "--out", "out.json", *more]


def saved() -> Explanations:
    return Explanations.from_dict(json.loads(Path("out.json").read_text(encoding="utf-8")))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals as Unix has them")
def test_a_killed_process_is_one_persons_error(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr("p2ce.run.many.explain_many.BATCH_OUTSIDE", 4)
    # Processes import the module anew; the command's own one only scores the reference.
    act = "os.getppid() == int(os.environ['P2CE_TEST_PARENT']) and os.kill(os.getpid(), signal.SIGKILL)"
    monkeypatch.setenv("P2CE_TEST_PARENT", str(os.getpid()))
    ran = run(capsys, *words(folder, act, "killing_model", "--jobs", 2))
    assert ran.code == 3
    assert "1 row could not be explained. The first is row 7: The process" in ran.line
    assert "bug" not in ran.err
    found = saved()
    assert [place for place, one in enumerate(found) if one.status is Status.ERROR] == [SEVENTH]


@pytest.mark.parametrize(
    ("act", "message"),
    [
        ("sys.exit(5)", "called sys.exit(5)"),
        ("raise RuntimeError('the service is away')", "the service is away"),
    ],
    ids=["exits", "raises"],
)
def test_a_models_error_is_never_called_a_bug(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, act: str, message: str
) -> None:
    monkeypatch.syspath_prepend(str(folder))
    ran = run(capsys, *words(folder, act, f"model_that_{message[:3]}"))
    assert ran.code == 3
    assert message in ran.line
    assert "bug" not in ran.err
    assert "fault" not in ran.err
    assert [place for place, one in enumerate(saved()) if one.status is Status.ERROR] == [SEVENTH]


def test_a_module_that_exits_ends_in_one_line(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(folder))
    (folder / "exiting_module.py").write_text("import sys\nsys.exit(0)\n", encoding="utf-8")
    ran = run(capsys, "explain", "--model", "exiting_module:make", "--data", "people.csv")
    assert ran.code == 2
    assert "exit" in ran.line.lower()
    assert "bug" not in ran.err


def mistaken_at(seventh: float) -> Any:
    explain = processes.explain_batch

    def mistaken(problem: Any, values: np.ndarray, limits: Any) -> Any:
        if (values[:, problem.names.index("Income")] == seventh).any():
            raise IndexError("index 3 is out of bounds")
        return explain(problem, values, limits)

    return mistaken


@pytest.mark.makes_faults
@pytest.mark.parametrize("debug", [False, True])
def test_a_mistake_of_p2ce_is_written_as_one(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, debug: bool
) -> None:
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(processes, "explain_batch", mistaken_at(4321))
    monkeypatch.setenv("P2CE_DEBUG", "")  # so that it is taken back
    inputs = words(folder, "pass", f"honest_model_{debug}")
    if not debug:
        ran = run(capsys, *inputs)
        assert ran.code == 3
        assert (
            "1 row could not be explained, 1 because of a bug in p2ce (--debug shows the traceback"
            in ran.line
        )
        return
    ran = run(capsys, "--debug", *inputs)
    assert "Traceback" in ran.err
    assert "in mistaken" in ran.err
    assert saved()[SEVENTH].error == "fault"
