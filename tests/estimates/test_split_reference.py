"""Check that nobody who is calibrated on was learnt from."""

import numpy as np
import pytest

from p2ce.estimates.shap_estimate import ShapEstimate
from p2ce.estimates.split_reference import divide


@pytest.mark.parametrize("count", [2, 3, 7, 40, 500, 5_000])
def test_nobody_serves_twice(count: int) -> None:
    rejected = np.random.default_rng(1).permutation(np.arange(2 * count) < count)
    parts = divide(rejected, ShapEstimate(people=199), np.random.default_rng(0))
    both = np.concatenate([parts.learning, parts.calibration])
    assert len(np.unique(both)) == len(both)
    assert rejected[both].all()
    assert len(parts.learning) >= 1
    assert 1 <= len(parts.calibration) <= 199


def test_seeds_repeat_the_division() -> None:
    rejected = np.ones(100, dtype=bool)
    one, other = (divide(rejected, ShapEstimate(), np.random.default_rng(3)) for _ in range(2))
    assert one.calibration.tolist() == other.calibration.tolist()


@pytest.mark.parametrize("count", [0, 1])
def test_nobody_to_calibrate_on(count: int) -> None:
    parts = divide(np.arange(10) < count, ShapEstimate(), np.random.default_rng(0))
    assert len(parts.learning) == 10
    assert len(parts.calibration) == 0
