"""One command runs the experiments and writes the report."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("torch")
pytest.importorskip("optuna")
pytest.importorskip("moocore")
pytest.importorskip("matplotlib")
pytest.importorskip("benchmarks")  # not in a packed source

from tests.real_data import HAS_DATA, REASON

ROOT = Path(__file__).parents[3]


def command(*options: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.paper", *options],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


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
    assert "P²CE, proven" in (out / "index.html").read_text("utf-8")
    assert "| German Credit, Logistic regression |" in markdown.read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--people", "0"], "at least 1"),
        (["--trials", "-3"], "at least 1"),
        (["--data", "iris"], "invalid choice"),
        (["--table", "4"], "invalid choice"),
        (["--authors", "."], "expected a checkout with cfmining/algorithms.py"),
    ],
)
def test_what_cannot_be_run_is_rejected_at_once(options: list[str], message: str) -> None:
    done = command(*options)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.skipif(not HAS_DATA, reason=REASON)
def test_a_report_that_cannot_be_written_is_known_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    for option in (["--out", str(tmp_path / "file")], ["--out", str(tmp_path), "--markdown", str(tmp_path)]):
        done = command("--data", "german", "--no-peers", *option)
        assert done.returncode == 1
        assert "cannot be used" in done.stderr
        assert "Traceback" not in done.stderr


def test_without_data_it_says_what_to_set(tmp_path: Path) -> None:
    nowhere = {"P2CE_DATA": str(tmp_path), "P2CE_CACHE": str(tmp_path), "https_proxy": "http://127.0.0.1:9"}
    done = command("--data", "german", "--no-peers", "--out", str(tmp_path / "report"), **nowhere)
    assert done.returncode == 1
    assert "P2CE_DATA" in done.stderr
    assert "Traceback" not in done.stderr
