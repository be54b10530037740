"""The largest shift in percentile rank of a single feature."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.engine.grid.placement import Join
from p2ce.objectives.objective import FittedObjective, Objective, Reference
from p2ce.tables.codebook import MISSING


@dataclass(frozen=True, slots=True)
class PercentileShift(Objective):
    """The largest shift in percentile rank: |F(after) − F(before)|, at most 1.

    F is the mid-rank distribution of the reference column: F(v) is the share of known reference values
    below v, plus half the share of those equal to v. A changed category, and a change from or to a missing
    value, is a shift of 1.

    >>> import numpy as np
    >>> reference = Reference(names=("a",), values=np.array([[0.0], [1.0], [1.0], [3.0]]))
    >>> PercentileShift().fit(reference).costs(0, np.array([[0.0, 1.0, 2.0]]), np.array([[1.0]])).tolist()
    [[0.375, 0.0, 0.25]]
    """

    name: ClassVar[str] = "percentile_shift"
    join: ClassVar[Join] = Join.MAX

    def fit(self, reference: Reference) -> FittedObjective:
        """Measure the distribution of every column."""
        columns = tuple(
            None if is_category else _mid_ranks(column[column != MISSING])
            for column, is_category in zip(reference.values.T, reference.is_category, strict=True)
        )
        return FittedPercentileShift(name=self.name, join=self.join, columns=columns)


@dataclass(frozen=True, slots=True, eq=False)
class MidRanks:
    """A column's mid-rank distribution: one share at each distinct value, and one in each gap."""

    points: FloatArray  # (k,) distinct values, ascending
    shares: FloatArray  # (2k + 1,) below the first, at the first, above it, at the second, …

    def share(self, values: FloatArray) -> FloatArray:
        """Return F at the values."""
        left = np.searchsorted(self.points, values)
        at = self.points[np.minimum(left, len(self.points) - 1)] == values
        shares: FloatArray = self.shares[2 * left + at]
        return shares


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedPercentileShift(FittedObjective):
    """|ΔF| of each column."""

    keeps_the_rules: ClassVar[bool] = True
    name: str
    join: Join
    columns: tuple[MidRanks | None, ...]  # None for a category

    def costs(self, column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        """Price a column's values."""
        return self.table(np.array([column]), values[:, None], current[:, None])[:, 0]

    def table(self, columns: IntArray, values: FloatArray, current: FloatArray) -> FloatArray:
        """Price the values of several columns."""
        shift: FloatArray = np.empty(values.shape)
        for axis, column in enumerate(columns):
            distribution = self.columns[column]
            here, now = values[:, axis], current[:, axis]
            if distribution is None:
                shift[:, axis] = here != now
            else:
                np.abs(distribution.share(here) - distribution.share(now), out=shift[:, axis])
        missing = (values == MISSING) | (current == MISSING)
        if missing.any():
            shift[missing] = (values != current)[missing]
        return shift

    def switch(
        self,
        columns: tuple[int, ...],  # noqa: ARG002 (the others need it)
        before: FloatArray,
        after: FloatArray,
    ) -> FloatArray:
        """Price a one-hot group as one category."""
        switched: FloatArray = (before != after).any(axis=2).astype(np.float64)
        return switched


def _mid_ranks(column: FloatArray) -> MidRanks:
    if not len(column):  # no known value in the reference: all known values have the same percentile
        return MidRanks(points=np.zeros(1), shares=np.zeros(3))
    points, counts = np.unique(column, return_counts=True)
    up_to = np.concatenate([[0], np.cumsum(counts)])
    shares = np.empty(2 * len(points) + 1)
    shares[0::2] = up_to / len(column)
    shares[1::2] = (up_to[:-1] + 0.5 * counts) / len(column)
    return MidRanks(points=points, shares=shares)
