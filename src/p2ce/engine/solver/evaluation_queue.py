"""The queue of cells and boxes of many instances that wait for the external scores."""

from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import Int32Array, IntArray
from p2ce.engine.scores.flat.flat_arrays import FlatInstances, Records
from p2ce.engine.scores.flat.records import SPAN


class Quota(NamedTuple):
    """How much of the queue the current instance may fill."""

    cells: int  # the expansion ends when the queue holds this many cells,
    boxes: int  # or this many boxes
    worth_bounding: float  # boxes of at least this many cells go to the scores that can bound them


class EvaluationQueue(NamedTuple):
    """Cells and boxes for the external scores; ``used`` counts both."""

    instance: IntArray  # (room,) the instance of each cell
    points: Int32Array  # (room, axes)
    quanta: IntArray  # (room, objectives) costs, as the integers that are compared
    steps: IntArray  # (room,) grid steps moved
    box_instance: IntArray  # (box room,)
    spans: Records  # (box room, axes) SPAN
    changes_left: IntArray  # (box room,)
    used: IntArray  # (2,)
    quota: Quota


def new_queue(instances: FlatInstances, cells: int, boxes: int) -> EvaluationQueue:
    _, objectives, axes, _ = instances.prices.shape
    return EvaluationQueue(
        instance=np.zeros(cells, dtype=np.int64),
        points=np.zeros((cells, axes), dtype=np.int32),
        quanta=np.zeros((cells, objectives), dtype=np.int64),
        steps=np.zeros(cells, dtype=np.int64),
        box_instance=np.zeros(boxes, dtype=np.int64),
        spans=np.zeros((boxes, axes), dtype=SPAN),
        changes_left=np.zeros(boxes, dtype=np.int64),
        used=np.zeros(2, dtype=np.int64),
        quota=Quota(cells=0, boxes=0, worth_bounding=float("inf")),
    )
