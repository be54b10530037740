"""Add an estimate to the scores of a batch: it prunes like an additive score, but proves nothing."""

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.engine.scores.flat.flat_arrays import FlatInstances, tick_for, whole_ticks
from p2ce.engine.scores.flat.records import LIMIT


def add_estimate(instances: FlatInstances, gains: FloatArray, missing: FloatArray) -> FlatInstances:
    """Append an estimate to the scores, as the last additive table and the last limit.

    ``gains`` (n, axes, width) estimates how much each candidate adds to the score, 0 for staying. Cells whose
    gains add up to less than ``missing`` (n,) are dropped. Sums are rounded in favour of the cell.
    """
    count, axes, width = gains.shape
    slot = np.arange(width)
    positions = instances.positions
    inside = (slot >= positions["lowest"][..., None]) & (slot <= positions["highest"][..., None])
    gains = np.where(inside, gains, 0.0)
    finite = np.isfinite(missing)
    span = np.abs(gains).max(axis=2, initial=0.0).sum(axis=1) + np.abs(np.where(finite, missing, 0.0))
    tick = tick_for(span)
    table = np.rint(gains / tick[:, None, None]).astype(np.int32)
    certified = np.zeros((count, 1), dtype=LIMIT)
    certified["reject_below"][:, 0] = whole_ticks(np.floor(missing / tick) - axes / 2 - 1)
    certified["accept_from"][:, 0] = whole_ticks(np.full(count, np.inf))
    return instances._replace(
        gains=np.concatenate([instances.gains, table[:, None]], axis=1),
        thresholds=np.concatenate([instances.thresholds, certified], axis=1),
    )
