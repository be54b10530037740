"""Try rows between the candidates for the instances of a batch, and count them."""

from contextlib import nullcontext
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.base.calls.budget import OutOfBudget, charged_to, current_budget
from p2ce.base.calls.model_call import is_over
from p2ce.base.comparing import quanta
from p2ce.compile.batch import Batch, row_totals
from p2ce.compile.grouped_features import moves
from p2ce.compile.refine_grid import ColumnValues
from p2ce.engine.solver.undominated import undominated
from p2ce.policy.features.candidate_values import nearest_multiples
from p2ce.policy.features.decimals import roundest_between
from p2ce.policy.features.feature import FeaturePolicy
from p2ce.run.verify.judge_off_grid import OffGrid, OffGridJudge

TRIED_SHARE = 0.8  # of what is left of a budget of calls and rows
PRECISION = 0.005  # of a change: where halving ends in a column without a resolution


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NumberAxis:
    """An axis of numbers whose candidates the data chose, so values between them are possible."""

    place: int  # its index among the axes of the grid
    feature: FeaturePolicy
    values: ColumnValues

    def between(self, inner: FloatArray, outer: FloatArray, current: FloatArray) -> FloatArray:
        """Return a round number near the middle of inner and outer (n,); NaN if they are close enough."""
        low, high = np.minimum(inner, outer), np.maximum(inner, outer)
        width = high - low
        if self.values.resolution is not None:
            middle = self._multiple((low + high) / 2)
        else:
            middle = self.feature.as_held(roundest_between(low + 0.3 * width, high - 0.3 * width))
            middle[width <= PRECISION * np.abs(outer - current)] = np.nan
        middle[~((middle > low) & (middle < high)) | np.isin(middle, self.feature.special)] = np.nan
        return middle

    def spread(self, current: float, limit: float, most: int) -> FloatArray:
        """Return about ``count`` values between two ends: half where people are, half evenly spaced."""
        low, high = min(current, limit), max(current, limit)
        usual = self.values.usual
        usual = usual[(usual > low) & (usual < high)]
        if len(usual) > most // 2:
            usual = usual[np.linspace(0, len(usual) - 1, most // 2).round().astype(np.int64)]
        points = np.linspace(current, limit, most - len(usual) + 2)[1:-1]
        if self.values.resolution is not None:
            even = self._multiple(points)
        else:
            near = abs(limit - current) / (8 * len(points))
            even = self.feature.as_held(roundest_between(points - near, points + near))
        found = np.union1d(usual, even)
        found = found[(found > low) & (found < high)]
        return found[~np.isin(found, self.feature.special)]

    def near(self, values: FloatArray, size: FloatArray) -> FloatArray:
        """Return round numbers close to values that are a number of deviations from the start."""
        if self.values.resolution is not None:
            return self._multiple(values)
        close = PRECISION * size * self.values.unit
        round_ones = roundest_between(values - close, values + close)
        return self.feature.as_held(np.where(np.isnan(round_ones), values, round_ones))

    def _multiple(self, values: FloatArray) -> FloatArray:
        assert self.values.resolution is not None
        return self.feature.as_held(nearest_multiples(values, self.values.resolution))


LARGEST = 3  # changes of a combination that is tried, and of options that are compared by their number


class Options(NamedTuple):
    """Verified options of the instances of a batch, in any order."""

    instance: IntArray  # (m,)
    rows: FloatArray  # (m, d)
    totals: FloatArray  # (m, objectives)
    scores: FloatArray  # (m,) as reported
    plausibility: FloatArray  # (m,) NaN without a detector

    def taken(self, which: BoolArray | IntArray) -> "Options":
        """Return some of the options."""
        return Options(*(part[which] for part in self))  # type: ignore[arg-type]

    def joined(self, more: "Options") -> "Options":
        """Append other options."""
        return Options(*(np.concatenate(parts) for parts in zip(self, more, strict=True)))


def by_instance(options: Options) -> list[IntArray]:
    """List the positions of each instance's options."""
    order = np.argsort(options.instance, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(options.instance[order])) + 1) if len(order) else []


def undominated_options(options: Options) -> Options:
    """Keep the options that no other option of the same instance dominates; of equal ones, the first."""
    kept = []
    for mine in by_instance(options):
        costs = quanta(options.totals[mine])
        _, first = np.unique(costs, axis=0, return_index=True)
        first = np.sort(first)
        kept.append(mine[first[undominated(costs[first])]])
    return options.taken(np.concatenate([np.empty(0, dtype=np.int64), *kept]).astype(np.int64))


def bests_of(totals: FloatArray, changes: IntArray) -> list[tuple[float, int]]:
    """Return the least cost, and its position, of each objective and of the first by number of changes."""
    found = []
    for objective in range(totals.shape[1]):
        at = int(np.lexsort([*totals.T[::-1], totals[:, objective]])[0])
        found.append((float(totals[at, objective]), at))
    for most in range(1, LARGEST + 1):
        few = np.flatnonzero(changes <= most)
        if len(few):
            at = int(few[np.argmin(totals[few, 0])])
            found.append((float(totals[at, 0]), at))
        else:
            found.append((np.inf, -1))
    return found


class Trials:
    """The instances of a batch, the axes on which they may leave the grid, and the number of rows tried."""

    def __init__(self, batch: Batch, until: float | None) -> None:
        problem = batch.problem
        self.batch, self.problem, self._until = batch, problem, until
        self.tried: IntArray = np.zeros(len(batch.values), dtype=np.int64)
        # What is left of a budget verifies the options found.
        whole = current_budget()
        self._budget = None if whole is None else whole.part(TRIED_SHARE)
        self._is_spent = False
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
        return self._is_spent or is_over(self._until)

    @property
    def calls_models(self) -> bool:
        """Whether trying a row calls one of the user's models."""
        return any(model.is_black_box for model in self.problem.models)

    def judge(self, instance: IntArray, rows: FloatArray) -> OffGrid:
        """Evaluate rows, with one call to each object that must be called.

        Rows that a budget does not cover fail, and no further ones are tried.
        """
        if not self._is_spent:
            try:
                with nullcontext() if self._budget is None else charged_to(self._budget):
                    judged = self._judge.judge(instance, rows)
            except OutOfBudget:
                self._is_spent = True
            else:
                np.add.at(self.tried, instance, 1)
                return judged
        unknown = np.full(len(rows), np.nan)
        return OffGrid(np.zeros(len(rows), dtype=np.bool_), unknown, unknown)

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
