"""People in a file are explained, in every form of output, from the chosen rows."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.apps.commands.explain_command import print_summary
from p2ce.result import Explanations, Status
from p2ce.run.many import explain_many
from tests.apps.command_line import people, run
from tests.objectives.half_points import HalfPoints
from tests.optional import LazyLibrary
from tests.result.examples import explanation

lightgbm = LazyLibrary("lightgbm")

Capture = pytest.CaptureFixture[str]
BASE = ("explain", "--model", "model.txt", "--data", "people.csv", "--reference", "train.csv")


def in_memory(**options: object) -> tuple[p2ce.Explainer, pd.DataFrame]:
    """Make the same explanation without the command line."""
    frame = people().astype({"Housing": "category"})
    # The model's own order of labels.
    frame["Housing"] = frame["Housing"].cat.set_categories(["free", "own", "rent"])
    booster = lightgbm.Booster(model_file="model.txt")
    frame.columns = frame.columns.astype(object)
    policy = p2ce.Policy.infer(frame).protect("Age")
    return p2ce.Explainer(booster, frame, policy=policy, **{"target": 1, **options}), frame.head(30)


def saved(path: str) -> Explanations:
    return Explanations.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))


def test_explanations_are_those_of_the_library(folder: Path, capsys: Capture) -> None:
    ran = run(capsys, *BASE, "--out", "out.json")
    assert ran.code == 0
    explainer, frame = in_memory()
    expected = explainer.explain_many(frame)
    found = saved("out.json")
    assert [entry.status for entry in found] == [entry.status for entry in expected]
    for one, other in zip(found, expected, strict=True):
        assert [option.values for option in one] == [option.values for option in other] or one == other
        assert [option.costs for option in one] == [option.costs for option in other]
    assert {Status.OPTIMAL, Status.ACCEPTED} <= set(found.statuses)
    assert "30 people" in ran.out
    assert "Inferred from column names: protected: 'Age'" in ran.err
    assert "inferred from the population. These features may change: 'Income', 'Rate'" in ran.err
    assert "The model does not use the column 'id' of people.csv." in ran.err


def test_one_person_is_written_in_words(folder: Path, capsys: Capture) -> None:
    rejected = next(i for i, entry in enumerate(in_memory()[0].explain_many(in_memory()[1])) if len(entry))
    ran = run(capsys, *BASE, "--id", rejected)
    assert ran.code == 0
    assert "would lead to the required result" in ran.out
    by_label = run(capsys, *BASE, "--id", f"p{rejected}", "--id-column", "id")
    assert by_label.out == ran.out
    assert "'id'" not in by_label.err
    spanish = run(capsys, *BASE, "--id", rejected, "--language", "es", "--audience", "auditor")
    assert spanish.code == 0
    assert spanish.out != ran.out


def test_rejected_rows_are_those_with_a_score_below_the_threshold(folder: Path, capsys: Capture) -> None:
    ran = run(capsys, *BASE, "--rejected", "--id-column", "id", "--out", "out.json")
    assert ran.code == 0
    found = saved("out.json")
    assert Status.ACCEPTED not in found.statuses
    explainer, frame = in_memory()
    rejected = np.flatnonzero(explainer.scores(frame) < explainer.at_least)
    assert list(found.ids) == [f"p{place}" for place in rejected]


def test_no_rejected_row_is_no_error(folder: Path, capsys: Capture) -> None:
    ran = run(capsys, *BASE, "--rejected", "--at-least", 0, "--out", "out.json")
    assert (ran.code, ran.out) == (0, "")
    assert "The model accepts all of 30 rows. Nothing was written." in ran.err
    assert not Path("out.json").exists()


@pytest.mark.parametrize("when", [0, 12])
def test_ctrl_c_writes_what_is_done(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, when: int
) -> None:
    """The other rows are there as well, and say that they were interrupted."""
    module = "p2ce.run.many.explain_many"
    monkeypatch.setattr(f"{module}.batch_size", lambda _: 4)
    explain_batches = explain_many._explain_batches

    def pressed(*given: Any) -> Iterator[Any]:
        done = 0
        for rows, result in explain_batches(*given):
            if done >= when:
                raise KeyboardInterrupt
            done += len(rows)
            yield rows, result

    monkeypatch.setattr(f"{module}._explain_batches", pressed)
    ran = run(capsys, *BASE, "--out", "out.json")
    assert ran.code == 130
    if not when:
        assert ran.line == "Interrupted; nothing was written."
        assert not Path("out.json").exists()
        return
    assert ran.line.startswith("Interrupted: 12 of 30 rows are explained. The status of the others is ERROR.")
    found = saved("out.json")
    assert sum(entry.error == "interrupted" for entry in found) == 18
    assert found.statuses[Status.ERROR] == 18
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    assert run(capsys, *BASE, "--out", "whole.json").code == 0
    for entry, whole in zip(found, saved("whole.json"), strict=True):
        assert entry.error == "interrupted" or entry == whole


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C reaches a process in another way there")
def test_ctrl_c_while_loading_is_one_line(folder: Path) -> None:
    Path("slow_model.py").write_text(
        "open('loading', 'w').close()\nimport time\ntime.sleep(60)\n", encoding="utf-8"
    )
    program = subprocess.Popen(
        [sys.executable, "-m", "p2ce", "explain", "--model", "slow_model:make", *BASE[3:]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not Path("loading").exists():
        time.sleep(0.02)
        assert program.poll() is None
    time.sleep(0.2)
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=60)
    assert (program.returncode, out) == (130, "")
    assert err == "p2ce: Interrupted; nothing was written.\n"


def test_a_single_row_that_cannot_be_read(folder: Path, capsys: Capture) -> None:
    frame = pd.read_csv("people.csv", dtype=object)
    frame.loc[0, "Rate"] = "high"
    frame.to_csv("people.csv", index=False)
    ran = run(capsys, *BASE, "--id", 0)
    assert ran.code == 3
    assert "'high'" in ran.line


def test_many_without_a_file_are_a_table(folder: Path, capsys: Capture) -> None:
    ran = run(capsys, *BASE)
    assert ran.code == 0
    assert {"Person", "Today"} <= set(ran.out.split())
    assert "× Complete list for the values tried" in ran.out


def test_the_table_is_in_one_language_and_keeps_the_side_of_the_threshold(capsys: Capture) -> None:
    near = explanation(person_score=0.49996, at_least=0.5)
    print_summary(Explanations([near]), language="pt")
    out = capsys.readouterr().out
    assert "0,49996" in out
    assert {"Pessoa", "Hoje"} <= set(out.split())
    assert "1 × Lista completa para os valores testados" in out
    assert not {"id", "status", "options", "proven"} & set(out.lower().split())


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_tables_lose_nobody(folder: Path, capsys: Capture, suffix: str) -> None:
    ran = run(capsys, *BASE, "--id-column", "id", "--out", f"out{suffix}")
    assert ran.code == 0
    read = pd.read_csv if suffix == ".csv" else pd.read_parquet
    options, summary = read(f"out{suffix}"), read(f"out.summary{suffix}")
    assert list(summary["id"]) == [f"p{i}" for i in range(30)]
    assert summary["options"].sum() == len(options) > 0
    assert set(options["id"]) == set(summary.loc[summary["options"] > 0, "id"])
    assert f"out{suffix} and out.summary{suffix}: {len(options)} options for 30 people: " in ran.out


def test_html_and_markdown(folder: Path, capsys: Capture) -> None:
    for suffix, sign in ((".html", "<html"), (".md", "#")):
        assert run(capsys, *BASE, "--rejected", "--out", f"out{suffix}").code == 0
        assert sign in Path(f"out{suffix}").read_text(encoding="utf-8")
        assert run(capsys, *BASE, "--id", 0, "--out", f"one{suffix}").code == 0


def test_a_policy_is_kept_to(folder: Path, capsys: Capture) -> None:
    assert run(capsys, "policy", "infer", "train.csv", "--drop", "Repaid").code == 0
    text = Path("policy.yaml").read_text(encoding="utf-8")
    fixed = text.replace("  Income:\n", "  Income:\n    may_change: false\n")
    assert fixed != text
    Path("policy.yaml").write_text(fixed, encoding="utf-8")
    ran = run(capsys, *BASE, "--policy", "policy.yaml", "--out", "out.json")
    assert ran.code == 0
    assert "Without --policy" not in ran.err
    options = [option for entry in saved("out.json") for option in entry]
    assert options
    assert not any({"Income", "Age"} & set(option.changes) for option in options)


def test_options_reach_the_search(folder: Path, capsys: Capture) -> None:
    words = ("--max-changes", 1, "--objective", "changes", "--objective", "percentile_shift")
    more = ("--no-plausibility", "--at-least", 0.6, "--target", "1", "--time-limit", 10)
    assert run(capsys, *BASE, *words, *more, "--out", "out.json").code == 0
    found = saved("out.json")
    assert found[0].objectives == ("changes", "percentile_shift")
    assert found[0].at_least == 0.6
    assert all(len(option.changes) == 1 and option.plausibility is None for one in found for option in one)
    assert run(capsys, *BASE, "--target", "0", "--max-changes", 0, "--out", "zero.json").code == 0
    assert saved("zero.json")[0].target == 0


def test_a_listed_objective_has_a_name_here(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(p2ce.objectives, "HalfPoints", HalfPoints, raising=False)
    words = ("--objective", "half_points", "--objective", "changes", "--max-changes", 2)
    assert run(capsys, *BASE, *words, "--out", "out.json").code == 0
    assert saved("out.json")[0].objectives == ("half_points", "changes")


def test_the_rule_of_plausibility_reaches_the_search(folder: Path, capsys: Capture) -> None:
    assert run(capsys, *BASE, "--out", "out.json").code == 0
    assert run(capsys, *BASE, "--plausibility-of-today", "ignore", "--out", "strict.json").code == 0
    rules = [saved(name)[0].problem.settings["plausibility_of_today"] for name in ("out.json", "strict.json")]
    assert rules == ["counts", "ignore"]
    wrong = run(capsys, *BASE, "--plausibility-of-today", "never", "--out", "other.json")
    assert wrong.code == 2
    assert "plausibility_of_today must be one of 'counts', 'ignore'; got 'never'" in wrong.line


def test_a_row_that_cannot_be_read_is_written_and_the_others_go_on(folder: Path, capsys: Capture) -> None:
    lines = Path("people.csv").read_text(encoding="utf-8").splitlines()
    cells = lines[3].split(",")
    cells[1] = "lots"
    lines[3] = ",".join(cells)
    Path("people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ran = run(capsys, *BASE, "--out", "out.json")
    assert ran.code == 3
    assert "1 row could not be explained. The first is row 2: " in ran.line
    assert "'lots', which is not a number. Write a plain number, such as 3190, or encode it" in ran.line
    found = saved("out.json")
    assert found[2].status is Status.ERROR
    assert found.statuses[Status.ERROR] == 1


def test_no_way_is_explained(folder: Path, capsys: Capture) -> None:
    """A single person without an option reads which relaxations give one."""
    expected = in_memory(at_least=0.97, max_changes=1)[0].explain_many(in_memory()[1])
    nobody = next(i for i, entry in enumerate(expected) if entry.status is Status.NO_RECOURSE)
    words = ("--at-least", 0.97, "--max-changes", 1, "--id", nobody)
    ran = run(capsys, *BASE, *words)
    assert ran.code == 0
    assert run(capsys, *BASE, *words, "--out", "none.json").code == 0
    assert json.loads(Path("none.json").read_text(encoding="utf-8"))["relaxations"]["considered"]


def test_the_data_itself_may_be_the_population(folder: Path, capsys: Capture) -> None:
    ran = run(capsys, "explain", "--model", "model.txt", "--data", "train.csv", "--id", 0)
    assert ran.code == 0
    assert "Without --reference" in ran.err


def test_it_runs_as_a_program(folder: Path) -> None:
    """From files to a table in a separate process, with its exit codes."""

    def program(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "p2ce", *BASE, *words], capture_output=True, text=True, check=False
        )

    ran = program("--rejected", "--out", "out.csv")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("out.csv and out.summary.csv: ")
    again = program("--rejected", "--out", "out.csv")
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr == "p2ce: --out 'out.csv' already exists. Choose another name, or pass --force.\n"


def test_several_processes_give_the_same(folder: Path, capsys: Capture) -> None:
    assert run(capsys, *BASE, "--out", "one.json").code == 0
    assert run(capsys, *BASE, "--jobs", 2, "--out", "two.json").code == 0
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
    assert np.isfinite([entry.person_score for entry in saved("one.json")]).all()


def test_the_name_of_the_label_says_which_class_is_favourable(folder: Path, capsys: Capture) -> None:
    ran = run(capsys, *BASE, "--out", "out.json")
    assert ran.code == 0
    assert ran.err.count("class 1 is the favourable outcome, since the label is called 'Repaid'") == 1
    assert saved("out.json")[0].target == 1
    # The same model, with its label turned around: 1 is a default.
    frame = people().astype({"Housing": "category"})
    default = 1 - pd.read_csv("train.csv")["Repaid"]
    model = lightgbm.LGBMClassifier(n_estimators=15, num_leaves=6, verbosity=-1, n_jobs=1)
    model.fit(frame, default).booster_.save_model("default.txt")
    table = pd.read_csv("train.csv").drop(columns="Repaid").assign(Default=default)
    table.to_csv("defaults.csv", index=False)
    words = ("explain", "--model", "default.txt", "--data", "people.csv", "--reference", "defaults.csv")
    assert run(capsys, *words, "--out", "defaults.json").code == 0
    assert saved("defaults.json")[0].target == 0


@pytest.mark.parametrize("table", ["no label", "untelling", "two labels", "contrary"])
def test_without_evidence_the_error_shows_both_targets(folder: Path, capsys: Capture, table: str) -> None:
    frame = pd.read_csv("train.csv")
    label = frame.pop("Repaid")
    frame = {
        "no label": frame,
        "untelling": frame.assign(y=label),
        "two labels": frame.assign(y=label, late_before=1 - label),
        "contrary": frame.assign(default=1 - label),  # the model predicts who repaid
    }[table]
    frame.to_csv("other.csv", index=False)
    words = (*BASE[:-1], "other.csv")
    ran = run(capsys, *words, "--out", "out.json")
    assert ran.code == 2
    assert "--target 1 (accepts " in ran.line
    assert "or --target 0 (accepts " in ran.line
    assert "target=" not in ran.err
    named = run(capsys, *words, "--target", "1", "--out", "out.json")
    assert named.code == 0
    assert "No target is given" not in named.err


def test_boosters_that_are_only_evaluated_are_explained_from_files(folder: Path, capsys: Capture) -> None:
    frame = people()[["Age", "Income", "Rate"]].astype(float)
    label = (frame["Income"] > 3_500).to_numpy().astype(int)

    def loss(scores: np.ndarray, data: lightgbm.Dataset) -> tuple[np.ndarray, np.ndarray]:
        share = 1.0 / (1.0 + np.exp(-scores))
        return share - data.get_label(), share * (1.0 - share)

    for name, options in {
        "linear.txt": {"objective": "binary", "linear_tree": True},
        "own.txt": {"objective": loss},
    }.items():
        options = {**options, "verbose": -1, "num_threads": 1}
        lightgbm.train(options, lightgbm.Dataset(frame, label), 5).save_model(name)
    frame.to_csv("numbers.csv", index=False)
    words = (
        "--data",
        "numbers.csv",
        "--reference",
        "numbers.csv",
        "--target",
        "1",
        "--no-plausibility",
        "--id",
        3,
    )
    assert run(capsys, "explain", "--model", "linear.txt", *words).code == 0
    assert "--at-least 0" in run(capsys, "explain", "--model", "own.txt", *words).line
    assert run(capsys, "explain", "--model", "own.txt", *words, "--at-least", 0).code == 0


def test_the_stated_day_is_in_every_output(folder: Path, capsys: Capture) -> None:
    dated = (*BASE, "--as-of", "2026-11-18")
    assert run(capsys, *dated, "--out", "out.json").code == 0
    assert {str(entry.as_of) for entry in saved("out.json")} == {"2026-11-18"}
    run(capsys, *dated, "--out", "out.csv")
    for table in ("out.csv", "out.summary.csv"):
        assert set(pd.read_csv(table)["as_of"]) == {"2026-11-18"}
    assert "18 November 2026" in run(capsys, *dated).out
    assert "18 de noviembre de 2026" in run(capsys, *dated, "--id", 3, "--language", "es").out
    assert "2026" not in run(capsys, *BASE).out
    wrong = run(capsys, *BASE, "--as-of", "18.11.2026")
    assert wrong.code == 2
    assert "--as-of expects a date such as 2026-11-18, got '18.11.2026'" in wrong.line


def test_the_price_of_plausibility_is_requested_by_a_flag(folder: Path, capsys: Capture) -> None:
    run(capsys, *BASE, "--out", "out.json")
    assert {entry.price_of_plausibility for entry in saved("out.json") if len(entry)} == {None}
    run(capsys, *BASE, "--price-of-plausibility", "--out", "out.json", "--force")
    prices = [entry.price_of_plausibility for entry in saved("out.json") if len(entry)]
    assert prices
    assert all(price is not None and price.with_plausibility for price in prices)


def test_columns_may_be_numbers_and_null_is_missing(folder: Path, capsys: Capture) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(0, 1, (80, 3)).round(2)).mask(rng.random((80, 3)) < 0.1)
    good = frame.fillna(0).sum(axis=1) > 0
    model = lightgbm.LGBMClassifier(n_estimators=8, min_child_samples=5, verbose=-1, n_jobs=1)
    model.fit(frame.to_numpy(), good.astype(int)).booster_.save_model("numbered.txt")
    some = frame.head(12).assign(note="x")
    frame.to_csv("numbered_train.csv", index=False)
    some.to_csv("numbered.csv", index=False, na_rep="null")
    files = ("--model", "numbered.txt", "--data", "numbered.csv", "--reference", "numbered_train.csv")
    ran = run(capsys, "explain", *files, "--target", "1", "--out", "numbered.json")
    assert ran.code == 0, ran.err
    assert "The model does not use the column 'note' of numbered.csv." in ran.err
    expected = p2ce.Explainer(model.booster_, frame, target=1).explain_many(frame.head(12))
    found = saved("numbered.json")
    assert [list(entry.person) for entry in found] == [["0", "1", "2"]] * 12
    assert [[option.costs for option in one] for one in found] == [
        [option.costs for option in one] for one in expected
    ]


def test_a_limit_relative_to_today_comes_from_the_policy_file(folder: Path, capsys: Capture) -> None:
    _, frame = in_memory()
    policy = p2ce.Policy.infer(frame).protect("Age").within_change(Income="+10%")
    policy.save("close.yaml")
    assert run(capsys, "policy", "check", "close.yaml", "train.csv").code == 0
    assert run(capsys, *BASE, "--policy", "close.yaml", "--out", "close.json").code == 0
    moves = [
        option.changes["Income"]
        for one in saved("close.json")
        for option in one
        if "Income" in option.changes
    ]
    assert moves
    assert all(before <= after <= 1.1 * before for before, after in moves)


def with_limits(path: str, *, ids: list[str] | None = None, incomes: int = 30) -> pd.DataFrame:
    """Write limits of everybody's income: at most what it is today, for every second person."""
    frame = people().head(incomes)
    highs = frame["Income"].astype("float64").where(frame.index % 2 == 0)
    table = pd.DataFrame({"Income_high": highs})
    if ids is not None:
        table["id"] = ids
    table.to_csv(path, index=False)
    return table


def test_limits_of_each_person_are_kept_by_id_or_in_order(folder: Path, capsys: Capture) -> None:
    given = with_limits("limits.csv")
    ran = run(capsys, *BASE, "--limits", "limits.csv", "--out", "in-order.json")
    assert ran.code == 0
    explainer, frame = in_memory()
    expected = explainer.explain_many(frame, limits=given.set_axis(frame.index))
    found = saved("in-order.json")
    assert [[*entry] for entry in found] == [[*entry] for entry in expected]
    free = explainer.explain_many(frame)
    assert [[*entry] for entry in found] != [[*entry] for entry in free]
    for place, entry in enumerate(found):
        assert place % 2 or all(o.values["Income"] <= frame["Income"].iloc[place] for o in entry)
    assert found[0].problem is not None
    assert "Income" in str(found[0].problem.settings["limits"])
    assert found[1].problem is not None
    assert "limits" not in found[1].problem.settings

    shuffled = (
        pd.read_csv("limits.csv").assign(id=[f"p{row}" for row in range(30)]).sample(frac=1, random_state=0)
    )
    pd.concat([shuffled, shuffled.tail(1).assign(id="someone else")]).to_csv("by-id.csv", index=False)
    ran = run(capsys, *BASE, "--limits", "by-id.csv", "--id-column", "id", "--out", "by-id.json")
    assert ran.code == 0
    assert "by-id.csv also has limits for 1 person not in --data" in ran.err
    by_id = saved("by-id.json")
    assert [[*entry] for entry in by_id] == [[*entry] for entry in found]
    chosen = next(place for place in range(0, 30, 2) if len(found[place]))
    ran = run(
        capsys, *BASE, "--limits", "by-id.csv", "--id-column", "id", "--id", f"p{chosen}", "--out", "one.json"
    )
    assert [*saved("one.json")[0]] == [*found[chosen]]


@pytest.mark.parametrize(
    ("change", "options", "line"),
    [
        ({"rows": 29}, (), "one row for each of 30 people; limits.csv has 29"),
        ({}, ("--id-column", "id"), "has no column 'id', which --id-column names"),
        ({"ids": "twice"}, ("--id-column", "id"), "has two rows for 'p0': rows 0 and 29"),
        ({"ids": "other"}, ("--id-column", "id"), "has no row for 'p29'. Add one"),
        ({"cell": "lots"}, (), "holds 'lots' in row 3, where --limits expects numbers"),
        ({"name": "Incme_high"}, (), "Did you mean 'Income'"),
        ({"name": "Income"}, (), "named after a feature and an end"),
    ],
)
def test_limits_that_do_not_fit_are_one_line(
    folder: Path, capsys: Capture, change: dict[str, Any], options: tuple[str, ...], line: str
) -> None:
    ids = [f"p{row}" for row in range(30)]
    known: dict[Any, list[str]] = {"twice": [*ids[:29], "p0"], "other": [*ids[:29], "p99"]}
    table = with_limits("limits.csv", ids=known.get(change.get("ids"))).astype("object")
    if "cell" in change:
        table.loc[3, "Income_high"] = change["cell"]
    table = table.rename(columns={"Income_high": change.get("name", "Income_high")})
    table.head(change.get("rows", 30)).to_csv("limits.csv", index=False)
    ran = run(capsys, *BASE, "--limits", "limits.csv", *options)
    assert ran.code == 2
    assert line in ran.line


def test_outcome_and_points_are_what_people_read(folder: Path, capsys: Capture) -> None:
    bad = (*BASE, "--target", 0, "--at-most", 0.3, "--outcome", "default", "--audience", "officer")
    entries = in_memory(target=0, at_most=0.3)[0].explain_many(in_memory()[1])
    chosen = next(place for place, entry in enumerate(entries) if len(entry))
    ran = run(capsys, *bad, "--id", chosen)
    assert "probability of default" in ran.out
    ran = run(capsys, *bad, "--id", chosen, "--points", "600,50,20")
    expected = round(p2ce.Points().of(0.3, scale="probability", rises=False))
    assert "points" in ran.out
    assert f"{expected}" in ran.out
    run(capsys, *bad, "--points", "600,50,20", "--out", "out.json")
    problem = saved("out.json")[0].problem
    assert problem is not None
    assert problem.outcome == "default"
    assert "base=600" in str(problem.settings["report"])
    assert [[*entry] for entry in saved("out.json")] == [[*entry] for entry in entries]


@pytest.mark.parametrize(
    ("points", "line"),
    [
        ("600", "--points expects three numbers"),
        ("600,50", "got '600,50'. Write --points 600,50,20"),
        ("600,fifty,20", "got '600,fifty,20'"),
        ("600,0,20", "odds of Points must be a number above 0"),
        ("600,50,-20", "pdo of Points must be a number above 0"),
        ("nan,50,20", "base of Points must be a number"),
    ],
)
def test_points_that_are_no_scale_are_one_line(folder: Path, capsys: Capture, points: str, line: str) -> None:
    ran = run(capsys, *BASE, "--points", points)
    assert ran.code == 2
    assert line in ran.line
    assert "--points" in ran.line


def test_points_need_one_score(folder: Path, capsys: Capture) -> None:
    fitted = people().astype({"Housing": "category"})
    model = lightgbm.LGBMRegressor(n_estimators=3, verbosity=-1, n_jobs=1)
    model.fit(fitted, fitted["Income"]).booster_.save_model("model.txt")
    ran = run(capsys, *BASE, "--target", "3000:", "--points", "600,50,20")
    assert "Add --at-least or --at-most for one class, or leave out --points." in ran.line
