"""Every benchmark case measures what it says, on a small table."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("lightgbm")
pytest.importorskip("benchmarks")  # not in a packed source

import benchmarks.__main__ as command
from benchmarks import measures
from benchmarks.cases import Case, DataSet, FrameMaker, case_of, with_gaps
from tests.optional import needs

PEOPLE = 3


def small(*, categories: bool = False, gaps: bool = False) -> DataSet:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "income": rng.integers(10, 90, 600),
            "debts": rng.integers(0, 8, 600),
            "years": rng.integers(0, 20, 600),
            "age": rng.integers(20, 70, 600),
        }
    )
    pull = frame["income"] / 10 - frame["debts"] + frame["years"] / 4 + rng.normal(0, 1, 600)
    if categories:
        housing = pd.Categorical(rng.choice(["own", "rent", "free"], 600, p=[0.3, 0.5, 0.2]))
        frame = frame.assign(housing=housing, rate=rng.normal(2.0, 1.0, 600)).drop(columns="years")
        pull += 2 * (frame["housing"] == "own")
    frame = with_gaps(frame, rng=rng) if gaps else frame
    outcome = (pull > 5).astype(int)[:400]
    return DataSet(name="small", train=frame[:400], outcome=outcome, test=frame[400:], immutable=("age",))


def case(kind: str, **more: Any) -> Case:
    rows = more.pop("rows", None)
    return case_of(small(**more), kind, people=PEOPLE, rows=rows)


@pytest.fixture(scope="module")
def network() -> Case:
    return case("mlp")


@pytest.mark.parametrize(
    ("kind", "more", "bound"),
    [
        ("lightgbm", {}, "tree leaves"),
        ("mlp", {}, "network"),
        ("svc", {"rows": 200}, "complete"),
        ("knn", {"rows": 200}, "complete"),
        ("lightgbm", {"categories": True}, "tree leaves"),
        ("logistic", {"categories": True}, "additive"),
        ("mlp", {"categories": True}, "network"),
        ("histogram", {"categories": True, "gaps": True}, "tree leaves"),
        ("curves", {"rows": 200}, "tree leaves"),
        pytest.param(
            "scorecard",
            {"categories": True},
            "additive",
            marks=pytest.mark.filterwarnings("ignore"),  # of optbinning, about pandas
        ),
    ],
)
def test_every_model_agrees_with_brute_force(kind: str, more: dict[str, Any], bound: str) -> None:
    if kind == "scorecard":
        needs("optbinning")
    row = measures.beside_brute_force(case(kind, **more), required=0, few=2)
    assert row["bound"] == bound
    assert (row["fronts equal"], row["proven"], row["verdict"]) == ("2/2", "3/3", "met")
    assert (row["rows accepted by the user's call"], row["dtypes identical"]) == ("3/3", "3/3")


def test_a_bar_that_is_too_high_is_missed(network: Case) -> None:
    assert measures.beside_brute_force(network, required=np.inf)["verdict"] == "MISSED"


def test_a_bare_callable_gives_the_points_of_the_parsed_network(network: Case) -> None:
    row = measures.bare_callable(network)
    assert (row["bound"], row["same points as parsed"], row["verdict"]) == ("complete", "3/3", "met")
    assert row["cells scored per person"] <= row["rows evaluated per person"] <= 2 * row["cells"]


def test_the_estimates_stand_beside_the_complete_search(network: Case) -> None:
    complete, paper, calibrated = measures.estimated(network)
    assert [row["search"] for row in (complete, paper, calibrated)] == ["complete", "p2ce", "shap"]
    assert complete["fronts equal"] == "3/3"
    assert complete.keys() == paper.keys() == calibrated.keys()
    assert "ERROR" not in paper["statuses"] + calibrated["statuses"]
    assert 0 < calibrated["stated miss rate"] < 1
    assert (paper["stated miss rate"], paper["verdict"]) == ("–", "–")


def test_several_models_agree_with_brute_force_over_them_all() -> None:
    row = measures.several([case(kind) for kind in ("mlp", "lightgbm", "logistic")])
    assert (row["fronts equal"], row["verdict"]) == ("3/3", "met")


@pytest.mark.parametrize("gaps", [False, True])
def test_frames_and_the_twin_of_the_detector_are_those_of_p2ce(gaps: bool) -> None:
    made = case("histogram", categories=True, gaps=gaps)
    table, book = made.data.train, made.data.codebook
    frame = FrameMaker.like(table, book).frame(book.encode(table))
    pd.testing.assert_frame_equal(frame, table.reset_index(drop=True))
    explainer = made.explainer()
    found = [explainer.evaluate(row, row).plausible for _, row in made.people.iterrows()]
    assert made.twin.is_plausible(book.encode(made.people)).tolist() == found


@pytest.mark.slow
def test_the_command_prints_verdicts_and_stores_the_figures(
    network: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "require", list)  # the small case below stands for the data
    monkeypatch.setattr(command, "build_case", lambda *_, **__: network)
    stored = tmp_path / "figures.json"
    command.main(["network", "callable", "table-network", "--data", "german", "--json", str(stored)])
    printed = capsys.readouterr().out
    assert "OMP_NUM_THREADS=1" in printed
    assert printed.count("verdict") == 3
    figures = json.loads(stored.read_text())["figures"]
    assert [rows[0]["fronts equal"] for rows in figures.values()] == ["3/3"] * 3


def test_the_cases_are_listed_and_an_unknown_one_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    command.main(["--list"])
    listed = capsys.readouterr().out
    assert all(name in listed for name in command.CASES)
    with pytest.raises(SystemExit):
        command.main(["network", "networks"])
    assert "networks: expected one of lightgbm, logistic" in capsys.readouterr().err
