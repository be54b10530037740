"""The cost of every candidate, and totals over the axes, always added in the same order."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from p2ce.base.arrays import FloatArray, Int32Array, IntArray
from p2ce.engine.grid.placement import Placement
from p2ce.errors import InvalidObjective


class Join(StrEnum):
    """How the costs of the features are combined into one."""

    SUM = "sum"
    MAX = "max"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CostTables:
    """The cost of each candidate for each instance of a batch, exactly as the objective returns it.

    A cell's *total* joins its costs axis by axis, in the order of the axes. This class and the kernels
    compute the same float64, bit for bit, so two cells tie in both or in neither.
    ``p2ce.base.comparing`` defines when two totals count as equal.

    ``envelope`` is the least cost of moving at least that far. To the right of the current index, it is the
    minimum of the steps from there to the highest allowed index; to the left, down to the lowest. Entries
    outside the allowed indices are 0 and have no meaning.
    """

    steps: FloatArray  # (n, M, m, width) for n instances, M objectives, m axes
    envelope: FloatArray  # (n, M, m, width)
    joins: Int32Array  # (M,) 0 sum, 1 max
    # (n, M) factors that bring the totals of all objectives to one order of magnitude, so they can be added.
    # Only the best-first order depends on them, no result does.
    shares: FloatArray

    def totals(self, instance: IntArray, cells: Int32Array) -> FloatArray:
        """Return the totals (cells, objectives) of cells (cells, axes) of instances (cells,)."""
        joined = np.zeros((len(cells), len(self.joins)))
        by_max = self.joins == 1
        for axis in range(cells.shape[1]):
            cost = self.steps[instance, :, axis, cells[:, axis]]
            joined = np.where(by_max, np.maximum(joined, cost), joined + cost)
        return joined


def tabulate_costs(costs: Sequence[FloatArray], joins: Sequence[Join], placement: Placement) -> CostTables:
    """Lay out the costs of M objectives, each (n, m, width).

    >>> from p2ce.engine.grid import BaseGrid
    >>> from p2ce.engine.grid.placement import place
    >>> placed = place(BaseGrid.from_candidates({"a": [0, 1, 2]}, columns=["a"]), np.array([[1.0]]))
    >>> tables = tabulate_costs([np.array([[[3.0, 0.0, 1.0, 0.0]]])], [Join.SUM], placed)
    >>> tables.totals(np.array([0, 0]), np.array([[0], [2]], dtype=np.int32)).tolist()
    [[3.0], [1.0]]
    """
    from p2ce.engine.grid.cost_kernel import fill_costs  # Numba is imported only where it is used

    count, axes, width = placement.values.shape
    shape = (count, len(costs), axes, width)
    steps, envelope = np.empty(shape), np.empty(shape)
    shares = np.empty((count, len(costs)))
    middle = np.empty(axes)
    for objective, (cost, join) in enumerate(zip(costs, joins, strict=True)):
        fill_costs(
            cost,
            placement.lowest,
            placement.highest,
            placement.position,
            objective,
            join is Join.MAX,
            middle,
            steps,
            envelope,
            shares,
        )
    if np.isnan(shares).any():
        raise InvalidObjective(
            "The costs of an instance add up to more than float64 can hold. Rescale the objective."
        )
    codes = np.array([join is Join.MAX for join in joins], dtype=np.int32)
    return CostTables(steps=steps, envelope=envelope, joins=codes, shares=shares)
