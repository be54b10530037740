"""Cells reach the model as they stand in the file: labels, words for missing, and ids."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from p2ce.result import Explanations
from p2ce.tables.table_files import Table, read_table
from p2ce.tables.typed_columns import labels_in, natural
from tests.apps.command_line import run
from tests.optional import LazyLibrary, needs

lightgbm = LazyLibrary("lightgbm")

Capture = pytest.CaptureFixture[str]
LABELS = {
    "a word for missing": ["None", "co", "guarantor"],
    "a country": ["NA", "DE", "FR"],
    "blanks before": [" own", " rent", " free"],
    "blanks behind": ["own ", "rent ", "free "],
    "only blanks apart": ["own", "own ", " own"],
}


def write(path: str, text: str) -> Table:
    Path(path).write_text(text, encoding="utf-8")
    return read_table(Path(path), "--data")


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fitted(labels: list[str]) -> tuple[Any, pd.DataFrame]:
    """Fit a model whose decision turns on the first label, and write its tables as pandas does."""
    rng = np.random.default_rng(0)
    kind = pd.CategoricalDtype(labels)
    frame = pd.DataFrame(
        {"Inc": rng.integers(10, 100, 300), "C": pd.Series(rng.choice(labels, 300)).astype(kind)}
    )
    model = lightgbm.LGBMClassifier(n_estimators=10, verbosity=-1, n_jobs=1)
    model.fit(frame, ((frame["Inc"] > 50) ^ (frame["C"] == labels[0])).astype(int))
    model.booster_.save_model("model.txt")
    frame.to_csv("train.csv", index=False)
    frame.head(20).to_csv("people.csv", index=False)
    return model, frame.head(20)


BASE = (
    "explain",
    "--model",
    "model.txt",
    "--data",
    "people.csv",
    "--reference",
    "train.csv",
    "--target",
    "1",
)


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels_reach_the_model_as_they_are(work: Path, capsys: Capture, labels: list[str]) -> None:
    model, people = fitted(labels)
    ran = run(capsys, *BASE, "--out", "out.json")
    assert ran.code == 0
    found = Explanations.from_dict(json.loads(Path("out.json").read_text(encoding="utf-8")))
    expected = model.predict_proba(people)[:, 1]
    assert np.allclose([entry.person_score for entry in found], expected)
    assert ("as a label. If it means missing" in ran.err) == (labels[0] in ("None", "NA"))
    assert "does not know" not in ran.err


def test_labels_that_nobody_knows_are_written(work: Path, capsys: Capture) -> None:
    fitted(["own", "rent", "free"])
    Path("people.csv").write_text("Inc,C\n20,Own\n30,NA\n40,\n50, rent\n", encoding="utf-8")
    ran = run(capsys, *BASE)
    assert ran.code == 0
    assert "'C' of people.csv contains 'Own', which the model does not know. Did you mean 'own'?" in ran.err
    assert "'C' of people.csv contains 'NA', parsed as missing: the model has no such label." in ran.err
    assert "rent'" not in ran.err
    frame = pd.read_csv("train.csv")
    frame.assign(C=["castle", *frame["C"][1:]]).to_csv("train.csv", index=False)
    assert "'C' of train.csv contains 'castle', which the model does not know" in run(capsys, *BASE).err


def test_catboost_has_a_label_for_what_is_missing(work: Path, capsys: Capture) -> None:
    """Fitted as usual, on text in which gaps are called nan."""
    catboost = needs("catboost")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"Inc": rng.integers(10, 100, 200), "Job": rng.choice(["cook", "clerk", "nan"], 200)}
    )
    model = catboost.CatBoostClassifier(
        iterations=10, depth=3, one_hot_max_size=5, verbose=0, allow_writing_files=False, thread_count=1
    )
    model.fit(frame, ((frame["Inc"] > 50) ^ (frame["Job"] == "nan")).astype(int), cat_features=["Job"])
    model.save_model("model.cbm")
    frame.to_csv("train.csv", index=False)
    frame.head(10).to_csv("people.csv", index=False)
    assert run(capsys, "explain", "--model", "model.cbm", *BASE[3:], "--out", "out.json").code == 0
    found = Explanations.from_dict(json.loads(Path("out.json").read_text(encoding="utf-8")))
    assert np.allclose([one.person_score for one in found], model.predict_proba(frame.head(10))[:, 1])


def test_words_for_missing_count_among_numbers_only(work: Path) -> None:
    table = write("t.csv", "number,text,flag,empty,words\n1,NA,True,,NA\nNA, b,null,,NA\n 3,None,false,,NA\n")
    assert natural(table, "number").tolist()[::2] == [1.0, 3.0]
    assert natural(table, "number").isna().tolist() == [False, True, False]
    assert natural(table, "text").tolist() == ["NA", " b", "None"]
    assert natural(table, "flag").tolist() == [True, None, False]
    assert natural(table, "empty").isna().all()
    assert natural(table, "words").tolist() == ["NA", "NA", "NA"]


def test_labels_are_matched_by_their_text_and_then_without_blanks(work: Path) -> None:
    table = write("t.csv", "a,b\n own,1\nown,2\n01,3\n1.0,4\n1,5\nTRUE,6\nNA,7\n")
    assert labels_in(table, "a", ["own "])[:2] == ["own ", "own "]
    assert labels_in(table, "a", ["own", " own"])[:2] == [" own", "own"]
    assert labels_in(table, "a", ["1"])[2:5] == ["01", "1", "1"]  # a code with a zero is another code
    assert labels_in(table, "a", [1])[2:5] == [1, 1, 1]
    assert labels_in(table, "a", [True])[4:6] == [True, True]
    assert labels_in(table, "a", ["own"])[6] == "NA"
    assert labels_in(table, "a", ["own"], all_known=True)[6] is None
    assert labels_in(table, "a", ["own", "NA"], all_known=True)[6] == "NA"


def test_a_policy_is_checked_with_the_same_cells(work: Path, capsys: Capture) -> None:
    """A word for missing is not a wrong number, and a code keeps its zeros."""
    Path("people.csv").write_text("Age,Code\n20,007\nNA,008\n40,007\n", encoding="utf-8")
    Path("p.yaml").write_text(
        "version: 1\nfeatures:\n  Age: {kind: whole, seen: [20, 40], step: 1, may_change: false}\n"
        "  Code: {kind: category, labels: ['007', '008']}\n",
        encoding="utf-8",
    )
    ran = run(capsys, "policy", "check", "p.yaml", "people.csv")
    assert ran.out == "p.yaml: 0 errors, 0 warnings.\n", ran.out


def test_ids_stay_as_they_are_written(folder: Path, capsys: Capture) -> None:
    frame = pd.read_csv("people.csv", dtype=object)
    ids = [f"{number:05}" for number in range(len(frame))]
    big = [str(12345678901234567890 + number) for number in range(len(frame))]
    frame.assign(id=ids, big=big).to_csv("people.csv", index=False)
    assert run(capsys, *BASE, "--id-column", "id", "--out", "out.csv").code == 0
    assert pd.read_csv("out.summary.csv", dtype=str)["id"].tolist() == ids
    assert run(capsys, *BASE, "--id-column", "id", "--id", "3").code == 2
    one = run(capsys, *BASE, "--id-column", "big", "--id", big[3])
    assert (one.code, one.out) == (0, run(capsys, *BASE, "--id-column", "id", "--id", "00003").out)
