"""The data of changes holds every option's new values, today's, and the population behind them."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument
from p2ce.present.charts.change_data import ChangeData, FeatureChanges, change_data
from p2ce.present.wording import wording_of
from p2ce.result import Explanation
from p2ce.result.problem_record import Distribution
from tests.present.cases import housed
from tests.present.charts.examples import PURPOSES, explained, front, labels, loan, many_labels, option
from tests.present.charts.examples import problem as policy

values = st.none() | st.booleans() | st.integers(-10, 10) | st.floats() | st.text(max_size=5)
numbers = st.none() | st.floats(allow_infinity=False) | st.integers(-(10**6), 10**6)
spreads = st.sampled_from(
    [
        None,
        Distribution(),
        Distribution(missing=1.0),
        Distribution(edges=(0.0, 1.0, 2.0), shares=(0.5, 0.3), missing=0.2),
        Distribution(edges=(3.0, 3.0), shares=(1.0,)),
        labels({"a": 0.6, "b": 0.3}, other=0.1),
        labels({0: 0.6, 1: 0.4}),
        labels(dict.fromkeys("abcdefghijkl", 0.08), missing=0.04),
    ]
)


def collected(explanation: Explanation, options: Any = None) -> ChangeData:
    return change_data(explanation, wording_of(explanation), options)


def feature(explanation: Explanation, column: str) -> FeatureChanges:
    return next(one for one in collected(explanation).features if one.axis.column == column)


@given(
    numbers | values,
    st.lists(numbers | values, min_size=1, max_size=4),
    spreads,
    st.sampled_from(["number", "whole", "binary", "category"]),
)
def test_whatever_the_values_all_marks_lie_in_the_frame(
    today: Any, new: list[Any], spread: Distribution | None, kind: str
) -> None:
    options = [option(0.1, {"x": today}, x=one) for one in new]
    given = policy(x={"kind": kind, "distribution": spread})
    (found,) = collected(explained(*options, given=given, person={"x": today})).features
    assert len(found.marks) == len(new)
    assert all(0.0 <= mark.place <= 1.0 and mark.text for mark in (found.today, *found.marks))
    assert all(0.0 <= tick.place <= 1.0 and tick.text for tick in found.axis.ticks)
    for bar in found.axis.bars:
        assert 0.0 <= bar.begin <= bar.end <= 1.0
        assert 0.0 <= bar.height <= 1.0


def test_the_text_is_the_verified_rounding_at_the_place_of_the_option() -> None:
    exact = option(0.1, Rate=0.087499)
    (said,) = feature(explained(replace(exact, rounded={"Rate": 0.0875})), "Rate").marks
    (full,) = feature(explained(exact), "Rate").marks
    assert said.text.startswith("8.75")
    assert said.place == full.place


def test_a_missing_value_has_a_slot_beside_the_numbers() -> None:
    income = feature(loan(), "Income")
    assert sum(bar.size for bar in income.axis.bars) == pytest.approx(1.0)
    assert income.today.place > income.axis.edges[1] > income.axis.end > income.marks[2].place


def test_values_far_outside_are_put_on_the_edge_and_the_note_says_so() -> None:
    far = feature(many_labels(), "Far")
    assert [(mark.place, mark.outside) for mark in (far.today, far.marks[0])] == [
        (0.0, "below"),
        (1.0, "above"),
    ]
    assert far.marks[1].outside == ""
    assert "edge" in collected(many_labels()).note


def test_of_many_labels_those_that_matter_are_kept_in_their_order() -> None:
    purpose = feature(many_labels(), "Purpose").axis
    assert len({tick.text for tick in purpose.ticks}) == len(purpose.ticks) <= 8
    assert {PURPOSES[17], PURPOSES[1], None} <= set(purpose.slots)
    assert list(feature(many_labels(), "Grade").axis.slots) == ["A", "B", "C", "D"]
    assert list(feature(loan(), "HasGuarantor").axis.slots) == [False, True]


def test_options_are_picks_or_those_that_are_named() -> None:
    explanation = front(60, 3)
    picks = explanation.pick(3)
    for options, expected in (
        (None, [pick.number for pick in picks]),
        ([60, 2, 60], [60, 2]),
        (picks[:1], [1]),
    ):
        assert [one.number for one in collected(explanation, options).options] == expected
    assert collected(explanation).note.startswith("3 of 60")
    for wrong in ([0], [4], ["1"], [True], [], [1.0]):
        with pytest.raises(InvalidArgument, match="options"):
            collected(loan(), wrong)


def test_a_category_of_several_columns_has_one_axis() -> None:
    explanation = housed()
    assert explanation.problem is not None
    features = dict(explanation.problem.features)
    for name, share in {"Home_own": 0.3, "Home_rent": 0.2, "Home_free": 0.5}.items():
        features[name] = replace(features[name], distribution=labels({0: 1.0 - share, 1: share}))
    known = replace(explanation, problem=replace(explanation.problem, features=features))
    home = feature(known, "Home")
    assert (home.today.text, [mark.text for mark in home.marks]) == ("rented", ["free", "own"])
    assert [bar.size for bar in home.axis.bars] == pytest.approx([0.5, 0.3, 0.2])
