"""Try rows between the candidates for the instances of a batch, and count them."""

import time

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.compile.batch import Batch, row_totals
from p2ce.compile.grouped_features import moves
from p2ce.run.refinement.number_axis import NumberAxis
from p2ce.run.refinement.options import Options
from p2ce.run.verify.judge_off_grid import OffGrid, OffGridJudge


class Trials:
    """The instances of a batch, the axes on which they may leave the grid, and the number of rows tried."""

    def __init__(self, batch: Batch, until: float | None) -> None:
        problem = batch.problem
        self.batch, self.problem, self._until = batch, problem, until
        self.tried: IntArray = np.zeros(len(batch.values), dtype=np.int64)
        self._judge = OffGridJudge(batch)
        known = problem.refinement or {}
        names = problem.names
        self.axes = {
            column: NumberAxis(
                place=place, feature=problem.searched[names[column]], values=known[names[column]]
            )
            for place, column in enumerate(problem.grid.columns.tolist())
            if column < len(names) and names[column] in known and problem.searched[names[column]].is_inferred
        }
        self._units = np.ones(len(names))
        for column, axis in self.axes.items():
            self._units[column] = axis.values.unit

    @property
    def is_late(self) -> bool:
        return self._until is not None and time.perf_counter() >= self._until

    @property
    def calls_models(self) -> bool:
        """Whether trying a row calls one of the user's models."""
        return any(model.is_black_box for model in self.problem.models)

    def judge(self, instance: IntArray, rows: FloatArray) -> OffGrid:
        """Evaluate rows, with one call to each object that must be called."""
        np.add.at(self.tried, instance, 1)
        return self._judge.judge(instance, rows)

    def scores(self, instance: IntArray) -> FloatArray:
        """Return the scores of instances at their current values."""
        return self._judge.scores(self.batch.values[instance])

    def confirmed(self, found: Options) -> Options:
        """Keep the rows that the user's own model, detector and constraints confirm."""
        judged = self._judge.verify(found.instance, found.rows)
        kept = Options(found.instance, found.rows, found.totals, judged.scores, judged.plausibility)
        return kept.taken(judged.good)

    def options(self, instance: IntArray, rows: FloatArray, judged: OffGrid | None = None) -> Options:
        """Price rows, and keep their known scores."""
        totals = row_totals(self.problem, self.batch.values[instance], rows)
        empty = np.full(len(rows), np.nan)
        scores, plausibility = (empty, empty) if judged is None else (judged.scores, judged.plausibility)
        return Options(instance, rows, totals, scores, plausibility)

    def changes(self, options: Options) -> IntArray:
        """Count the changes of options."""
        before = self.batch.values[options.instance]
        return moves(self.problem.compounds, before, options.rows).astype(np.int64)

    def moved(self, options: Options, before: FloatArray) -> BoolArray:
        """Mark the numbers that options change and that may take values between candidates."""
        moved = np.zeros(before.shape, dtype=np.bool_)
        for column, axis in self.axes.items():
            then, now = before[:, column], options.rows[:, column]
            # Leaving a special or a missing value is not a move along the numbers.
            along = np.isfinite(then) & np.isfinite(now) & ~np.isin(then, axis.feature.special)
            moved[:, column] = (then != now) & along
        return moved

    def sizes(self, options: Options, before: FloatArray) -> FloatArray:
        """Return how far options move from the instances' current values, in deviations: (m, d)."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(options.rows - before) / self._units)

    def candidates(self, instance: IntArray, column: int) -> FloatArray:
        """Return the candidates of instances on an axis: (m, slots)."""
        return np.asarray(self.batch.placement.values[instance, self.axes[column].place])
