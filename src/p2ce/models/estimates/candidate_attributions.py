"""Tabulate the attribution of each candidate value, by inserting it into rows of other instances."""

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.models.estimates.attributions import Attributor


def best_attributions(
    attributor: Attributor,
    reference_values: FloatArray,
    grid: BaseGrid,
    rows_per_candidate: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the largest attribution seen of each base candidate, aligned with ``grid.table``: (axes, width).

    This is φ̄ of the paper, but for each value separately instead of one maximum over all values, since the
    search tries a specific value.
    """
    return _tabulate(attributor, reference_values, grid, rows_per_candidate, rng)[0]


def mean_attributions(
    attributor: Attributor,
    reference_values: FloatArray,
    grid: BaseGrid,
    rows_per_candidate: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the mean attribution of every base candidate, aligned with ``grid.table``: (axes, width).

    The mean is a curve over the candidates, which can also be evaluated at the instance's own value at no
    cost. With a calibrated residual, it prunes more than the maximum, which raises all candidates alike.
    """
    return _tabulate(attributor, reference_values, grid, rows_per_candidate, rng)[1]


def _tabulate(
    attributor: Attributor,
    reference_values: FloatArray,
    grid: BaseGrid,
    rows_per_candidate: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    best, mean = np.empty(grid.table.shape), np.empty(grid.table.shape)
    count = min(rows_per_candidate, len(reference_values))
    for axis, (column, values) in enumerate(zip(grid.columns, grid.values, strict=True)):
        # All values of an axis use the same rows, so only the value itself makes a difference.
        rows = reference_values[rng.choice(len(reference_values), size=count, replace=False)]
        found = attributor.explain_planted(rows, int(column), values)
        for table, summary in ((best, found.max(axis=0)), (mean, found.mean(axis=0))):
            table[axis, : len(values)] = summary
            table[axis, len(values) :] = summary[-1]
    return best, mean
