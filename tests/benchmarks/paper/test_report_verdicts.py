"""A claim holds when the frames say so, fails by one person, and is open when nobody asked."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

pytest.importorskip("benchmarks")  # not in a packed source

from benchmarks.paper.report.verdict_tables import state_in_words, verdict_table
from benchmarks.paper.report.verdicts import (
    Verdict,
    best_fronts,
    faster_than_peers,
    nothing_broken,
    outliers_as_published,
    verdicts,
)

from benchmarks.paper.experiments import PLAN
from benchmarks.paper.names import DATA_SETS
from benchmarks.paper.report.intervals import wilson
from benchmarks.paper.report.results import Results, read_results
from benchmarks.paper.report.summaries import summarise
from tests.benchmarks.paper.made_up_results import frames, write_results
from tests.benchmarks.paper.tiny_results import answer, person, study, tiny

Frames = dict[str, pd.DataFrame]
THREE: dict[str, Any] = {"experiment": "three", "model": "mlp", "hypervolume": 0.5, "hypervolume_grid": 0.5}


def fronts(results: Results) -> Verdict:
    return best_fronts(results, summarise(results))


def broken(results: Results) -> Verdict:
    return nothing_broken(results, summarise(results))


def judged(folder: Path, made: Frames) -> dict[str, str]:
    results = read_results(write_results(folder, made))
    names = ("fronts", "outliers", "times", "broken")
    return {
        name: verdict.state
        for name, verdict in zip(names, verdicts(results, summarise(results)), strict=True)
    }


def proven(frame: pd.DataFrame) -> pd.Series:
    return frame["method"] == "proven"


def in_one_cell(frame: pd.DataFrame) -> pd.Series:
    return (frame["experiment"] == "three") & (frame["data"] == "adult") & (frame["model"] == "mlp")


def change(made: Frames, name: str, where: pd.Series, **values: Any) -> None:
    for column, value in values.items():
        made[name][column] = made[name][column].astype(object).mask(where, value)


def no_truth(made: Frames) -> None:
    change(made, "people", proven(made["people"]), front_is_true=None)


def no_truth_in_one_cell(made: Frames) -> None:
    change(made, "people", proven(made["people"]) & in_one_cell(made["people"]), front_is_true=None)


def one_person_unchecked(made: Frames) -> None:
    where = proven(made["people"]) & in_one_cell(made["people"]) & (made["people"]["person"] == 1)
    change(made, "people", where, front_is_true=None)


def no_rival_in_one_cell(made: Frames) -> None:
    people = made["people"]
    made["people"] = people[~(in_one_cell(people) & (people["method"] == "p2ce"))]


def one_person_of_three(made: Frames) -> None:
    people = made["people"]
    made["people"] = people[~proven(people) | (people["person"] == 0)]


def a_person_less_in_one_cell(made: Frames) -> None:
    people = made["people"]
    made["people"] = people[~(in_one_cell(people) & proven(people) & (people["person"] == 0))]


def no_studies(made: Frames) -> None:
    made["studies"] = made["studies"][:0]


def no_forests(made: Frames) -> None:
    made["people"] = made["people"][made["people"]["experiment"] != "forests"]


def implausible(made: Frames) -> None:
    change(made, "answers", proven(made["answers"]), plausible=False)


def off_the_grid(made: Frames) -> None:
    change(made, "answers", made["answers"]["method"] == "mapocam", on_grid=False)


def nobody_said_whether_valid(made: Frames) -> None:
    change(made, "answers", proven(made["answers"]), valid=None)


def nobody_said_whether_allowed(made: Frames) -> None:
    change(made, "answers", proven(made["answers"]), allowed=None)


def one_changed_volume(made: Frames) -> None:
    people = made["people"]
    where = in_one_cell(people) & proven(people) & (people["person"] == 1)
    change(made, "people", where, hypervolume_grid=-0.1)


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (lambda made: None, {}),
        (no_truth, {"fronts": "not measured"}),
        (no_truth_in_one_cell, {"fronts": "partly"}),
        (one_person_unchecked, {"fronts": "partly"}),
        (no_rival_in_one_cell, {"fronts": "partly", "broken": "partly"}),
        (one_person_of_three, {"fronts": "not measured", "times": "not measured", "broken": "partly"}),
        (a_person_less_in_one_cell, {"fronts": "partly", "broken": "partly"}),
        (no_studies, {"fronts": "not measured", "times": "not measured", "broken": "partly"}),
        (no_forests, {"fronts": "partly", "broken": "partly"}),
        (one_changed_volume, {"fronts": "fails"}),
        (implausible, {"broken": "fails"}),
        (off_the_grid, {"broken": "fails"}),
        (nobody_said_whether_valid, {"broken": "fails"}),
        (nobody_said_whether_allowed, {"broken": "fails"}),
    ],
)
def test_no_claim_holds_without_its_evidence(
    tmp_path: Path, spoil: Callable[[Frames], None], expected: dict[str, str]
) -> None:
    made = frames(people=3)
    spoil(made)
    whole = {"fronts": "holds", "outliers": "not measured", "times": "holds", "broken": "holds"}
    assert judged(tmp_path, made) == {**whole, **expected}


def test_the_best_fronts_hold_where_nobody_does_worse(tmp_path: Path) -> None:
    rivals = [person(0, method="p2ce", **{**THREE, "hypervolume": 0.4}), person(0, method="mapocam", **THREE)]
    verdict = fronts(tiny(tmp_path, [person(0, **THREE), *rivals]))
    assert verdict.state == "partly"  # one cell of the plan
    (row,) = verdict.cells.to_dict("records")
    assert [row[name] for name in ("compared", "worse", "fronts_true", "fronts_checked")] == [1, 0, 1, 1]
    assert (row["proven"], row["holds"]) == (0.5, 1.0)
    assert "1 questions" in verdict.says


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


def test_without_a_rival_only_the_truth_of_fronts_is_told(tmp_path: Path) -> None:
    forest = {"experiment": "forests", "model": "forest"}
    verdict = fronts(tiny(tmp_path, [person(0, **forest), person(0)]))
    assert verdict.cells.set_index("experiment")["holds"].dropna().to_dict() == {"forests": 1.0}
    assert "in 0 questions (a person in a cell) of 0 cells" in verdict.says
    assert "2 of 2 proven fronts" in verdict.says


def test_a_mean_over_fewer_people_says_so(tmp_path: Path) -> None:
    people = [person(0), person(1), person(0, method="p2ce")]
    people += [person(1, method="p2ce", best_cost=None, answers=0)]
    answers = [answer(0), answer(1), answer(0, method="p2ce")]
    table = verdict_table(fronts(tiny(tmp_path, people, answers)))
    row = dict(zip(table.columns, table.groups[0].rows[0], strict=True))
    assert (row["P²CE, proven"].beside, row["P²CE"].beside) == ("", "1 people")
    assert "MAPOCAM (no plausibility)" in table.columns
    assert "MAPOCAM, which asks for no plausibility, may be better" in table.note


def speeds(folder: Path, *, nice: float, alone: float = 0.005, bare: float = 0.001) -> Verdict:
    medians = {"proven": 0.002, "nice": nice, "nice-bare": bare, "dice-genetic": 0.5, "dice-random": 0.1}
    people = [
        person(
            0,
            experiment=experiment,
            data=data,
            model=model,
            method=method,
            seconds=medians[method],
            seconds_alone=alone if method == "proven" else None,
        )
        for experiment in ("inlierness", "one", "three")
        for model in PLAN[experiment][0]
        for data in DATA_SETS
        for method in PLAN[experiment][2]
        if method in medians
    ]
    return faster_than_peers(summarise(tiny(folder, people)))


def test_faster_means_than_every_peer_on_every_data_set(tmp_path: Path) -> None:
    verdict = speeds(tmp_path, nice=0.01)
    assert verdict.state == "holds"
    decisive = verdict.cells[verdict.cells["holds"].notna()]
    assert len(decisive) == 30
    assert decisive["times"].min() == pytest.approx(5.0)
    assert "faster in 30 of 30" in verdict.says
    assert speeds(tmp_path, nice=0.001).state == "fails"


def test_a_batch_is_called_a_batch_and_one_call_is_compared_too(tmp_path: Path) -> None:
    verdict = speeds(tmp_path, nice=0.01, alone=0.02)
    assert "a person's share of a batch of 1 people; a peer's is a call of its own" in verdict.says
    assert "One explain alone, without a batch, is faster than NICE in 0 of 6" in verdict.says
    assert "than DiCE in 24 of 24" in verdict.says
    table = verdict_table(verdict)
    row = dict(zip(table.columns, table.groups[0].rows[0], strict=True))
    assert (row["Proven, in a batch"].text, row["One explain"].text) == ("2.00 ms", "20.0 ms")


def test_nice_at_its_quickest_and_the_network_are_shown_and_decide_nothing(tmp_path: Path) -> None:
    verdict = speeds(tmp_path, nice=0.01, bare=0.001)
    assert verdict.state == "holds"
    shown = verdict.cells[(verdict.cells["peer"] == "nice-bare") | (verdict.cells["model"] == "mlp")]
    assert {"nice-bare", "nice"} <= set(shown["peer"])
    assert shown["holds"].isna().all()
    assert "NICE with a bare model, at its quickest, takes 0.50 times as long as the share" in verdict.says
    assert "On the MLP, of which the claim does not speak" in verdict.says
    assert "below NICE's time in 3 of 3" in verdict.says
    marks = {row[1].text: row[-1].text for row in verdict_table(verdict).groups[0].rows}
    assert (marks["NICE"], marks["NICE (bare model)"]) == ("✓ yes", "–")


def test_other_models_are_not_timed_and_missing_peers_leave_it_open(tmp_path: Path) -> None:
    slow = [person(0, model="mlp", seconds=9.0), person(0, model="mlp", method="nice", seconds=0.001)]
    assert faster_than_peers(summarise(tiny(tmp_path, slow))).state == "not measured"
    quick = [person(0, seconds=0.001), person(0, method="nice", seconds=0.01)]
    assert faster_than_peers(summarise(tiny(tmp_path, quick))).state == "partly"


def test_one_broken_answer_of_ours_is_enough_and_those_of_peers_are_counted(tmp_path: Path) -> None:
    theirs = [
        answer(0, method="nice", valid=False),
        answer(1, method="nice", allowed=False, broken="range: x"),
        answer(2, method="nice", allowed=False, broken="changes: 5 > 3"),
        answer(3, method="ocean", allowed=False, broken="changes: 5 > 3"),  # was told other limits, too
    ]
    verdict = broken(tiny(tmp_path, [], [answer(0), *theirs]))
    assert verdict.state == "partly"
    assert "Peers: 1 invalid, 3 not allowed (1 of these, of DiCE and NICE, only for more than" in verdict.says
    for wrong in ({"valid": False}, {"allowed": False, "broken": "range: x"}, {"on_grid": False}):
        assert broken(tiny(tmp_path, [], [answer(0, **wrong)])).state == "fails"
    # What does not ask for plausibility may give implausible answers.
    for method, state in {"mapocam": "partly", "p2ce": "fails", "p2ce-ablation": "fails"}.items():
        assert broken(tiny(tmp_path, [], [answer(0, method=method, plausible=False)])).state == state
    assert broken(tiny(tmp_path, [], theirs)).state == "not measured"


def outliers(
    folder: Path, *, of: int, outlying: int, by_axes: int = 20, asked: int | None = None, **cell: str
) -> Verdict:
    """Unless told, Adult with logistic regression, where the paper has 2 % outliers."""
    cell = cell or {"experiment": "inlierness", "data": "adult", "model": "logistic"}
    people = [person(number, **cell) for number in range(of)]
    answers = [
        answer(number, outlier=number < outlying, outlier_axis_parallel=number < by_axes, **cell)
        for number in range(of)
    ]
    studies = [study(cell["data"], cell["model"], asked or of)]
    return outliers_as_published(summarise(tiny(folder, people, answers, studies=studies)))


def measured(verdict: Verdict) -> dict[str, Any]:
    (row,) = verdict.cells[verdict.cells["place"] != ""].to_dict("records")
    return row


def test_shares_are_compared_with_the_interval_of_the_papers_share(tmp_path: Path) -> None:
    verdict = outliers(tmp_path, of=40, outlying=2)
    row = measured(verdict)
    assert (row["low"], row["high"]) == pytest.approx(wilson(0.02, 50))
    assert (row["share"], row["people"], row["place"], row["holds"]) == (0.05, 40, "inside", 1.0)
    assert row["apart_low"] < 0.03 < row["apart_high"]
    assert verdict.state == "partly"
    assert len(verdict.cells) == 15


def test_of_few_people_or_of_some_of_them_nothing_can_be_told(tmp_path: Path) -> None:
    few = outliers(tmp_path, of=29, outlying=29, by_axes=0)
    assert (few.state, measured(few)["place"]) == ("not measured", "too few")
    assert "Too few people to tell" in few.says
    some = outliers(tmp_path, of=40, outlying=1, asked=50)
    assert (some.state, measured(some)["place"]) == ("not measured", "not everybody")


def test_a_share_outside_is_explained_by_the_other_judge_or_by_chance_or_not_at_all(tmp_path: Path) -> None:
    assert outliers(tmp_path, of=40, outlying=18).state == "fails"
    assert measured(outliers(tmp_path, of=40, outlying=18))["explanation"] == ""
    verdict = outliers(tmp_path, of=40, outlying=18, by_axes=2)
    assert verdict.state == "partly"
    assert state_in_words(verdict) == "shown or explained wherever it was measured"
    row = verdict_table(verdict).groups[0].rows[-1]
    told = "By the axis-parallel judge, which the authors' code used, it is 5.0 %"
    assert [cell.text for cell in row[-2:]] == ["explained", told]
    below = outliers(tmp_path, of=40, outlying=0, by_axes=0)
    assert "1 with fewer outliers" in below.says
    assert measured(below)["explanation"] == "The difference is within chance: its interval holds 0"
    inside = outliers(tmp_path, of=40, outlying=1)
    assert state_in_words(inside) == "shown wherever it was measured"


def test_of_the_papers_figure_only_less_than_five_per_cent_is_known(tmp_path: Path) -> None:
    cell = {"experiment": "one", "data": "german", "model": "lightgbm"}
    row = measured(outliers(tmp_path, of=40, outlying=0, **cell))
    assert (row["at_most"], row["low"], row["place"]) == (True, 0.0, "inside")
    assert row["high"] == pytest.approx(wilson(0.05, 50)[1])
    verdict = outliers(tmp_path, of=40, outlying=3, **cell)
    assert (measured(verdict)["place"], verdict.state) == ("within chance", "partly")
    rows = [row for group in verdict_table(verdict).groups for row in group.rows]
    assert any(cell.text == "within chance of < 5 %" for row in rows for cell in row)
    assert outliers(tmp_path, of=40, outlying=8, **cell).state == "fails"


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
