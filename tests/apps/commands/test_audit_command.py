"""``p2ce audit`` reads folders and JSON, joins groups by key, and says in one line what is wrong."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from p2ce import Audit
from tests.apps.command_line import run
from tests.optional import LazyLibrary
from tests.populations import loans
from tests.portfolio.audits.made_up import at_random, many
from tests.portfolio.written_runs import as_arrow, write_run

pa = LazyLibrary("pyarrow")

PEOPLE = 60
KEY = ("--id-column", "id")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audit")
    people = loans.people().head(PEOPLE).reset_index(drop=True)
    kept = pa.table({"branch": pa.array(["=north", "south"] * (PEOPLE // 2))})
    write_run(folder / "results", loans.explainer(), as_arrow(people), ids=list(range(100, 160)), kept=kept)
    table = pd.DataFrame({"id": range(100, 160), "sex": ["f", "m", "m"] * 20, "postcode": ["0123"] * PEOPLE})
    table.sample(frac=1.0, random_state=0).to_csv(folder / "groups.csv", index=False)
    explanations = many(at_random(np.random.default_rng(0), 80))
    (folder / "people.json").write_text(json.dumps(explanations.to_dict()), encoding="utf-8")
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("P2CE_DEBUG", raising=False)
    return made


def test_every_form_is_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("audit.html", "audit.md", "audit.csv", "audit.json"):
        ran = run(capsys, "audit", here / "results", "--groups", "branch", "--min-size", 5, "--out", name)
        assert ran.code == 0
        assert ran.out.startswith(f"{name}: 60 people in 2 groups, ")
    found = Audit.from_json(Path("audit.json").read_bytes())
    assert found.min_size == 5
    assert "<!DOCTYPE html>" in Path("audit.html").read_text(encoding="utf-8")
    table = pd.read_csv("audit.csv")
    assert table["group"].tolist()[1:] == ["'=north", "south"]  # no spreadsheet runs it
    assert table["people"].tolist() == [60, 30, 30]


def test_groups_of_another_table_are_joined_by_key(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    joined = ("--data", here / "groups.csv", *KEY)
    ran = run(capsys, "audit", here / "results", "--groups", "sex, postcode", *joined, "--out", "a.json")
    assert ran.code == 0
    found = Audit.from_json(Path("a.json").read_bytes())
    assert found.by_group.loc["sex", "people"].to_dict() == {"f": 20, "m": 40}
    assert [group.name for group in found.groupings["postcode"]] == ["0123"]  # ids and codes stay text
    assert list(found.groupings) == ["sex", "postcode", "sex × postcode"]


def test_without_a_file_it_is_printed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("g.csv").write_text("team\n" + "a\nb\n" * 40, encoding="utf-8")  # in the order of people
    words = ("audit", here / "people.json", "--groups", "team", "--data", "g.csv", "--language", "pt")
    ran = run(capsys, *words)
    assert ran.code == 0
    assert "\nO modelo recusa " in ran.out
    assert "Por team" in ran.out


def test_a_table_without_the_key_of_the_run_is_rejected(
    here: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Its rows were taken to be in the order of the people, whatever that was."""
    results = Path(shutil.copytree(here / "results", tmp_path / "keyed"))
    manifest = json.loads((results / "manifest.json").read_bytes())
    (results / "manifest.json").write_text(json.dumps({**manifest, "id_column": "number"}), encoding="utf-8")
    ran = run(capsys, "audit", results, "--groups", "sex", "--data", here / "groups.csv")
    assert ran.code == 2
    assert "has no column 'number', the id column of the results" in ran.line
    assert run(capsys, "audit", results, "--groups", "sex", "--data", here / "groups.csv", *KEY).code == 0


def test_rows_without_a_key_are_in_the_order_of_people(
    here: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    people = json.loads((here / "people.json").read_text(encoding="utf-8"))
    people["ids"] = people["ids"][::-1]  # whole numbers, which are not places
    Path("people.json").write_text(json.dumps(people), encoding="utf-8")
    Path("g.csv").write_text("team\n" + "a\n" * 20 + "b\n" * 60, encoding="utf-8")
    for folder, name in ((here, "there.json"), (tmp_path, "turned.json")):
        words = ("audit", folder / "people.json", "--groups", "team", "--data", "g.csv", "--out", name)
        assert run(capsys, *words).code == 0
    assert Audit.from_json(Path("there.json").read_bytes()) == Audit.from_json(
        Path("turned.json").read_bytes()
    )


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["nothing", "--groups", "sex"], "'nothing' does not exist"),
        (["{results}", "--groups", "sx"], "'sx' is not a column of the people"),
        (["{results}", "--groups", " , "], "--groups expects column names"),
        (["{results}", "--groups", "branch", "--out", "a.pdf"], "Use one of .html, .md, .csv, .json"),
        (["{results}", "--groups", "branch", "--out", "no/a.html"], "mkdir -p no"),
        (
            ["{results}", "--groups", "branch", "--id-column", "id"],
            "--id-column names a column of --data",
        ),
        (["{results}", "--groups", "branch", "--min-size", "0"], "min_size must be a whole number"),
        (["{results}", "--groups", "branch", "--confidence", "95"], "confidence must be"),
        (["{results}", "--groups", "branch", "--language", "xx"], "There are no texts in the language 'xx'"),
        (["{results}", "--groups", "sex", "--data", "no.csv"], "--data 'no.csv' does not exist"),
        (
            ["{results}", "--groups", "sex", "--data", "{groups}", "--id-column", "ID"],
            "--id-column 'ID' is not a column of --data. Did you mean 'id'",
        ),
        (
            ["{results}", "--groups", "sx", "--data", "{groups}"],
            "none of the columns 'sx'. Did you mean 'sex'",
        ),
        (["{results}"], "Missing option '--groups'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    here: Path, capsys: pytest.CaptureFixture[str], words: list[str], line: str
) -> None:
    places = {"results": str(here / "results"), "groups": str(here / "groups.csv")}
    ran = run(capsys, "audit", *(word.format(**places) for word in words))
    assert ran.code == 2
    assert line in ran.line


def test_nothing_is_written_over(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.html").write_text("mine", encoding="utf-8")
    words = ("audit", here / "results", "--groups", "branch", "--out", "a.html")
    assert "'a.html' already exists" in run(capsys, *words).line
    assert Path("a.html").read_text(encoding="utf-8") == "mine"
    assert run(capsys, *words, "--force").code == 0
