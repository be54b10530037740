"""Evaluate queued cells and bound queued boxes outside the kernel: networks, black boxes, predicates."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.base.calls.budget import CallBudget
from p2ce.engine.scores.black_box_score import PreparedBlackBox
from p2ce.engine.scores.external import REJECT, Boxes, PreparedScore, some_boxes

if TYPE_CHECKING:
    from p2ce.engine.solver.evaluation_queue import EvaluationQueue

# The WORK of evaluating a cell: some microseconds, the time of a network. Black boxes take at least ten times
# longer, but that time is not counted.
CELL_WORK = 1_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SearchBudget:
    """What a search may spend of a budget of calls and rows, and what its cells cost."""

    budget: CallBudget
    per_cell: int  # calls, with a row each, that evaluate a cell
    per_option: int  # calls, with a row each, that verify a cell of the front after the search

    def cells_left(self, found: int) -> int | None:
        """Return how many cells may still be evaluated if ``found`` cells must be verified; None: any."""
        left = self.budget.rows_left
        if left is None:
            return None
        # A detector may also be called for the instance itself.
        return max(0, left - self.per_option * (found + 1)) // max(1, self.per_cell + self.per_option)

    def batches_left(self) -> int | None:
        """Return how many more batches may be evaluated; None if the calls have no limit."""
        left = self.budget.calls_left
        return None if left is None else max(0, left - 2 * self.per_option) // max(1, self.per_cell)

    def is_spent(self, found: int) -> bool:
        """Return whether no further cell can be evaluated, and note which limit is the reason."""
        cells, batches = self.cells_left(found), self.batches_left()
        if batches is not None and batches <= 0:
            self.budget.reached = "max_calls"
        elif cells is not None and cells <= 0:
            self.budget.reached = "max_rows"
        else:
            return False
        return True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExternalScores:
    """The scores of a search that are evaluated outside the kernel, prepared for a batch of instances.

    Each has the number of its requirement as its key. They are evaluated in the order of the mapping.
    """

    scores: Mapping[int, PreparedScore]
    recorded: Collection[int]  # the scores whose values at the points of the front are needed later
    instances: IntArray  # (n,) the number in the batch of each instance of the search
    until: float | None = None  # no call begins later, by the clock of `time.perf_counter`
    spending: SearchBudget | None = None  # None if calls and rows have no limit

    @property
    def calls_user_code(self) -> bool:
        """Whether any score is a black box, whose cells take much longer than those of a network."""
        return any(isinstance(score, PreparedBlackBox) for score in self.scores.values())

    @property
    def bounds_boxes(self) -> bool:
        """Whether any score can bound boxes."""
        return any(score.bounds_boxes for score in self.scores.values())


def evaluate_cells(
    external: ExternalScores, queue: "EvaluationQueue"
) -> tuple[IntArray, dict[int, FloatArray], IntArray]:
    """Evaluate the queued cells; return those that no score rejects, and their recorded values by score.

    The last result are the cells that a model neither accepts nor rejects, since its values do not repeat.

    A cell reaches a score only if no earlier one rejects it, and only once.
    """
    count = int(queue.used[0])
    left = np.arange(count)
    recorded = {number: np.full(count, np.nan) for number in external.recorded}
    undecided: IntArray = np.zeros(0, dtype=np.int64)
    for number, score in external.scores.items():
        if not len(left):
            break
        instance = external.instances[queue.instance[left]]
        found = score.evaluate(instance, queue.points[left], until=external.until)
        if number in recorded:
            recorded[number][left] = found.value
        if isinstance(score, PreparedBlackBox) and np.isfinite(score.score.undecided_from):
            near = (found.verdict == REJECT) & (found.value >= score.score.undecided_from)
            undecided = np.append(undecided, left[near])
        left = left[found.verdict != REJECT]
    return left, {number: values[left] for number, values in recorded.items()}, undecided


def infeasible_boxes(external: ExternalScores, queue: "EvaluationQueue") -> tuple[BoolArray, FloatArray]:
    """Mark the queued boxes that some score proves infeasible; return their numbers of cells too."""
    count = int(queue.used[1])
    instance, spans = external.instances[queue.box_instance[:count]], queue.spans[:count]
    boxes = Boxes(
        low=np.ascontiguousarray(spans["low"]),
        high=np.ascontiguousarray(spans["high"]),
        must=spans["must"] == 1,
        changes_left=queue.changes_left[:count],
    )
    infeasible: BoolArray = np.zeros(count, dtype=np.bool_)
    for score in external.scores.values():
        if score.bounds_boxes and not infeasible.all():
            left = np.flatnonzero(~infeasible)
            infeasible[left] = score.infeasible(instance[left], some_boxes(boxes, left))
    cells = np.where(infeasible, np.prod(boxes.high - boxes.low + 1.0, axis=1).clip(max=1e9), 0.0)
    return infeasible, cells
