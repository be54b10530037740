"""The data of levers counts people, not options."""

import time
from dataclasses import replace

import pytest

from p2ce.errors import InvalidArgument
from p2ce.present.charts.lever_data import lever_data
from p2ce.result import Explanations, Status
from tests.present.cases import OPTIONS, housed
from tests.present.charts.examples import answer, hostile, many_labels, option, portfolio


def test_shares_are_of_the_people_who_have_an_option() -> None:
    people = Explanations(
        [
            answer(option({"changes": 1.0}, LoanAmount=5000), option({"changes": 1.0}, Term=24)),
            answer(option({"changes": 2.0}, LoanAmount=9000, Housing="own")),
            answer(status=Status.NO_RECOURSE),
        ]
    )
    data = lever_data(people)
    levers = {lever.column: lever for lever in data.levers}
    assert data.people == 2
    assert levers["LoanAmount"].directions == {"up": 0.5, "down": 0.5}
    assert levers["Housing"].directions == {"switched": 0.5}
    assert (levers["Term"].first_share, levers["Term"].any_share) == (0.0, 0.5)
    assert levers["Term"].text == "0 % (50 %)"
    assert [lever.name for lever in data.levers] == ["loan amount", "Housing", "term"]


def test_what_moves_along_is_no_lever_and_a_category_is_one() -> None:
    amount = {"LoanAmount": (7512.4, 5000.0), "YearsInTown": (3, 5)}
    people = Explanations(
        [housed(), replace(housed(), counterfactuals=(replace(OPTIONS[0], changes=amount),))]
    )
    data = lever_data(people, language="pt")
    written = {lever.name: (lever.first_share, lever.any_share) for lever in data.levers}
    assert written == {"Home": (0.5, 0.5), "valor do empréstimo": (0.5, 1.0)}
    assert data.levers[1].directions == {"switched": 0.5}


@pytest.mark.parametrize(
    "people", [portfolio(), portfolio(7, seed=1), Explanations([hostile(), many_labels()])]
)
def test_directions_add_up_and_lie_in_the_frame(people: Explanations) -> None:
    for lever in lever_data(people).levers:
        assert sum(lever.directions.values()) == pytest.approx(lever.first_share)
        assert lever.first_share <= lever.any_share <= 1.0
        ends = [0.0, *(end for _, _, end in lever.places)]
        assert [begin for _, begin, _ in lever.places] == ends[:-1]
        assert 0.0 <= ends[-1] <= lever.any_place <= 1.0
        assert lever.name


def test_only_the_top_is_shown_and_the_rest_counted() -> None:
    data = lever_data(portfolio(), 2, language="es")
    assert len(data.levers) == 2
    assert "Otras 2 características" in data.note


@pytest.mark.parametrize("top", [0, -1, True, 2.5, "3"])
def test_top_must_be_a_count(top: object) -> None:
    with pytest.raises(InvalidArgument, match="top"):
        lever_data(portfolio(3), top)  # type: ignore[arg-type]


def test_ten_thousand_people_are_quick() -> None:
    many = Explanations(list(portfolio(500)) * 20)
    begin = time.perf_counter()
    assert lever_data(many).people > 7_000
    assert time.perf_counter() - begin < 2.0
