"""Tails are those of SciPy, however small or many."""

import numpy as np
import pytest
from scipy.stats import hypergeom

from p2ce.audits.hypergeometric import ROWS, at_least, at_most


@pytest.mark.parametrize("most", [3, 12, 200, 100_000])
def test_tails_are_those_of_scipy(most: int) -> None:
    rng = np.random.default_rng(most)
    people = rng.integers(1, most + 1, 400)
    marked, size = rng.integers(0, people + 1), rng.integers(0, people + 1)
    near = (size * marked // people) + rng.integers(-40, 41, 400)
    count = np.where(rng.random(400) < 0.7, near, rng.integers(-1, most + 2, 400))
    case = people, marked, size
    np.testing.assert_allclose(at_least(count, *case), hypergeom.sf(count - 1, *case), rtol=1e-8, atol=1e-14)
    np.testing.assert_allclose(at_most(count, *case), hypergeom.cdf(count, *case), rtol=1e-8, atol=1e-14)


def test_more_cases_than_are_computed_at_a_time() -> None:
    count = np.arange(2 * ROWS + 3)
    found = at_least(count, 40_000, 20_000, 9_000)
    assert len(found) == len(count)
    assert (np.diff(found) <= 0).all()
    assert found[0] == 1.0
