"""Each experiment in small: what must hold between the methods holds, and an interrupted run goes on."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("torch")
pytest.importorskip("optuna")
pytest.importorskip("moocore")
pytest.importorskip("benchmarks")  # not in a packed source

from benchmarks.paper import ours
from benchmarks.paper.experiments import PLAN, plan
from benchmarks.paper.names import METHODS, OURS
from benchmarks.paper.run import Run
from benchmarks.paper.settings import Settings
from benchmarks.paper.truth import Truth
from tests.benchmarks.paper.conftest import small_data

SETTINGS = Settings(people=4, trials=2)
KEYS = ["experiment", "data", "model", "person"]


def small_run(folder: Path, **options: object) -> Run:
    run = Run.new(SETTINGS, folder=folder, environments=folder / "environments", load=small_data, **options)
    for task in plan(data=("german", "adult"), peers=False):
        run.do(task)
    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return small_run(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def people(run: Run) -> pd.DataFrame:
    return pd.DataFrame(run.people)


@pytest.fixture(scope="module")
def answers(run: Run) -> pd.DataFrame:
    return pd.concat(run.answers, ignore_index=True)


def beside(people: pd.DataFrame, column: str, first: str, second: str) -> tuple[np.ndarray, np.ndarray]:
    """A column of two methods, person by person, where both were run."""
    wide = people.pivot(index=KEYS, columns="method", values=column)[[first, second]]
    asked = people.pivot(index=KEYS, columns="method", values="status")[[first, second]].notna().all(axis=1)
    assert asked.any()
    return wide.loc[asked, first].to_numpy(float), wide.loc[asked, second].to_numpy(float)


def test_every_experiment_asks_every_one_of_our_methods_about_everybody(people: pd.DataFrame) -> None:
    for experiment, (models, _, methods) in PLAN.items():
        part = people[people["experiment"] == experiment]
        mine = [method for method in methods if method in OURS]
        assert set(part["method"]) == set(mine)
        assert len(part) == 2 * len(models) * len(mine) * SETTINGS.people


def test_the_proven_front_is_the_true_one_for_everybody(people: pd.DataFrame) -> None:
    proven = people[people["method"] == "proven"]
    assert set(proven["status"]) <= {"OPTIMAL", "NO_RECOURSE"}
    assert proven["front_is_true"].all()
    assert (proven["answers"] > 0).any()


def test_methods_with_proven_bounds_find_the_true_front_of_their_question(people: pd.DataFrame) -> None:
    sound = people[people["method"].isin(["mapocam", "p2ce-ablation"]) | (people["model"] == "logistic")]
    assert sound["front_is_true"].all()


def test_nothing_of_ours_is_invalid_or_breaks_a_constraint(answers: pd.DataFrame) -> None:
    assert answers["valid"].all()
    assert answers["allowed"].all(), answers["broken"].unique()
    assert answers["on_grid"].all()
    assert answers.loc[answers["method"] != "mapocam", "plausible"].all()


def test_plausible_fronts_never_beat_unconstrained_ones(people: pd.DataFrame) -> None:
    free, plausible = beside(people, "hypervolume", "mapocam", "proven")
    kept = ~np.isnan(free)
    assert (free[kept] >= plausible[kept] - 1e-12).all()
    free, plausible = beside(people, "best_cost", "mapocam", "proven")
    assert (free <= np.where(np.isnan(plausible), np.inf, plausible) + 1e-9).all()


def test_the_proven_front_is_never_behind_the_estimate(people: pd.DataFrame) -> None:
    for column in ("hypervolume", "hypervolume_wide"):
        proven, heuristic = beside(people, column, "proven", "p2ce")
        kept = ~np.isnan(proven)
        assert (proven[kept] >= heuristic[kept] - 1e-12).all()


def test_the_partial_test_changes_no_answer(answers: pd.DataFrame) -> None:
    rows = answers[answers["experiment"] == "inlierness"].set_index(["data", "person"])
    values = {name: rows.loc[rows["method"] == name, "values"] for name in ("p2ce", "p2ce-ablation")}
    assert len(values["p2ce"])
    pd.testing.assert_series_equal(values["p2ce"], values["p2ce-ablation"])


def test_volumes_and_shares_lie_between_nothing_and_everything(people: pd.DataFrame) -> None:
    three = people[people["experiment"] == "three"]
    for column in ("hypervolume", "hypervolume_wide"):
        assert three[column].astype(float).between(0.0, 1.0).all()
    # No answer has fewer than one change of three, or of four.
    assert (three["hypervolume"].astype(float) <= 2 / 3).all()
    assert people.loc[people["experiment"] != "three", "hypervolume"].isna().all()
    assert (people["seconds"] > 0).all()


def test_one_objective_gives_one_answer_at_most(people: pd.DataFrame) -> None:
    assert (people.loc[people["experiment"] != "three", "answers"] <= 1).all()


def test_a_second_run_asks_nobody_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("somebody was asked again")

    monkeypatch.setattr(ours, "answer", refuse)
    again = small_run(run.folder)
    pd.testing.assert_frame_equal(pd.DataFrame(again.people), pd.DataFrame(run.people))


def test_an_interrupted_run_keeps_what_it_has(tmp_path: Path) -> None:
    tasks = plan(experiments=("inlierness",), data=("german",), peers=False)
    first = Run.new(SETTINGS, folder=tmp_path, environments=tmp_path, load=small_data, commit="one")
    for task in tasks[:2]:
        first.do(task)

    def interrupt(text: str) -> None:
        if text == "answering":
            raise KeyboardInterrupt

    first.progress = interrupt
    with pytest.raises(KeyboardInterrupt):
        first.do(tasks[2])
    second = Run.new(SETTINGS, folder=tmp_path, environments=tmp_path, load=small_data, commit="two")
    for task in tasks:
        second.do(task)
    assert second.commits == {"one", "two"}
    assert len(second.people) == len(tasks) * SETTINGS.people


def test_every_single_result_is_written_twice(run: Run) -> None:
    run.write({"settings": {}})
    for name, rows in (("people", len(run.people)), ("answers", sum(map(len, run.answers)))):
        table = pd.read_csv(run.folder / "results" / f"{name}.csv")
        records = json.loads((run.folder / "results" / f"{name}.json").read_text())
        assert len(table) == len(records) == rows
        assert list(table.columns) == list(records[0])


def test_peers_that_are_not_there_are_missing_with_a_reason(tmp_path: Path) -> None:
    missing = tmp_path / "environments"
    missing.write_text("a file, so that no environment can be made here")
    run = Run.new(SETTINGS, folder=tmp_path / "report", environments=missing, load=small_data)
    tasks = plan(experiments=("inlierness",), data=("german",))
    run.do(next(task for task in tasks if task.method == "nice"))
    assert run.people == []
    assert [(row["method"], bool(row["reason"])) for row in run.missing] == [("nice", True)]


def test_all_methods_have_a_name_for_readers() -> None:
    asked = {method for _, _, methods in PLAN.values() for method in methods}
    assert asked == set(METHODS)


def test_equality_of_fronts_can_fail() -> None:
    truth = Truth(
        plausible=np.array([[0.1, 1.0, 2.0], [0.2, 0.5, 1.0]]),
        anything=np.array([[0.05, 0.5, 1.0]]),
        resolution=np.array([1e-9, 1e-9, 1.0]),
    )
    assert truth.equals(truth.plausible[::-1], plausible=True, objectives=3)
    assert not truth.equals(truth.plausible[:1], plausible=True, objectives=3)
    assert not truth.equals(truth.plausible + np.array([1e-6, 0, 0]), plausible=True, objectives=3)
    assert not truth.equals(truth.plausible, plausible=False, objectives=3)
    assert truth.equals(truth.plausible[:1], plausible=True, objectives=1)
    assert not truth.equals(np.empty((0, 3)), plausible=True, objectives=1)
