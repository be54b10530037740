"""One command runs the experiments and writes the report."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.real_data import HAS_DATA, REASON

ROOT = Path(__file__).parents[2]


def command(*options: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "reproduction", *options],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def message_of(
    options: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> str:
    """Run a command that fails in this process, which has its imports, and return the message."""
    from reproduction.__main__ import main

    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", ["reproduction", *options])
    try:
        assert main() == 1
    except SystemExit as end:  # with a text, which Python prints
        return str(end.code)
    return capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(not HAS_DATA, reason=REASON)
def test_it_writes_the_page_the_figures_and_every_result(tmp_path: Path) -> None:
    out, markdown = tmp_path / "report", tmp_path / "results.md"
    few = [
        "--data",
        "german",
        "--table",
        "1",
        "--figure",
        "1",
        "--no-peers",
        "--people",
        "2",
        "--trials",
        "1",
    ]
    few += ["--seeds", "2"]
    done = command(*few, "--out", str(out), "--markdown", str(markdown))
    assert done.returncode == 0, done.stderr
    assert str(out / "index.html") in done.stdout
    people = pd.read_csv(out / "results" / "people.csv")
    assert people["method"].tolist() == [
        method
        for _ in range(2)
        for method in ("mapocam", "p2ce-ablation", "p2ce", "proven")
        for _ in range(2)
    ]
    assert people["person"].unique().tolist() == [0, 1, 1000, 1001]
    assert people["front_is_true"].all()
    assert json.loads((out / "results" / "run.json").read_text())["settings"]["people"] == 2
    for name in ("toy.png", "toy.svg", "scatter-inlierness.png", "outliers-inlierness.svg"):
        assert (out / "figures" / name).stat().st_size > 1000
    assert ">p2ce<" in (out / "index.html").read_text("utf-8")
    assert "| German Credit, Logistic regression |" in markdown.read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--people", "0"], "at least 1"),
        (["--trials", "-3"], "at least 1"),
        (["--data", "iris"], "invalid choice"),
        (["--table", "4"], "invalid choice"),
        (["--authors", "."], "must be a checkout with cfmining/algorithms.py"),
    ],
)
def test_what_cannot_be_run_is_rejected_at_once(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from reproduction.__main__ import main

    monkeypatch.setattr(sys, "argv", ["reproduction", *options])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert message in capsys.readouterr().err


@pytest.mark.skipif(not HAS_DATA, reason=REASON)
def test_a_report_that_cannot_be_written_is_known_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    for option in (["--out", str(tmp_path / "file")], ["--out", str(tmp_path), "--markdown", str(tmp_path)]):
        message = message_of(["--data", "german", "--no-peers", *option], capsys, monkeypatch)
        assert "Cannot use" in message


def test_without_data_it_says_what_to_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("P2CE_DATA", "P2CE_CACHE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    options = ["--data", "german", "--no-peers", "--out", str(tmp_path / "report")]
    assert "P2CE_DATA" in message_of(options, capsys, monkeypatch)
