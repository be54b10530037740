"""The contest between heuristics and explanations runs as a command, and its fine grid never costs more."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("lightgbm")
pytest.importorskip("benchmarks")  # not in a packed source

import benchmarks.heuristics as command
from benchmarks.adversary import find, person_of
from benchmarks.finer_grid import explain_finely
from tests.benchmarks.test_cases import small


@pytest.fixture(autouse=True)
def _small_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "require", list)  # the small table stands for the data
    monkeypatch.setattr(command, "load", lambda *_, categories, **__: small(categories=categories))
    monkeypatch.setattr(command, "_trained", command._trained.__wrapped__)


@pytest.mark.parametrize(
    ("models", "more"),
    [
        pytest.param(("function", "predicate", "forest"), (), marks=pytest.mark.slow),
        (("logistic", "lightgbm"), ("--categories",)),
    ],
    ids=["numbers", "categories"],
)
def test_the_command_prints_and_stores_every_contest(
    models: tuple[str, ...], more: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = tmp_path / "figures.json"
    command.main(
        ["--people", "1", "--data", "german", "--fine", "--json", str(stored), "--models", *models, *more]
    )
    assert "twenty times finer" in capsys.readouterr().out
    figures = json.loads(stored.read_text())["figures"]
    assert [(row["model"], row["detector"]) for row in figures] == [
        (model, detector) for model in models for detector in ("default", "none")
    ]
    for row in figures:
        assert (row["verdict"] == "met") == (not row["wins"])
        assert row["fine: median ratio"] >= 1.0 - 1e-9
        assert ("rows evaluated per person" in row) == (row["model"] == "function")


def test_the_fine_grid_is_never_dearer_than_what_is_known() -> None:
    settings = command.options(["--people", "3", "--models", "lightgbm"])
    contest = command.contest_of("german", "lightgbm", "default", settings)
    for place in range(len(contest.people)):
        row = contest.people.iloc[[place]]
        explanation = contest.explainer.explain(row)
        rng = np.random.default_rng(place)
        found = find(person_of(contest.space, contest.explainer, row, rng=rng))
        fine = explain_finely(contest.explainer, contest.space, row, [explanation], found, time_limit=10.0)
        assert fine.fine <= min(fine.ours, found.total.min()) + 1e-9


def test_a_forest_with_categories_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--categories", "--models", "forest"])
    assert "takes numbers only" in capsys.readouterr().err
