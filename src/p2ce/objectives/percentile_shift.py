"""How many places in the queue of reference people does a feature move at most?"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.compiled.costs import Join
from p2ce.objectives.base import FittedObjective, Objective, Reference


@dataclass(frozen=True, slots=True)
class PercentileShift(Objective):
    """The largest |F(after) − F(before)|, F the mid-rank distribution of the reference column.

    F(v) is the share of reference people below v, plus half the share of those exactly at v.

    >>> import numpy as np
    >>> people = Reference(names=("a",), values=np.array([[0.0], [1.0], [1.0], [3.0]]))
    >>> PercentileShift().fit(people).costs(0, np.array([[0.0, 1.0, 2.0]]), np.array([[1.0]])).tolist()
    [[0.375, 0.0, 0.25]]
    """

    name: ClassVar[str] = "percentile_shift"
    join: ClassVar[Join] = Join.MAX

    def fit(self, reference: Reference) -> FittedObjective:
        """Learn the distribution of every column."""
        columns = tuple(_distribution(column) for column in reference.values.T)
        return FittedPercentileShift(name=self.name, join=self.join, columns=columns)


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """A column's mid-rank distribution: a share at each distinct value and one for each gap between."""

    points: FloatArray  # (k,) distinct values, ascending
    shares: FloatArray  # (2k + 1,) below the first, at the first, above it, at the second, …

    def share(self, values: FloatArray) -> FloatArray:
        """Give F of the values."""
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
    columns: tuple[Distribution, ...]

    def costs(self, column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        """Price a column's values."""
        share = self.columns[column].share
        return abs(share(values) - share(current))


def _distribution(column: FloatArray) -> Distribution:
    points, counts = np.unique(column, return_counts=True)
    up_to = np.concatenate([[0], np.cumsum(counts)])
    shares = np.empty(2 * len(points) + 1)
    shares[0::2] = up_to / len(column)
    shares[1::2] = (up_to[:-1] + 0.5 * counts) / len(column)
    return Distribution(points=points, shares=shares)
