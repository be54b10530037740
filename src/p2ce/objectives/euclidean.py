"""Euclidean distance: the length of the straight line, with each feature in its own unit."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.engine.grid.candidate_costs import Join
from p2ce.objectives.distance import DistanceObjective, FittedDistance


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
    >>> people = Reference(names=("a",), values=np.array([[0.0], [2.0]]))
    >>> fitted = Euclidean().fit(people)
    >>> squares = fitted.costs(0, np.array([[0.0, 1.0, 4.0]]), np.array([[1.0]]))
    >>> fitted.report(squares).tolist()
    [[1.0, 0.0, 3.0]]
    """

    name: ClassVar[str] = "euclidean"
    join: ClassVar[Join] = Join.SUM
    fitted: ClassVar[type[FittedDistance]] = FittedEuclidean
