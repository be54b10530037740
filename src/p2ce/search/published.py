"""Search as the paper publishes it: level by level, pruned by its SHAP estimate without the residual.

It is here to be compared with, and can miss points: the estimate is no bound.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.compiled.costs import CostTables
from p2ce.grid.placement import Placement
from p2ce.search.brute_force import point_costs, sort_points

BATCH = 4_096  # cells per call of the model: the front found so far prunes between calls
CHUNK = 1 << 17  # cells that are laid out at a time, whatever the size of a level


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedResult:
    """The points that were found, and what that took."""

    points: Int32Array  # (points, axes) candidate indices, in the order of `sort_points`
    scored: int  # cells put to the model
    pruned: int  # partial points that the estimate kept from some or all of their extensions


@dataclass(slots=True, kw_only=True, eq=False)
class _Level:
    """Partial points with the same number of changes, which neither reached the threshold nor were beaten."""

    cells: Int32Array  # (n, axes)
    values: FloatArray  # (n,)
    last: IntArray  # (n,) the last changed axis, -1 for the person


def search_as_published(
    placement: Placement,
    tables: CostTables,
    person: int,
    *,
    max_changes: int | None,
    judge: Callable[[Int32Array], FloatArray],
    is_plausible: Callable[[Int32Array], BoolArray],
    value_at_person: float,
    phi: FloatArray,
    phi_bar: FloatArray,
    threshold: float,
    keep_ties: bool = False,
) -> PublishedResult:
    """Run the paper's Alg. 2 for one person, a whole level of partial points at a time.

    ``judge`` gives the scores of cells (n, axes) on the scale of ``phi`` (axes,), the attributions at the
    person, ``phi_bar`` (axes,), the largest ones seen, and ``threshold``; it sees each cell at most once.
    A cell that reaches the threshold and is plausible joins the front and is not extended. Nor is one
    that the front beats, or whose estimate f(x + a) + Σ over O_k of (φ̄ᵢ − φᵢ) is below the threshold,
    where k is the number of changes left and O_k are the k open axes with the largest φ̄. Axes are
    decided in order, so that the open ones shrink from axis to axis, and the estimate with them.

    The attributions φᵢ of open axes are taken at the person, not anew at every partial point: open axes
    still have the person's values there, and explaining each partial point would cost more evaluations
    than scoring all of its extensions.
    """
    axes = placement.position.shape[1]
    most = axes if max_changes is None else min(max_changes, axes)
    bonus = _bonuses(phi, phi_bar, most)
    front = _Front(tables=tables, person=person, cells=np.empty((0, axes), np.int32))
    level = _Level(
        cells=placement.position[person][None].astype(np.int32),
        values=np.array([value_at_person]),
        last=np.array([-1]),
    )
    scored = pruned = 0
    for left in range(most, 0, -1):
        until = _first_hopeless_axis(level, bonus[left], threshold)
        pruned += int((until < axes).sum())
        survivors: list[_Level] = []
        for batch in _extensions(level, until, placement, person, front):
            hope = ~front.beats(batch.cells)
            fresh, last = batch.cells[hope], batch.last[hope]
            if not len(fresh):
                continue
            values = judge(fresh)
            scored += len(fresh)
            reached = values >= threshold
            good = reached.copy()
            if reached.any():
                good[reached] = is_plausible(fresh[reached])
            front.add(fresh[good])
            if left > 1:
                on = ~good
                survivors.append(_Level(cells=fresh[on], values=values[on], last=last[on]))
        if not survivors:
            break
        level = _Level(
            cells=np.concatenate([part.cells for part in survivors]),
            values=np.concatenate([part.values for part in survivors]),
            last=np.concatenate([part.last for part in survivors]),
        )
    points = sort_points(front.cells, tables, placement, person)
    if not keep_ties and len(points):
        costs = point_costs(points, tables, person)
        points = points[np.append(True, (costs[1:] != costs[:-1]).any(axis=1))]
    return PublishedResult(points=points, scored=scored, pruned=pruned)


def _bonuses(phi: FloatArray, phi_bar: FloatArray, most: int) -> FloatArray:
    """Give Σ over O_k of (φ̄ᵢ − φᵢ) for k changes left and the axes from i on open: (most + 1, axes + 1)."""
    axes = len(phi)
    bonus = np.zeros((most + 1, axes + 1))
    for first in range(axes):
        order = first + np.argsort(-phi_bar[first:], kind="stable")
        sums = np.cumsum((phi_bar - phi)[order])
        for left in range(1, most + 1):
            bonus[left, first] = sums[min(left, len(sums)) - 1]
    return bonus


def _first_hopeless_axis(level: _Level, bonus: FloatArray, threshold: float) -> IntArray:
    """Find for each partial point the first open axis from which on the estimate is too low: (n,)."""
    axes = len(bonus) - 1  # as an answer it means that every extension stays possible
    first = np.arange(axes)
    hopeless = (level.values[:, None] + bonus[:axes] < threshold) & (first > level.last[:, None])
    return np.where(hopeless.any(axis=1), hopeless.argmax(axis=1), axes).astype(np.int64)


@dataclass(slots=True, kw_only=True, eq=False)
class _Front:
    """The cells that nothing found so far beats."""

    tables: CostTables
    person: int
    cells: Int32Array  # (n, axes)

    def beats(self, cells: Int32Array) -> BoolArray:
        """Mark cells that cost no less than a point of the front anywhere, and more somewhere."""
        costs = point_costs(cells, self.tables, self.person)
        beaten = np.zeros(len(cells), dtype=np.bool_)
        for cost in np.unique(point_costs(self.cells, self.tables, self.person), axis=0):
            beaten |= (cost <= costs).all(axis=1) & (cost < costs).any(axis=1)
        return beaten

    def add(self, cells: Int32Array) -> None:
        if not len(cells):
            return
        both = np.concatenate([self.cells, cells])
        self.cells = both[_peel(point_costs(both, self.tables, self.person))]


def _peel(costs: IntArray) -> BoolArray:
    """Mark the rows that no other row beats; equal rows do not beat each other."""
    unique, back = np.unique(costs, axis=0, return_inverse=True)
    keep = np.zeros(len(unique), dtype=np.bool_)
    left = np.arange(len(unique))
    while len(left):
        # The rows are sorted: nothing behind the first can beat it, and it beats what is nowhere lower.
        keep[left[0]] = True
        left = left[(unique[left] < unique[left[0]]).any(axis=1)]
    marked: BoolArray = keep[back.reshape(-1)]
    return marked


def _extensions(
    level: _Level, until: IntArray, placement: Placement, person: int, front: _Front
) -> Iterator[_Level]:
    """Lay out the cells with one more change, in batches: cheap partial points first, cheap cells first."""
    costs = point_costs(level.cells, front.tables, person)
    room = (placement.highest[person] - placement.lowest[person]).astype(np.int64)  # other candidates
    sizes = _room_between(room, level.last + 1, until)
    for chunk in _chunks(np.lexsort(costs.T[::-1]), sizes):
        chunk = chunk[~front.beats(level.cells[chunk])]  # the front has grown since
        cells, last = _extend(level, chunk, until, placement, person)
        order = np.lexsort(point_costs(cells, front.tables, person).T[::-1])
        for start in range(0, len(order), BATCH):
            part = order[start : start + BATCH]
            yield _Level(cells=cells[part], values=np.empty(0), last=last[part])


def _room_between(room: IntArray, first: IntArray, until: IntArray) -> IntArray:
    """Count the other candidates of the axes from ``first`` up to, without, ``until``: (n,)."""
    total = np.append(0, np.cumsum(room))
    return np.asarray(np.maximum(total[until] - total[np.minimum(first, len(room))], 0))


def _chunks(order: IntArray, sizes: IntArray) -> Iterator[IntArray]:
    """Cut partial points, in the given order, into runs whose extensions fit into a chunk."""
    order = order[sizes[order] > 0]
    ends = np.cumsum(sizes[order])
    start = 0
    while start < len(order):
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + CHUNK, side="right")))
        yield order[start:stop]
        start = stop


def _extend(
    level: _Level, chosen: IntArray, until: IntArray, placement: Placement, person: int
) -> tuple[Int32Array, IntArray]:
    """Give every cell with one more change on an axis behind the last one: cells (n, axes), axes (n,)."""
    axes = level.cells.shape[1]
    cells, last = [np.empty((0, axes), np.int32)], [np.empty(0, np.int64)]
    for axis in range(axes):
        parents = chosen[(level.last[chosen] < axis) & (axis < until[chosen])]
        here = placement.position[person, axis]
        others = np.arange(
            placement.lowest[person, axis], placement.highest[person, axis] + 1, dtype=np.int32
        )
        others = others[others != here]
        if not len(parents) or not len(others):
            continue
        grown = np.repeat(level.cells[parents], len(others), axis=0)
        grown[:, axis] = np.tile(others, len(parents))
        cells.append(grown)
        last.append(np.full(len(grown), axis))
    return np.concatenate(cells), np.concatenate(last)
