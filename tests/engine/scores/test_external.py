"""Values are compared with certified thresholds, the ends included; a margin moves both outwards."""

import numpy as np

from p2ce.engine.scores.external import verdicts_at, verdicts_within


def test_the_band_begins_at_the_lower_threshold_and_ends_below_the_upper_one() -> None:
    values = np.array([np.nextafter(1.0, 0.0), 1.0, 1.5, np.nextafter(2.0, 0.0), 2.0])
    assert verdicts_at(values, 2.0, 1.0).tolist() == [-1, 0, 0, 0, 1]
    assert verdicts_at(values, 1.0, 1.0).tolist() == [-1, 1, 1, 1, 1]


def test_a_margin_leaves_more_in_doubt() -> None:
    values = np.array([0.7, 0.8, 1.5, 2.2, 2.3, np.nan])
    assert verdicts_within(values, np.full(6, 0.25), 2.0, 1.0).tolist() == [-1, 0, 0, 0, 1, 0]
    assert verdicts_within(values, np.full(6, np.inf), 2.0, 1.0).tolist() == [0] * 6
