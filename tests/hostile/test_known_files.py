"""Each known hostile file is rejected by the command line in one line: no signal, no loop, no result."""

import warnings
from pathlib import Path

import pytest

from tests.apps.command_line import run
from tests.hostile.known_files import FILES
from tests.hostile.seeds import write_surroundings

LONGEST = 1000


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
        ran = run(capsys, *words, "--id", 0, "--out", "out.json")
    assert ran.code == 2
    assert len(ran.line) <= LONGEST
    assert "bug" not in ran.line
    assert "target" not in ran.line  # the file is what is wrong
    assert not Path("out.json").exists()
