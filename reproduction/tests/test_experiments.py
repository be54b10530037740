"""Small experiments: the laws between the methods hold, and an interrupted run resumes."""

import json
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
import pytest

from reproduction import ours
from reproduction import study as study_module
from reproduction.experiments import PLAN, plan
from reproduction.findings import Findings
from reproduction.names import AUTHORS, METHODS, OURS
from reproduction.peers import PeerPerson
from reproduction.run import Run, _answered
from reproduction.scoring import COSTS, hypervolume
from reproduction.settings import FULL, Limits, Settings
from reproduction.store import Answered, Store, digest_of
from reproduction.study import prepare
from reproduction.tests.made_up import small_data
from reproduction.truth import Truth, true_fronts

SETTINGS = Settings(people=4, trials=2)
EFFORT = replace(
    FULL,
    seeds=2,
    first=SETTINGS,
    later_people=2,
    limits=Limits(slow_people=3, seconds=20.0),
    later_slow_people=1,
)
KEYS = ["experiment", "data", "model", "person"]


def small_run(folder: Path, **options: object) -> Run:
    run = Run(effort=EFFORT, folder=folder, environments=folder / "environments", load=small_data, **options)
    for task in plan(data=("adult",), peers=False, authors=False, seeds=EFFORT.seeds):
        run.do(task)
    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return small_run(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def people(run: Run) -> pd.DataFrame:
    return run.findings.tables()["people"]


@pytest.fixture(scope="module")
def answers(run: Run) -> pd.DataFrame:
    return run.findings.tables()["answers"]


def beside(people: pd.DataFrame, column: str, first: str, second: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a column of two methods, person by person, if both were run."""
    wide = people.pivot(index=KEYS, columns="method", values=column)[[first, second]]
    requested = (
        people.pivot(index=KEYS, columns="method", values="status")[[first, second]].notna().all(axis=1)
    )
    assert requested.any()
    return wide.loc[requested, first].to_numpy(float), wide.loc[requested, second].to_numpy(float)


def test_every_experiment_runs_each_of_our_methods_for_all_people(people: pd.DataFrame) -> None:
    for experiment, (models, _, methods) in PLAN.items():
        part = people[people["experiment"] == experiment]
        mine = [method for method in methods if method in OURS]
        assert set(part["method"]) == set(mine)
        for model in models:
            for method in mine:
                requested = part[(part["model"] == model) & (part["method"] == method)].groupby("seed").size()
                slow = (method, model) == ("mapocam", "mlp")
                expected = {0: 3, 1: 1} if slow else {0: 4} if model == "forest" else {0: 4, 1: 2}
                assert requested.to_dict() == expected


def test_a_seed_changes_people_and_models(run: Run, people: pd.DataFrame) -> None:
    studies = run.findings.tables()["studies"]
    seeds = studies.groupby("model")["seed"].agg(list)
    assert seeds.to_dict() == {"forest": [0]} | {key: [0, 1] for key in ("lightgbm", "logistic", "mlp")}
    rows = (
        people[people["method"] == "proven"].groupby(["experiment", "data", "model", "seed"])["row"].agg(set)
    )
    for _, found in rows.drop("forests").groupby(level=[0, 1, 2]):
        assert found.iloc[0] != found.iloc[1]
    assert (people["person"] // 1000 == people["seed"]).all()


def test_what_it_took_is_counted_and_the_partial_test_never_adds_a_node(people: pd.DataFrame) -> None:
    assert (people["cells"] > 0).all()
    assert (people["calls"] >= 0).all()
    literal = people[people["method"].isin(["p2ce", "p2ce-ablation"])]
    linear = literal["model"] == "logistic"
    assert (literal.loc[~linear, "explanations"] > 0).any()
    assert (literal.loc[linear, "explanations"] == 0).all()
    assert (literal["nodes"] > 0).all()
    with_it, without = beside(people[people["experiment"] == "inlierness"], "nodes", "p2ce", "p2ce-ablation")
    assert (with_it <= without).all()


def test_fronts_with_proven_bounds_are_the_true_ones(people: pd.DataFrame) -> None:
    proven = people[people["method"] == "proven"]
    assert set(proven["status"]) <= {"OPTIMAL", "NO_RECOURSE"}
    assert (proven["answers"] > 0).any()
    sound = people[people["method"].isin(["proven", "mapocam"]) | (people["model"] == "logistic")]
    assert sound["front_is_true"].all()


def test_nothing_of_ours_is_invalid_or_breaks_a_constraint(answers: pd.DataFrame) -> None:
    assert answers["valid"].all()
    assert answers["allowed"].all(), answers["broken"].unique()
    assert answers["on_grid"].all()
    assert answers.loc[answers["method"] != "mapocam", "plausible"].all()


def test_no_front_beats_one_that_chooses_among_more(people: pd.DataFrame) -> None:
    for more, fewer in (("mapocam", "proven"), ("proven", "p2ce")):
        for column in ("hypervolume", "hypervolume_grid"):
            ahead, behind = beside(people, column, more, fewer)
            kept = ~np.isnan(ahead)
            assert (ahead[kept] >= behind[kept] - 1e-12).all()
    free, plausible = beside(people, "best_cost", "mapocam", "proven")
    assert (free <= np.where(np.isnan(plausible), np.inf, plausible) + 1e-9).all()


def test_the_partial_test_changes_no_counterfactual(answers: pd.DataFrame) -> None:
    rows = answers[answers["experiment"] == "inlierness"].set_index(["data", "person"])
    values = {name: rows.loc[rows["method"] == name, "values"] for name in ("p2ce", "p2ce-ablation")}
    assert len(values["p2ce"])
    pd.testing.assert_series_equal(values["p2ce"], values["p2ce-ablation"])


def test_volumes_and_shares_lie_between_nothing_and_everything(people: pd.DataFrame) -> None:
    three = people[people["experiment"] == "three"]
    for column in ("hypervolume", "hypervolume_grid"):
        assert three[column].astype(float).between(0.0, 1.0).all()
    # No answer has fewer than one change of four.
    assert (three["hypervolume_grid"].astype(float) <= 3 / 4).all()
    one = people[people["experiment"] != "three"]
    assert one["hypervolume"].isna().all()
    assert (one["answers"] <= 1).all()
    assert (people["seconds"] > 0).all()


def test_a_second_run_computes_nothing_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("a finished task ran again")

    monkeypatch.setattr(ours, "answer", fail)
    again = small_run(run.folder)
    for name, table in run.findings.tables().items():
        pd.testing.assert_frame_equal(again.findings.tables()[name], table)


def test_an_interrupted_run_keeps_what_it_has(tmp_path: Path) -> None:
    tasks = plan(tables=("1",), figures=(), forests=False, data=("german",), peers=False, authors=False)
    first = Run(effort=EFFORT, folder=tmp_path, environments=tmp_path, load=small_data, commit="one")
    for task in tasks[:2]:
        first.do(task)

    def interrupt(text: str) -> None:
        if text == "searching":
            raise KeyboardInterrupt

    first.progress = interrupt
    with pytest.raises(KeyboardInterrupt):
        first.do(tasks[2])
    second = Run(effort=EFFORT, folder=tmp_path, environments=tmp_path, load=small_data, commit="two")
    for task in tasks:
        second.do(task)
    assert second.commits == {"one", "two"}
    assert len(second.findings.people) == len(tasks) * SETTINGS.people


def test_every_single_result_is_written_twice(run: Run) -> None:
    run.findings.write(run.folder / "results", {"settings": {}})
    for name, rows in run.findings.tables().items():
        table = pd.read_csv(run.folder / "results" / f"{name}.csv")
        records = json.loads((run.folder / "results" / f"{name}.json").read_text())
        assert len(table) == len(records) == len(rows)
        if name == "missing":
            continue
        assert list(table.columns) == list(records[0])


def test_peers_that_are_not_there_are_missing_with_a_reason(tmp_path: Path) -> None:
    missing = tmp_path / "environments"
    missing.write_text("a file, so that no environment can be made here")
    run = Run(effort=EFFORT, folder=tmp_path / "report", environments=missing, load=small_data)
    tasks = plan(tables=("1",), data=("german",))
    run.do(next(task for task in tasks if task.method == "nice"))
    assert run.findings.people == []
    assert [(row["method"], bool(row["reason"])) for row in run.findings.missing] == [("nice", True)]


def test_a_model_that_rejects_no_one_leaves_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_module, "THRESHOLD", -1.0)
    run = Run(effort=EFFORT, folder=tmp_path, environments=tmp_path, load=small_data)
    for task in plan(tables=(), figures=(), data=("german",)):
        run.do(task)
    assert run.findings.people == []
    assert {row["reason"] for row in run.findings.missing} == {"the model rejects no one in the test part"}


def test_people_are_denied_ones_of_the_test_part() -> None:
    study = prepare(small_data("german"), "logistic", SETTINGS, cache=None)
    assert set(study.people.index) <= set(study.denied.index) <= set(study.parts.test.index)
    assert not study.accepts(study.denied.to_numpy(float)).any()
    assert study.accepts(study.parts.test.drop(study.denied.index).to_numpy(float)).all()
    assert not set(study.parts.test.index) & set(study.parts.train.index)


def test_every_setting_has_its_own_results() -> None:
    others = [{"seed": 1}, {"scaled_maximum": False}, {"split": "code"}, {"people": 3}, {"trials": 1}]
    found = {
        prepare(small_data("german"), "forest", replace(SETTINGS, **other), cache=None).fingerprint
        for other in [{}, *others]
    }
    assert len(found) == 1 + len(others)


def test_the_time_of_a_batch_is_divided_by_its_people() -> None:
    study = prepare(small_data("german"), "logistic", SETTINGS, cache=None)
    explainer = ours.explainer_of(study, "proven", objectives=1)
    explainer.warm_up()
    start = perf_counter()
    outcome = ours.answer(study, "proven", objectives=1)
    whole = perf_counter() - start
    total = sum(person.seconds for person in outcome.people)
    assert 0 < total < whole / ours.REPEATS
    start = perf_counter()
    list(explainer.explain_many(study.people, progress=False))
    assert total > 0.05 * (perf_counter() - start)  # other work on the machine may stretch either


@pytest.mark.parametrize(
    ("rows", "error", "status", "kept"),
    [
        (((1.0, 2.0),), None, "FOUND", 1),
        ((), "No counterfactuals found for any of the query points!", "NOTHING", 0),
        ((), "ValueError: empty range", "ERROR", 0),
        ((), "TimeoutError: time limit", "TIME_LIMIT", 0),
        (((1.0, float("nan")),), None, "ERROR", 0),
    ],
)
def test_what_a_peer_says_is_kept(rows: tuple, error: str | None, status: str, kept: int) -> None:
    late = status == "TIME_LIMIT"
    answered = _answered(PeerPerson(seconds=1.0, rows=rows, error=error, late=late))
    assert (answered.status, len(answered.rows)) == (status, kept)
    assert bool(answered.error) == (status != "FOUND")


def test_a_counterfactual_that_the_model_rejects_is_no_result(tmp_path: Path) -> None:
    study = prepare(small_data("german"), "logistic", SETTINGS, cache=None)
    person = study.people.iloc[0].to_numpy(float)
    cheap, expensive = (
        person.copy(),
        study.parts.test[study.accepts(study.parts.test.to_numpy(float))].iloc[0],
    )
    cheap[1] += 0.1
    task = next(task for task in plan(tables=("2",), figures=()) if task.method == "dice-random")
    findings = Findings()
    people = (
        Answered(seconds=1.0, status="FOUND", rows=(tuple(cheap), tuple(expensive.astype(float)))),
        Answered(seconds=1.0, status="FOUND", rows=(tuple(study.people.iloc[1].astype(float)),)),
        Answered(seconds=1.0, status="NOTHING", rows=()),
        Answered(seconds=None, status="ERROR", rows=(), error="it broke"),
    )
    findings.add(task, study, true_fronts(study, Store(tmp_path)), people)
    tables = findings.tables()
    assert tables["answers"]["valid"].tolist() == [False, True, False]
    assert tables["people"]["answers"].tolist() == [2, 1, 0, 0]
    costs = tables["answers"]["mean_distance"].tolist()
    assert costs[0] < costs[1]
    assert tables["people"]["best_cost"].tolist()[:1] == costs[1:2]
    assert tables["people"]["best_cost"].isna().tolist() == [False, True, True, True]
    assert (tables["people"]["hypervolume_grid"].tolist()[1:]) == [0.0, 0.0, 0.0]
    assert tables["people"]["front_is_true"].isna().all()  # a peer looks elsewhere


def test_volumes_are_relative_to_the_largest_costs_of_all_methods(
    people: pd.DataFrame, answers: pd.DataFrame
) -> None:
    cell = {"experiment": "three", "data": "adult", "model": "lightgbm", "seed": 0}
    mine, given = (
        table[(table[list(cell)] == list(cell.values())).all(axis=1)] for table in (people, answers)
    )
    worst = given[list(COSTS)].max().to_numpy()
    for _, line in mine.iterrows():
        own = given[(given["method"] == line["method"]) & (given["person"] == line["person"])]
        expected = hypervolume(own[list(COSTS)].to_numpy(float), worst)
        assert line["hypervolume"] == pytest.approx(expected)
    assert (mine["hypervolume"] > 0).any()


def test_explanations_are_kept_under_the_code_that_gave_them(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "one.py").write_text("a = 1")
    before = digest_of(tmp_path / "part")
    (tmp_path / "part" / "notes.txt").write_text("no code")
    assert digest_of(tmp_path / "part") == before
    (tmp_path / "part" / "one.py").write_text("a = 2")
    changed = digest_of(tmp_path / "part")
    (tmp_path / "part" / "one.py").rename(tmp_path / "part" / "two.py")
    assert len({before, changed, digest_of(tmp_path / "part")}) == 3


def test_all_methods_have_a_name_for_readers() -> None:
    requested = {method for _, _, methods in PLAN.values() for method in methods}
    assert requested == set(METHODS)


def test_a_table_or_a_figure_selects_its_own_cells() -> None:
    def cells(**chosen: object) -> set[tuple[str, str, str, int]]:
        nothing = {"tables": (), "figures": (), "forests": False, "seeds": 2}
        return {(task.experiment, task.data, task.model, task.seed) for task in plan(**nothing | chosen)}

    assert {cell[0] for cell in cells(tables=("1",))} == {"inlierness"}
    assert cells(tables=("3",)) == {("three", "adult", "mlp", 0)}
    assert {cell[2] for cell in cells(figures=("2",))} == {"lightgbm", "mlp"}
    assert cells(figures=("1",)) == set()  # the toy has no tasks
    assert len(cells(tables=("2", "3"))) == 2 * 3 * 2
    assert {task.seed for task in plan(seeds=3) if task.method in AUTHORS} == {0}
    assert not {task.method for task in plan(authors=False)} & set(AUTHORS)


def test_later_seeds_do_less_and_have_their_own_results() -> None:
    first, later = EFFORT.of(0), EFFORT.of(1)
    assert first == (SETTINGS, EFFORT.limits)
    assert later == (replace(SETTINGS, seed=1, people=2), replace(EFFORT.limits, slow_people=1))


def test_equality_of_fronts_can_fail() -> None:
    truth = Truth(
        plausible=np.array([[0.1, 1.0, 2.0], [0.2, 0.5, 1.0]]),
        anything=np.array([[0.05, 0.5, 1.0]]),
        resolution=np.array([1e-9, 1e-9, 1.0]),
    )
    assert truth.equals(truth.plausible[::-1], plausible=True, objectives=3)
    assert not truth.equals(truth.plausible[:1], plausible=True, objectives=3)
    for column in range(3):
        one_more = np.eye(3)[column] * np.array([1e-6, 1e-6, 1.0])
        assert not truth.equals(truth.plausible + one_more, plausible=True, objectives=3)
    assert not truth.equals(truth.plausible, plausible=False, objectives=3)
    assert truth.equals(truth.plausible[:1], plausible=True, objectives=1)
    assert not truth.equals(np.empty((0, 3)), plausible=True, objectives=1)
