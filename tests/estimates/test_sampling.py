"""Check our own Shapley sampler against the definition."""

import numpy as np
from numpy.testing import assert_allclose

from p2ce.estimates.sampling import Sampler
from tests.estimates.shapley import crooked, shapley

RNG = np.random.default_rng(3)
ROWS, BACKGROUND = RNG.normal(size=(7, 4)), RNG.normal(size=(5, 4))


def test_attributions_add_up() -> None:
    sampler = Sampler.build(crooked, BACKGROUND, np.random.default_rng(0))
    total = sampler.explain(ROWS).sum(axis=1)
    assert_allclose(total, crooked(ROWS) - crooked(BACKGROUND).mean(), atol=1e-12)


def test_there_and_back_is_exact_for_pairs_of_columns() -> None:
    # Each of two columns that act together joins first in one of the two directions.
    sampler = Sampler.build(crooked, BACKGROUND, np.random.default_rng(0))
    exact = np.array([shapley(crooked, row, BACKGROUND) for row in ROWS])
    assert_allclose(sampler.explain(ROWS), exact, atol=1e-12)


def test_many_permutations_come_close_to_the_definition() -> None:
    def score(rows: np.ndarray) -> np.ndarray:
        return np.tanh(rows.sum(axis=1)) + rows[:, 0] * rows[:, 1] * rows[:, 2]

    exact = np.array([shapley(score, row, BACKGROUND) for row in ROWS])
    rough = np.mean(
        [Sampler.build(score, BACKGROUND, np.random.default_rng(seed)).explain(ROWS) for seed in range(200)],
        axis=0,
    )
    assert_allclose(rough, exact, atol=0.05)


def test_planted_values_are_explained_like_whole_rows() -> None:
    sampler = Sampler.build(crooked, BACKGROUND, np.random.default_rng(1))
    values = np.array([-1.0, 0.0, 2.5])
    planted = sampler.explain_planted(ROWS, 2, values)
    for column, value in enumerate(values):
        rows = ROWS.copy()
        rows[:, 2] = value
        assert_allclose(planted[:, column], sampler.explain(rows)[:, 2], atol=1e-12)


def test_a_single_column_takes_everything() -> None:
    sampler = Sampler.build(lambda rows: rows[:, 0] ** 2, BACKGROUND[:, :1], np.random.default_rng(1))
    expected = ROWS[:, :1] ** 2 - (BACKGROUND[:, 0] ** 2).mean()
    assert_allclose(sampler.explain(ROWS[:, :1]), expected)
    assert sampler.explain(ROWS[:0, :1]).shape == (0, 1)


def test_evaluations_are_counted() -> None:
    evaluated = 0

    def score(rows: np.ndarray) -> np.ndarray:
        nonlocal evaluated
        evaluated += len(rows)
        return crooked(rows)

    sampler = Sampler.build(score, BACKGROUND, np.random.default_rng(1))
    evaluated = 0
    sampler.explain(ROWS)
    assert evaluated == len(ROWS) * sampler.evaluations
