"""Evaluate queued cells and bound queued boxes outside the kernel: networks, black boxes, predicates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.engine.scores.external import REJECT, Boxes, PreparedScore, some_boxes

if TYPE_CHECKING:
    from p2ce.engine.solver.evaluation_queue import EvaluationQueue

# The WORK of evaluating a cell: some microseconds, the time of a network. Black boxes take at least ten times
# longer, but that time is not counted.
CELL_WORK = 1_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evaluator:
    """A score that is evaluated outside the kernel, prepared for the current instances."""

    score: PreparedScore
    has_bound: bool
    keeps_values: bool  # whether its values at the points of the front are needed later


def evaluate_cells(evaluators: Sequence[Evaluator], queue: "EvaluationQueue") -> tuple[IntArray, FloatArray]:
    """Evaluate the queued cells; return those that no evaluator rejects, and the values that are kept.

    A cell reaches an evaluator only if no earlier one rejects it, and only once.
    """
    cells = int(queue.used[0])
    left = np.arange(cells)
    kept = [evaluator for evaluator in evaluators if evaluator.keeps_values]
    values = np.full((cells, len(kept)), np.nan)
    column = 0
    for evaluator in evaluators:
        if not len(left):
            break
        said = evaluator.score.evaluate(queue.owner[left], queue.points[left])
        if evaluator.keeps_values:
            values[left, column] = said.value
            column += 1
        left = left[said.verdict != REJECT]
    return left, values[left]


def infeasible_boxes(
    evaluators: Sequence[Evaluator], queue: "EvaluationQueue"
) -> tuple[BoolArray, FloatArray]:
    """Mark the queued boxes that some evaluator proves infeasible; return their numbers of cells too."""
    count = int(queue.used[1])
    owner, spans = queue.box_owner[:count], queue.spans[:count]
    boxes = Boxes(
        low=np.ascontiguousarray(spans["low"]),
        high=np.ascontiguousarray(spans["high"]),
        must=spans["must"] == 1,
        changes_left=queue.changes_left[:count],
    )
    infeasible: BoolArray = np.zeros(count, dtype=np.bool_)
    for evaluator in evaluators:
        if evaluator.has_bound and not infeasible.all():
            left = np.flatnonzero(~infeasible)
            infeasible[left] = evaluator.score.infeasible(owner[left], some_boxes(boxes, left))
    cells = np.where(infeasible, np.prod(boxes.high - boxes.low + 1.0, axis=1).clip(max=1e9), 0.0)
    return infeasible, cells
