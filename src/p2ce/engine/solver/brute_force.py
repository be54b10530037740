"""Find the front by scoring every cell: the slow, obvious twin of the search."""

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.base.comparing import quanta
from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import CostTables, Placement
from p2ce.engine.scores.score import FlatScore, score_rows
from p2ce.engine.solver.undominated import undominated


def brute_force(
    scores: Sequence[FlatScore],
    grid: BaseGrid,
    placement: Placement,
    tables: CostTables,
    instances: FloatArray,
    instance: int,
    *,
    max_changes: int,
    keep_ties: bool = False,
    excluded: Sequence[Sequence[int]] = (),
) -> Int32Array:
    """Return the candidate indices (points, axes) of an instance's front, in the order of `sort_points`."""
    forbidden = {tuple(cell) for cell in excluded}

    def accepts(cells: Int32Array) -> BoolArray:
        before = np.repeat(instances[instance : instance + 1], len(cells), axis=0)
        rows = before.copy()
        rows[:, grid.columns] = placement.values[instance, np.arange(len(grid.names)), cells]
        accepted = np.array([tuple(cell) not in forbidden for cell in cells.tolist()], dtype=np.bool_)
        for score in scores:
            spending = score.spending
            values = score_rows(score, rows) if spending is None else -spending.of_row(before, rows)
            accepted &= values >= score.reject_below
        return accepted

    return front_among(accepts, placement, tables, instance, max_changes=max_changes, keep_ties=keep_ties)


def front_among(
    accepts: Callable[[Int32Array], BoolArray],
    placement: Placement,
    tables: CostTables,
    instance: int,
    *,
    max_changes: int,
    keep_ties: bool = False,
) -> Int32Array:
    """Return an instance's front among the accepted cells; ``accepts`` evaluates cells (n, axes)."""
    cells = cells_within(placement, instance, max_changes)
    cells = cells[accepts(cells)] if len(cells) else cells
    return front_of(cells, tables, placement, instance, keep_ties=keep_ties)


def front_of(
    points: Int32Array, tables: CostTables, placement: Placement, instance: int, *, keep_ties: bool = False
) -> Int32Array:
    """Return the undominated points in the order of `sort_points`: for equal costs the first, or all."""
    points = points[undominated(point_costs(points, tables, instance))]
    ordered = sort_points(points, tables, placement, instance)
    if keep_ties or not len(ordered):
        return ordered
    costs = point_costs(ordered, tables, instance)
    first = np.append(True, (costs[1:] != costs[:-1]).any(axis=1))
    kept: Int32Array = ordered[first]
    return kept


def cells_within(placement: Placement, instance: int, max_changes: int) -> Int32Array:
    """List every cell (n, axes) with at least one change and at most ``max_changes``."""
    here = placement.position[instance]
    choices = [
        np.delete(np.arange(low, high + 1), at - low)
        for low, high, at in zip(placement.lowest[instance], placement.highest[instance], here, strict=True)
    ]
    blocks = [np.empty((0, len(here)), dtype=np.int32)]
    for size in range(1, min(max_changes, len(here)) + 1):
        for support in map(list, combinations(range(len(here)), size)):
            values = np.meshgrid(*(choices[axis] for axis in support), indexing="ij")
            cells = np.repeat(here[None], values[0].size, axis=0).astype(np.int32)
            cells[:, support] = np.stack([one.ravel() for one in values], axis=1)
            blocks.append(cells)
    return np.concatenate(blocks)


def point_costs(points: Int32Array, tables: CostTables, instance: int) -> IntArray:
    """Return the costs (points, objectives) as the integers that are compared."""
    return quanta(tables.totals(np.full(len(points), instance), points))


def sort_points(points: Int32Array, tables: CostTables, placement: Placement, instance: int) -> Int32Array:
    """Sort by cost, objective by objective; break ties by the grid steps moved, then by the candidates."""
    moved = np.abs(points - placement.position[instance]).sum(axis=1)
    costs = point_costs(points, tables, instance)
    keys = [*points.T[::-1], moved, *costs.T[::-1]]
    return points[np.lexsort(keys)] if len(points) else points
