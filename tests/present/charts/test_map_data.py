"""The data of a map has every cell, the person, and the options that change nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from p2ce.present.charts.map_data import MapData, map_data
from p2ce.present.wording import wording_of
from p2ce.result import FeatureMap
from tests.present.charts.examples import explained, housing_map, loan_map, option


def collected(made: FeatureMap) -> MapData:
    return map_data(made, wording_of(made.explanation))


@pytest.mark.parametrize("made", [loan_map(), loan_map(detector=False), housing_map()])
def test_cells_fill_the_frame_and_everything_lies_in_it(made: FeatureMap) -> None:
    data = collected(made)
    for axis, values in zip((data.across, data.up), made.values, strict=True):
        assert (axis.edges[0], axis.edges[-1]) == (0.0, 1.0)
        assert list(axis.edges) == sorted(axis.edges)
        assert len(values) == len(axis.edges) - 1
        assert all(0.0 <= tick.place <= 1.0 and tick.text for tick in axis.ticks)
    assert data.person is not None
    assert all(0.0 <= place <= 1.0 for place in data.person)
    corners = np.array([(crowd.begin, crowd.end) for crowd in data.crowds])
    assert ((corners >= 0) & (corners <= 1)).all()
    assert sum(crowd.people for crowd in data.crowds) == made.density.people.sum() > 0


def test_options_that_are_not_drawn_are_counted_by_reason() -> None:
    options = [option(0.1, LoanAmount=90_000), option(0.1, LoanAmount=5000, Rate=0.1)]
    options += [option(0.1, LoanAmount=1000 + 250 * place) for place in range(14)]
    data = collected(replace(loan_map(), explanation=explained(*options)))
    assert [arrow.number for arrow in data.arrows] == list(range(3, 15))
    assert data.note == (
        "All other features stay as today. Circles show where people of the reference data are: the larger "
        "the circle, the more people. Places with fewer than 5 are not drawn. 1 more option changes other "
        "features as well. 1 more option lies outside this map. 2 more options on this map are not drawn."
    )


@pytest.mark.parametrize(
    ("count", "note"),
    [
        (1, "No option is on this map: 1 option changes other features too."),
        (3, "No option is on this map: all 3 change other features too."),
    ],
)
def test_a_map_without_options_says_why(count: int, note: str) -> None:
    options = [option(0.1, LoanAmount=5000 + place, Rate=0.1) for place in range(count)]
    data = collected(replace(loan_map(), explanation=explained(*options)))
    assert data.arrows == ()
    assert data.note.endswith(f"are not drawn. {note}")


def test_people_with_a_category_stand_in_its_cell() -> None:
    data = collected(housing_map())
    assert [(round(3 * crowd.begin[0]), round(3 * crowd.end[0]), crowd.people) for crowd in data.crowds] == [
        (0, 1, 40),
        (1, 2, 32),
        (2, 3, 32),
        (0, 1, 8),
        (1, 2, 8),
    ]
    assert [crowd.begin[1] for crowd in data.crowds] == [0.0] * 3 + [0.5] * 2


@pytest.mark.parametrize("today", [None, 10**400, 1000])
def test_the_note_says_that_today_has_no_place(today: int | None) -> None:
    data = collected(replace(loan_map(), explanation=explained(person={"Term": today})))
    assert data.person is None
    assert "outside this map" in data.note


def test_labels_that_are_numbers_are_distinguished_from_their_positions() -> None:
    made = replace(
        housing_map(),
        explanation=explained(option(0.1, Housing=30), person={"Housing": 20}),
        values=((10, 20, 30), (False, True)),
    )
    data = collected(made)
    assert data.across.scale is None
    assert sum(crowd.people for crowd in data.crowds) == 120
