"""Hold what a search in waves needs: a lane per person, scratch that they share, and the mail to Python."""

from typing import NamedTuple

import numpy as np

from p2ce.arrays import FloatArray, Int8Array, Int32Array, IntArray
from p2ce.scores.flat_arrays import FlatInstances, Records, ScoreLayout
from p2ce.scores.reachable_leaves import Reached, Walk, new_reached, new_walk
from p2ce.scores.records import SLOT, SPAN
from p2ce.solver.pareto_front import Front, new_front
from p2ce.solver.workspace import COUNTERS, STATE, Box, Rules, Sums, doubled, new_box, new_sums


class Lane(NamedTuple):
    """One person's search, to be taken up again in the next wave."""

    state: IntArray  # (STATE,)
    counters: IntArray  # (COUNTERS,)
    front: Front
    boxes: Records  # (room, axes) SPAN
    queue: Records  # (room,) SLOT


class Scratch(NamedTuple):
    """What any lane may scribble on while it is at work."""

    box: Box
    sums: Sums
    walk: Walk
    reached: Reached
    best: IntArray  # (trees,)
    cells: Int32Array  # (leaf,) one score over a leaf box, in ticks
    passed: Int8Array  # (leaf,) 0 where a compiled score refuses, 2 where it is in doubt
    corner: IntArray
    row: FloatArray  # (columns,)


class Desk(NamedTuple):
    """A lane beside the scratch: what the kernels of the search call `work`."""

    state: IntArray
    counters: IntArray
    front: Front
    boxes: Records
    queue: Records
    box: Box
    sums: Sums
    walk: Walk
    row: FloatArray


class Mail(NamedTuple):
    """Cells and boxes of one wave, on their way to the foreign scores; ``used`` counts both."""

    owner: IntArray  # (room,) person of each cell
    points: Int32Array  # (room, axes)
    quanta: IntArray  # (room, objectives) costs as compared
    steps: IntArray  # (room,) grid steps moved
    box_owner: IntArray  # (box room,)
    spans: Records  # (box room, axes) SPAN
    changes_left: IntArray  # (box room,)
    used: IntArray  # (2,)


def new_lane(people: FlatInstances) -> Lane:
    _, objectives, axes, width = people.prices.shape
    room = 2 * width + 64
    return Lane(
        state=np.zeros(STATE, dtype=np.int64),
        counters=np.zeros(COUNTERS, dtype=np.int64),
        front=new_front(64, objectives, axes),
        boxes=np.zeros((room, axes), dtype=SPAN),
        queue=np.zeros(room, dtype=SLOT),
    )


def new_scratch(layout: ScoreLayout, people: FlatInstances, rules: Rules) -> Scratch:
    _, objectives, axes, _ = people.prices.shape
    leaf = rules.dense_cells
    return Scratch(
        box=new_box(axes, objectives),
        sums=new_sums(axes, objectives),
        walk=new_walk(axes, layout.deepest),
        reached=new_reached(layout.leaves + 1, axes),
        best=np.zeros(len(layout.flat.trees), dtype=np.int64),
        cells=np.zeros(leaf, dtype=np.int32),
        passed=np.zeros(leaf, dtype=np.int8),
        corner=np.zeros(leaf + 1, dtype=np.int64),
        row=np.zeros(people.own.shape[2], dtype=np.float64),
    )


def new_mail(people: FlatInstances, cells: int, boxes: int) -> Mail:
    _, objectives, axes, _ = people.prices.shape
    return Mail(
        owner=np.zeros(cells, dtype=np.int64),
        points=np.zeros((cells, axes), dtype=np.int32),
        quanta=np.zeros((cells, objectives), dtype=np.int64),
        steps=np.zeros(cells, dtype=np.int64),
        box_owner=np.zeros(boxes, dtype=np.int64),
        spans=np.zeros((boxes, axes), dtype=SPAN),
        changes_left=np.zeros(boxes, dtype=np.int64),
        used=np.zeros(2, dtype=np.int64),
    )


def lane_with_more_boxes(lane: Lane) -> Lane:
    """Double the room for open boxes, keeping what is there."""
    return lane._replace(boxes=doubled(lane.boxes), queue=doubled(lane.queue))


def lane_with_larger_front(lane: Lane) -> Lane:
    """Double the room for front points, keeping those found."""
    front = lane.front
    return lane._replace(front=Front(doubled(front.costs), doubled(front.points), front.used))
