"""The data of many people counts everyone once, and people rather than options."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument
from p2ce.present.charts.portfolio_data import cost_data, lever_data, wording_of_all
from p2ce.present.render import to_html
from p2ce.result import Explanations, Status
from tests.present.cases import OPTIONS, housed
from tests.present.charts.examples import explained, hostile, many_labels, option, portfolio

SPEAKER = wording_of_all(portfolio(3), "en")
costs = st.floats(0.0, 1e9) | st.integers(0, 40).map(float)
people = st.lists(st.none() | st.lists(costs, min_size=1, max_size=3), min_size=1, max_size=30)


@given(people)
def test_everybody_with_an_option_is_in_one_bar_by_their_cheapest(drawn: list[list[float] | None]) -> None:
    entries = [
        explained(*[option({"mean_distance": cost}, LoanAmount=1) for cost in mine])
        if mine
        else explained(status=Status.NO_RECOURSE)
        for mine in drawn
    ]
    data = cost_data(Explanations(entries), SPEAKER)
    having = [min(mine) for mine in drawn if mine]
    assert sum(bar.size for bar in data.bars) == len(having)
    assert sum(one.people for one in data.outcomes) == len(drawn)
    assert sum(one.share for one in data.outcomes) == pytest.approx(1.0)
    assert (data.median is None) == (not having)
    ends = [place for bar in data.bars for place in (bar.begin, bar.end)]
    assert ends == sorted(ends)
    assert all(0.0 <= place <= 1.0 for place in (*ends, *(bar.height for bar in data.bars)))
    assert all(0.0 <= tick.place <= 1.0 for tick in (*data.ticks, *data.up_ticks))


def test_outcomes_are_the_statuses_and_tell_proven_costs_from_upper_bounds() -> None:
    statuses = portfolio().statuses
    counts = {one.outcome: one.people for one in cost_data(portfolio(), SPEAKER).outcomes}
    kinds = (Status.OPTIMAL, Status.NO_RECOURSE, Status.TIME_LIMIT, Status.ACCEPTED, Status.ERROR)
    assert list(counts.values()) == [statuses[kind] for kind in kinds]
    found = option(0.5, LoanAmount=1)
    kinds = (Status.OPTIMAL, Status.TIME_LIMIT, Status.HEURISTIC)
    data = cost_data(Explanations([explained(found, status=status) for status in kinds]), SPEAKER)
    assert {one.outcome: one.people for one in data.outcomes} == {"with_options": 1, "unproven": 2}
    assert data.note.startswith("2 people")


def test_people_of_two_explainers_need_an_objective_in_common() -> None:
    first = explained(option({"mean_distance": 0.5, "changes": 1.0}, LoanAmount=1))
    second, third = (explained(option({name: 2.0}, LoanAmount=1)) for name in ("changes", "effort"))
    assert cost_data(Explanations([first, second]), SPEAKER).objective == "changes"
    with pytest.raises(InvalidArgument, match="Did you mean 'changes'"):
        cost_data(Explanations([first, second]), SPEAKER, "change")
    with pytest.raises(InvalidArgument, match="these share none"):
        cost_data(Explanations([first, third]), SPEAKER)
    # A report leaves the picture out.
    assert "What changes most often" in to_html(Explanations([first, third]))


def test_counts_get_a_bar_each() -> None:
    counts = [option({"changes": float(number)}, LoanAmount=1) for number in (1, 1, 2, 4)]
    data = cost_data(Explanations([explained(one) for one in counts]), SPEAKER)
    assert [(bar.text, bar.size) for bar in data.bars] == [("1", 2), ("2", 1), ("3", 0), ("4", 1)]


def test_shares_are_of_the_people_who_have_an_option() -> None:
    two = explained(option(0.1, LoanAmount=5000), option(0.1, Term=24))
    one = explained(option(0.1, LoanAmount=9000, Housing="own"))
    data = lever_data(Explanations([two, one, explained(status=Status.NO_RECOURSE)]), SPEAKER)
    assert [lever.column for lever in data.levers] == ["LoanAmount", "Housing", "Term"]
    amount, housing, term = data.levers
    assert amount.directions == {"up": 0.5, "down": 0.5}
    assert housing.directions == {"switched": 0.5}
    assert (term.first_share, term.any_share) == (0.0, 0.5)


def test_a_linked_feature_is_no_lever_and_a_category_is_one() -> None:
    amount = {"LoanAmount": (7512.4, 5000.0), "YearsInTown": (3, 5)}
    second = replace(housed(), counterfactuals=(replace(OPTIONS[0], changes=amount),))
    both = Explanations([housed(), second])
    data = lever_data(both, wording_of_all(both, "en"))
    shares = {lever.column: (lever.first_share, lever.any_share) for lever in data.levers}
    assert shares == {"Home": (0.5, 0.5), "LoanAmount": (0.5, 1.0)}


@pytest.mark.parametrize(
    "drawn", [portfolio(), portfolio(7, seed=1), Explanations([hostile(), many_labels()])]
)
def test_directions_add_up_and_lie_on_the_axis(drawn: Explanations) -> None:
    data = lever_data(drawn, SPEAKER)
    for lever in data.levers:
        assert sum(lever.directions.values()) == pytest.approx(lever.first_share)
        assert lever.first_share <= lever.any_share <= data.end <= 1.0


def test_only_the_top_is_shown_and_the_rest_counted() -> None:
    data = lever_data(portfolio(), SPEAKER, 2)
    assert len(data.levers) == 2
    assert "2 more features" in data.note
    for wrong in (0, -1, True, 2.5, "3"):
        with pytest.raises(InvalidArgument, match="top"):
            lever_data(portfolio(3), SPEAKER, wrong)  # type: ignore[arg-type]
