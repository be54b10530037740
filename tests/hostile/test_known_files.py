"""Each known hostile file is rejected by the command line in one line: no signal, no loop, no result."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from tests.apps.commands import run
from tests.hostile.known_files import FILES
from tests.hostile.seeds import write_surroundings

for needed in ("lightgbm", "xgboost", "catboost", "skops.io"):
    pytest.importorskip(needed)

LONGEST = 1000
SECONDS = 60


@pytest.mark.parametrize("name", FILES)
def test_known_files_are_rejected_in_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = FILES[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("P2CE_DEBUG", raising=False)
    write_surroundings(tmp_path)
    model = Path(f"model{known.seed.suffix}")
    model.write_bytes(known.content)
    words = ("explain", "--model", model, "--data", f"{known.seed.table}.csv", "--drop", "Repaid")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries, about hostile numbers
        ran = run(capsys, *words, "--row", 0, "--out", "out.json")
    assert ran.code == 2
    assert len(ran.line) <= LONGEST
    assert "bug" not in ran.line
    assert "target" not in ran.line  # the file is what is wrong
    assert not Path("out.json").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are of Unix")
def test_no_file_that_a_cell_names_is_opened(tmp_path: Path) -> None:
    """In a process of its own, as a shell would start it: opening the pipe blocks for ever."""
    (tmp_path / "model.skops").write_bytes(FILES["skops: a reader of the files that cells name"].content)
    os.mkfifo(tmp_path / "secret")
    (tmp_path / "people.csv").write_text("Housing\n" + "secret\n" * 20, encoding="utf-8")
    words = ("explain", "--model", "model.skops", "--data", "people.csv", "--row", "0")
    ran = subprocess.run(
        [sys.executable, "-m", "p2ce", *words],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name != "P2CE_DEBUG"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ran.returncode == 2, ran.stderr[-2000:]
    assert "Traceback" not in ran.stderr
    assert len([line for line in ran.stderr.splitlines() if line.startswith("p2ce: ")]) == 1
