"""Pick the undominated rows of a cost table, the slow and obvious way."""

import numpy as np

from p2ce.arrays import BoolArray, IntArray


def undominated(costs: IntArray) -> BoolArray:
    """Mark the rows of ``costs`` (n, m) that no other row beats: equal rows do not beat each other."""
    keep = np.ones(len(costs), dtype=np.bool_)
    for row in range(len(costs)):
        no_worse = (costs <= costs[row]).all(axis=1)
        better = (costs < costs[row]).any(axis=1)
        keep[row] = not (no_worse & better).any()
    return keep
