"""The data of a front holds every option, and says which stand out and why."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument
from p2ce.present.charts.front_data import cost_scale, cost_ticks, front_data
from p2ce.present.render import to_html
from p2ce.present.wording import wording_for
from p2ce.result import Explanation
from tests.present.charts.examples import OBJECTIVES, explained, front, loan, option

ENGLISH = wording_for(None)
costs = st.floats(0.0, 1e12) | st.integers(0, 5).map(float)


@st.composite
def fronts(draw: st.DrawFn) -> Explanation:
    names = OBJECTIVES[: draw(st.integers(1, 5))]
    rows = draw(st.lists(st.tuples(*[costs for _ in names]), min_size=1, max_size=8))
    return explained(*[option(dict(zip(names, row, strict=True)), LoanAmount=5000) for row in rows])


@given(fronts(), st.sampled_from(["en", "pt", "es"]))
def test_every_option_has_its_number_and_its_place_on_every_axis(
    explanation: Explanation, language: str
) -> None:
    data = front_data(explanation, wording_for(None, language))
    assert [point.number for point in data.points] == list(range(1, len(explanation) + 1))
    for point in data.points:
        assert len(point.costs) == len(point.places) == len(data.axes)
        assert all(0.0 <= place <= 1.0 for place in (*point.places, *point.tight_places))
    for axis in data.axes:
        assert axis.ticks
        assert all(0.0 <= tick.place <= 1.0 and tick.text for tick in (*axis.ticks, *axis.tight_ticks))


@given(fronts())
def test_ties_hide_no_option(explanation: Explanation) -> None:
    data = front_data(explanation, ENGLISH)
    every = range(len(data.axes))
    numbers = sorted(one.number for group in data.ties(every) for one in group)
    assert numbers == [point.number for point in data.points]
    for group in data.ties(every):
        for axis in every:
            places = [point.places[axis] for point in group]
            assert max(places) - min(places) < 0.01


@pytest.mark.parametrize("explanation", [front(60, 3), front(60, 1), loan()])
def test_picks_and_their_reasons_are_those_of_the_cards(explanation: Explanation) -> None:
    picks = front_data(explanation, ENGLISH).picks
    assert [point.number for point in picks] == [pick.number for pick in explanation.pick(3)]
    assert [point.look for point in picks] == [0, 1, 2]
    page = to_html(explanation)
    for point in picks:
        assert not point.why or f'<p class="badge">{point.why[:1].upper()}{point.why[1:]}' in page


def test_objectives_are_chosen_and_ordered() -> None:
    data = front_data(loan(), ENGLISH, objectives=["changes", "mean_distance"])
    assert [axis.title for axis in data.axes] == ["number of changes", "overall change"]
    assert data.points[0].costs == (2.0, 0.12)
    assert data.pairs == ((0, 1),)
    assert len(front_data(loan(), ENGLISH, objectives="changes").axes) == 1
    for wrong in (["chnges"], [], ["changes", "changes"]):
        with pytest.raises(InvalidArgument, match="objective"):
            front_data(loan(), ENGLISH, objectives=wrong)


def test_an_axis_has_ends_whatever_the_costs() -> None:
    for low, high in ((-1.7e308, 0.0), (0.0, 1.7e308), (5e-324, 5e-324), (-1.0, -1.0)):
        scale = cost_scale(low, high)
        assert math.isfinite(scale.low)
        assert math.isfinite(scale.high)
        assert 0.0 <= scale.place(low) <= scale.place(high) <= 1.0


@given(st.floats(0.0, 1e5), st.floats(1e-3, 1e5))
@example(0.0, 0.00995)  # fewer ticks than six, which have more decimals: 0.0025 was written as 0.003
def test_the_text_of_a_tick_is_the_number_at_its_place(low: float, more: float) -> None:
    scale = cost_scale(low, low + more)
    for tick in cost_ticks(scale, [low, low + more], ENGLISH):
        assert scale.place(float(tick.text.replace(",", ""))) == pytest.approx(tick.place, abs=1e-3)
