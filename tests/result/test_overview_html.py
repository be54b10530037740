"""Notebooks show a small, escaped table, and build nobody who is not shown."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2ce.problem.display import Display
from p2ce.result import Counterfactual, Explanation, Explanations, Feature, Question, Status
from tests.present.cases import housed
from tests.result.examples import explanation, explanations

EMPTY = {"br"}
KNOWN = {"div", "p", "strong", "br", "table", "thead", "tbody", "tr", "th", "td"}


class Fragment(HTMLParser):
    """Markup, taken apart."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.shown: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in KNOWN
        assert {name for name, _ in attrs} <= {"style", "scope"}
        assert all("url" not in (value or "") for _, value in attrs)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.shown.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.shown).split())


def test_status_options_changes_and_proof_are_shown() -> None:
    text = Fragment(explanation()._repr_html_()).text
    assert text.startswith("OPTIMAL: 2 options for probability of 1 >= 0.5 (now 0.310)")
    assert "LoanAmount: 7,500 → 6,000" in text
    assert "HasGuarantor: no → yes" in text
    assert text.endswith("Proven: exact search over 1,234,567 cells, 2 points verified, 0 boxes open")


def test_a_category_of_several_columns_is_one_change() -> None:
    text = Fragment(housed()._repr_html_()).text
    assert "Home: rented → free" in text
    assert "Home_rent" not in text


def test_styles_of_displays_are_used() -> None:
    shown = {
        "LoanAmount": Feature(name="LoanAmount", display=Display(style="plain")),
        "Rate": Feature(name="Rate", display=Display(style="percent")),
        "HasGuarantor": Feature(name="HasGuarantor", kind="binary"),
    }
    changes = {"LoanAmount": (1998, 2001), "Rate": (0.5, 0.125), "HasGuarantor": (0, 1)}
    moved = (replace(explanation()[0], changes=changes),)
    text = Fragment(explanation(question=Question(features=shown), counterfactuals=moved)._repr_html_()).text
    assert "LoanAmount: 1998 → 2001" in text
    assert "Rate: 50 % → 12.5 %" in text
    assert "HasGuarantor: no → yes" in text


def test_the_score_is_that_of_the_row_that_is_reported() -> None:
    option = replace(explanation()[0], rounded={"LoanAmount": 6001}, rounded_score=0.5678, score=0.51)
    text = Fragment(explanation(counterfactuals=(option,))._repr_html_()).text
    assert "6,001" in text
    assert "0.568" in text


def test_display_names_are_used() -> None:
    amount = Feature(name="LoanAmount", display=Display(name="the loan amount", unit="EUR"))
    shown = explanation(question=Question(features={"LoanAmount": amount}))._repr_html_()
    assert "loan amount: 7,500 → 6,000 EUR" in Fragment(shown).text


@pytest.mark.parametrize("status", Status)
def test_every_status_is_shown(status: Status) -> None:
    answer = explanation(status=status, counterfactuals=(), message="Age is <missing>")
    text = Fragment(answer._repr_html_()).text
    assert text.startswith(status.value)
    assert ("Age is <missing>" in text) == (status is Status.ERROR)


def test_a_large_front_is_cut() -> None:
    answer = explanation()
    answer = replace(answer, counterfactuals=answer.counterfactuals * 40)
    assert "70 more options" in Fragment(answer._repr_html_()).text


def test_only_those_shown_are_built() -> None:
    built = []

    def build(place: int) -> Explanation:
        built.append(place)
        return explanation()

    text = Fragment(Explanations(10_000, build)._repr_html_()).text
    assert built == list(range(10))
    assert text.startswith("10,000 people")
    assert "9,990 more people" in text


def test_few_people_are_counted_by_status() -> None:
    people = Explanations([explanation(), explanation(status=Status.HEURISTIC)], labels=["ann", "<bob>"])
    text = Fragment(people._repr_html_()).text
    assert text.startswith("2 people: 1 HEURISTIC, 1 OPTIMAL")
    assert "<bob>" in text


def test_nobody_is_shown_too() -> None:
    assert Fragment(Explanations([])._repr_html_()).text == "0 people"


@settings(max_examples=100, deadline=None)
@given(answer=explanations())
def test_any_answer_at_all_is_sound(answer: Explanation) -> None:
    Fragment(answer._repr_html_())
    Fragment(Explanations([answer, answer])._repr_html_())


@settings(max_examples=100, deadline=None)
@given(
    text=st.text(st.sampled_from("<>&\"'/=!-[]?; \n\x00\u202eaA") | st.characters(codec=None), max_size=200)
)
def test_no_text_at_all_becomes_markup(text: str) -> None:
    option = Counterfactual(values={}, changes={text: (text, f"{text}!")}, costs={text: 1.0}, score=0.6)
    answer = explanation(counterfactuals=(option,), objectives=(text,), target=text, message=text)
    shown = answer._repr_html_() + Explanations([answer], labels=[text])._repr_html_()
    Fragment(shown)
    for hidden in ("\x00", "\u202e", "\n"):
        assert hidden not in shown
    Fragment(replace(answer, status=Status.ERROR)._repr_html_())
