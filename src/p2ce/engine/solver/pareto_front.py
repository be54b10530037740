"""A Pareto front of integer cost vectors, for compiled code."""

from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import Int32Array, IntArray
from p2ce.engine.kernels.jit import kernel

NOT_COVERED = 0
TIED = 1
DOMINATED = 2


class Front(NamedTuple):
    """The points found so far; only the first ``used[0]`` rows are valid."""

    # (room, objectives + 1) rounded costs, and last the grid steps moved, the first tie-breaker
    costs: IntArray
    points: Int32Array  # (room, axes) the candidate on each axis
    used: IntArray  # (2,) the number of valid points; the last point that dominated something


def new_front(room: int, objectives: int, axes: int) -> Front:
    return Front(
        costs=np.zeros((room, objectives + 1), dtype=np.int64),
        points=np.zeros((room, axes), dtype=np.int32),
        used=np.zeros(2, dtype=np.int64),
    )


@kernel
def compare_point(front: Front, point: int, costs: IntArray) -> int:
    """Return whether a front point dominates a cost vector, ties with it, or does neither."""
    relation = TIED
    for m in range(costs.shape[0]):
        if front.costs[point, m] > costs[m]:
            return NOT_COVERED
        if front.costs[point, m] < costs[m]:
            relation = DOMINATED
    return relation


@kernel
def is_dominated(front: Front, costs: IntArray) -> bool:
    """Return whether some point is as good in every objective and better in one."""
    # The point that dominated the last box often dominates its neighbour too.
    hint = front.used[1]
    if hint < front.used[0] and compare_point(front, hint, costs) == DOMINATED:
        return True
    for point in range(front.used[0]):
        if compare_point(front, point, costs) == DOMINATED:
            front.used[1] = point
            return True
    return False


@kernel
def find_tied(front: Front, costs: IntArray) -> int:
    """Return the first point with exactly these costs, or -1."""
    for point in range(front.used[0]):
        if compare_point(front, point, costs) == TIED:
            return point
    return -1


@kernel
def point_comes_first(front: Front, point: int, steps: int, index: Int32Array) -> bool:
    """Return whether a front point precedes another of equal cost: fewer steps, then smaller values."""
    own: int = front.costs[point, front.costs.shape[1] - 1]
    if own != steps:
        return own < steps
    for a in range(index.shape[0]):
        candidate: int = front.points[point, a]
        other: int = index[a]
        if candidate != other:
            return candidate < other
    return True


@kernel
def add_point(front: Front, costs: IntArray, steps: int, index: Int32Array, keep_ties: bool) -> bool:
    """Add an undominated point; return False only if there is no room left."""
    objectives = costs.shape[0]
    count = front.used[0]
    for point in range(count):
        if compare_point(front, point, costs) == TIED:
            if not keep_ties and point_comes_first(front, point, steps, index):
                return True
            same = True
            for a in range(index.shape[0]):
                if front.points[point, a] != index[a]:
                    same = False
            if same:
                return True
    if count >= front.costs.shape[0]:
        return False
    kept = 0
    for point in range(count):
        no_better = True
        worse = False
        for m in range(objectives):
            if front.costs[point, m] < costs[m]:
                no_better = False
                break
            if front.costs[point, m] > costs[m]:
                worse = True
        if no_better and (worse or not keep_ties):
            continue
        for m in range(objectives + 1):
            front.costs[kept, m] = front.costs[point, m]
        for a in range(index.shape[0]):
            front.points[kept, a] = front.points[point, a]
        kept += 1
    for m in range(objectives):
        front.costs[kept, m] = costs[m]
    front.costs[kept, objectives] = steps
    for a in range(index.shape[0]):
        front.points[kept, a] = index[a]
    front.used[0] = kept + 1
    front.used[1] = kept
    return True
