"""Check the estimate as it is laid out for people on the grid."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from p2ce.arrays import FloatArray
from p2ce.estimates.attributions import Attributor
from p2ce.estimates.candidate_attributions import best_attributions, mean_attributions
from p2ce.estimates.instance_gains import Gains, estimated_scores, lay_out_gains
from p2ce.estimates.link_scale import Link
from p2ce.estimates.shap_estimate import ShapEstimate
from p2ce.grid.base_grid import BaseGrid
from p2ce.grid.placement import place
from tests.estimates.shapley import crooked

COLUMNS = ["a", "b", "c", "d"]
GRID = BaseGrid.from_candidates(
    {"b": [-1, 0, 1], "c": [0, 1], "d": [0, 2, 4, 6]}, columns=COLUMNS, direction={"d": 1}
)
REFERENCE = np.random.default_rng(2).normal(size=(50, 4))
# On the grid, between candidates, below them and above them.
PEOPLE = np.array([[0.0, 0.0, 0.0, 2.0], [1.0, 0.5, 0.5, 3.0], [1.0, -9.0, -1.0, -5.0], [1.0, 9.0, 5.0, 7.0]])
PLACEMENT = place(GRID, PEOPLE)


def straight(rows: FloatArray) -> FloatArray:
    return rows @ np.array([1.0, -2.0, 3.0, 0.5])


def gains_of(score: object, *, personal: bool) -> Gains:
    found = Attributor(ShapEstimate(), None, score, REFERENCE, COLUMNS, 0, Link.IDENTITY)  # type: ignore[arg-type]
    tabulate = mean_attributions if personal else best_attributions
    table = tabulate(found, REFERENCE, GRID, 3, np.random.default_rng(0))
    return lay_out_gains(found, table, GRID, PLACEMENT, PEOPLE, personal=personal)


def cells_of(person: int) -> np.ndarray:
    spans = [
        range(low, high + 1)
        for low, high in zip(PLACEMENT.lowest[person], PLACEMENT.highest[person], strict=True)
    ]
    return np.array(np.meshgrid(*spans, indexing="ij")).reshape(3, -1).T.astype(np.int32)


def rows_of(person: int, cells: np.ndarray) -> FloatArray:
    rows = np.repeat(PEOPLE[person : person + 1], len(cells), axis=0)
    rows[:, GRID.columns] = PLACEMENT.values[person, np.arange(3), cells]
    return rows


@pytest.mark.parametrize("person", range(4))
def test_linear_models_are_estimated_exactly(person: int) -> None:
    found = gains_of(straight, personal=False)
    cells = cells_of(person)
    estimates = estimated_scores(cells, found.base[person], found.gains[person])
    assert_allclose(estimates, straight(rows_of(person, cells)), atol=1e-9)


@pytest.mark.parametrize("person", range(2))
def test_curves_of_linear_models_are_exact_inside_the_grid(person: int) -> None:
    found = gains_of(straight, personal=True)
    cells = cells_of(person)
    estimates = estimated_scores(cells, found.base[person], found.gains[person])
    assert_allclose(estimates, straight(rows_of(person, cells)), atol=1e-9)


def test_single_changes_are_never_underestimated() -> None:
    found = gains_of(crooked, personal=True)
    for person in range(4):
        cells = cells_of(person)
        single = (cells != PLACEMENT.position[person]).sum(axis=1) == 1
        truth = crooked(rows_of(person, cells[single]))
        estimates = estimated_scores(cells[single], found.base[person], found.gains[person])
        assert (estimates >= truth - 1e-9).all()
        # The evaluated scores are handed on, so that they are not evaluated again.
        where = np.argwhere(~np.isnan(found.singles[person]))
        assert len(where) == single.sum()


def test_only_wanted_single_changes_are_asked_for() -> None:
    found = Attributor(ShapEstimate(), None, crooked, REFERENCE, COLUMNS, 0, Link.IDENTITY)
    table = mean_attributions(found, REFERENCE, GRID, 3, np.random.default_rng(0))
    wanted = np.random.default_rng(1).random((4, 3, GRID.width)) < 0.5
    everything = lay_out_gains(found, table, GRID, PLACEMENT, PEOPLE, personal=True)
    some = lay_out_gains(found, table, GRID, PLACEMENT, PEOPLE, personal=True, wanted=wanted)
    assert_allclose(some.singles, np.where(wanted, everything.singles, np.nan))
    assert_allclose(some.gains[wanted], everything.gains[wanted])
    assert np.isfinite(some.gains).all()


@pytest.mark.parametrize("personal", [True, False])
def test_standing_still_gains_nothing(personal: bool) -> None:
    found = gains_of(crooked, personal=personal)
    at_position = np.take_along_axis(found.gains, PLACEMENT.position[..., None].astype(int), axis=2)
    assert_allclose(at_position, 0.0)
    slot = np.arange(GRID.width)
    outside = (slot < PLACEMENT.lowest[..., None]) | (slot > PLACEMENT.highest[..., None])
    assert_allclose(found.gains[outside], 0.0)
    assert_allclose(found.base, crooked(PEOPLE))
