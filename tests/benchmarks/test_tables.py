"""The benchmark about whole tables measures what it says, on a small question."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("lightgbm")
pytest.importorskip("benchmarks")  # not in a packed source

from benchmarks import tables
from benchmarks.data import DataSet
from benchmarks.tables_bar import FrameMaker, Twin
from benchmarks.tables_cases import KINDS, TableCase, table_case_of, table_explainer, with_gaps
from benchmarks.tables_sections import beside_brute_force
from p2ce.tables.codebook import codebook_of

PEOPLE = 3


def small_table(kind: str) -> DataSet:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "income": rng.integers(10, 90, 600),
            "housing": pd.Categorical(rng.choice(["own", "rent", "free"], 600, p=[0.3, 0.5, 0.2])),
            "debts": rng.integers(0, 8, 600),
            "rate": rng.normal(2.0, 1.0, 600),
            "age": rng.integers(20, 70, 600),
        }
    )
    good = frame["income"] / 10 - frame["debts"] + 2 * (frame["housing"] == "own") + rng.normal(0, 1, 600) > 4
    if KINDS[kind].gaps:
        frame = with_gaps(frame, rng=rng)
    return DataSet(
        name="small", train=frame[:400], outcome=good[:400].astype(int), test=frame[400:], immutable=("age",)
    )


def small_case(_: str = "small", kind: str = "d", *, people: int = PEOPLE) -> TableCase:
    return table_case_of(small_table(kind), kind, people=min(people, PEOPLE))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_read_and_agrees_with_brute_force(kind: str) -> None:
    row = beside_brute_force(small_case(kind=kind), few=2)
    assert row["bound"] == {"a": "tree leaves", "b": "additive", "c": "network", "d": "tree leaves"}[kind]
    assert (row["fronts equal"], row["proven"]) == ("2/2", "3/3")
    assert (row["rows accepted by the user's call"], row["dtypes identical"]) == ("3/3", "3/3")
    assert row["times faster, required"] == KINDS[kind].required


@pytest.mark.parametrize("kind", ["a", "d"])
def test_frames_are_those_that_p2ce_makes(kind: str) -> None:
    table = small_table(kind).train
    book = codebook_of(table)
    made = FrameMaker.like(table, book).frame(book.encode(table))
    pd.testing.assert_frame_equal(made, table.reset_index(drop=True))


def test_the_twin_says_what_the_detector_of_p2ce_says() -> None:
    case = small_case()
    book = codebook_of(case.data.train)
    twin = Twin.of(book.encode(case.data.train), book)
    explainer = table_explainer(case)
    said = [explainer.check(row, row).plausible for _, row in case.people.iterrows()]
    assert twin.is_plausible(book.encode(case.people)).tolist() == said


def test_the_command_prints_a_verdict_and_stores_the_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = tmp_path / "figures.json"
    command = ["tables", "--kinds", "a,b", "--data", "german", "--few", "2", "--json", str(stored)]
    monkeypatch.setattr(sys, "argv", command)
    monkeypatch.setattr(tables, "require", list)  # the small case below stands for the data
    monkeypatch.setattr(tables, "build_table_case", small_case)
    tables.main()
    printed = capsys.readouterr().out
    assert "OMP_NUM_THREADS=1" in printed
    assert "verdict" in printed
    figures: dict[str, Any] = json.loads(stored.read_text())["figures"]
    assert [figures[kind][0]["fronts equal"] for kind in ("a", "b")] == ["2/2", "2/2"]


def test_an_unknown_kind_is_rejected(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["tables", "--kinds", "a,z"])
    with pytest.raises(SystemExit):
        tables.main()
    assert "'z' is none of a, b, c, d" in capsys.readouterr().err
