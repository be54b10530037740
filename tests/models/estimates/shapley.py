"""Compute Shapley values by their definition, for a handful of columns."""

from collections.abc import Callable
from itertools import permutations

import numpy as np

from p2ce.base.arrays import FloatArray


def shapley(score: Callable[[FloatArray], FloatArray], row: FloatArray, background: FloatArray) -> FloatArray:
    """Average over all orders and background rows what each column adds when it joins."""
    columns = len(row)
    found = np.zeros(columns)
    orders = list(permutations(range(columns)))
    for order in orders:
        mixed = background.copy()
        before = score(mixed)
        for column in order:
            mixed[:, column] = row[column]
            after = score(mixed)
            found[column] += (after - before).mean()
            before = after
    return found / len(orders)


def crooked(rows: FloatArray) -> FloatArray:
    """A score with an interaction, a kink and a bend."""
    return rows[:, 0] + rows[:, 1] * rows[:, 2] + np.abs(rows[:, 3]) - 0.1 * rows[:, 0] ** 2


def chance(rows: FloatArray) -> FloatArray:
    """The same as a probability."""
    return 1.0 / (1.0 + np.exp(-crooked(rows)))
