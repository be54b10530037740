"""Hold what every candidate costs, and join it over the axes always in the same order."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from p2ce.arrays import FloatArray, Int32Array, IntArray
from p2ce.errors import InvalidObjective
from p2ce.grid.placement import Placement


class Join(StrEnum):
    """How the costs of the features become one cost."""

    SUM = "sum"
    MAX = "max"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CostTables:
    """What each candidate costs each person of a batch, exactly as the objective says.

    A cell's *total* joins its costs axis after axis, in the order of the axes. Joining them here
    and in a kernel gives the same float64, bit for bit, so that cells tie or do not tie everywhere alike.
    ``p2ce.comparing`` says when two totals count as equal.

    ``envelope`` is the least cost of going at least that far: at an index right of the current one, the
    minimum of the steps from there to the highest allowed index, left of it down to the lowest. Entries
    outside the allowed indices are 0 and mean nothing.
    """

    steps: FloatArray  # (n, M, m, width) for n people, M objectives, m axes
    envelope: FloatArray  # (n, M, m, width)
    joins: Int32Array  # (M,) 0 sum, 1 max
    # (n, M) what makes totals of different objectives of the same order, to be added up: the best-first order
    # depends on it, and no result does.
    shares: FloatArray

    def totals(self, owner: IntArray, points: Int32Array) -> FloatArray:
        """Join what points (p, axes) of the people ``owner`` (p,) cost: (p, M)."""
        joined = np.zeros((len(points), len(self.joins)))
        by_max = self.joins == 1
        for axis in range(points.shape[1]):
            cost = self.steps[owner, :, axis, points[:, axis]]
            joined = np.where(by_max, np.maximum(joined, cost), joined + cost)
        return joined


def tabulate(costs: Sequence[FloatArray], joins: Sequence[Join], placement: Placement) -> CostTables:
    """Lay out the costs of M objectives, each (n, m, width).

    >>> from p2ce.grid import BaseGrid
    >>> from p2ce.grid.placement import place
    >>> placed = place(BaseGrid.from_candidates({"a": [0, 1, 2]}, columns=["a"]), np.array([[1.0]]))
    >>> tables = tabulate([np.array([[[3.0, 0.0, 1.0, 0.0]]])], [Join.SUM], placed)
    >>> tables.totals(np.array([0, 0]), np.array([[0], [2]], dtype=np.int32)).tolist()
    [[3.0], [1.0]]
    """
    from p2ce.grid.cost_kernel import fill_costs  # Numba loads where it is used

    people, axes, width = placement.values.shape
    shape = (people, len(costs), axes, width)
    steps, envelope = np.empty(shape), np.empty(shape)
    shares = np.empty((people, len(costs)))
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
            "The costs of a person add up to more than float64 holds. Rescale the objective."
        )
    return CostTables(steps=steps, envelope=envelope, joins=join_codes(joins), shares=shares)


def join_codes(joins: Sequence[Join]) -> Int32Array:
    """Return the joins as the kernels read them: 0 for sum, 1 for max."""
    return np.array([int(join is Join.MAX) for join in joins], dtype=np.int32)
