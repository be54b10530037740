"""The report's figures are those that one gets by hand."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("benchmarks")  # not in a packed source

from benchmarks.paper.report import words
from benchmarks.paper.report.broken import broken_by_kind, kinds_of
from benchmarks.paper.report.intervals import difference, wilson
from benchmarks.paper.report.published import INLIERNESS, THREE, published
from benchmarks.paper.report.summaries import summarise
from tests.benchmarks.paper.tiny_results import answer, person, tiny


def test_a_summary_of_three_people_by_hand(tmp_path: Path) -> None:
    results = tiny(
        tmp_path,
        [
            person(0, seconds_alone=1.0, seconds=0.5, best_cost=0.1),
            person(1, seconds_alone=2.0, seconds=0.5, best_cost=0.3),
            person(
                2,
                seconds_alone=6.0,
                seconds=0.5,
                best_cost=None,
                answers=0,
                status="NO_RECOURSE",
                front_is_true=False,
            ),
        ],
        [answer(0, outlier=True), answer(1), answer(1, answer=1, valid=False, outlier=True, on_grid=False)],
    )
    row = summarise(results).iloc[0]
    assert (row["requested"], row["people"], row["answered"], row["given"], row["answers"]) == (3, 3, 2, 3, 2)
    assert row["answered_share"] == pytest.approx(2 / 3)
    assert row["answers_per_person"] == pytest.approx(2 / 3)
    assert row["cost_mean"] == pytest.approx(0.2)
    assert (row["seconds_in_batch"], row["seconds_median"], row["seconds_mean"]) == (0.5, 2.0, 3.0)
    assert np.isnan([row["cost_low"], row["seconds_high"]]).all()  # one seed has no interval
    assert (row["cells"], row["calls"], row["explanations"], row["nodes"]) == (20, 1, 0, 10)
    assert (row["fronts_true"], row["fronts_checked"]) == (2, 3)
    assert (row["fronts_low"], row["fronts_high"]) == pytest.approx(wilson(2 / 3, 3))
    assert row["outliers"] == 0.5  # the invalid answer's word does not count
    assert (row["outliers_low"], row["outliers_high"]) == pytest.approx(wilson(0.5, 2))
    assert (row["invalid"], row["not_allowed"], row["implausible"], row["off_grid"]) == (1, 0, 0, 1)
    assert row["statuses"].replace("\N{NO-BREAK SPACE}", " ") == "2 OPTIMAL, 1 NO_RECOURSE"


def test_means_over_seeds_have_students_interval(tmp_path: Path) -> None:
    # Seeds of 2, 1 and 1 people: each seed counts once, however many people it has.
    people = [person(0, best_cost=0.1), person(1, best_cost=0.3)]
    people += [person(1000 * seed, seed=seed, best_cost=cost) for seed, cost in ((1, 0.3), (2, 0.4))]
    row = summarise(tiny(tmp_path, people)).iloc[0]
    assert (row["people"], row["seeds"]) == (4, 3)
    assert row["cost_mean"] == pytest.approx(0.3)
    half = 4.302653 * 0.1 / np.sqrt(3)  # t with two degrees of freedom
    assert (row["cost_low"], row["cost_high"]) == pytest.approx((0.3 - half, 0.3 + half), abs=1e-6)


def test_costs_of_the_proof_are_those_of_the_same_people(tmp_path: Path) -> None:
    people = [person(0, best_cost=0.1), person(1, best_cost=0.5)]
    people += [person(0, method="nice", best_cost=0.2), person(1, method="nice", best_cost=None)]
    summary = summarise(tiny(tmp_path, people)).set_index("method")
    assert summary.loc["nice", "cost_of_proven"] == pytest.approx(0.1)
    assert summary.loc["proven", "cost_of_proven"] == pytest.approx(0.3)


def test_a_person_without_an_answer_has_no_volume_and_counts(tmp_path: Path) -> None:
    people = [
        person(0, experiment="three", hypervolume=0.6, hypervolume_grid=0.8),
        person(1, experiment="three", hypervolume=None, answers=0, best_cost=None),
    ]
    row = summarise(tiny(tmp_path, people)).iloc[0]
    assert row["hypervolume_mean"] == pytest.approx(0.3)
    assert row["hypervolume_grid_mean"] == pytest.approx(0.4)


def test_only_the_proof_is_timed_in_a_batch(tmp_path: Path) -> None:
    people = [
        person(0, seconds=0.1, seconds_alone=0.3),
        person(0, method="p2ce", seconds=0.4, seconds_alone=0.4),
        person(0, method="nice", seconds=0.2, seconds_alone=None),
        person(1, method="nice", seconds=None, seconds_alone=None, status="ERROR"),  # it crashed
    ]
    summary = summarise(tiny(tmp_path, people)).set_index("method")
    assert summary["seconds_median"].to_dict() == {"proven": 0.3, "p2ce": 0.4, "nice": 0.2}
    assert summary["seconds_in_batch"].dropna().to_dict() == {"proven": 0.1}


def test_a_share_of_outliers_is_the_mean_over_people(tmp_path: Path) -> None:
    answers = [answer(0, answer=number, outlier=True, outlier_axis_parallel=True) for number in range(9)]
    answers += [answer(1), answer(2, valid=False, outlier=True)]
    row = summarise(tiny(tmp_path, [person(number) for number in range(3)], answers)).iloc[0]
    assert (row["outliers"], row["outliers_axis_parallel"]) == (0.5, 0.5)  # of all answers it would be 0.9
    assert (row["outliers_low"], row["outliers_high"]) == pytest.approx(wilson(0.5, 2))


def test_an_answer_of_which_nothing_is_said_counts_as_wrong(tmp_path: Path) -> None:
    silent = answer(0, valid=None, allowed=None, plausible=None, on_grid=None)
    results = tiny(tmp_path, [person(0)], [silent])
    for row in (summarise(results).iloc[0], broken_by_kind(results).iloc[0]):
        assert (row["invalid"], row["not_allowed"], row["implausible"], row["off_grid"]) == (1, 1, 1, 1)


def test_intervals_of_one_persons_answers_count_the_person_once(tmp_path: Path) -> None:
    answers = [answer(0, answer=number, outlier=number == 0) for number in range(4)]
    row = summarise(tiny(tmp_path, [person(0, answers=4)], answers)).iloc[0]
    assert row["outliers"] == 0.25
    assert (row["outliers_low"], row["outliers_high"]) == pytest.approx(wilson(0.25, 1))


def test_a_method_with_no_answer_has_no_shares(tmp_path: Path) -> None:
    nobody = [
        person(0, method="nice", answers=0, best_cost=None, seconds=None, seconds_alone=None, status="ERROR")
    ]
    row = summarise(tiny(tmp_path, nobody)).iloc[0]
    assert (row["people"], row["answered"]) == (1, 0)
    assert np.isnan([row["cost_mean"], row["outliers"], row["outliers_low"], row["seconds_median"]]).all()


def test_nothing_at_all_is_an_empty_summary(tmp_path: Path) -> None:
    assert summarise(tiny(tmp_path)).empty


def test_published_figures_stand_beside_the_rows_that_the_paper_has(tmp_path: Path) -> None:
    cell = {"experiment": "inlierness", "data": "adult", "model": "logistic"}
    summary = summarise(
        tiny(tmp_path, [person(0, **cell, method="p2ce"), person(0, **cell, method="proven")])
    ).set_index("method")
    assert summary.loc["p2ce", "published_cost"] == 0.171
    assert summary.loc["p2ce", "published_outliers"] == pytest.approx(0.02)
    assert summary.loc["p2ce", "published_seconds_sd"] == 3.1
    assert np.isnan(summary.loc["proven", "published_cost"])


def test_the_papers_tables_are_complete() -> None:
    assert len(INLIERNESS) == 9
    assert len(THREE) == 18
    german = published("three", "german", "mlp", "dice-random")
    assert german is not None
    assert german == published("three", "german", "mlp", "dice-genetic")
    assert german.hypervolume is not None
    assert (german.hypervolume.mean, german.outliers, german.seconds.mean) == (0.24, 20, 0.23)
    assert published("one", "german", "mlp", "p2ce") is None  # its figure is not in the paper's source


def test_wilsons_interval_by_hand() -> None:
    # 5 of 50: centre (0.1 + z²/100) / (1 + z²/50), with z² = 3.8415
    assert wilson(0.1, 50) == pytest.approx((0.0434752, 0.2136025), abs=1e-6)
    assert wilson(0.0, 50) == pytest.approx((0.0, 0.0713476), abs=1e-6)
    assert wilson(1.0, 50) == pytest.approx((1 - 0.0713476, 1.0), abs=1e-6)
    assert np.isnan(wilson(float("nan"), 50)).all()
    assert np.isnan(wilson(0.5, 0)).all()


def test_newcombes_interval_by_hand() -> None:
    # Newcombe 1998, Table II, case (a): 56/70 − 48/80 by method 10
    assert difference(56 / 70, 70, 48 / 80, 80) == pytest.approx((0.0524, 0.3339), abs=1e-4)


def test_broken_constraints_are_counted_once_per_kind(tmp_path: Path) -> None:
    broken = ["immutable: Age; immutable: Sex; changes: 5 > 3", "range: LoanAmount", ""]
    answers = [
        answer(number, method="nice", broken=text, allowed=not text) for number, text in enumerate(broken)
    ]
    row = broken_by_kind(tiny(tmp_path, [], answers)).iloc[0]
    assert (row["given"], row["not_allowed"]) == (3, 2)
    assert [row[f"kind: {kind}"] for kind in ("immutable", "range", "changes")] == [1, 1, 1]
    assert "kind: whole" not in row  # no answer breaks it
    assert row["only_changes"] == 0  # the one with too many changes breaks more
    assert kinds_of("") == frozenset()


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (words.seconds(0.0000123), "12 µs"),
        (words.seconds(0.00234), "2.34 ms"),
        (words.seconds(0.9999), "1.00 s"),
        (words.seconds(118.51), "119 s"),
        (words.seconds_within(0.0123, -0.001, 0.2), "12.3 [0.00–200] ms"),
        (words.seconds_within(0.5, float("nan"), float("nan")), "500 ms"),
        (words.within(0.116, 0.1101, 0.1222), "0.116 [0.110–0.122]"),
        (words.within(0.116, float("nan"), float("nan")), "0.116"),
        (words.count(0.0), "0"),
        (words.count(4.93), "4.9"),
        (words.count(1250.4), "1,250"),
        (words.spread(0.093, 0.081), "0.093 ± 0.081"),
        (words.spread(0.093, float("nan")), "0.093"),
        (words.share_within(0.04, 0.011, 0.135), "4.0 [1–14]"),
        (words.points(-0.105), "−10.5"),
        (words.points(0.0), "0.0"),
        (words.of(0, 0), "–"),
        (words.value(7520.0), "7520"),
        (words.value(0.123456), "0.1235"),
        (words.value(True), "True"),
        (words.number(float("nan")), "–"),
    ],
)
def test_numbers_are_written_for_people(written: str, expected: str) -> None:
    assert written == expected
