"""The report on many people has everybody in it, links that lead somewhere, and a bounded size."""

import time
from dataclasses import replace

import pytest

from p2ce.errors import InvalidArgument
from p2ce.present.report import to_html
from p2ce.result import Explanations, Status
from tests.present.report.checker import checked
from tests.present.report.examples import WHY, answer, many, no_recourse
from tests.present.report.test_html_page import AUDIENCES


@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("language", ["en", "pt", "es"])
def test_everybody_has_a_row_and_a_section(audience: str, language: str) -> None:
    labels = [f"A-{place:04}" for place in range(25)]
    page = checked(to_html(many(25, labels=labels), audience=audience, language=language))
    for label in labels:
        assert page.text.count(label) == 2
    assert len(page.links) == len([one for one in page.ids if one.startswith("person-")]) == 25


def test_large_portfolios_keep_the_file_small_and_say_so() -> None:
    text = to_html(many(1_000))
    page = checked(text)
    assert "Full sections only for the first 50 of 1,000 people" in page.text
    assert len(page.links) == 50
    assert sum(name == "tr" for name, _ in page.tags) > 1_000
    assert len(text) < 900_000


def test_two_hundred_people_are_all_in_full() -> None:
    page = checked(to_html(many(200)))
    assert len(page.links) == 200
    assert "Full sections only" not in page.text


def test_ten_thousand_people_take_seconds_and_megabytes() -> None:
    people = many(10_000)
    began = time.perf_counter()
    text = to_html(people, audience="officer")
    assert time.perf_counter() - began < 20  # about two on a desk
    assert len(text) < 4_000_000


def test_no_label_becomes_an_id() -> None:
    page = checked(to_html(many(3, labels=['"><b>', "a b", "a b"])))
    assert page.ids == ["person-1", "person-2", "person-3"]


def test_what_cannot_be_hashed_may_be_a_label() -> None:
    checked(to_html(many(1, labels=[["a"]])))


def test_why_is_looked_up_by_label() -> None:
    people = Explanations([no_recourse(), answer()], labels=["ann", "bob"])
    assert "An option exists if restrictions are relaxed" in checked(to_html(people, why={"ann": WHY})).text
    assert "An option exists if restrictions are relaxed" not in checked(to_html(people)).text
    with pytest.raises(InvalidArgument, match="dict from their labels"):
        to_html(people, why=WHY)


def test_a_report_on_nobody_says_so() -> None:
    assert "There are no people in this report." in checked(to_html(Explanations([]))).text


def test_people_without_any_cost_have_no_charts() -> None:
    error = replace(answer(), status=Status.ERROR, counterfactuals=(), objectives=(), person_score=None)
    page = checked(to_html(Explanations([error] * 3)))
    assert "svg" not in [name for name, _ in page.tags]


def test_people_of_two_explainers_share_no_policy() -> None:
    one = answer()
    assert one.question is not None
    other = replace(one, question=replace(one.question, hashes={"model": "bb" * 32}))
    page = checked(to_html(Explanations([one, other])))
    assert "3f" * 32 in page.text
    assert "bb" * 32 in page.text
    assert "What was allowed to change" not in page.text
