"""The data of a front holds every option, and says which stand out and why."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument
from p2ce.present.charts.front_data import cost_scale, front_data
from p2ce.result import Explanation
from tests.present.charts.examples import OBJECTIVES, answer, front, loan, option

costs = st.floats(0.0, 1e12) | st.integers(0, 5).map(float)


@st.composite
def fronts(draw: st.DrawFn) -> Explanation:
    names = OBJECTIVES[: draw(st.integers(1, 5))]
    rows = draw(st.lists(st.tuples(*[costs for _ in names]), min_size=1, max_size=8))
    return answer(*[option(dict(zip(names, row, strict=True)), LoanAmount=5000) for row in rows])


@given(fronts(), st.sampled_from(["en", "pt", "es"]))
def test_every_option_has_its_place_on_every_axis(explanation: Explanation, language: str) -> None:
    data = front_data(explanation, language=language)
    assert [point.number for point in data.points] == list(range(1, len(explanation) + 1))
    for point in data.points:
        assert len(point.costs) == len(point.places) == len(point.texts) == len(data.axes)
        assert all(0.0 <= place <= 1.0 for place in (*point.places, *point.tight_places))
        assert all(point.texts)
    for axis in data.axes:
        assert axis.title
        assert axis.ticks
        assert all(0.0 <= tick.place <= 1.0 and tick.text for tick in (*axis.ticks, *axis.tight_ticks))


@given(fronts())
def test_ties_hide_no_option(explanation: Explanation) -> None:
    data = front_data(explanation)
    every = range(len(data.axes))
    assert sorted(one.number for group in data.ties(every) for one in group) == [
        point.number for point in data.points
    ]
    for group in data.ties(every):
        for axis in every:
            places = [point.places[axis] for point in group]
            assert max(places) - min(places) < 0.01


def test_picks_are_those_of_the_explanation_with_reasons_in_words() -> None:
    data = front_data(front(60, 3), language="es")
    assert [point.number for point in data.picks] == [pick.number for pick in front(60, 3).pick(3)]
    assert [point.pick for point in data.picks] == [0, 1, 2]
    assert all(point.why for point in data.picks)
    assert any("equilibrada" in data.legend_of(point) for point in data.picks)


def test_objectives_are_chosen_and_ordered() -> None:
    data = front_data(loan(), objectives=["changes", "mean_distance"])
    assert [axis.title for axis in data.axes] == ["number of changes", "overall change"]
    assert data.points[0].costs == (2.0, 0.12)
    assert data.pairs == ((0, 1),)
    assert [axis.objective for axis in front_data(loan(), objectives="changes").axes] == ["changes"]


def test_counts_have_whole_ticks_and_texts_in_the_language() -> None:
    data = front_data(loan(), language="pt")
    assert [tick.text for tick in data.axes[2].ticks] == ["0", "1", "2", "3", "4"]
    assert "0,12" in data.points[0].texts


@pytest.mark.parametrize("objectives", [["chnges"], [], ["changes", "changes"]])
def test_objectives_that_make_no_sense_are_rejected(objectives: list[str]) -> None:
    with pytest.raises(InvalidArgument, match="objective"):
        front_data(loan(), objectives=objectives)


def test_the_nearest_objective_is_named() -> None:
    with pytest.raises(InvalidArgument, match="Did you mean 'changes'"):
        front_data(loan(), objectives=["chnges"])


def test_without_options_there_are_no_points() -> None:
    assert front_data(answer()).points == ()


def test_an_axis_has_ends_whatever_the_costs() -> None:
    for low, high in ((-1.7e308, 0.0), (0.0, 1.7e308), (5e-324, 5e-324), (-1.0, -1.0)):
        scale = cost_scale(low, high)
        assert math.isfinite(scale.low)
        assert math.isfinite(scale.high)
        assert 0.0 <= scale.place(low) <= scale.place(high) <= 1.0
