"""A claim holds or fails as the frames say, and is open when nothing was measured."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

pytest.importorskip("benchmarks")  # not in a packed source

from benchmarks.paper.names import DATA_SETS
from benchmarks.paper.report import claims_of_costs, claims_of_outliers, claims_of_times
from benchmarks.paper.report.checks import best_fronts, checks, nothing_broken
from benchmarks.paper.report.claims import claims
from benchmarks.paper.report.overview import overview
from benchmarks.paper.report.results import Results, read_results
from benchmarks.paper.report.summaries import summarise
from benchmarks.paper.report.verdict import OF_THE_PAPER, Case, Verdict, judge
from tests.benchmarks.paper.made_up_results import frames, write_results
from tests.benchmarks.paper.tiny_results import answer, person, tiny

LINEAR = {"experiment": "inlierness", "model": "logistic"}


def judged(results: Results, claim: Any) -> Verdict:
    return claim(results, summarise(results))


def both(
    methods: dict[str, dict[str, Any]], **cell: Any
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Two people for each method, with these figures, and one answer for each of them."""
    people, answers = [], []
    for method, figures in methods.items():
        for number in range(2):
            of_answers = {
                name: figures[name] for name in ("outlier", "plausible", "score") if name in figures
            }
            of_people = {name: value for name, value in figures.items() if name not in of_answers}
            cost = figures.get("best_cost", 0.1)
            people.append(person(number, **cell, method=method, **of_people))
            answers.append(answer(number, **cell, method=method, mean_distance=cost, **of_answers))
    return people, answers


@pytest.mark.parametrize(
    ("holds", "state"),
    [([True, True], "holds"), ([True, False], "partly"), ([False], "fails"), ([None], "open"), ([], "open")],
)
def test_the_state_follows_the_cases(holds: list[bool | None], state: str) -> None:
    cases = [Case(name="x", figures=("1",), holds=each) for each in holds]
    verdict = judge("n", "w", "c", columns=("a",), cases=cases, says="measured", cause="because")
    assert verdict.state == state
    assert verdict.cause == ("" if state == "open" else "because")
    assert verdict.evidence.columns == ("Study", "a", "So")
    if state == "partly":
        assert verdict.state_in_words == "reproduced in part: 1 of 2"
        assert judge("n", "w", "c", columns=("a",), cases=cases, needed=1).state == "holds"


def test_the_partial_test_saves_time_where_it_does(tmp_path: Path) -> None:
    fast, slow = {"seconds_alone": 1.0, "nodes": 100}, {"seconds_alone": 2.0, "nodes": 400}
    results = tiny(tmp_path, *both({"p2ce": fast, "p2ce-ablation": slow}, **LINEAR))
    verdict = judged(results, claims_of_times.partial_test)
    assert verdict.state == "holds"
    assert "25 % of the nodes" in verdict.says
    assert "10.0 ms with it and 5.00 ms without" in verdict.cause
    results = tiny(tmp_path, *both({"p2ce": slow, "p2ce-ablation": fast}, **LINEAR))
    assert judged(results, claims_of_times.partial_test).state == "fails"


def test_a_cheaper_rival_is_explained_by_what_it_is(tmp_path: Path) -> None:
    cell = {"experiment": "one", "model": "lightgbm"}
    people, answers = both({"p2ce": {"best_cost": 0.3}, "mapocam": {"best_cost": 0.2}}, **cell)
    answers[-1]["plausible"] = False
    verdict = judged(tiny(tmp_path, people, answers), claims_of_costs.lowest_cost)
    assert verdict.state == "fails"
    assert "for 2 of them" in verdict.says
    assert "1 of its 2 cheaper answers are implausible" in verdict.cause
    assert "the other 1 are ones that P²CE's SHAP estimate missed" in verdict.cause


def test_costs_are_compared_on_the_same_people_only(tmp_path: Path) -> None:
    cell = {"experiment": "one", "model": "lightgbm"}
    people, answers = both({"p2ce": {"best_cost": 0.1}}, **cell)
    people[1]["best_cost"] = 0.9  # a hard person, that MAPOCAM did not get
    people.append(person(0, **cell, method="mapocam", best_cost=0.2))
    answers.append(answer(0, **cell, method="mapocam", mean_distance=0.2))
    assert judged(tiny(tmp_path, people, answers), claims_of_costs.lowest_cost).state == "holds"


def test_one_missed_front_reverses_that_nothing_is_lost(tmp_path: Path) -> None:
    cell = {"experiment": "one", "model": "mlp"}
    people, answers = both({"p2ce": {}, "p2ce-ablation": {}}, **cell)
    assert judged(tiny(tmp_path, people, answers), claims_of_costs.nothing_is_lost).state == "holds"
    people[0]["front_is_true"] = people[2]["front_is_true"] = False
    verdict = judged(tiny(tmp_path, people, answers), claims_of_costs.nothing_is_lost)
    assert verdict.state == "fails"
    assert "without it 1/1 of the fronts missed with one objective are missed as well" in verdict.cause
    assert verdict.cases[0].figures[1:3] == ("1/2", "9–91")  # Wilson's interval of one in two


@pytest.mark.parametrize(("outliers", "state"), [((False, True), "holds"), ((True, False), "fails")])
def test_fewer_outliers_than_mapocam(tmp_path: Path, outliers: tuple[bool, bool], state: str) -> None:
    ours, theirs = outliers
    methods = {"p2ce": {"outlier": ours}, "mapocam": {"outlier": theirs}, "p2ce-ablation": {"outlier": ours}}
    results = tiny(tmp_path, *both(methods, **LINEAR, data="adult"))
    verdict = judged(results, claims_of_outliers.table_1)
    assert verdict.state == state
    assert bool(verdict.cause) == (state == "fails")


def test_the_other_judge_explains_more_than_5_per_cent(tmp_path: Path) -> None:
    people, answers = both({"p2ce": {"outlier": True}}, experiment="one", model="mlp")
    verdict = judged(tiny(tmp_path, people, answers), claims_of_outliers.fewer_than_5)
    assert verdict.state == "fails"
    assert "1 of these 1 are below 5 %" in verdict.cause


def test_dice_is_compared_in_all_its_settings(tmp_path: Path) -> None:
    cell = {"experiment": "three", "model": "mlp", "data": "taiwan"}
    methods = {
        "dice-free": {"outlier": False},
        "dice-code": {"outlier": True},
        "dice-genetic": {"outlier": False},
    }
    verdict = judged(tiny(tmp_path, *both(methods, **cell)), claims_of_outliers.dice)
    assert verdict.state == "fails"
    assert "holds 0 in 1 of 1 cells" in verdict.cause
    assert "Nearest to the paper is DiCE (random, no ranges) in 1" in verdict.cause


def test_unfinished_people_count_with_their_limit(tmp_path: Path) -> None:
    cell = {"experiment": "three", "model": "mlp", "hypervolume": 0.5, "hypervolume_grid": 0.5}
    people, answers = both({"p2ce": {"seconds_alone": 1.0}, "mapocam": {"seconds_alone": 9.0}}, **cell)
    people[-1] |= {"status": "TIME_LIMIT", "front_is_true": None, "best_cost": None, "answers": 0}
    results = tiny(tmp_path, people, answers)
    verdict = judged(results, claims_of_times.faster_than_mapocam)
    assert verdict.cases[0].figures[1] == "2, 1 not finished"
    assert verdict.cases[0].holds
    row = summarise(results).set_index("method").loc["mapocam"]
    assert (row["people"], row["finished"], row["fronts_checked"]) == (2, 1, 1)


def test_the_toy_is_judged_by_what_was_drawn(tmp_path: Path) -> None:
    results = tiny(tmp_path, [person(0)])
    assert claims_of_outliers.toy(results).state == "open"
    written = {"mapocam": {"distance": 1.0, "outlier": True}, "p2ce": {"distance": 2.0, "outlier": False}}
    (tmp_path / "results" / "toy.json").write_text(json.dumps(written), encoding="utf-8")
    assert claims_of_outliers.toy(results).state == "holds"


def test_proven_fronts_must_be_true_for_everybody_and_never_behind(tmp_path: Path) -> None:
    people, answers = both({"proven": {}, "p2ce": {}}, experiment="one", model="mlp")
    assert judged(tiny(tmp_path, people, answers), best_fronts).state == "holds"
    for change in ({"front_is_true": False}, {"best_cost": 0.5}):
        worse = [{**people[0], **change}, *people[1:]]
        assert judged(tiny(tmp_path, worse, answers), best_fronts).state == "fails"
    unchecked = [{**people[0], "front_is_true": None}, *people[1:]]
    assert judged(tiny(tmp_path, unchecked, answers), best_fronts).state == "open"


def test_one_broken_answer_of_ours_is_enough(tmp_path: Path) -> None:
    people, answers = both({"p2ce": {}, "nice": {}, "mapocam": {"plausible": False}})
    answers[2] |= {"allowed": False, "broken": "changes: 5 > 3"}  # NICE's
    verdict = nothing_broken(tiny(tmp_path, people, answers))
    assert verdict.state == "holds"
    assert "1 not allowed (1 of these only" in verdict.says
    answers[0]["plausible"] = False
    assert nothing_broken(tiny(tmp_path, people, answers)).state == "partly"


def test_every_claim_is_judged_in_a_whole_run_and_none_in_an_empty_one(tmp_path: Path) -> None:
    results = read_results(write_results(tmp_path / "whole", frames(people=6, seeds=2)))
    summary = summarise(results)
    whole = claims(results, summary)
    assert {verdict.name for verdict in whole if verdict.state == "open"} == {
        "The nearest solution is an outlier, P²CE's is not",  # the toy was not drawn
        "Significantly fewer outliers than MAPOCAM with the MLP",  # too few people
    }
    assert {len(verdict.cases) for verdict in whole if verdict.where.endswith("Table 1")} == {len(DATA_SETS)}
    table = overview(whole)
    assert len(table.groups[0].rows) == len(whole)
    assert [verdict.state for verdict in checks(results, summary)] == ["holds", "holds"]
    (tmp_path / "empty" / "results").mkdir(parents=True)
    nothing = read_results(tmp_path / "empty")
    empty = claims(nothing, summarise(nothing))
    written = {verdict.name for verdict in empty if verdict.state != "open"}
    assert written == {"MAPOCAM knows the exact maximum with tree ensembles"}  # a counterexample needs no run
    assert all(verdict.state_in_words in OF_THE_PAPER.values() for verdict in empty)


def test_gaps_are_no_verdict(tmp_path: Path) -> None:
    people, answers = both({"p2ce": {"best_cost": None}, "nice": {}}, experiment="one", model="mlp")
    results = tiny(tmp_path, people, answers)
    assert judged(results, claims_of_costs.nice_is_competitive).state == "open"
    assert isinstance(overview(claims(results, summarise(results))).caption, str)
    assert not pd.isna(summarise(results)["people"]).any()
