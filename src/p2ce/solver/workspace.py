"""Hold everything a search needs while it runs, so that it can pause and go on."""

from typing import NamedTuple

import numpy as np

from p2ce.arrays import FloatArray, Int32Array, IntArray
from p2ce.scores.flat_arrays import FlatInstances, Records, ScoreLayout
from p2ce.scores.leaf_groups import LARGEST_GROUP, LeafGroups, new_groups
from p2ce.scores.reachable_leaves import Reached, Walk, new_reached, new_walk
from p2ce.scores.records import CANDIDATE, SLOT, SPAN
from p2ce.solver.pareto_front import Front, new_front

# Why a run came back.
DONE, PAUSED, FRONT_FULL, BOXES_FULL, RESULTS_FULL = range(5)

# What a person's counters count. BOUND + s: boxes that the bound of compiled score s removed, 2 standing for
# all from there on; FOREIGN: by the bound of a score outside; ESTIMATE: by an estimate, which proves nothing;
# RULE: by a rule between features; ATTRIBUTED: points at which SHAP values were computed.
BOXES, BEATEN, TOO_MANY, SCORED, CHECKED, WORK, FOREIGN, ESTIMATE, RULE, ATTRIBUTED, BOUND = range(11)
COUNTERS = BOUND + 3

# Where the state keeps what.
STARTED, SIZE, LIVE, OPEN, FREE, USED, ROOT_PUSHED, FRESH, MONOTONE, TIRED, PLACE = range(11)
CHOSEN = 11  # followed by the places of the listed support's axes
STATE = CHOSEN + LARGEST_GROUP


class Rules(NamedTuple):
    """How the grid is explored."""

    max_changes: int
    keep_ties: bool
    listed: int  # supports of at most this many changes are listed one by one, larger ones met as boxes
    dense_cells: int  # boxes of at most this many cells are scored whole; 0 never does
    bounds: bool  # prune boxes by upper bounds of the scores


class Box(NamedTuple):
    """The box at hand."""

    spans: Records  # (axes,) SPAN
    hull: Records  # (axes,) SPAN: the part of it in which candidates wait for the detector
    kept: Records  # (axes,) SPAN: a copy of the spans
    axes: Int32Array  # (axes,) those that can or must leave the current value
    cell: Int32Array  # (axes,) a point of it
    nearest: FloatArray  # (objectives, axes) cheapest change of each listed axis


class Sums(NamedTuple):
    """Scratch for cost arithmetic."""

    total: FloatArray  # (objectives,) lower corner
    corner: IntArray  # (objectives,) the same as compared
    trial: IntArray  # (objectives,) costs of a point, as compared
    rest: (
        FloatArray  # (2, objectives) last and last but one of the cheapest undecided changes that are needed
    )
    part: FloatArray  # (axes + 1, objectives) joined costs of the first axes
    behind: FloatArray  # (axes + 1, objectives) costs of the axes behind that of the rows
    cheap: FloatArray  # (axes,) the cheapest changes of undecided axes
    few: IntArray  # (axes,) gains of undecided axes


class Workspace(NamedTuple):
    state: IntArray  # (STATE,)
    counters: IntArray  # (COUNTERS,)
    front: Front
    live: Int32Array  # (axes,) axes with an alternative
    least: FloatArray  # (objectives, axes) cheapest change of each axis
    groups: LeafGroups
    walk: Walk
    reached: Reached  # leaves of the model in the box at hand
    further: Reached  # leaves of the detector
    best: IntArray  # (trees,)
    lifted: IntArray  # (trees,) zeros between uses
    gain: IntArray  # (axes,) largest additive gain of each axis
    own_total: IntArray  # (1,) the first score at the current point, in ticks
    cells: Int32Array  # (dense,) model
    further_cells: Int32Array  # (dense,) detector
    corner: IntArray
    row: FloatArray  # (columns,)
    boxes: Records  # (room, axes) SPAN
    queue: Records  # (room,) SLOT
    box: Box
    sums: Sums
    candidates: Records  # (dense,) CANDIDATE, one per row and side of a scored box; `order` is a heap of them
    quanta: IntArray  # (dense, objectives) costs as compared
    votes: IntArray  # (2, axes, width + 1)


def new_workspace(layout: ScoreLayout, people: FlatInstances, rules: Rules) -> Workspace:
    """Allocate for any person of the batch; pages that are never touched cost nothing."""
    _, objectives, axes, width = people.prices.shape
    dense = max(rules.dense_cells, 1)
    rooms = layout.leaves + 1
    return Workspace(
        state=np.zeros(STATE, dtype=np.int64),
        counters=np.zeros(COUNTERS, dtype=np.int64),
        front=new_front(64, objectives, axes),
        live=np.zeros(axes, dtype=np.int32),
        least=np.zeros((objectives, axes)),
        groups=new_groups(rooms, axes, min(rules.listed, LARGEST_GROUP), len(layout.flat.trees)),
        walk=new_walk(axes, layout.deepest),
        reached=new_reached(rooms, axes),
        further=new_reached(rooms, axes),
        best=np.zeros(len(layout.flat.trees), dtype=np.int64),
        lifted=np.zeros(len(layout.flat.trees), dtype=np.int64),
        gain=np.zeros(axes, dtype=np.int64),
        own_total=np.zeros(1, dtype=np.int64),
        cells=np.zeros(dense, dtype=np.int32),
        further_cells=np.zeros(dense, dtype=np.int32),
        # A box of n cells has at most log2(n) axes of two or more candidates, and so at most n corners.
        corner=np.zeros(dense + 1, dtype=np.int64),
        row=np.zeros(people.own.shape[2], dtype=np.float64),
        boxes=np.zeros((2 * width + 64, axes), dtype=SPAN),
        queue=np.zeros(2 * width + 64, dtype=SLOT),
        box=new_box(axes, objectives),
        sums=new_sums(axes, objectives),
        candidates=np.zeros(dense, dtype=CANDIDATE),
        quanta=np.zeros((dense, objectives), dtype=np.int64),
        votes=np.zeros((2, axes, width + 1), dtype=np.int64),
    )


def new_box(axes: int, objectives: int) -> Box:
    return Box(
        spans=np.zeros(axes, dtype=SPAN),
        hull=np.zeros(axes, dtype=SPAN),
        kept=np.zeros(axes, dtype=SPAN),
        axes=np.zeros(axes, dtype=np.int32),
        cell=np.zeros(axes, dtype=np.int32),
        nearest=np.zeros((objectives, axes)),
    )


def new_sums(axes: int, objectives: int) -> Sums:
    return Sums(
        total=np.zeros(objectives),
        corner=np.zeros(objectives, dtype=np.int64),
        trial=np.zeros(objectives, dtype=np.int64),
        rest=np.zeros((2, objectives)),
        part=np.zeros((axes + 1, objectives)),
        behind=np.zeros((axes + 1, objectives)),
        cheap=np.zeros(axes + 1),
        few=np.zeros(axes + 1, dtype=np.int64),
    )


def with_more_boxes(work: Workspace) -> Workspace:
    """Double the room for open boxes, keeping what is there."""
    return work._replace(boxes=doubled(work.boxes), queue=doubled(work.queue))


def with_larger_front(work: Workspace) -> Workspace:
    """Double the room for front points, keeping those found."""
    old = work.front
    return work._replace(front=Front(costs=doubled(old.costs), points=doubled(old.points), used=old.used))


def doubled(array: Records) -> Records:
    """Give the same rows with as much room again."""
    larger = np.zeros((2 * len(array), *array.shape[1:]), dtype=array.dtype)
    larger[: len(array)] = array
    return larger
