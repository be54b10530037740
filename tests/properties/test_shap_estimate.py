"""Law: for additive models the repaired k-limited estimate never misses; the published one does."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from p2ce.base.arrays import FloatArray
from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import Placement, place
from p2ce.models.estimates.attributions import Attributor
from p2ce.models.estimates.candidate_attributions import best_attributions, mean_attributions
from p2ce.models.estimates.instance_gains import estimated_scores, lay_out_gains
from p2ce.models.estimates.link_scale import LinkScale
from p2ce.models.estimates.shap_estimate import ShapEstimate
from p2ce.paper import Mapocam
from p2ce.run.paper.maximum import shap_maximum

COLUMNS = ["a", "b", "c", "d"]
AXES = ["a", "b", "c"]


class Additive:
    """A sum of one random function per column, given by its values at whole numbers."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.worth = rng.normal(size=(4, 6)).round(2)

    def __call__(self, rows: FloatArray) -> FloatArray:
        return self.worth[np.arange(4), rows.astype(int)].sum(axis=1)


def best_by_gain(gains: FloatArray, placement: Placement, left: int) -> float:
    """Add the largest gains of as many axes as may change."""
    slot = np.arange(gains.shape[1])
    inside = (slot >= placement.lowest[0][:, None]) & (slot <= placement.highest[0][:, None])
    most = np.where(inside, gains, -np.inf).max(axis=1)
    return float(np.sort(np.maximum(most, 0.0))[::-1][:left].sum())


def true_best(model: Additive, person: FloatArray, grid: BaseGrid, left: int) -> float:
    best = float(model(person)[0])
    for size in range(1, left + 1):
        for support in combinations(range(len(AXES)), size):
            mesh = np.meshgrid(*(grid.values[axis] for axis in support))
            rows = np.repeat(person, mesh[0].size, axis=0)
            for axis, values in zip(support, mesh, strict=True):
                rows[:, grid.columns[axis]] = values.ravel()
            best = max(best, float(model(rows).max()))
    return best


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.booleans())
def test_the_repaired_estimate_covers_every_completion(seed: int, left: int, personal: bool) -> None:
    rng = np.random.default_rng(seed)
    model = Additive(rng)
    reference = rng.integers(0, 6, size=(30, 4)).astype(float)
    person = rng.integers(0, 6, size=(1, 4)).astype(float)
    # The person's own value is among the candidates, or curves would be read between two of them.
    values = [np.union1d(rng.integers(0, 6, size=3), person[0, axis]) for axis in range(3)]
    grid = BaseGrid.from_candidates(dict(zip(AXES, values, strict=True)), columns=COLUMNS)
    placement = place(grid, person)
    explained = Attributor(
        ShapEstimate(background=5), None, model, reference, COLUMNS, seed, LinkScale.IDENTITY
    )
    tabulate = mean_attributions if personal else best_attributions
    table = tabulate(explained, reference, grid, 2, rng)
    found = lay_out_gains(explained, table, grid, placement, person, personal=personal)
    estimate = found.base[0] + best_by_gain(found.gains[0], placement, left)
    assert estimate >= true_best(model, person, grid, left) - 1e-9
    cells = rng.integers(placement.lowest[0], placement.highest[0] + 1, size=(20, 3)).astype(np.int32)
    rows = np.repeat(person, len(cells), axis=0)
    rows[:, grid.columns] = placement.values[0, np.arange(3), cells]
    np.testing.assert_allclose(estimated_scores(cells, found.base[0], found.gains[0]), model(rows), atol=1e-9)


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(0, 2), st.sampled_from(["k-limited", "plain"])
)
def test_the_corrected_maximum_covers_every_completion_of_an_additive_model(
    seed: int, left: int, decided: int, form: str
) -> None:
    """The features from ``decided`` on are open, and φ̄ is taken over rows that show every value."""
    rng = np.random.default_rng(seed)
    model = Additive(rng)
    reference = np.concatenate(
        [rng.integers(0, 6, size=(30, 4)), np.repeat(np.arange(6)[:, None], 4, axis=1)]
    ).astype(float)
    point = rng.integers(0, 6, size=(1, 4)).astype(float)
    explained = Attributor(
        ShapEstimate(background=5), None, model, reference, COLUMNS, seed, LinkScale.IDENTITY
    )
    known = explained.explain(reference).max(axis=0)
    phi = explained.explain(point)[0]
    is_open = slice(decided, 3)
    found = shap_maximum(float(model(point)[0]), phi[is_open], known[is_open], left, Mapocam(form=form))
    names = AXES[decided:]
    best = float(model(point)[0])
    for size in range(1, min(left, len(names)) + 1):
        for support in combinations(range(decided, 3), size):
            mesh = np.meshgrid(*(np.arange(6.0) for _ in support))
            rows = np.repeat(point, mesh[0].size, axis=0)
            for column, values in zip(support, mesh, strict=True):
                rows[:, column] = values.ravel()
            best = max(best, float(model(rows).max()))
    assert found >= best - 1e-9
