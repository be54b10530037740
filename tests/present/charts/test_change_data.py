"""The data of changes holds every option's new values, today's, and the population behind them."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument
from p2ce.present.charts.change_data import change_data
from p2ce.present.report import to_html
from p2ce.result import Counterfactual
from p2ce.result.distribution import Distribution
from p2ce.result.question import Feature, Question
from tests.present.cases import housed
from tests.present.charts.examples import PURPOSES, answer, front, hostile, loan, many_labels, option

values = st.none() | st.booleans() | st.integers(-10, 10) | st.floats() | st.text(max_size=5)
numbers = st.none() | st.floats(allow_nan=True, allow_infinity=False) | st.integers(-(10**6), 10**6)
spreads = st.sampled_from(
    [
        None,
        Distribution(),
        Distribution(missing=1.0),
        Distribution(edges=(0.0, 1.0, 2.0), shares=(0.5, 0.3), missing=0.2),
        Distribution(edges=(3.0, 3.0), shares=(1.0,)),
        Distribution(labels=("a", "b"), shares=(0.6, 0.3), other=0.1),
        Distribution(labels=(0, 1), shares=(0.6, 0.4)),
        Distribution(labels=tuple("abcdefghijkl"), shares=(0.08,) * 12, missing=0.04),
    ]
)


@given(
    numbers | values,
    st.lists(numbers | values, min_size=1, max_size=4),
    spreads,
    st.sampled_from(["number", "whole", "binary", "category"]),
)
def test_whatever_the_values_all_marks_lie_in_the_frame(
    today: Any, new: list[Any], spread: Distribution | None, kind: str
) -> None:
    question = Question(features={"x": Feature(name="x", kind=kind, distribution=spread)})
    options = [
        Counterfactual(values={"x": one}, changes={"x": (today, one)}, costs={"changes": 1.0}, score=0.6)
        for one in new
    ]
    data = change_data(answer(*options, given=question, person={"x": today}))
    (feature,) = data.features
    assert len(feature.marks) == len(new)
    for mark in (feature.today, *feature.marks):
        assert 0.0 <= mark.place <= 1.0
        assert mark.text
    for bar in feature.frame.bars:
        assert 0.0 <= bar.begin <= bar.end <= 1.0
        assert 0.0 <= bar.height <= 1.0
        assert bar.text
    assert all(0.0 <= tick.place <= 1.0 and tick.text for tick in feature.frame.ticks)


def test_shares_of_the_population_add_up() -> None:
    for feature in change_data(loan()).features:
        assert sum(bar.share for bar in feature.frame.bars) == pytest.approx(1.0)
        assert max(bar.height for bar in feature.frame.bars) == 1.0


def test_names_units_and_values_are_those_of_the_display() -> None:
    data = change_data(loan())
    amount = data.features[0]
    assert (amount.column, amount.title, amount.today.text) == (
        "LoanAmount",
        "loan amount (EUR)",
        "7,500 EUR",
    )
    assert [mark.text for mark in amount.marks] == ["5,200 EUR", "2,500 EUR", "6,400 EUR"]
    guarantor = data.features[1]
    assert [mark.text for mark in guarantor.marks] == ["yes", "no change", "no change"]
    assert [mark.changed for mark in guarantor.marks] == [True, False, False]
    assert change_data(loan(), language="pt").features[0].today.text == "7.500 EUR"


def test_what_is_written_is_the_verified_rounding_at_the_place_of_the_option() -> None:
    exact = option({"changes": 1.0}, Rate=0.087499)
    rounded = Counterfactual(
        values=exact.values, changes=exact.changes, costs=exact.costs, score=0.6, rounded={"Rate": 0.0875}
    )
    (said,) = change_data(answer(rounded)).features[0].marks
    (full,) = change_data(answer(exact)).features[0].marks
    assert said.text == "8.75 %"
    assert said.place == full.place


def test_a_missing_value_has_a_slot_beside_the_numbers() -> None:
    income = next(one for one in change_data(loan()).features if one.column == "Income")
    assert income.frame.divider is not None
    assert income.today.text == "missing"
    assert income.today.place > income.frame.divider > income.marks[2].place


def test_values_far_outside_are_put_on_the_edge_and_say_so() -> None:
    data = change_data(many_labels())
    far = next(one for one in data.features if one.column == "Far")
    assert (far.today.place, far.today.outside, far.today.text) == (0.0, "below", "-1,000,000")
    assert (far.marks[0].place, far.marks[0].outside) == (1.0, "above")
    assert far.marks[1].outside == ""
    assert "edge" in data.note


def test_of_many_labels_those_that_matter_are_kept() -> None:
    purpose = next(one for one in change_data(many_labels()).features if one.column == "Purpose")
    assert len(purpose.frame.ticks) <= 8
    assert {PURPOSES[17], PURPOSES[1], None} <= set(purpose.frame.slots)
    assert len({tick.text for tick in purpose.frame.ticks}) == len(purpose.frame.ticks)
    assert purpose.frame.ticks[-1].text.startswith("others")


def test_labels_stand_in_their_columns_order_and_no_before_yes() -> None:
    grade = next(one for one in change_data(many_labels()).features if one.column == "Grade")
    assert [tick.text for tick in grade.frame.ticks] == ["A", "B", "C", "D"]
    guarantor = change_data(loan()).features[1]
    assert [tick.text for tick in guarantor.frame.ticks] == ["no", "yes"]


def test_of_a_large_front_three_picks_are_shown_with_a_note() -> None:
    data = change_data(front(60, 3))
    assert [one.number for one in data.options] == [pick.number for pick in front(60, 3).pick(3)]
    assert data.note == "3 of 60 options are shown."
    assert data.total == 60


def test_options_are_chosen_by_number_or_as_picks() -> None:
    explanation = front(60, 3)
    assert [one.number for one in change_data(explanation, [60, 2]).options] == [60, 2]
    picks = explanation.pick(2)
    assert [one.number for one in change_data(explanation, picks).options] == [one.number for one in picks]


@pytest.mark.parametrize("options", [[0], [4], ["1"], [True], [], [1.0]])
def test_options_that_are_none_are_rejected(options: list[Any]) -> None:
    with pytest.raises(InvalidArgument, match="options"):
        change_data(loan(), options)


def test_without_a_question_raw_names_and_values_are_shown() -> None:
    data = change_data(answer(option({"changes": 1.0}, LoanAmount=5200), question=None))
    assert data.features[0].title == "LoanAmount"
    assert data.features[0].frame.bars == ()
    assert not data.has_population


def test_hostile_names_are_kept_as_they_are() -> None:
    titles = [feature.name for feature in change_data(hostile()).features]
    assert "<script>alert(1)</script>$a$" in titles


def test_a_category_of_several_columns_has_one_frame() -> None:
    data = change_data(housed())
    home = next(feature for feature in data.features if feature.column == "Home")
    assert [feature.name for feature in data.features] == ["Home", "loan amount"]
    assert (home.title, home.today.text) == ("Home", "rented")
    assert [mark.text for mark in home.marks] == ["free", "own"]
    assert home.frame.kind == "category"
    spread = {"Home_own": (0, 1, 0.7), "Home_rent": (0, 1, 0.8), "Home_free": (0, 1, 0.5)}
    question = housed().question
    assert question is not None
    features = {
        name: replace(question.features[name], distribution=Distribution(labels=(0, 1), shares=(no, 1 - no)))
        for name, (_, _, no) in spread.items()
    }
    known = replace(housed(), question=replace(question, features={**question.features, **features}))
    frame = next(one for one in change_data(known).features if one.column == "Home").frame
    assert [bar.text for bar in frame.bars] == ["free: 50 %", "own: 30 %", "rented: 20 %"]
    assert "free" in to_html(known)
