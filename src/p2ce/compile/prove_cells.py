"""What the parsed scores of a model prove about cells and rows, without a call of the model."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.compile.batch import Batch
from p2ce.compile.compiled_problem import Problem
from p2ce.engine.scores.external import ACCEPT, REJECT, Verdicts
from p2ce.models.decisions.adapter import Adapter


class Proof(NamedTuple):
    """What the scores of a model prove about cells or rows."""

    value: FloatArray  # (n,) the value of the first score; NaN for a black box
    accepts: BoolArray  # (n,)
    rejects: BoolArray  # (n,)

    @property
    def settled(self) -> BoolArray:
        """Whether each is certainly accepted or certainly rejected."""
        return self.accepts | self.rejects


def prove_cells(batch: Batch, model: int, instance: IntArray, cells: Int32Array) -> Proof:
    """Evaluate cells with the scores of a model; a black box proves nothing."""
    return _joined(batch.scores[one].prove(instance, cells) for one in batch.problem.model_scores[model])


def prove_rows(problem: Problem, model: Adapter, rows: FloatArray) -> Proof:
    """Evaluate rows, on or off the grid, with the scores of a parsed model."""
    mine = np.ascontiguousarray(rows[:, problem.columns_of(model)])
    return _joined(score.evaluate_rows(mine) for score in model.scores)


def provably_rejected(batch: Batch) -> BoolArray:
    """Mark the instances that some model provably rejects at their current values."""
    rejected = np.zeros(len(batch.values), dtype=np.bool_)
    everyone = np.arange(len(batch.values))
    for number, model in enumerate(batch.problem.models):
        if model.score is not None:
            rejected |= prove_cells(batch, number, everyone, batch.placement.position).rejects
    return rejected


def _joined(found: Iterable[Verdicts]) -> Proof:
    """Join the verdicts of all scores of a model: all must accept, and one rejects."""
    each = list(found)
    verdict = np.min([one.verdict for one in each], axis=0)
    return Proof(each[0].value, verdict == ACCEPT, verdict == REJECT)
