"""Compare cost vectors in the obvious way: the NumPy twin of `pareto_front`."""

import numpy as np

from p2ce.base.arrays import BoolArray, IntArray


def dominates(one: IntArray, other: IntArray) -> BoolArray:
    """Return which cost vectors (…, m) are nowhere worse than others (…, m), and better in one objective."""
    return np.asarray((one <= other).all(axis=-1) & (one < other).any(axis=-1))


def undominated(costs: IntArray) -> BoolArray:
    """Mark the rows of ``costs`` (n, m) that no other row dominates: equal rows do not dominate each other.

    >>> undominated(np.array([[1, 2], [2, 1], [2, 2], [1, 2]])).tolist()
    [True, True, False, True]
    """
    keep = np.zeros(len(costs), dtype=np.bool_)
    left = np.lexsort(costs.T[::-1])
    while len(left):
        first = costs[left[0]]  # in lexicographic order, no later vector dominates it
        keep[left[(costs[left] == first).all(axis=1)]] = True
        left = left[(costs[left] < first).any(axis=1)]
    return keep
