"""Find the front by scoring every cell: the slow, obvious twin of the search."""

from collections.abc import Iterator, Sequence
from itertools import combinations, product

import numpy as np

from p2ce.arrays import FloatArray, Int32Array, IntArray
from p2ce.comparing import quanta
from p2ce.grid.base_grid import BaseGrid
from p2ce.grid.candidate_costs import CostTables
from p2ce.grid.placement import Placement
from p2ce.scores.score import FlatScore
from p2ce.scores.score_rows import score_rows
from p2ce.solver.undominated import undominated


def brute_force(
    scores: Sequence[FlatScore],
    grid: BaseGrid,
    placement: Placement,
    tables: CostTables,
    people: FloatArray,
    person: int,
    *,
    max_changes: int,
    keep_ties: bool = False,
    banned: Sequence[Sequence[int]] = (),
) -> Int32Array:
    """Return the candidate indices (points, axes) of the person's front, in the order of `sort_points`."""
    cells = np.array(list(_cells(placement, person, max_changes)), dtype=np.int32)
    cells = cells.reshape(-1, len(grid.names))
    forbidden = {tuple(cell) for cell in banned}
    cells = cells[[tuple(cell) not in forbidden for cell in cells.tolist()]]
    rows = np.repeat(people[person : person + 1], len(cells), axis=0)
    axes = np.arange(len(grid.names))
    rows[:, grid.columns] = placement.values[person, axes, cells]
    valid = np.ones(len(rows), dtype=np.bool_)
    before = np.repeat(people[person : person + 1], len(cells), axis=0)
    for score in scores:
        if score.spending is not None:
            valid &= -score.spending.of_row(before, rows) >= score.reject_below
        else:
            valid &= score_rows(score, rows) >= score.reject_below
    return front_of(cells[valid], tables, placement, person, keep_ties=keep_ties)


def front_of(
    points: Int32Array, tables: CostTables, placement: Placement, person: int, *, keep_ties: bool = False
) -> Int32Array:
    """Keep the undominated points, in the order of `sort_points`; of equal costs the first one, or all."""
    points = points[undominated(point_costs(points, tables, person))]
    ordered = sort_points(points, tables, placement, person)
    if keep_ties or not len(ordered):
        return ordered
    costs = point_costs(ordered, tables, person)
    first = np.append(True, (costs[1:] != costs[:-1]).any(axis=1))
    kept: Int32Array = ordered[first]
    return kept


def _cells(placement: Placement, person: int, max_changes: int) -> Iterator[list[int]]:
    """List every point with at most so many changes, and at least one."""
    here = placement.position[person].tolist()
    choices = [
        [i for i in range(low, high + 1) if i != at]
        for low, high, at in zip(placement.lowest[person], placement.highest[person], here, strict=True)
    ]
    for size in range(1, min(max_changes, len(here)) + 1):
        for support in combinations(range(len(here)), size):
            for values in product(*(choices[axis] for axis in support)):
                cell = list(here)
                for axis, value in zip(support, values, strict=True):
                    cell[axis] = value
                yield cell


def point_costs(points: Int32Array, tables: CostTables, person: int) -> IntArray:
    """Return the costs (points, objectives) as they are compared."""
    return quanta(tables.totals(np.full(len(points), person), points))


def sort_points(points: Int32Array, tables: CostTables, placement: Placement, person: int) -> Int32Array:
    """Sort by cost, objective after objective; ties by grid steps moved, then by the candidates."""
    moved = np.abs(points - placement.position[person]).sum(axis=1)
    costs = point_costs(points, tables, person)
    keys = [*points.T[::-1], moved, *costs.T[::-1]]
    return points[np.lexsort(keys)] if len(points) else points
