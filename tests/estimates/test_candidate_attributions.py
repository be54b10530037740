"""Check the tables of what candidate values are worth."""

import numpy as np
from numpy.testing import assert_allclose

from p2ce.arrays import FloatArray
from p2ce.estimates.attributions import Attributor
from p2ce.estimates.candidate_attributions import best_attributions, mean_attributions
from p2ce.estimates.link_scale import Link
from p2ce.estimates.shap_estimate import ShapEstimate
from p2ce.grid.base_grid import BaseGrid
from tests.estimates.shapley import crooked

REFERENCE = np.random.default_rng(2).normal(size=(150, 4))
GRID = BaseGrid.from_candidates({"b": [-1, 0, 1], "d": [0, 2]}, columns=list("abcd"))


def added_up(rows: FloatArray) -> FloatArray:
    return rows[:, 1] ** 2 + 3.0 * rows[:, 3]


def attributor(score: object) -> Attributor:
    return Attributor(ShapEstimate(), None, score, REFERENCE, "abcd", 0, Link.IDENTITY)  # type: ignore[arg-type]


def test_additive_models_have_one_attribution_per_value() -> None:
    found = attributor(added_up)
    worth = [GRID.table[0] ** 2, 3.0 * GRID.table[1]]
    expected = [one - mean for one, mean in zip(worth, _background_means(found), strict=True)]
    for tabulate in (best_attributions, mean_attributions):
        table = tabulate(found, REFERENCE, GRID, 3, np.random.default_rng(0))
        assert table.shape == GRID.table.shape
        assert_allclose(table, expected, atol=1e-12)


def test_the_best_is_no_less_than_the_mean() -> None:
    found = attributor(crooked)
    best = best_attributions(found, REFERENCE, GRID, 5, np.random.default_rng(0))
    mean = mean_attributions(found, REFERENCE, GRID, 5, np.random.default_rng(0))
    assert (best >= mean).all()
    assert (best > mean).any()


def test_more_rows_than_there_are_is_all_of_them() -> None:
    found = attributor(crooked)
    few = best_attributions(found, REFERENCE[:2], GRID, 50, np.random.default_rng(0))
    assert np.isfinite(few).all()


def _background_means(found: Attributor) -> tuple[float, float]:
    return float((found.background[:, 1] ** 2).mean()), float(3.0 * found.background[:, 3].mean())
