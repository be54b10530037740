"""Estimate Shapley values along random permutations, forwards and backwards, many rows in one call."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray

# Rows (n, d) → scores (n,), on the scale of the estimate.
ScaledScore: TypeAlias = Callable[[FloatArray], FloatArray]
BATCH = 1 << 13  # rows per call: enough to hide its fixed cost; eight times as many were four times slower


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sampler:
    """One permutation of the columns per background row, the same for every row that is explained.

    shap's permutation explainer uses one permutation for all background rows. One permutation per row costs
    the same number of evaluations and averages over more orders. Since the permutations are fixed, a result
    depends only on its row, not on the rows explained before it, and two rows are compared with less noise.
    """

    score: ScaledScore
    background: FloatArray  # (m, d)
    rank: IntArray  # (m, d) the step at which each column joins
    background_scores: FloatArray  # (m,)

    @classmethod
    def build(cls, score: ScaledScore, background: FloatArray, rng: np.random.Generator) -> "Sampler":
        """Draw the permutations."""
        return cls(
            score=score,
            background=background,
            rank=np.argsort(rng.random(background.shape), axis=1),
            background_scores=score(background),
        )

    @property
    def evaluations(self) -> int:
        """The number of model evaluations for one explained row."""
        count, columns = self.background.shape
        return 1 + 2 * (int(columns) - 1) * int(count)

    def explain(self, rows: FloatArray) -> FloatArray:
        """Attribute the scores of rows (n, d) to the columns: (n, d). They sum to score − mean background."""
        step = max(1, BATCH // self.evaluations)
        parts = [self._explain(rows[start : start + step]) for start in range(0, len(rows), step)]
        return np.concatenate(parts) if parts else np.empty(rows.shape)

    def _explain(self, rows: FloatArray) -> FloatArray:
        count, columns = self.background.shape
        steps = np.arange(1, columns)[:, None]
        # (m, 2, d - 1, d): the columns taken from the row after 1, 2, … steps, forwards and backwards.
        joined = np.stack([self.rank[:, None] < steps, self.rank[:, None] >= columns - steps], axis=1)
        mixed = np.where(joined, rows[:, None, None, None], self.background[:, None, None])
        walk = np.empty((len(rows), count, 2, columns + 1))
        walk[..., 0] = self.background_scores[:, None]
        walk[..., 1:-1] = self._ask(mixed).reshape(len(rows), count, 2, columns - 1)
        walk[..., -1] = self._ask(rows)[:, None, None]
        there, back = np.moveaxis(np.diff(walk, axis=-1), 2, 0)  # (n, m, d) by step
        step_of = np.broadcast_to(self.rank, there.shape)
        by_column = np.take_along_axis(there, step_of, axis=-1)
        by_column += np.take_along_axis(back, columns - 1 - step_of, axis=-1)
        return np.asarray(by_column.mean(axis=1) / 2.0)

    def explain_planted(self, bases: FloatArray, column: int, values: FloatArray) -> FloatArray:
        """Return ``column``'s attribution with each value (v,) in each base row (b, d): (b, v).

        Only the step at which the column joins is evaluated, and all values share the state before it. That
        takes 2·m·(v + 1) evaluations per base row.
        """
        own = self.rank[:, [column]]
        before = np.stack([self.rank < own, self.rank > own], axis=1)  # (m, 2, d)
        without = np.where(before, bases[:, None, None], self.background[:, None])  # (b, m, 2, d)
        planted = np.repeat(without[:, None], len(values), axis=1)
        planted[..., column] = values[:, None, None]
        shape = (len(bases), len(values), -1)
        with_value = self._ask(planted).reshape(shape).mean(axis=2)
        return np.asarray(with_value - self._ask(without).reshape(len(bases), -1).mean(axis=1)[:, None])

    def _ask(self, rows: FloatArray) -> FloatArray:
        flat = rows.reshape(-1, rows.shape[-1])
        if not len(flat):
            return np.empty(0)
        return np.concatenate([self.score(flat[at : at + BATCH]) for at in range(0, len(flat), BATCH)])
