"""Divide the rejected rows of the reference: some to learn attributions from, the rest to calibrate on."""

from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, IntArray
from p2ce.models.estimates.shap_estimate import ShapEstimate

LEARNING_SHARE = 4  # with few rows, one in this many is for learning
LEARNING_ROWS = 256


class Division(NamedTuple):
    """Which rows serve which purpose. No row serves both, or calibration would flatter the estimate."""

    learning: IntArray  # rows of the reference for background and tables, at least one
    calibration: IntArray  # rows of the reference whose fronts are computed, in this order


def divide(rejected: BoolArray, spec: ShapEstimate, rng: np.random.Generator) -> Division:
    """Divide the rows that the model rejects (n,), since explanations are for rejected instances.

    Learning takes a quarter of them, at most 256. Calibration takes up to ``spec.sample_size`` of the rest.
    If the model rejects at most one row, attributions are learnt from all rows, and none is left to
    calibrate on, so nothing will be pruned.

    >>> parts = divide(np.arange(50) < 40, ShapEstimate(sample_size=20), np.random.default_rng(0))
    >>> len(parts.learning), len(parts.calibration), bool((parts.calibration < 40).all())
    (10, 20, True)
    """
    rows = rng.permutation(np.flatnonzero(rejected))
    if len(rows) < 2:
        everyone = rng.permutation(len(rejected))
        return Division(learning=everyone[:LEARNING_ROWS], calibration=rows[:0])
    count = min(LEARNING_ROWS, max(1, len(rows) // LEARNING_SHARE))
    return Division(learning=rows[:count], calibration=rows[count : count + spec.sample_size])
