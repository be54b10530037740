"""The memory of a running search: a state per instance, and scratch that all instances share."""

from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import FloatArray, Int8Array, Int32Array, IntArray
from p2ce.engine.scores.flat.flat_arrays import FlatInstances, Records, ScoreLayout
from p2ce.engine.scores.flat.leaf_groups import LARGEST_GROUP, LeafGroups, new_groups
from p2ce.engine.scores.flat.reachable_leaves import Reached, Walk, new_reached, new_walk
from p2ce.engine.scores.flat.records import CANDIDATE, SLOT, SPAN
from p2ce.engine.solver.fronts import COUNTERS
from p2ce.engine.solver.pareto_front import Front, new_front
from p2ce.engine.solver.settings import Settings

# The reasons for which an expansion returns.
DONE, PAUSED, FRONT_FULL, BOXES_FULL, RESULTS_FULL = range(5)

# The positions in the state. ROW_AXIS: the position, in the box's list, of the axis along which a leaf's rows
# run. IMPLAUSIBLE_LEAVES: the leaves with so many implausible cells that the detector scored them as a whole.
STARTED, SIZE, LIVE, OPEN, FREE, USED, ROOT_PUSHED, FRESH, MONOTONE, IMPLAUSIBLE_LEAVES, ROW_AXIS = range(11)
CHOSEN = 11  # followed by the positions of the listed support's axes
STATE = CHOSEN + LARGEST_GROUP


class SupportList(NamedTuple):
    """The data of an instance for listing its supports."""

    live: Int32Array  # (axes,) the axes with a candidate other than the current value
    least: FloatArray  # (objectives, axes) the cheapest change of each axis
    groups: LeafGroups
    lifted: IntArray  # (trees,) scratch, zero between uses
    gain: IntArray  # (axes,) the largest additive gain of each axis
    own_total: IntArray  # (1,) the first score at the current point, in ticks above its base


class SearchState(NamedTuple):
    """The search of one instance, which can be paused and resumed."""

    state: IntArray  # (STATE,)
    counters: IntArray  # (COUNTERS,)
    front: Front  # the incumbent front
    boxes: Records  # (room, axes) SPAN
    heap: Records  # (room,) SLOT
    supports: SupportList


class CurrentBox(NamedTuple):
    """The current box."""

    spans: Records  # (axes,) SPAN
    hull: Records  # (axes,) SPAN: the part of the box in which candidates wait for the detector
    kept: Records  # (axes,) SPAN: a copy of the spans
    axes: Int32Array  # (axes,) the axes that can or must leave the current value
    cell: Int32Array  # (axes,) a point of the box
    nearest: FloatArray  # (objectives, axes) the cheapest change of each listed axis


class Sums(NamedTuple):
    """Scratch for cost arithmetic."""

    total: FloatArray  # (objectives,) the lower corner
    corner: IntArray  # (objectives,) the lower corner, as the integers that are compared
    trial: IntArray  # (objectives,) the costs of a point, as the integers that are compared
    # (2, objectives) the last and the second last of the cheapest undecided changes that are needed
    rest: FloatArray
    part: FloatArray  # (axes + 1, objectives) joined costs of the first axes
    behind: FloatArray  # (axes + 1, objectives) costs of the axes after that of the rows
    cheap: FloatArray  # (axes,) the cheapest changes of undecided axes
    few: IntArray  # (axes,) gains of undecided axes


class Scratch(NamedTuple):
    """Scratch that the search of any instance may overwrite."""

    box: CurrentBox
    sums: Sums
    walk: Walk
    reached: Reached  # leaves of the model in the current box
    further: Reached  # leaves of the detector
    best: IntArray  # (trees,)
    cells: Int32Array  # (dense,) totals of the model over a leaf box, in ticks
    further_cells: Int32Array  # (dense,) likewise of the detector
    verdict: Int8Array  # (dense,) of the compiled scores on each cell: REJECT, UNDECIDED or ACCEPT
    corner: IntArray
    row: FloatArray  # (columns,)
    candidates: Records  # (dense,) CANDIDATE, one per row and side of a leaf box; `order` is a heap of them
    quanta: IntArray  # (dense, objectives) costs, as the integers that are compared
    votes: IntArray  # (2, axes, width + 1)


def new_search(layout: ScoreLayout, instances: FlatInstances, settings: Settings) -> SearchState:
    """Allocate the state of an instance that is not started; pages that are never used cost nothing."""
    _, objectives, axes, width = instances.prices.shape
    trees = len(layout.flat.trees)
    return SearchState(
        state=np.zeros(STATE, dtype=np.int64),
        counters=np.zeros(COUNTERS, dtype=np.int64),
        front=new_front(64, objectives, axes),
        boxes=np.zeros((2 * width + 64, axes), dtype=SPAN),
        heap=np.zeros(2 * width + 64, dtype=SLOT),
        supports=SupportList(
            live=np.zeros(axes, dtype=np.int32),
            least=np.zeros((objectives, axes)),
            groups=new_groups(
                layout.leaves + 1 if settings.listed else 0, axes, min(settings.listed, LARGEST_GROUP), trees
            ),
            lifted=np.zeros(trees, dtype=np.int64),
            gain=np.zeros(axes, dtype=np.int64),
            own_total=np.zeros(1, dtype=np.int64),
        ),
    )


def new_scratch(layout: ScoreLayout, instances: FlatInstances, settings: Settings) -> Scratch:
    """Allocate scratch for any instance of the batch."""
    _, objectives, axes, width = instances.prices.shape
    dense = max(settings.dense_cells, 1)
    room = layout.leaves + 1
    return Scratch(
        box=CurrentBox(
            spans=np.zeros(axes, dtype=SPAN),
            hull=np.zeros(axes, dtype=SPAN),
            kept=np.zeros(axes, dtype=SPAN),
            axes=np.zeros(axes, dtype=np.int32),
            cell=np.zeros(axes, dtype=np.int32),
            nearest=np.zeros((objectives, axes)),
        ),
        sums=Sums(
            total=np.zeros(objectives),
            corner=np.zeros(objectives, dtype=np.int64),
            trial=np.zeros(objectives, dtype=np.int64),
            rest=np.zeros((2, objectives)),
            part=np.zeros((axes + 1, objectives)),
            behind=np.zeros((axes + 1, objectives)),
            cheap=np.zeros(axes + 1),
            few=np.zeros(axes + 1, dtype=np.int64),
        ),
        walk=new_walk(axes, layout.deepest),
        reached=new_reached(room, axes),
        further=new_reached(room, axes),
        best=np.zeros(len(layout.flat.trees), dtype=np.int64),
        cells=np.zeros(dense, dtype=np.int32),
        further_cells=np.zeros(dense, dtype=np.int32),
        verdict=np.zeros(dense, dtype=np.int8),
        # A box of n cells has at most log2(n) axes of two or more candidates, and so at most n corners.
        corner=np.zeros(dense + 1, dtype=np.int64),
        row=np.zeros(instances.own.shape[2], dtype=np.float64),
        candidates=np.zeros(dense, dtype=CANDIDATE),
        quanta=np.zeros((dense, objectives), dtype=np.int64),
        votes=np.zeros((2, axes, width + 1), dtype=np.int64),
    )


def with_more_boxes(search: SearchState) -> SearchState:
    """Double the room for open boxes, and keep the existing ones."""
    return search._replace(boxes=doubled(search.boxes), heap=doubled(search.heap))


def with_larger_front(search: SearchState) -> SearchState:
    """Double the room for front points, and keep the existing ones."""
    old = search.front
    return search._replace(front=Front(costs=doubled(old.costs), points=doubled(old.points), used=old.used))


def doubled(array: Records) -> Records:
    """Return an array twice as long that begins with the same rows."""
    larger = np.zeros((2 * len(array), *array.shape[1:]), dtype=array.dtype)
    larger[: len(array)] = array
    return larger
