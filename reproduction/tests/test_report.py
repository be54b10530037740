"""The report shows what a run measured: figures by hand, claims that flip, a golden page, hostile text.

After a wanted change: P2CE_WRITE_GOLDEN=1 pytest -n0 on this file, then read the difference.
"""

import json
import os
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reproduction import names
from reproduction.report import figures, numbers, results_markdown, write_report
from reproduction.report.claims import CLAIMS, Case, claims, judge, verdict_of
from reproduction.report.results import COLUMNS, read_results
from reproduction.report.summary import broken_by_kind, difference, published, wilson
from reproduction.report.tables import example_table, experiment_tables, failures_table
from reproduction.report.write import command_of, render
from reproduction.tests.made_up import RUN, Rows, answer, person, study, tiny, whole_run

GOLDEN = Path(__file__).parent / "golden" / "results.md"
HOSTILE = "<script>alert('1')</script>|\"&_x*[a](b)`$\\frac$"
LINEAR, TREES, NETWORK = (
    {"experiment": experiment, "model": model}
    for experiment, model in (("inlierness", "logistic"), ("one", "lightgbm"), ("one", "mlp"))
)


class Page(HTMLParser):
    """Parses a page strictly: every tag is closed, and every address is collected."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.addresses, self.tags, self.ids, self.text = [], [], set(), set(), ""
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "srcset")]
        self.ids |= {value for name, value in attrs if name == "id"}
        if tag not in ("meta", "img", "source", "br", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def check_tables(text: str) -> None:
    """Check that each block of pipes has a head, a rule, and the same number of cells in every line."""
    blocks = re.findall(r"(?:^\|.*\n?)+", text, flags=re.MULTILINE)
    assert blocks
    for block in blocks:
        lines = block.strip().splitlines()
        assert len({len(re.split(r"(?<!\\)\|", line)) for line in lines}) == 1, block
        assert set(lines[1]) <= set("|:- ")


def test_the_text_of_a_whole_run_is_the_golden_one(tmp_path: Path) -> None:
    tiny(tmp_path, **whole_run(people=3, seeds=2, data=("taiwan", "adult")))
    text = results_markdown(tmp_path)
    if "P2CE_WRITE_GOLDEN" in os.environ:
        GOLDEN.write_text(text, encoding="utf-8")
    assert text.splitlines() == GOLDEN.read_text("utf-8").splitlines()
    check_tables(text)


def test_the_page_is_one_whole_file_that_says_what_the_run_says(tmp_path: Path) -> None:
    tiny(tmp_path, **whole_run(people=3, data=("adult",)))
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "toy.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (tmp_path / "results" / "toy.json").write_text(json.dumps({"caption": "Written <by> the run."}))
    written = write_report(tmp_path).read_text("utf-8")
    page, text = Page(written), numbers.text()
    assert set(text["sections"]) <= page.ids
    assert not page.tags & {"script", "link", "iframe"}
    assert "http" not in re.sub(r"data:image/[^\"]+", "", written)
    for address in page.addresses:
        assert address.startswith(("data:image/", "results/", "figures/", "#")), address[:80]
        assert address[:1] != "#" or address[1:] in page.ids
        assert not address.startswith(("results/", "figures/")) or (tmp_path / address).exists()
    shown = ["2026-11-01", "0123abc", "Made-up CPU, 2 cores", "needs Python ≥ 3.12", "Written <by> the run."]
    shown += [
        "github.com/hiaac-finance/p2ce at 67fd848",
        "paper 0.171 ± 0.107",
        "Costs are divided by the worst",
    ]
    shown += ["Left out: the data sets German Credit and Taiwan, by --data.", "--data adult"]
    assert [each for each in shown if each not in page.text] == []
    assert all(each["topic"] in page.text for each in text["differences"])
    summary = pd.read_csv(tmp_path / "results" / "summary.csv")
    assert len(summary) == len(json.loads((tmp_path / "results" / "summary.json").read_text("utf-8")))
    drawn = [tmp_path / "figures" / f"{kind}-{experiment}" for kind, experiment in figures.FIGURES]
    for path in drawn:
        assert path.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
        for name in (f"{path.name}.svg", f"{path.name}-narrow.svg"):
            assert ElementTree.parse(path.with_name(name)).getroot().tag.endswith("svg")


def test_the_page_opens_with_the_verdicts_and_a_row_for_every_system_and_hides_the_rest(
    tmp_path: Path,
) -> None:
    rows = whole_run(people=2, data=("adult",))
    rows |= {
        name: [row for row in rows[name] if row["method"] in names.OURS] for name in ("people", "answers")
    }
    tiny(tmp_path, **rows)
    page = results_markdown(tmp_path)
    first, details = page.split("\n## Details\n")
    for fact in ("2026-11-01", "0123abc", "Made-up CPU, 2 cores"):
        assert fact in first
    text = numbers.text()
    for each in (*text["claims"].values(), *text["checks"].values()):
        assert f"\n| {each['name']} | " in first
    for method, name in names.METHODS.items():
        (row,) = re.findall(rf"^\| \**{re.escape(name)}\** \| (.+?) \|", first, flags=re.MULTILINE)
        assert (row == "not run") == (method not in names.OURS)
        assert f"{name} | not run |" in details or method in names.OURS
        assert details.count(f" {name} (not run) |") == (method not in names.OURS)
    # All of the rest is in closed blocks, and none of them is inside of another.
    outside = re.sub(
        r"<details markdown>\n<summary>.+?</summary>\n.*?</details>", "", details, flags=re.DOTALL
    )
    assert not outside.strip()


def test_the_page_names_no_folder_of_a_machine(tmp_path: Path) -> None:
    rows = whole_run(people=1, data=("taiwan",))
    said = "FileNotFoundError: '/home/ada/checkouts/p2ce/cfmining/algorithms.py', 1/3 of 2 / 4"
    rows["people"][-1] |= {"error": said, "method": "nice"}
    rows["missing"] = [row | {"reason": f"the program did not start: {said}"} for row in rows["missing"]]
    command = "python -m reproduction --trials 25 --authors {} --seeds 2"
    results = tiny(tmp_path, **rows, run=RUN | {"command": command.format("/tmp/authors")})
    for template in ("results.md.jinja", "page.html.jinja"):
        page = render(template, results)
        assert command.format("PATH") in page
        assert not re.search("/tmp|/home|ada", page)
        assert page.count("…/algorithms.py") == 2
        assert "1/3 of 2 / 4" in page
    for path in ("/tmp/authors", "'/home/ada lovelace/authors'", "PATH"):
        assert command_of({"command": command.format(path)}) == command.format("PATH")
    assert command_of({"command": "python -m reproduction --authors=/tmp/x"}).endswith("--authors=PATH")


def test_no_text_of_a_run_becomes_markup(tmp_path: Path) -> None:
    cell = {"experiment": "three", "data": HOSTILE, "model": HOSTILE, "method": HOSTILE}
    row = person(0, **cell, status=HOSTILE, error=HOSTILE, values=json.dumps({HOSTILE: 1, "other": 2}))
    given = answer(0, **cell, broken=HOSTILE, allowed=False, values=json.dumps({HOSTILE: 3}))
    run = dict.fromkeys(("command", "date", "machine", "reference_point"), HOSTILE)
    run |= {"left_out": [HOSTILE], "versions": {HOSTILE: HOSTILE}}
    missing = [{**cell, "seed": 0, "reason": HOSTILE}]
    studies = [study(HOSTILE, "mlp", 1, parameters=HOSTILE)]
    tiny(tmp_path, [row], [given], missing=missing, studies=studies, run=run)
    written, text = write_report(tmp_path).read_text("utf-8"), results_markdown(tmp_path)
    assert "script" not in Page(written).tags
    assert "<script" not in written + text
    assert "alert('1')" in Page(written).text
    check_tables(text)


def test_a_run_that_wrote_nothing_has_a_page_and_no_verdict_but_a_counterexample(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"python -m reproduction --quick"):
        write_report(tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "people.csv").write_text("")
    page = Page(write_report(tmp_path).read_text("utf-8"))
    assert "not testable" in page.text
    assert "not measured" in page.text
    assert "Everything was run." in page.text
    check_tables(results_markdown(tmp_path))
    judged = {name for name in CLAIMS if verdict_of(read_results(tmp_path), name).state != "open"}
    assert judged == {"exact_with_trees"}


def test_gaps_everywhere_are_coped_with(tmp_path: Path) -> None:
    rows = whole_run(people=4, data=("german",))
    for table in (rows["people"], rows["answers"]):
        for place, row in enumerate(table):
            for column, name in enumerate(list(row)[6:]):
                row[name] = None if (place + column) % 7 == 0 else row[name]
    tiny(tmp_path, **rows, run={"quick": True, "settings": {"people": 5, "split": "code", "rows": 6000}})
    page = Page(write_report(tmp_path).read_text("utf-8"))
    assert "prove nothing" in page.text
    assert "python -m reproduction --quick --split code" in page.text
    assert "This run follows the other, because of --split code." in page.text
    assert command_of({"command": "python -m reproduction -x"}) == "python -m reproduction -x"
    check_tables(results_markdown(tmp_path))


@pytest.mark.parametrize("name", COLUMNS)
def test_a_missing_column_is_an_error_that_names_it(tmp_path: Path, name: str) -> None:
    tiny(tmp_path, **whole_run(people=1, data=("taiwan",)))
    path = tmp_path / "results" / f"{name}.csv"
    whole = pd.read_csv(path)
    for column in whole.columns:
        whole.drop(columns=column).to_csv(path, index=False)
        with pytest.raises(ValueError, match=f"column '{column}' in {name}.csv"):
            read_results(tmp_path)


def test_a_summary_of_three_people_by_hand(tmp_path: Path) -> None:
    none = {"best_cost": None, "answers": 0, "status": "NO_RECOURSE", "front_is_true": False}
    people = [
        person(0, seconds_alone=1.0, seconds=0.5),
        person(1, seconds_alone=2.0, seconds=0.5, best_cost=0.3),
    ]
    people += [person(2, seconds_alone=6.0, seconds=0.5, **none)]
    wrong = {"valid": False, "outlier": True, "on_grid": False}
    answers = [answer(0, outlier=True), answer(1), answer(1, answer=1, **wrong)]
    row = tiny(tmp_path, people, answers).summary.iloc[0]
    expected = {"requested": 3, "people": 3, "answered": 2, "given": 3, "answers": 2, "answered_share": 2 / 3}
    expected |= {"answers_per_person": 2 / 3, "cost_mean": 0.2, "cost_low": nan, "seconds_high": nan}
    expected |= {"seconds_in_batch": 0.5, "seconds_median": 2.0, "seconds_mean": 3.0, "cells": 20, "calls": 1}
    expected |= {"explanations": 0, "nodes": 10, "fronts_true": 2, "fronts_checked": 3, "outliers": 0.5}
    expected |= {"fronts_low": wilson(2 / 3, 3)[0], "outliers_high": wilson(0.5, 2)[1], "invalid": 1}
    expected |= {"not_allowed": 0, "implausible": 0, "off_grid": 1}
    assert {name: row[name] for name in expected} == pytest.approx(expected, nan_ok=True)
    assert row["statuses"].replace("\N{NO-BREAK SPACE}", " ") == "2 OPTIMAL, 1 NO_RECOURSE"


def test_means_over_seeds_have_students_interval(tmp_path: Path) -> None:
    # Seeds of 2, 1 and 1 people: each seed counts once, however many people it has.
    people = [person(0, best_cost=0.1), person(1, best_cost=0.3)]
    people += [person(1000 * seed, seed=seed, best_cost=cost) for seed, cost in ((1, 0.3), (2, 0.4))]
    row = tiny(tmp_path, people).summary.iloc[0]
    half = 4.302653 * 0.1 / np.sqrt(3)  # t with two degrees of freedom
    assert (row["people"], row["seeds"]) == (4, 3)
    assert list(row[["cost_mean", "cost_low", "cost_high"]]) == pytest.approx([0.3, 0.3 - half, 0.3 + half])


def test_rows_are_compared_on_the_same_people_and_gaps_count(tmp_path: Path) -> None:
    people = [person(0, best_cost=0.1), person(1, best_cost=0.5, seconds=None, seconds_alone=0.3)]
    people += [person(0, method="nice", seconds_alone=None), person(1, method="nice", best_cost=None)]
    people += [person(0, experiment="three", hypervolume=0.6, hypervolume_grid=0.8)]
    people += [person(1, experiment="three", answers=0, best_cost=None)]
    answers = [answer(0, answer=number, outlier=True, outlier_axis_parallel=True) for number in range(9)]
    answers += [answer(1), answer(2, valid=False, outlier=True)]
    answers += [answer(0, method="nice", valid=None, allowed=None, plausible=None, on_grid=None)]
    results = tiny(tmp_path, people, answers)
    summary = results.summary.set_index(["experiment", "method"])
    assert summary["cost_of_proven"].tolist() == pytest.approx([0.3, 0.1, 0.1])
    assert summary["seconds_in_batch"].notna().tolist() == [True, False, True]
    three = summary.loc["three", "proven"]
    assert (three["hypervolume_mean"], three["hypervolume_grid_mean"]) == pytest.approx((0.3, 0.4))
    proven = summary.loc["one", "proven"]
    assert (proven["outliers"], proven["outliers_axis_parallel"]) == (
        0.5,
        0.5,
    )  # of all answers it would be 0.9
    # An answer of which nothing is said counts as wrong.
    silent = broken_by_kind(results.answers, []).set_index("method").loc["nice"]
    for row in (summary.loc["one", "nice"], silent):
        assert (row["invalid"], row["not_allowed"], row["implausible"], row["off_grid"]) == (1, 1, 1, 1)


def test_published_figures_are_the_papers() -> None:
    adult = published("inlierness", "adult", "logistic", "p2ce")
    assert (adult["published_cost"], adult["published_outliers"], adult["published_seconds_sd"]) == (
        0.171,
        0.02,
        3.1,
    )
    german = published("three", "german", "mlp", "dice-random")
    assert (german["published_hypervolume"], german["published_seconds"]) == (0.24, 0.23)
    assert german == pytest.approx(published("three", "german", "mlp", "dice-genetic"), nan_ok=True)
    for key in (("inlierness", "adult", "logistic", "proven"), ("one", "german", "mlp", "p2ce")):
        assert np.isnan(list(published(*key).values())).all()  # the figure is not in the paper's source


def test_intervals_by_hand() -> None:
    # 5 of 50: centre (0.1 + z²/100) / (1 + z²/50), with z² = 3.8415
    assert wilson(0.1, 50) == pytest.approx((0.0434752, 0.2136025), abs=1e-6)
    assert wilson(0.0, 50) == pytest.approx((0.0, 0.0713476), abs=1e-6)
    assert wilson(1.0, 50) == pytest.approx((1 - 0.0713476, 1.0), abs=1e-6)
    assert np.isnan([*wilson(nan, 50), *wilson(0.5, 0)]).all()
    # Newcombe 1998, Table II, case (a): 56/70 − 48/80 by method 10
    assert difference(56 / 70, 70, 48 / 80, 80) == pytest.approx((0.0524, 0.3339), abs=1e-4)


def test_broken_constraints_are_counted_once_per_kind(tmp_path: Path) -> None:
    broken = ["immutable: Age; immutable: Sex; changes: 5 > 3", "range: LoanAmount", ""]
    answers = [answer(number, broken=text, allowed=not text) for number, text in enumerate(broken)]
    row = broken_by_kind(tiny(tmp_path, [], answers).answers, ["immutable"]).iloc[0]
    assert (row["given"], row["not_allowed"], row["only_changes"]) == (3, 2, 0)
    assert [name for name in row.index if name.startswith("kind")] == [
        f"kind: {kind}" for kind in ("immutable", "changes", "range")
    ]
    assert row.filter(like="kind: ").tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (numbers.seconds(0.0000123), "12 µs"),
        (numbers.seconds(0.9999), "1.00 s"),
        (numbers.seconds(118.51), "119 s"),
        (numbers.seconds_within(0.0123, -0.001, 0.2), "12.3 [0.00–200] ms"),
        (numbers.within(0.116, 0.1101, 0.1222), "0.116 [0.110–0.122]"),
        (numbers.count(4.93) + numbers.count(1250.4), "4.91,250"),
        (numbers.share_within(0.04, 0.011, 0.135), "4.0 [1–14]"),
        (numbers.points(-0.105) + numbers.points(0.0), "−10.50.0"),
        (numbers.of(0, 0) + numbers.number(nan), "––"),
        (numbers.value(7520.0) + numbers.value(0.123456) + numbers.value(True), "75200.1235True"),
    ],
)
def test_numbers_are_written_for_people(written: str, expected: str) -> None:
    assert written == expected


@pytest.mark.parametrize(
    ("holds", "state"),
    [([True, True], "holds"), ([True, False], "partly"), ([False], "fails"), ([None], "open"), ([], "open")],
)
def test_the_state_follows_the_cases(holds: list[bool | None], state: str) -> None:
    words = {"name": "n", "where": "w", "claim": "c", "columns": ["a"], "says": "s", "cause": "because"}
    cases = [Case("x", ["1"], each) for each in holds]
    verdict = judge(words, "claims", cases, {})
    assert (verdict.state, verdict.cause) == (state, "" if state == "open" else "because")
    if state == "partly":
        assert verdict.state_in_words == "reproduced in 1 of 2"
        assert judge(words | {"needed": 1}, "claims", cases, {}).state == "holds"


def both(methods: dict[str, dict[str, Any]], **cell: Any) -> tuple[Rows, Rows]:
    """Build two people for each method with these figures, and one counterfactual for each of them."""
    people, answers, of_answers = [], [], ("outlier", "plausible", "score", "allowed", "broken")
    for method, given in methods.items():
        mine = {name: value for name, value in given.items() if name in of_answers}
        theirs = {name: value for name, value in given.items() if name not in of_answers}
        for number in range(2):
            people.append(person(number, **cell, method=method, **theirs))
            cost = given.get("best_cost", 0.1)
            answers.append(answer(number, **cell, method=method, mean_distance=cost, **mine))
    return people, answers


FAST, SLOW = {"seconds_alone": 1.0, "nodes": 100}, {"seconds_alone": 2.0, "nodes": 400}
DICE = {"dice-free": {}, "dice-code": {"outlier": True}, "dice-genetic": {}}
TAIWAN = {"experiment": "three", "model": "mlp", "data": "taiwan"}


@pytest.mark.parametrize(
    ("claim", "cell", "methods", "state", "said"),
    [
        ("partial_test", LINEAR, {"p2ce": FAST, "p2ce-ablation": SLOW}, "holds", "25 % of the nodes"),
        (
            "partial_test",
            LINEAR,
            {"p2ce": FAST, "p2ce-ablation": SLOW},
            "holds",
            "10.0 ms with it and 5.00 ms",
        ),
        ("partial_test", LINEAR, {"p2ce": SLOW, "p2ce-ablation": FAST}, "fails", ""),
        (
            "lowest_cost",
            TREES,
            {"p2ce": {"best_cost": 0.3}, "mapocam": {"best_cost": 0.2}},
            "fails",
            "for 2 of",
        ),
        (
            "lowest_cost",
            TREES,
            {"p2ce": {"best_cost": 0.3}, "mapocam": {"best_cost": 0.2, "plausible": False}},
            "fails",
            "2 of its 2 cheaper counterfactuals are implausible",
        ),
        ("nothing_is_lost", NETWORK, {"p2ce": {}, "p2ce-ablation": {}}, "holds", "in 1 of 1 cells"),
        (
            "nothing_is_lost",
            NETWORK,
            {"p2ce": {"front_is_true": False}, "p2ce-ablation": {"front_is_true": False}},
            "fails",
            "without it, 2/2 of the fronts missed",
        ),
        ("table_1", LINEAR | {"data": "adult"}, {"p2ce": {}, "mapocam": {"outlier": True}}, "holds", ""),
        ("table_1", LINEAR | {"data": "adult"}, {"p2ce": {"outlier": True}, "mapocam": {}}, "fails", "Adult"),
        ("fewer_than_5", NETWORK, {"p2ce": {"outlier": True}}, "fails", "1 of these 1 are below 5 %"),
        (
            "dice",
            TAIWAN,
            DICE,
            "fails",
            "includes 0 in 1 of 1 cells. Nearest to the paper is DiCE (random, no",
        ),
        ("nice_is_competitive", NETWORK, {"p2ce": {"best_cost": None}, "nice": {}}, "open", ""),
        ("best_fronts", NETWORK, {"proven": {}, "p2ce": {}}, "holds", "2 of 2 proven fronts"),
        ("best_fronts", NETWORK, {"proven": {"front_is_true": False}}, "fails", ""),
        ("best_fronts", NETWORK, {"proven": {"best_cost": 0.5}, "p2ce": {}}, "fails", "2 of 2 people"),
        ("best_fronts", NETWORK, {"proven": {"front_is_true": None}}, "open", ""),
        ("nothing_broken", {}, {"p2ce": {}, "mapocam": {"plausible": False}}, "holds", ""),
        (
            "nothing_broken",
            {},
            {"p2ce": {}, "nice": {"allowed": False, "broken": "changes: 5 > 3"}},
            "holds",
            "2 not allowed (2 of these only",
        ),
        ("nothing_broken", {}, {"p2ce": {"plausible": False}, "proven": {}}, "partly", ""),
    ],
)
def test_a_claim_holds_or_fails_as_the_rows_say(
    tmp_path: Path, claim: str, cell: dict[str, str], methods: dict[str, Any], state: str, said: str
) -> None:
    verdict = verdict_of(tiny(tmp_path, *both(methods, **cell)), claim)
    assert verdict.state == state
    assert said in f"{verdict.says} {verdict.cause}"


def test_a_hard_person_with_a_result_from_one_method_decides_nothing(tmp_path: Path) -> None:
    people, answers = both({"p2ce": {}}, **TREES)
    people[1]["best_cost"] = 0.9
    people.append(person(0, **TREES, method="mapocam", best_cost=0.2))
    answers.append(answer(0, **TREES, method="mapocam", mean_distance=0.2))
    assert verdict_of(tiny(tmp_path, people, answers), "lowest_cost").state == "holds"


def test_unfinished_people_count_with_their_limit(tmp_path: Path) -> None:
    cell = {"experiment": "three", "model": "mlp", "hypervolume": 0.5, "hypervolume_grid": 0.5}
    people = [
        person(n, **cell, method=m, seconds_alone=s) for m, s in (("p2ce", 1), ("mapocam", 9)) for n in (0, 1)
    ]
    people[-1] |= {"status": "TIME_LIMIT", "front_is_true": None, "best_cost": None, "answers": 0}
    results = tiny(tmp_path, people)
    (case,) = verdict_of(results, "faster_than_mapocam").cases
    assert (case.figures[1], case.holds) == ("2, 1 not finished", True)
    row = results.summary.set_index("method").loc["mapocam"]
    assert (row["people"], row["finished"], row["fronts_checked"]) == (2, 1, 1)


def test_the_toy_is_judged_by_what_was_drawn(tmp_path: Path) -> None:
    results = tiny(tmp_path, [person(0)])
    assert verdict_of(results, "toy").state == "open"
    written = {"mapocam": {"distance": 1.0, "outlier": True}, "p2ce": {"distance": 2.0, "outlier": False}}
    (tmp_path / "results" / "toy.json").write_text(json.dumps(written), encoding="utf-8")
    assert verdict_of(results, "toy").state == "holds"


def test_every_claim_has_its_words_and_is_judged_in_a_whole_run(tmp_path: Path) -> None:
    assert set(CLAIMS) == {*numbers.text()["claims"], *numbers.text()["checks"]}
    results = tiny(tmp_path, **whole_run(people=6, seeds=2))
    assert {verdict.name for verdict in claims(results) if verdict.state == "open"} <= {
        "The nearest solution is an outlier, and that of P²CE is not",
        "Significantly fewer outliers than MAPOCAM with the MLP",
    }
    assert [verdict.state for verdict in claims(results, "checks")] == ["holds", "holds"]


def test_tables_show_times_volumes_failures_and_an_example(tmp_path: Path) -> None:
    people = [person(number, seconds_alone=0.002 + number / 1000) for number in range(3)]
    people += [person(0, method="nice", seconds=0.004, seconds_alone=None)]
    three = {"experiment": "three", "hypervolume": 0.5, "hypervolume_grid": 0.3}
    people += [person(0, method="p2ce", **three)]
    failed = {"best_cost": None, "answers": 0, "status": "NOTHING"}
    people += [person(n, data="adult", method="dice-random", error="None found.", **failed) for n in range(2)]
    people += [
        person(0, data="adult", method="nice", error="x" * 999, **failed),
        person(0, error="ours", **failed),
    ]
    results = tiny(tmp_path, people)
    main, further = experiment_tables(results, "one")
    proven = main.frame[main.frame["Study"].str.startswith("German")].set_index("Method").loc["p2ce"]
    assert (proven["Time, mean"], proven["Model calls"], proven["Cells evaluated"]) == (
        "2.75 ms",
        "1.0",
        "20",
    )
    assert (proven["True fronts [95 %]"], proven["People with a result"]) == ("4/4 [51–100]", "0/4")
    assert further.frame.set_index("Method").loc["p2ce", "In a batch"].tolist() == ["1.00 ms", "not run"]
    three = experiment_tables(results, "three")[0].frame.set_index("Method")["People with a result"]
    assert set(three[three != "not run"].index) == {"P²CE (paper)"}
    volumes = experiment_tables(results, "three")[0].frame.set_index("Method").loc["P²CE (paper)"]
    assert (volumes["Hypervolume"], volumes["Hypervolume"].beside) == ("0.500", "paper 0.52 ± 0.12")
    assert (volumes["By the grid"], volumes["By the grid"].beside) == ("0.300", "")
    said = failures_table(results).frame.to_numpy().tolist()
    assert said[0] == ["DiCE (random)", "None found.", "2"]
    assert (said[1][0], len(said[1][1]), len(said)) == ("NICE", 300, 2)


@pytest.mark.parametrize("known", [True, False])
def test_the_example_is_the_first_person_with_results_from_most_methods(tmp_path: Path, known: bool) -> None:
    cell, other = ({"experiment": "three", "data": data, "model": "mlp"} for data in ("adult", "german"))
    answers = [answer(0, **cell)]
    for number in (1, 2):
        for method in ("proven", "mapocam"):  # u(x) is the method's own detector
            values = json.dumps({"age": 30, "loan": 2.5 if method == "mapocam" else 1})
            plausible = method == "proven"
            answers.append(answer(number, **cell, method=method, plausible=plausible) | {"values": values})
    answers += [answer(0, **other, method=method) for method in ("proven", "mapocam", "nice")]
    unknown = {} if known else {"values": "", "score": None}
    table = example_table(tiny(tmp_path, [person(n, **cell, **unknown) for n in range(3)], answers))
    assert table is not None
    assert table.caption == "One person of Adult, MLP (row 101)"
    assert table.columns == ["Counterfactual", "loan", "u(x)", "f(x)", "Judge"]  # age is as it was
    (today, *found) = table.frame.to_numpy(object).tolist()
    assert today == ["The person", "–", "4" if known else "–", "–", "0.30" if known else "–", "–"]
    assert found == [["MAPOCAM", "1", "2.5", "1", "0.52", "0"], ["p2ce", "1", "1", "0", "0.52", "0"]]
    assert found[0][2].kind == ("strong" if known else "")


def test_figures_show_what_the_rows_hold(tmp_path: Path) -> None:
    people = [person(n, best_cost=n / 100, seconds_alone=(n + 1) / 1000) for n in range(101)]
    people += [person(200, method="nice", best_cost=None)]
    ((title, panel),) = figures.scatter_panels(tiny(tmp_path, people), "scatter", "one").items()
    assert (title, list(panel.index)) == ("German Credit, LightGBM", ["proven"])  # NICE has no result
    expected = {"cost_low": 0.05, "cost": 0.5, "cost_high": 0.95, "time_low": 0.006, "time": 0.051}
    assert panel.loc["proven", list(expected)].to_dict() == pytest.approx(expected)
    cell = {"experiment": "three", "model": "mlp"}
    people = [person(0, method=method, **cell) for method in ("p2ce", "nice")]
    people += [person(0, method="proven", data="adult", **cell)]
    answers = [answer(0, method="p2ce", outlier=True, **cell), answer(0, data="adult", **cell)]
    results = tiny(tmp_path, people, answers)
    german, adult = figures.bar_panels(results, "outliers", "three").values()
    assert list(german.index) == ["p2ce", "proven", "nice"]
    assert german.loc["p2ce", ["value", "paper", "high"]].tolist() == [100.0, 5.0, 100.0]
    assert german.loc["p2ce", "low"] == pytest.approx(20.65, abs=0.01)  # Wilson's interval of 1 in 1
    assert german["note"].tolist()[1:] == ["not run", "no result"]
    assert adult.loc["proven", "value"] == 0.0
    for name in ("one", "two"):
        figures.save_figure("outliers", {"German": german}, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_every_method_has_a_look_of_its_own_and_old_figures_are_removed(tmp_path: Path) -> None:
    assert set(figures.LOOKS) == set(names.METHODS)
    assert len({look[0] for look in figures.LOOKS.values()}) == len(
        {look[1] for look in figures.LOOKS.values()}
    )
    results = tiny(tmp_path)
    (tmp_path / "figures").mkdir()
    for name in ("scatter-one.svg", "toy.svg"):
        (tmp_path / "figures" / name).write_text("<svg/>")
    assert figures.draw_figures(results) == []
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["toy.svg"]
