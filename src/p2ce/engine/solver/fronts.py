"""The result of a search for a batch of instances."""

from dataclasses import dataclass

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.engine.solver.counters import COUNTERS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fronts:
    """The fronts of a batch, and what remains open where a limit was reached."""

    points: Int32Array  # (points, axes) candidate indices, one instance after another
    first: IntArray  # (n + 1,) points of instance p are first[p] .. first[p + 1] - 1
    counters: IntArray  # (n, COUNTERS), see `p2ce.engine.solver.counters`
    finished: BoolArray  # (n,) False if a limit was reached or the listener stopped the search
    open_boxes: IntArray  # (n,)
    open_totals: FloatArray  # (n, objectives) the least cost that a point in an open box may have
    seconds: FloatArray  # (n,) time spent on each instance
    stopped: bool  # the listener returned False
    said: FloatArray  # (points, scores) values of the evaluators that keep them; (points, 0) if none does


def no_fronts(objectives: int, axes: int) -> Fronts:
    """Return the result of a search for an empty batch."""
    return Fronts(
        points=np.zeros((0, axes), dtype=np.int32),
        first=np.zeros(1, dtype=np.int64),
        counters=np.zeros((0, COUNTERS), dtype=np.int64),
        finished=np.zeros(0, dtype=np.bool_),
        open_boxes=np.zeros(0, dtype=np.int64),
        open_totals=np.zeros((0, objectives)),
        seconds=np.zeros(0),
        stopped=False,
        said=np.zeros((0, 0)),
    )
