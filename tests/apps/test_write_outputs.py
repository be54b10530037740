"""Nothing that is read is written over, and nothing that is written steers a terminal or runs unseen."""

import os
import re
from pathlib import Path

import pandas as pd
import pytest

from p2ce.apps.write_outputs import without_formula, write_explanations
from p2ce.result import Counterfactual, Explanations
from tests.apps.command_line import run
from tests.result.examples import explanation

Capture = pytest.CaptureFixture[str]
BASE = ("explain", "--model", "model.txt", "--data", "people.csv", "--reference", "train.csv")


@pytest.mark.parametrize("read", ["--model", "--data", "--reference", "--policy"])
@pytest.mark.parametrize("written", ["out.csv", "out.summary.csv"])
def test_inputs_are_not_written_over(folder: Path, capsys: Capture, read: str, written: str) -> None:
    """Not even if forced to, nor through a link."""
    files = {"--model": "model.txt", "--data": "people.csv", "--reference": "train.csv", "--policy": "p.yaml"}
    Path("p.yaml").write_text("version: 1", encoding="utf-8")
    Path(written).symlink_to(files[read])
    before = Path(files[read]).read_bytes()
    words = [word for pair in files.items() for word in pair]
    ran = run(capsys, "explain", *words, "--out", "out.csv", "--force")
    assert ran.code == 2
    assert ran.line == f"--out would overwrite {files[read]!r}, which {read} reads. Choose another name."
    assert Path(files[read]).read_bytes() == before


def test_a_policy_is_not_written_over_its_data(folder: Path, capsys: Capture) -> None:
    before = Path("train.csv").read_bytes()
    ran = run(capsys, "policy", "infer", "train.csv", "--out", "train.csv", "--force")
    assert (ran.code, "which DATA reads" in ran.line) == (2, True)
    assert Path("train.csv").read_bytes() == before


def test_a_link_as_output_stays_a_link(folder: Path, capsys: Capture) -> None:
    Path("real.json").write_text("old", encoding="utf-8")
    Path("out.json").symlink_to("real.json")
    Path(".out.json.writing").symlink_to("people.csv")
    before = Path("people.csv").read_bytes()
    assert run(capsys, *BASE, "--id", 0, "--out", "out.json", "--force").code == 0
    assert Path("out.json").is_symlink()
    assert Path("real.json").read_text(encoding="utf-8").startswith("{")
    assert Path("people.csv").read_bytes() == before


def test_no_permission_for_the_folder_of_an_old_file(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error comes before the work, not after it: a file is written next to the old one."""
    Path("out.json").write_text("old", encoding="utf-8")
    monkeypatch.setattr(os, "access", lambda path, _: Path(path).name == "out.json")
    ran = run(capsys, *BASE, "--out", "out.json", "--force")
    assert (ran.code, "no permission for the folder '.'" in ran.line) == (2, True)


FORMULAS = [
    "=1+1",
    "+cmd",
    "-2+3",
    "@SUM(A1)",
    "\tx",
    "\rx",
    "'=1+1",
    "''-x",
    "\uff1d1",
    "\uff0b1",
    "\uff0d1",
    "\uff20A",
    "\ufe661",
]
HARMLESS = ["-2", "+1.5e3", "-.5", "p3", "'quoted", "a=b", "", "5-3"]


def test_text_that_a_spreadsheet_would_run_is_kept_from_running(folder: Path, capsys: Capture) -> None:
    frame = pd.read_csv("people.csv").head(3)
    frame.assign(id=["=1+1", "-2", "p3"]).to_csv("people.csv", index=False)
    ran = run(capsys, *BASE, "--id-column", "id", "--out", "out.csv")
    assert ran.code == 0
    assert "out.summary.csv contains text that begins like a formula, in 'id'" in ran.err
    assert "--raw-csv" in ran.err
    assert pd.read_csv("out.summary.csv")["id"].tolist() == ["'=1+1", "-2", "p3"]
    people = pd.read_csv("out.csv")["id"].tolist()
    assert set(people) <= {"'=1+1", "-2", "p3"}
    ran = run(capsys, *BASE, "--id-column", "id", "--out", "out.csv", "--force", "--raw-csv")
    assert "import the file as text" in ran.err
    assert pd.read_csv("out.summary.csv")["id"].tolist() == ["=1+1", "-2", "p3"]
    frame.assign(id=["-1.5", "-2", "+.3"]).to_csv("people.csv", index=False)
    assert "formula" not in run(capsys, *BASE, "--id-column", "id", "--out", "out.csv", "--force").err


@pytest.mark.parametrize("text", [*FORMULAS, *HARMLESS])
def test_a_key_can_be_had_back_from_a_csv_file(text: str) -> None:
    """As the help of `without_formula` says: one apostrophe less, where a formula would begin behind it."""
    written = without_formula(text)
    assert (written != text) == (text in FORMULAS)
    assert not written.startswith(("=", "@", "\t", "\r")) or text in HARMLESS
    assert (written[1:] if re.match(r"'+[=+\-@\t\r\n＝＋－＠﹦﹢﹣﹫]", written) else written) == text


def test_numbers_stay_numbers_and_names_of_columns_are_written_as_text(
    tmp_path: Path, capsys: Capture
) -> None:
    explained = explanation(
        dtypes={"=A1": "int64", "Home": "object"},
        person={"=A1": -5, "Home": "x"},
        counterfactuals=(
            Counterfactual(
                values={"=A1": -5, "Home": "=x"},
                changes={"Home": ("x", "=x")},
                costs={"mean_distance": 0.5, "changes": 1.0},
                score=-0.5,
            ),
        ),
    )
    for raw in (False, True):
        write_explanations(
            tmp_path / "a.csv", Explanations([explained]), why=None, audience="", language="", raw_csv=raw
        )
        first, row = (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()
        mark = "" if raw else "'"
        assert first.startswith(f"id,option,{mark}=A1,Home,")
        assert row.startswith(f"0,1,-5,{mark}=x,0.5,1.0,-0.5,")


def test_nothing_of_a_file_steers_the_terminal(folder: Path, capsys: Capture) -> None:
    frame = pd.read_csv("people.csv").head(3)
    evil = "\x1b[31mX\x1b]0;own\x07"
    frame.assign(Housing=evil, id=[f"{evil}{row}" for row in range(3)]).to_csv("people.csv", index=False)
    for more in ((), ("--id", 0), ("--id", f"{evil}1"), ("--id", evil)):
        ran = run(capsys, *BASE, "--id-column", "Age" if 0 in more else "id", *more)
        assert "\x1b[31m" not in ran.out + ran.err
        assert "\x07" not in ran.out + ran.err
    Path("train.csv").write_text(Path("train.csv").read_text("utf-8").replace("own", evil), encoding="utf-8")
    for words in (("inspect",), ("policy", "infer", "train.csv", "--force")):
        given = ("--model", "model.txt", *(() if "infer" in words else ("--reference", "train.csv")))
        ran = run(capsys, *words, *given)
        assert ran.code == 0
        assert "\x1b[31m" not in ran.out + ran.err
