"""Every mistake of a newcomer gives one line that says what to do, with exit code 2."""

import os
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.apps.command_line import run
from tests.bad_inputs import COMMANDS, PIPE, Files
from tests.optional import needs

Capture = pytest.CaptureFixture[str]
Words = dict[str, Any]


def words(**changed: Any) -> list[str]:
    """Return a command that works, but for what is changed; None leaves an option out."""
    usual: Words = {"model": "model.txt", "data": "people.csv", "reference": "train.csv", "id": "0"}
    given = {name: value for name, value in {**usual, **changed}.items() if value is not None}
    found = ["explain"]
    for name, value in given.items():
        found += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return found


def write(name: str, content: Any) -> None:
    """Write a file of a row of the table, edit the one that is there, or make a pipe."""
    path = Path(name)
    if content is PIPE:
        os.mkfifo(name)
        return
    if callable(content):
        content = content(path.read_bytes())
    path.write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize(("files", "changed", "message"), COMMANDS, ids=[row[2] for row in COMMANDS])
def test_one_line_says_what_to_do(
    folder: Path, capsys: Capture, files: Files, changed: Words, message: str
) -> None:
    if message == "is a skops file that cannot be loaded":
        needs("skops")
    for name, content in files.items():
        write(name, content)
    before = {name: Path(name).stat().st_mtime_ns for name in os.listdir()}
    ran = run(capsys, *words(**changed))
    assert (ran.code, ran.out) == (2, "")
    assert [part for part in message.split(" | ") if part not in ran.line] == [], ran.line
    left = {name: Path(name).stat().st_mtime_ns for name in os.listdir() if name != "__pycache__"}
    assert left == before


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0,
    reason="not as root, who may do all",
)
def test_no_permission(folder: Path, capsys: Capture) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0o500)
    assert "no permission" in run(capsys, *words(out=closed / "out.json")).line
    Path("people.csv").chmod(0)
    assert "Permission denied" in run(capsys, *words()).line


def test_no_permission_as_the_system_says(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same for root, to whom nothing is forbidden."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    ran = run(capsys, *words(out="out.json"))
    assert ran.code == 2
    assert "cannot be written: no permission for the folder '.'. Choose another place." in ran.line


@pytest.mark.parametrize("form", ["tsv", "csv.gz", "parquet", "semicolons"])
def test_other_tables_give_the_same(folder: Path, capsys: Capture, form: str) -> None:
    expected = run(capsys, *words())
    suffix = "csv" if form == "semicolons" else form
    for name in ("people", "train"):
        frame = pd.read_csv(f"{name}.csv")
        if form == "parquet":
            frame.to_parquet(f"{name}.parquet")
        elif form == "semicolons":
            frame.to_csv(f"{name}.csv", index=False, sep=";", decimal=",")
        else:
            frame.to_csv(f"{name}.{form}", index=False, sep="\t" if form == "tsv" else ",")
    ran = run(capsys, *words(data=f"people.{suffix}", reference=f"train.{suffix}"))
    assert (ran.code, ran.out) == (0, expected.out)
    assert ("separated by ';'" in ran.err) == (form == "semicolons")


def test_without_pyarrow(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    pd.read_csv("people.csv").to_parquet("people.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert (
        "needs pyarrow, which is not installed. Type: pip install 'pyarrow>="
        in run(capsys, *words(out="out.parquet")).line
    )


@pytest.mark.parametrize("library", ["lightgbm", "onnxruntime"])
def test_without_the_library_of_the_model(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    Path("m.onnx").write_bytes(b"\x08\x07\x12abc")
    ran = run(capsys, *words(model="model.txt" if library == "lightgbm" else "m.onnx"))
    assert (
        ran.code,
        f"needs {library}, which is not installed. Type: pip install '{library}>=" in ran.line,
    ) == (2, True)


def test_a_bug_is_one_line_too(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("p2ce.apps.commands.explain_command.run_explain", broken)
    ran = run(capsys, *words())
    assert ran.code == 1
    assert "division by zero" in ran.line
    assert "P2CE_DEBUG=1" in ran.line
    monkeypatch.setenv("P2CE_DEBUG", "1")
    from p2ce.apps import cli

    with pytest.raises(ZeroDivisionError):
        cli.main(words())
