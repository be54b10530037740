"""The data of a map has every cell, the person, and the options that change nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from p2ce.arrays import BoolArray
from p2ce.present.charts.map_data import map_data
from p2ce.result import FeatureMap
from tests.present.charts.examples import answer, housing_map, loan_map, option


@pytest.mark.parametrize("made", [loan_map(), loan_map(detector=False), housing_map()])
def test_cells_fill_the_frame_and_everything_lies_in_it(made: FeatureMap) -> None:
    data = map_data(made)
    for axis, values in zip((data.across, data.up), made.values, strict=True):
        assert axis.edges[0] == 0.0
        assert axis.edges[-1] == 1.0
        assert list(axis.edges) == sorted(axis.edges)
        assert len(axis.middles) == len(values) == len(axis.edges) - 1
        assert all(0.0 <= tick.place <= 1.0 and tick.text for tick in axis.ticks)
    assert data.person is not None
    assert all(0.0 <= place <= 1.0 for place in data.person)
    assert ((data.population >= 0) & (data.population <= 1)).all()


def test_options_that_change_other_features_are_only_counted() -> None:
    data = map_data(loan_map())
    assert [arrow.number for arrow in data.arrows] == [1, 2]
    assert data.note == "All other features as today. 1 more option changes other features as well."
    assert data.arrows[0].text == "loan amount 4,750 EUR, term 20 months"


def test_people_with_a_category_stand_in_its_cell() -> None:
    data = map_data(housing_map())
    cells = np.floor(data.population[:, 0] * 3).astype(int)
    assert np.bincount(cells).tolist() == [40, 40, 40]
    assert np.mean(data.population[:, 1] > 0.5) == pytest.approx(0.2)


def test_today_without_a_place_is_written() -> None:
    made = loan_map()
    missing = replace(made, explanation=answer(person={"Term": None}))
    data = map_data(missing)
    assert data.person is None
    assert "outside this map" in data.note


def test_labels_that_are_numbers_are_distinguished_from_their_positions() -> None:
    made = replace(
        housing_map(),
        explanation=answer(option({"changes": 1.0}, Housing=30), person={"Housing": 20}),
        values=((10, 20, 30), (False, True)),
    )
    data = map_data(made)
    assert data.across.kind == "category"
    assert len(data.population) == 120


@given(arrays(np.bool_, st.tuples(st.integers(1, 6), st.integers(1, 6))))
def test_boxes_cover_a_mask_exactly(mask: BoolArray) -> None:
    up, across = mask.shape
    made = FeatureMap(
        explanation=answer(),
        columns=("LoanAmount", "Term"),
        values=(tuple("abcdefg"[:across]), tuple("abcdefg"[:up])),
        scores=mask * 1.0,
        accepted=mask,
        plausible=None,
        allowed=mask,
        population=np.empty((0, 2)),
    )
    data = map_data(made)
    covered = np.zeros(mask.shape, dtype=int)
    for left, low, right, high in data.boxes(mask):
        covered[round(low * up) : round(high * up), round(left * across) : round(right * across)] += 1
    assert (covered == mask).all()
    lines = data.outline(mask)
    assert bool(lines) == (mask.any() and not mask.all())
