"""What a search reports: progress, counters and fronts; and cells that are known to be accepted before it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray

# The counters of a search for each instance.
# BOXES: expanded boxes. Of these, DOMINATED, TOO_MANY (changes), RULE and BOUND were pruned.
# SCORED: evaluated cells. CHECKED: cells that the kernel scored in the library's own order.
# WORK: units of a few nanoseconds; the count is the same on every machine.
# EXTERNAL: boxes pruned by the bound of an external score.
# ESTIMATE: boxes and cells pruned by an estimate, which proves nothing.
# RULE: boxes pruned by a rule between features. ATTRIBUTED: cells for which SHAP values were computed.
# UNDECIDED: cells whose values lie within a tolerance that the user states.
# BOUND + s: boxes pruned by the bound of compiled score s, where s = 2 stands for all further scores.
BOXES, DOMINATED, TOO_MANY, SCORED, CHECKED, WORK, EXTERNAL, ESTIMATE, RULE = range(9)
ATTRIBUTED, UNDECIDED, BOUND = range(9, 12)
COUNTERS = BOUND + 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a search, which a ``listener`` receives from time to time.

    Attributes:
        person: the position of the row that is being explained, from 0.
        people: the number of rows to explain.
        found: the number of counterfactuals found for this row so far.
        open_boxes: the number of boxes of the search space that remain open for this row.
        elapsed: the seconds since the search began.
    """

    person: int
    people: int
    found: int
    open_boxes: int
    elapsed: float


# Called from time to time; the search stops when it returns False.
Listener = Callable[[Progress], bool | None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fronts:
    """The fronts of a batch, and what remains open where a limit was reached."""

    points: Int32Array  # (points, axes) candidate indices, one instance after another
    first: IntArray  # (n + 1,) points of instance i are first[i] .. first[i + 1] - 1
    counters: IntArray  # (n, COUNTERS), a column for each of the counters above
    finished: BoolArray  # (n,) False if a limit was reached or the listener stopped the search
    open_boxes: IntArray  # (n,)
    open_totals: FloatArray  # (n, objectives) the least cost that a point in an open box may have
    seconds: FloatArray  # (n,) time spent on each instance
    stopped: bool  # the listener returned False
    # The number of a requirement → the values (points,) of its score, where they are recorded.
    recorded: Mapping[int, FloatArray] = field(default_factory=dict)


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
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Incumbents:
    """Cells that every score accepts, in any order; the search drops the dominated ones."""

    instance: IntArray  # (cells,)
    points: Int32Array  # (cells, axes)
    quanta: IntArray  # (cells, objectives) costs, as the integers that are compared
    steps: IntArray  # (cells,) grid steps moved
    recorded: Mapping[int, FloatArray]  # values (cells,), as in `Fronts`

    def taken(self, which: BoolArray) -> "Incumbents":
        """Return some of the cells."""
        return Incumbents(
            instance=self.instance[which],
            points=self.points[which],
            quanta=self.quanta[which],
            steps=self.steps[which],
            recorded={number: values[which] for number, values in self.recorded.items()},
        )

    def and_those(self, others: "Incumbents") -> "Incumbents":
        """Return these cells and the others, for which the same scores are recorded."""
        return Incumbents(
            instance=np.concatenate([self.instance, others.instance]),
            points=np.concatenate([self.points, others.points]),
            quanta=np.concatenate([self.quanta, others.quanta]),
            steps=np.concatenate([self.steps, others.steps]),
            recorded={
                number: np.concatenate([values, others.recorded[number]])
                for number, values in self.recorded.items()
            },
        )

    def without(self, instance: IntArray, cells: Int32Array) -> "Incumbents":
        """Return the cells without some."""
        gone = {bytes(key) for key in _keys(instance, cells)}
        return self.taken(
            np.array([bytes(key) not in gone for key in _keys(self.instance, self.points)], dtype=np.bool_)
        )

    def of(self, instances: IntArray) -> "Incumbents":
        """Return the cells of some instances, in ascending order, and number the instances from 0."""
        mine = self.taken(np.isin(self.instance, instances))
        return replace(mine, instance=np.searchsorted(instances, mine.instance))


def _keys(instance: IntArray, cells: Int32Array) -> Int32Array:
    return np.column_stack([instance, cells]).astype(np.int32)
