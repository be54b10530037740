"""Turn costs into whole ticks, so that totals are exact and comparing them is safe."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from p2ce.arrays import FloatArray, Int32Array, IntArray
from p2ce.errors import InvalidObjective
from p2ce.grid.placement import Placement

SCALE_BITS = 50  # ticks in the largest total: leaves room in int64 for sums over any number of axes
QUANTUM_BITS = (
    20  # totals that agree up to this many low bits count as equal: 2**-30, about 1e-9, of the scale
)
SMALLEST_SCALE = 2.0**-900  # below it, ticks would leave float64


class Join(StrEnum):
    """How the costs of the features become one cost."""

    SUM = "sum"
    MAX = "max"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CostTables:
    """What each candidate costs each person of a batch, in whole ticks.

    ``envelope`` is the cheapest way to go at least that far: at an index right of the current one, the
    minimum of the steps from there to the highest allowed index, left of it down to the lowest. Entries
    outside the allowed indices are 0 and mean nothing.
    """

    steps: IntArray  # (n, M, m, width) for n people, M objectives, m axes
    envelope: IntArray  # (n, M, m, width)
    joins: Int32Array  # (M,) 0 sum, 1 max
    tick: FloatArray  # (n, M) the cost of one tick


def tabulate(costs: Sequence[FloatArray], joins: Sequence[Join], placement: Placement) -> CostTables:
    """Turn the costs of M objectives, each (n, m, width), into ticks.

    A tick is 2**-50 of the smallest power of two that no total of the person exceeds. Every product
    with it is exact, so that each entry is rounded once and a total of ticks not at all.

    >>> from p2ce.grid import BaseGrid
    >>> from p2ce.grid.placement import place
    >>> placed = place(BaseGrid.from_candidates({"a": [0, 1, 2]}, columns=["a"]), np.array([[1.0]]))
    >>> tables = tabulate([np.array([[[3.0, 0.0, 1.0, 0.0]]])], [Join.SUM], placed)
    >>> (tables.steps * tables.tick).tolist()
    [[[[3.0, 0.0, 1.0, 0.0]]]]
    """
    from p2ce.compiled.cost_kernel import fill_ticks  # Numba loads where it is used

    people, axes, width = placement.values.shape
    shape = (people, len(costs), axes, width)
    steps, envelope = np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.int64)
    tick = np.empty((people, len(costs)))
    for objective, (cost, join) in enumerate(zip(costs, joins, strict=True)):
        fill_ticks(
            cost,
            placement.lowest,
            placement.highest,
            placement.position,
            objective,
            join is Join.MAX,
            SCALE_BITS,
            SMALLEST_SCALE,
            steps,
            envelope,
            tick,
        )
    if not np.isfinite(tick).all():
        raise InvalidObjective(
            "The costs of a person add up to more than float64 holds. Rescale the objective."
        )
    return CostTables(steps=steps, envelope=envelope, joins=join_codes(joins), tick=tick)


def join_codes(joins: Sequence[Join]) -> Int32Array:
    """Give the joins as the kernels read them: 0 for sum, 1 for max."""
    return np.array([int(join is Join.MAX) for join in joins], dtype=np.int32)


def quanta(totals: IntArray) -> IntArray:
    """Round totals of ticks to whole quanta: two totals count as equal when these are."""
    return (totals + (1 << (QUANTUM_BITS - 1))) >> QUANTUM_BITS
