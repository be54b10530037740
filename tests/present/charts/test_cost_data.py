"""The data of costs counts everybody once."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument
from p2ce.present.charts.cost_data import cost_data
from p2ce.present.report import to_html
from p2ce.result import Explanations, Status
from tests.present.charts.examples import answer, option, portfolio

costs = st.floats(0.0, 1e9) | st.integers(0, 40).map(float)
people = st.lists(st.none() | st.lists(costs, min_size=1, max_size=3), min_size=1, max_size=30)


@given(people)
def test_everybody_with_an_option_is_in_one_bar_by_their_cheapest(drawn: list[list[float] | None]) -> None:
    entries = [
        answer(status=Status.NO_RECOURSE)
        if mine is None
        else answer(*[option({"mean_distance": cost}, LoanAmount=1) for cost in mine])
        for mine in drawn
    ]
    data = cost_data(Explanations(entries))
    having = [min(mine) for mine in drawn if mine is not None]
    assert sum(bar.people for bar in data.bars) == len(having)
    assert sum(one.people for one in data.outcomes) == len(drawn) == data.people
    assert sum(one.share for one in data.outcomes) == pytest.approx(1.0)
    assert (data.median is None) == (not having) == bool(data.empty)
    for bar in data.bars:
        assert 0.0 <= bar.begin <= bar.end <= 1.0
        assert 0.0 <= bar.height <= 1.0
        assert bar.people == sum(bar.low <= cost < bar.high for cost in having) or bar is data.bars[-1]
    assert all(0.0 <= tick.place <= 1.0 for tick in (*data.ticks, *data.up_ticks))


def test_people_without_options_are_distinguished() -> None:
    data = cost_data(portfolio(), language="pt")
    counts = {one.outcome: one.people for one in data.outcomes}
    statuses = portfolio().statuses
    assert counts["no_recourse"] == statuses[Status.NO_RECOURSE]
    assert counts["no_fronts"] == statuses[Status.TIME_LIMIT]
    assert counts["favourable"] == statuses[Status.ALREADY_FAVOURABLE]
    assert counts["error"] == statuses[Status.ERROR]
    assert data.people_text == "400 pessoas"


def test_costs_that_are_only_upper_bounds_are_distinguished() -> None:
    found = option({"mean_distance": 0.5}, LoanAmount=1)
    entries = [answer(found), answer(found, status=Status.TIME_LIMIT), answer(found, status=Status.HEURISTIC)]
    data = cost_data(Explanations(entries))
    counts = {one.outcome: (one.name, one.people) for one in data.outcomes if one.people}
    assert counts == {
        "with_options": ("with an option", 1),
        "unproven": ("with an option, not proven cheapest", 2),
    }
    assert data.note == "2 people: the best option found, but a cheaper one may exist."
    assert cost_data(Explanations(entries[:2]), language="es").note.startswith("1 persona: la mejor")
    assert cost_data(Explanations(entries[:1])).note == ""


def test_people_of_two_explainers_need_an_objective_in_common() -> None:
    first = answer(option({"mean_distance": 0.5, "changes": 1.0}, LoanAmount=1))
    second = answer(option({"changes": 2.0}, LoanAmount=1), objectives=("changes",))
    assert cost_data(Explanations([first, second])).objective == "changes"
    with pytest.raises(InvalidArgument, match="no objective 'mean_distance'"):
        cost_data(Explanations([first, second]), "mean_distance")
    third = answer(option({"effort": 2.0}, LoanAmount=1), objectives=("effort",))
    with pytest.raises(InvalidArgument, match="these share none"):
        cost_data(Explanations([first, third]))
    # A report leaves the picture out.
    assert "What changes most often" in to_html(Explanations([first, third]))


def test_counts_get_a_bar_each() -> None:
    data = cost_data(portfolio(), "changes")
    assert [(bar.low, bar.high) for bar in data.bars] == [(0.5, 1.5)]
    assert data.title == "number of changes of each person's cheapest option"


def test_an_objective_must_be_there() -> None:
    with pytest.raises(InvalidArgument, match="Did you mean 'changes'"):
        cost_data(portfolio(5), "change")
    with pytest.raises(InvalidArgument, match="summary"):
        cost_data(Explanations([answer(status=Status.ERROR, objectives=())]))


def test_ten_thousand_people_are_quick() -> None:
    many = Explanations(list(portfolio(500)) * 20)
    begin = time.perf_counter()
    assert cost_data(many).people == 10_000
    assert time.perf_counter() - begin < 2.0
