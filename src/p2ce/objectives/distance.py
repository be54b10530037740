"""Distances in units of each column: their mean, their maximum, and the length of the straight line."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.engine.grid.placement import Join
from p2ce.objectives.objective import (
    FittedObjective,
    Objective,
    Reference,
    Unit,
    read_category,
    read_unit,
)
from p2ce.tables.codebook import MISSING


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedDistance(FittedObjective):
    """|Δ| / ``unit``; ``flip`` where a category changes, or a value goes missing or is filled in."""

    keeps_the_rules: ClassVar[bool] = True
    name: str
    join: Join
    unit: FloatArray  # (d,) the distance that costs 1; infinite where moving is free
    flip: FloatArray  # (d,) the cost of a changed label, and of a change from or to missing
    is_category: BoolArray  # (d,)

    def costs(self, column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        """Price a column's values."""
        return self.table(np.array([column]), values[:, None], current[:, None])[:, 0]

    def table(self, columns: IntArray, values: FloatArray, current: FloatArray) -> FloatArray:
        """Price the values of several columns."""
        with np.errstate(invalid="ignore"):  # missing − missing is invalid here, and priced below
            moved: FloatArray = values - current
            np.abs(moved, out=moved)
            moved /= self.unit[columns, None]
        categories = self.is_category[columns, None]
        if categories.any() or not np.isfinite(moved).all():
            flips = categories | (values == MISSING) | (current == MISSING)
            flipped = np.where(values != current, self.flip[columns, None], 0.0)
            moved = np.where(flips, flipped, moved)
        return moved

    def switch(self, columns: tuple[int, ...], before: FloatArray, after: FloatArray) -> FloatArray:
        """Price a one-hot group as one category: the largest ``flip`` of its columns."""
        switched = (before != after).any(axis=2)
        return np.where(switched, self.flip[list(columns)].max(), 0.0)


@dataclass(frozen=True, slots=True)
class DistanceObjective(Objective):
    """A distance with one unit per column and equal weights."""

    fitted: ClassVar[type[FittedDistance]] = FittedDistance
    is_mean: ClassVar[bool] = False  # True divides by the number of numeric columns
    unit: Unit = field(default="robust", kw_only=True)
    category: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit", read_unit(self.unit, name=self.name))
        object.__setattr__(self, "category", read_category(self.category, name=self.name))

    def fit(self, reference: Reference) -> FittedObjective:
        """Measure the unit of every column."""
        parts = reference.number_count if self.is_mean else 1
        return self.fitted(
            name=self.name,
            join=self.join,
            unit=reference.unit(self.unit) * parts,
            flip=np.full(len(reference.names), self.category / parts),
            is_category=reference.is_category,
        )


@dataclass(frozen=True, slots=True)
class MeanDistance(DistanceObjective):
    """The mean of |Δ|/unit over all numeric columns, including those that may not change.

    ``MeanDistance(unit="std", category=0)`` is the paper's form.

    Args:
        unit: the unit in which each feature is measured. "robust" is the standard deviation of the column
            after clipping to its 1st–99th percentile, so a few outliers do not make every change almost
            free. "std" is the plain standard deviation, the paper's σ. "own" is the feature's own unit.
        category: how many units a changed category counts, and a change from or to a missing value; 0 makes
            such changes free.

    >>> import numpy as np
    >>> from p2ce.objectives.objective import Reference
    >>> reference = Reference(names=("a", "b"), values=np.array([[0.0, 5.0], [2.0, 5.0]]))
    >>> MeanDistance().fit(reference).costs(0, np.array([[0.0, 1.0, 4.0]]), np.array([[1.0]])).tolist()
    [[0.5, 0.0, 1.5]]
    """

    name: ClassVar[str] = "mean_distance"
    join: ClassVar[Join] = Join.SUM
    is_mean: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class MaxDistance(DistanceObjective):
    """The largest |Δ|/unit over the features.

    Args:
        unit: the unit in which each feature is measured. "robust" is the standard deviation of the column
            after clipping to its 1st–99th percentile, so a few outliers do not make every change almost
            free. "std" is the plain standard deviation, the paper's σ. "own" is the feature's own unit.
        category: how many units a changed category counts, and a change from or to a missing value.

    >>> import numpy as np
    >>> from p2ce.objectives.objective import Reference
    >>> reference = Reference(names=("a",), values=np.array([[0.0], [4.0]]))
    >>> MaxDistance().fit(reference).costs(0, np.array([[0.0, 1.0, 4.0]]), np.array([[1.0]])).tolist()
    [[0.5, 0.0, 1.5]]
    """

    join: ClassVar[Join] = Join.MAX

    @property
    def name(self) -> str:
        """``max_distance``; with ``unit="own"`` ``max_distance_own_unit``, so both can be used together."""
        return "max_distance_own_unit" if self.unit == "own" else "max_distance"


class FittedEuclidean(FittedDistance):
    """Squared distances, which add up over the features."""

    __slots__ = ()

    def table(self, columns: IntArray, values: FloatArray, current: FloatArray) -> FloatArray:
        """Price the values of several columns, as squares."""
        moved = super().table(columns, values, current)
        moved *= moved
        return moved

    def switch(self, columns: tuple[int, ...], before: FloatArray, after: FloatArray) -> FloatArray:
        """Price a one-hot group, as squares."""
        return np.square(super().switch(columns, before, after))

    def report(self, total: FloatArray) -> FloatArray:
        """Return the distance for a sum of squares."""
        distance: FloatArray = np.sqrt(total)
        return distance


@dataclass(frozen=True, slots=True)
class Euclidean(DistanceObjective):
    """The Euclidean distance √Σ(Δ/unit)².

    Args:
        unit: the unit in which each feature is measured. "robust" is the standard deviation of the column
            after clipping to its 1st–99th percentile, so a few outliers do not make every change almost
            free. "std" is the plain standard deviation, the paper's σ. "own" is the feature's own unit.
        category: how many units a changed category counts, and a change from or to a missing value.

    The search adds up the squares, which rank options exactly as their square root does.

    >>> import numpy as np
    >>> from p2ce.objectives.objective import Reference
    >>> reference = Reference(names=("a",), values=np.array([[0.0], [2.0]]))
    >>> fitted = Euclidean().fit(reference)
    >>> squares = fitted.costs(0, np.array([[0.0, 1.0, 4.0]]), np.array([[1.0]]))
    >>> fitted.report(squares).tolist()
    [[1.0, 0.0, 3.0]]
    """

    name: ClassVar[str] = "euclidean"
    join: ClassVar[Join] = Join.SUM
    fitted: ClassVar[type[FittedDistance]] = FittedEuclidean
