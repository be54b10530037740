"""Ctrl-C keeps what is done, and the same command again ends with the same file as one that was let be."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.apps.partial_results import FORMAT
from tests.apps.commands import run

Capture = pytest.CaptureFixture[str]
PEOPLE = 150
# A model that takes as long as the environment says, so that there is time to interrupt it.
MODEL = """
import os, time
def score(rows):
    time.sleep(float(os.environ.get("SLOW", "0")))
    return 1 / (1 + 2.0 ** -((rows["Income"] + rows["Savings"] - rows["Debts"]) / 250 - 6))
def model():
    return score
"""
WORDS = ["explain", "--model", "slow_model:model", "--data", "people.csv", "--reference", "people.csv"]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(0, 9, PEOPLE) * 250 for name in ("Income", "Savings", "Debts")})
    frame.to_csv("people.csv", index=False)
    Path("slow_model.py").write_text(MODEL, encoding="utf-8")
    return tmp_path


def interrupted(*more: str, wait_for: int = 3) -> "subprocess.CompletedProcess[str]":
    """Start the program, and press Ctrl-C once some people are done."""
    program = subprocess.Popen(
        [sys.executable, "-m", "p2ce", *WORDS, "--out", "out.json", *more],
        env={**os.environ, "SLOW": "0.15"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    kept = Path("out.json.partial")
    patience = time.monotonic() + 120
    while time.monotonic() < patience and program.poll() is None:
        if kept.exists() and kept.read_bytes().count(b"\n") >= wait_for:
            break
        time.sleep(0.02)
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=60)
    return subprocess.CompletedProcess(program.args, program.returncode, out, err)


def without_work(path: str) -> dict[str, Any]:
    """Read a file but for how much was looked at, which depends on which people share a batch."""
    data: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    for person in data["people"]:
        (person["certificate"] or {}).pop("scored", None)
    return data


def test_a_model_that_is_read_gives_the_same_bytes(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("explain", "--model", "model.txt", "--data", "train.csv", "--reference", "train.csv", "--out")
    assert run(capsys, *words, "whole.json").code == 0
    calls = 0
    explain_many = p2ce.Explainer.explain_many

    def pressed_at_the_third(self: p2ce.Explainer, frame: pd.DataFrame, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return explain_many(self, frame, **options)

    monkeypatch.setattr(p2ce.Explainer, "explain_many", pressed_at_the_third)
    stopped = run(capsys, *words, "out.json")
    assert stopped.code == 130
    assert stopped.line.startswith("Interrupted; 24 of 240 people are kept in out.json.partial.")
    assert run(capsys, *words, "out.json").code == 0
    assert Path("out.json").read_bytes() == Path("whole.json").read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C reaches a process in another way there")
def test_an_interrupted_command_goes_on(work: Path, capsys: Capture) -> None:
    stopped = interrupted()
    assert (stopped.returncode, stopped.stdout) == (130, "")
    assert "Traceback" not in stopped.stderr
    message = [line for line in stopped.stderr.splitlines() if "nterrupted" in line]
    assert len(message) == 1
    assert "are kept in out.json.partial. Run the same command again to go on" in message[0]
    assert not Path("out.json").exists()
    lines = Path("out.json.partial").read_text(encoding="utf-8").splitlines()
    kept = sum(len(json.loads(line).get("people", ())) for line in lines)
    assert 0 < kept < PEOPLE

    changed = run(capsys, *WORDS, "--out", "out.json", "--threshold", 0.6)
    assert changed.code == 2
    assert "--threshold was None and is '0.6'" in changed.line
    assert "--fresh" in changed.line

    resumed = run(capsys, *WORDS, "--out", "out.json")
    assert resumed.code == 0, resumed.err
    assert f"{kept} people done" in resumed.err
    assert not Path("out.json.partial").exists()
    assert run(capsys, *WORDS, "--out", "whole.json").code == 0
    assert without_work("out.json") == without_work("whole.json")


def test_a_changed_table_is_another_question(work: Path, capsys: Capture) -> None:
    header = {"format": FORMAT, "request": {}}
    Path("out.json.partial").write_text(json.dumps(header) + "\n", encoding="utf-8")
    ran = run(capsys, *WORDS, "--out", "out.json")
    assert ran.code == 2
    assert "the file of --data has changed" in ran.line
    Path("out.json.partial").write_text("something else\n", encoding="utf-8")
    assert "exists and is not" in run(capsys, *WORDS, "--out", "out.json").line
    assert run(capsys, *WORDS, "--out", "out.json", "--fresh").code == 0
    assert not Path("out.json.partial").exists()


@pytest.mark.parametrize("change", ["the surroundings", "a library"])
def test_another_model_behind_the_same_file_is_another_question(
    work: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """The explanations of two models never end in one file, although the module of --model is the same."""
    name = "hidden_weight"
    Path(f"{name}.py").write_text(
        "import os\ndef model():\n    weight = float(os.environ['WEIGHT'])\n"
        "    return lambda rows: 1 / (1 + 2.0 ** -(weight * rows['Income'] / 250 - 6))\n",
        encoding="utf-8",
    )
    words = ("explain", "--model", f"{name}:model", "--data", "people.csv", "--reference", "people.csv")
    explain_many = p2ce.Explainer.explain_many
    calls = 0

    def pressed_at_the_second(self: p2ce.Explainer, frame: pd.DataFrame, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt
        return explain_many(self, frame, **options)

    monkeypatch.setenv("WEIGHT", "1")
    monkeypatch.setattr(p2ce.Explainer, "explain_many", pressed_at_the_second)
    assert run(capsys, *words, "--out", "out.json").code == 130
    if change == "a library":
        monkeypatch.setattr("p2ce.apps.version_command.installed_version", lambda _: "99.0")
        message = "the version of numpy was"
    else:
        monkeypatch.setenv("WEIGHT", "3")
        message = "the fingerprint of the model's scores has changed"
    ran = run(capsys, *words, "--out", "out.json")
    assert ran.code == 2
    assert message in ran.line
    assert not Path("out.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C reaches a process in another way there")
def test_ctrl_c_while_loading_is_one_line(work: Path) -> None:
    Path("slow_model.py").write_text(
        "open('loading', 'w').close()\nimport time\ntime.sleep(60)\n", encoding="utf-8"
    )
    program = subprocess.Popen(
        [sys.executable, "-m", "p2ce", *WORDS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not Path("loading").exists():
        time.sleep(0.02)
        assert program.poll() is None
    time.sleep(0.2)
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=60)
    assert (program.returncode, out) == (130, "")
    assert err == "p2ce: Interrupted; nothing was written.\n"
