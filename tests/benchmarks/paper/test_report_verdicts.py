"""A claim holds when the frames say so, fails by one person, and is open when nobody asked."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("benchmarks")  # not in a packed source

from benchmarks.paper.names import DATA_SETS
from benchmarks.paper.report import verdict_of_outliers
from benchmarks.paper.report.intervals import wilson
from benchmarks.paper.report.results import Results, read_results
from benchmarks.paper.report.summaries import summarise
from benchmarks.paper.report.verdict_tables import verdict_table
from benchmarks.paper.report.verdicts import (
    Verdict,
    best_fronts,
    faster_than_peers,
    nothing_broken,
    outliers_as_published,
    verdicts,
)
from tests.benchmarks.paper.made_up_results import frames, write_results
from tests.benchmarks.paper.tiny_results import answer, person, tiny

THREE: dict[str, Any] = {"experiment": "three", "model": "mlp", "hypervolume": 0.5}


def fronts(results: Results) -> Verdict:
    return best_fronts(results, summarise(results))


def test_the_best_fronts_hold_where_nobody_does_worse(tmp_path: Path) -> None:
    rivals = [person(0, method="p2ce", **{**THREE, "hypervolume": 0.4}), person(0, method="mapocam", **THREE)]
    verdict = fronts(tiny(tmp_path, [person(0, **THREE), *rivals]))
    assert verdict.state == "partly"  # one cell of six
    assert verdict.cells.iloc[0][["compared", "worse", "fronts_true", "fronts_checked"]].tolist() == [
        1,
        0,
        1,
        1,
    ]
    assert verdict.cells.iloc[0]["proven"] == 0.5


def test_one_person_with_a_worse_front_is_enough(tmp_path: Path) -> None:
    people = [person(0, **THREE), person(1, **{**THREE, "hypervolume": 0.9})]
    people += [person(0, method="p2ce", **{**THREE, "hypervolume": 0.6}), person(1, method="p2ce", **THREE)]
    verdict = fronts(tiny(tmp_path, people))  # though the mean is better
    assert verdict.state == "fails"
    assert verdict.cells.iloc[0]["worse"] == 1


def test_one_front_that_is_not_the_true_one_is_enough(tmp_path: Path) -> None:
    assert fronts(tiny(tmp_path, [person(0, front_is_true=False, **THREE)])).state == "fails"


def test_with_one_objective_an_answer_that_only_a_rival_found_is_worse(tmp_path: Path) -> None:
    people = [person(0, best_cost=None, answers=0), person(0, method="p2ce", best_cost=0.7)]
    assert fronts(tiny(tmp_path, people)).state == "fails"


def test_all_cells_are_needed_for_a_claim_to_hold(tmp_path: Path) -> None:
    people = [
        person(0, **{**THREE, "data": data, "model": model})
        for data in DATA_SETS
        for model in ("lightgbm", "mlp")
    ]
    assert fronts(tiny(tmp_path, people)).state == "holds"
    assert fronts(tiny(tmp_path, people[1:])).state == "partly"
    assert fronts(tiny(tmp_path)).state == "not measured"


def speeds(folder: Path, *, nice: float) -> Verdict:
    cells = [("inlierness", "logistic"), ("one", "lightgbm")]
    people = [
        person(0, experiment=experiment, data=data, model=model, method=method, seconds=seconds)
        for experiment, model in cells
        for data in DATA_SETS
        for method, seconds in {
            "proven": 0.002,
            "nice": nice,
            "dice-genetic": 0.5,
            "dice-random": 0.1,
        }.items()
    ]
    return faster_than_peers(summarise(tiny(folder, people)))


def test_faster_means_than_every_peer_on_every_data_set(tmp_path: Path) -> None:
    verdict = speeds(tmp_path, nice=0.01)
    assert verdict.state == "holds"
    assert len(verdict.cells) == 18
    assert verdict.cells["times"].min() == pytest.approx(5.0)
    assert "Faster in 18 of 18" in verdict.says
    assert speeds(tmp_path, nice=0.001).state == "fails"


def test_other_models_are_not_timed_and_missing_peers_leave_it_open(tmp_path: Path) -> None:
    slow = [person(0, model="mlp", seconds=9.0), person(0, model="mlp", method="nice", seconds=0.001)]
    assert faster_than_peers(summarise(tiny(tmp_path, slow))).state == "not measured"
    quick = [person(0, seconds=0.001), person(0, method="nice", seconds=0.01)]
    assert faster_than_peers(summarise(tiny(tmp_path, quick))).state == "partly"


def test_one_broken_answer_of_ours_is_enough_and_those_of_peers_are_counted(tmp_path: Path) -> None:
    theirs = [
        answer(0, method="nice", valid=False),
        answer(1, method="nice", allowed=False, broken="range: x"),
    ]
    verdict = nothing_broken(tiny(tmp_path, [], [answer(0), *theirs]))
    assert verdict.state == "holds"
    assert "Peers: 1 invalid, 1 not allowed" in verdict.says
    assert nothing_broken(tiny(tmp_path, [], [answer(0, valid=False)])).state == "fails"
    assert nothing_broken(tiny(tmp_path, [], [answer(0, allowed=False, broken="range: x")])).state == "fails"
    # What does not ask for plausibility may give implausible answers.
    assert nothing_broken(tiny(tmp_path, [], [answer(0, method="mapocam", plausible=False)])).state == "holds"
    assert nothing_broken(tiny(tmp_path, [], theirs)).state == "not measured"


def outliers(folder: Path, *, of: int, outlying: int) -> Verdict:
    """Adult with logistic regression, where the paper has 2 % outliers."""
    cell = {"experiment": "inlierness", "data": "adult", "model": "logistic"}
    people = [person(number, **cell) for number in range(of)]
    answers = [answer(number, outlier=number < outlying, **cell) for number in range(of)]
    return outliers_as_published(summarise(tiny(folder, people, answers)))


def test_shares_are_compared_with_the_interval_of_the_papers_share(tmp_path: Path) -> None:
    verdict = outliers(tmp_path, of=20, outlying=1)
    row = verdict.cells.set_index(["experiment", "data"]).loc[("inlierness", "adult")]
    assert (row["low"], row["high"]) == pytest.approx(wilson(0.02, 50))
    assert (row["share"], row["people"], row["place"], row["holds"]) == (0.05, 20, "inside", 1.0)
    assert row["apart_low"] < 0.03 < row["apart_high"]
    assert verdict.state == "partly"
    assert len(verdict.cells) == 15


def test_a_share_outside_needs_an_explanation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert outliers(tmp_path, of=20, outlying=9).state == "fails"
    assert "1 with fewer outliers" in outliers(tmp_path, of=20, outlying=0).says
    told = {("inlierness", "adult", "logistic"): "The judge is another."}
    monkeypatch.setattr(verdict_of_outliers, "EXPLANATIONS", told)
    verdict = outliers(tmp_path, of=20, outlying=9)
    assert verdict.state == "partly"
    assert any("another" in cell.text for group in verdict_table(verdict).groups for cell in group.rows[-1])


def test_of_the_papers_figure_only_less_than_five_per_cent_is_known(tmp_path: Path) -> None:
    verdict = outliers_as_published(summarise(tiny(tmp_path, [person(0)], [answer(0)])))
    row = verdict.cells.set_index(["experiment", "data", "model"]).loc[("one", "german", "lightgbm")]
    assert (row["at_most"], row["low"], row["place"]) == (True, 0.0, "inside")
    assert row["high"] == pytest.approx(wilson(0.05, 50)[1])


@pytest.mark.parametrize("people", [0, 1, 5])
def test_every_verdict_has_a_table_however_few_were_asked(tmp_path: Path, people: int) -> None:
    results = tiny(tmp_path)
    if people:
        write_results(tmp_path, frames(people=people))
        results = read_results(tmp_path)
    for verdict in verdicts(results, summarise(results)):
        table = verdict_table(verdict)
        assert sum(len(group.rows) for group in table.groups) == len(verdict.cells)
        assert verdict.says
