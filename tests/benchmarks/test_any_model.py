"""The benchmark about any model measures what it says, on a small question."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("lightgbm")
pytest.importorskip("benchmarks")  # not in a packed source

from benchmarks import any_model, any_sections
from benchmarks.cases import Case, as_callable, case_of, explainer
from benchmarks.data import DataSet

PEOPLE = 3


@pytest.fixture(scope="module")
def data() -> DataSet:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "income": rng.integers(10, 90, 600),
            "debts": rng.integers(0, 8, 600),
            "years": rng.integers(0, 20, 600),
            "age": rng.integers(20, 70, 600),
        }
    )
    good = frame["income"] / 10 - frame["debts"] + frame["years"] / 4 + rng.normal(0, 1, 600) > 5
    return DataSet(
        name="small", train=frame[:400], outcome=good[:400].astype(int), test=frame[400:], immutable=("age",)
    )


@pytest.fixture(scope="module")
def network(data: DataSet) -> Case:
    return case_of(data, "mlp", people=PEOPLE)


def test_a_network_is_proven_and_held_against_the_target(network: Case) -> None:
    row = any_sections.network(network, required=0.0)
    assert (row["fronts equal"], row["proven"]) == ("3/3", "3/3")
    assert row["verdict"] == "met"
    assert any_sections.network(network, required=np.inf)["verdict"] == "MISSED"


def test_a_bare_callable_gives_the_points_of_the_network_that_is_read(network: Case) -> None:
    row = any_sections.bare_callable(network)
    assert (row["fronts equal"], row["same points as read"], row["verdict"]) == ("3/3", "3/3", "met")
    assert row["cells scored per person"] <= row["rows evaluated per person"] <= 2 * row["cells"]
    assert explainer(as_callable(network)).explain(network.people.iloc[0]).certificate.bound == "complete"


def test_the_estimates_stand_beside_the_complete_way(network: Case) -> None:
    complete, paper, calibrated = any_sections.estimated(network)
    assert [row["search"] for row in (complete, paper, calibrated)] == ["complete", "p2ce", "shap"]
    assert complete["fronts equal"] == "3/3"
    assert complete.keys() == paper.keys() == calibrated.keys()
    assert "ERROR" not in paper["statuses"] + calibrated["statuses"]
    assert 0 < calibrated["stated miss rate"] < 1
    assert (paper["stated miss rate"], paper["verdict"]) == ("–", "–")


@pytest.mark.parametrize("kind", ["svc", "knn"])
def test_black_box_models_agree_with_brute_force(data: DataSet, kind: str) -> None:
    case = case_of(data, kind, people=PEOPLE, rows=200)
    score = case.model.decision_function if kind == "svc" else None
    row = any_sections.black_boxes(case, trained_on=200, score=score)
    assert (row["fronts equal"], row["proven"], row["bound"]) == ("3/3", "3/3", "complete")


def test_several_models_agree_with_brute_force_that_asks_them_all(data: DataSet) -> None:
    cases = [case_of(data, kind, people=PEOPLE) for kind in ("mlp", "lightgbm", "logistic")]
    row = any_sections.several(cases)
    assert (row["fronts equal"], row["verdict"]) == ("3/3", "met")


def test_the_command_prints_a_verdict_and_stores_the_figures(
    network: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = tmp_path / "figures.json"
    command = ["any_model", "--only", "network", "callable", "--data", "german", "--json", str(stored)]
    monkeypatch.setattr(sys, "argv", command)
    monkeypatch.setattr(any_model, "require", list)  # the small case below stands for the data

    def small_case(*_: Any, **__: Any) -> Case:
        return network

    monkeypatch.setattr(any_model, "build_case", small_case)
    any_model.main()
    printed = capsys.readouterr().out
    assert "OMP_NUM_THREADS=1" in printed
    assert "verdict" in printed
    figures = json.loads(stored.read_text())["figures"]
    assert [figures[name][0]["fronts equal"] for name in ("network", "callable")] == ["3/3", "3/3"]
