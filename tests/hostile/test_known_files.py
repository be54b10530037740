"""Each known hostile file is rejected in one line: no signal, no loop, no result.

All of them go through a worker process, where a signal is seen, and one of each library through the command
line, which takes seconds.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.known_files import FILES
from tests.hostile.runner import Runner
from tests.hostile.seeds import write_surroundings

pytest.importorskip("lightgbm")
pytest.importorskip("xgboost")
pytest.importorskip("catboost")
pytest.importorskip("skops.io")

WRONG_USE = 2
LONGEST = 1000
SECONDS = 60


def require_rejection(folder: Path, *words: str) -> str:
    """Run a command in its own process, where a signal is seen, and give the error line that it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "P2CE_DEBUG"}
    ran = subprocess.run(
        [sys.executable, "-m", "p2ce", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ran.returncode == WRONG_USE, f"exit code {ran.returncode}: {ran.stdout[-500:]}{ran.stderr[-2000:]}"
    message = [line for line in ran.stderr.splitlines() if line.startswith("p2ce: ")]
    assert len(message) == 1, ran.stderr
    assert "Traceback" not in ran.stderr
    assert "bug" not in message[0]
    assert len(message[0]) <= LONGEST
    return message[0]


@pytest.mark.parametrize("name", FILES)
def test_known_files_are_rejected(runner: Runner, name: str) -> None:
    known = FILES[name]
    outcome = runner.try_file("model", known.seed, known.content, name)
    assert outcome.kind == "rejected", outcome
    assert "target" not in outcome.message  # the file is what is wrong


@pytest.mark.parametrize(
    "name",
    [
        "LightGBM: 10^6 classes under a header of one",
        "LightGBM: a tree that leads back, hidden by a form feed",
        "XGBoost: a tree of class 10^8",
        "CatBoost JSON: one leaf value for two splits",
        "CatBoost cbm: 2^32 - 1 bytes",
        "skops: a tree with child -50",
    ],
)
def test_the_command_line_says_so_in_one_line(tmp_path: Path, name: str) -> None:
    known = FILES[name]
    write_surroundings(tmp_path)
    model = tmp_path / f"model{known.seed.suffix}"
    model.write_bytes(known.content)
    words = ("explain", "--model", model.name, "--data", f"{known.seed.table}.csv", "--drop", "Repaid")
    require_rejection(tmp_path, *words, "--row", "0", "--out", "out.json")
    assert not (tmp_path / "out.json").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are of Unix")
def test_no_file_that_a_cell_names_is_opened(tmp_path: Path) -> None:
    (tmp_path / "model.skops").write_bytes(FILES["skops: a reader of the files that cells name"].content)
    os.mkfifo(tmp_path / "secret")  # opening it blocks for ever
    (tmp_path / "people.csv").write_text("Housing\n" + "secret\n" * 20, encoding="utf-8")
    require_rejection(tmp_path, "explain", "--model", "model.skops", "--data", "people.csv", "--row", "0")
