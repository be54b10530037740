"""Check what candidate values are worth, and how that is laid out for instances on the grid."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from p2ce.base.arrays import FloatArray
from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import place
from p2ce.models.estimates.attributions import Attributor
from p2ce.models.estimates.candidate_attributions import best_attributions, mean_attributions
from p2ce.models.estimates.instance_gains import Gains, estimated_scores, lay_out_gains
from p2ce.models.estimates.link_scale import LinkScale
from p2ce.models.estimates.shap_estimate import ShapEstimate
from tests.models.estimates.shapley import crooked

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


def attributor(score: object) -> Attributor:
    return Attributor(ShapEstimate(), None, score, REFERENCE, COLUMNS, 0, LinkScale.IDENTITY)  # type: ignore[arg-type]


def gains_of(score: object, *, personal: bool, wanted: np.ndarray | None = None) -> Gains:
    tabulate = mean_attributions if personal else best_attributions
    table = tabulate(attributor(score), REFERENCE, GRID, 3, np.random.default_rng(0))
    return lay_out_gains(attributor(score), table, GRID, PLACEMENT, PEOPLE, personal=personal, wanted=wanted)


def cells_and_rows(person: int) -> tuple[np.ndarray, FloatArray]:
    ends = zip(PLACEMENT.lowest[person], PLACEMENT.highest[person], strict=True)
    spans = np.meshgrid(*(range(low, high + 1) for low, high in ends), indexing="ij")
    cells = np.array(spans).reshape(3, -1).T.astype(np.int32)
    rows = np.repeat(PEOPLE[person : person + 1], len(cells), axis=0)
    rows[:, GRID.columns] = PLACEMENT.values[person, np.arange(3), cells]
    return cells, rows


def test_a_candidate_of_an_additive_model_has_one_attribution() -> None:
    found = attributor(straight)
    means = found.background.mean(axis=0)[1:]
    expected = np.array([-2.0, 3.0, 0.5])[:, None] * (GRID.table - means[:, None])
    for tabulate in (best_attributions, mean_attributions):
        assert_allclose(tabulate(found, REFERENCE, GRID, 3, np.random.default_rng(0)), expected, atol=1e-12)
    best, mean = (
        tabulate(attributor(crooked), REFERENCE, GRID, 5, np.random.default_rng(0))
        for tabulate in (best_attributions, mean_attributions)
    )
    assert (best >= mean).all()
    assert (best > mean).any()


@pytest.mark.parametrize(("personal", "person"), [(False, 0), (False, 1), (False, 2), (False, 3), (True, 0)])
def test_linear_models_are_estimated_exactly(personal: bool, person: int) -> None:
    found = gains_of(straight, personal=personal)
    cells, rows = cells_and_rows(person)
    assert_allclose(
        estimated_scores(cells, found.base[person], found.gains[person]), straight(rows), atol=1e-9
    )


def test_single_changes_are_never_underestimated() -> None:
    found = gains_of(crooked, personal=True)
    for person in range(4):
        cells, rows = cells_and_rows(person)
        single = (cells != PLACEMENT.position[person]).sum(axis=1) == 1
        estimates = estimated_scores(cells[single], found.base[person], found.gains[person])
        assert (estimates >= crooked(rows[single]) - 1e-9).all()
        # The evaluated scores are handed on, so they are not evaluated again.
        assert np.count_nonzero(~np.isnan(found.singles[person])) == single.sum()


def test_only_wanted_single_changes_are_evaluated() -> None:
    wanted = np.random.default_rng(1).random((4, 3, GRID.width)) < 0.5
    everything, some = (gains_of(crooked, personal=True, wanted=one) for one in (None, wanted))
    assert_allclose(some.singles, np.where(wanted, everything.singles, np.nan))
    assert_allclose(some.gains[wanted], everything.gains[wanted])
    assert np.isfinite(some.gains).all()


@pytest.mark.parametrize("personal", [True, False])
def test_standing_still_gains_nothing(personal: bool) -> None:
    found = gains_of(crooked, personal=personal)
    slot = np.arange(GRID.width)
    outside = (slot < PLACEMENT.lowest[..., None]) | (slot > PLACEMENT.highest[..., None])
    assert_allclose(found.gains[outside | (slot == PLACEMENT.position[..., None])], 0.0)
    assert_allclose(found.base, crooked(PEOPLE))
