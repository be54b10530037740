"""How far is it in a straight line, every feature measured in standard deviations?"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.compiled.costs import Join
from p2ce.objectives.base import FittedObjective, Objective, Reference


@dataclass(frozen=True, slots=True)
class Euclidean(Objective):
    """√Σ(Δ/σ)². The search adds up the squares, which order people's options just as their root does.

    >>> import numpy as np
    >>> people = Reference(names=("a",), values=np.array([[0.0], [2.0]]))
    >>> fitted = Euclidean().fit(people)
    >>> squares = fitted.costs(0, np.array([[0.0, 1.0, 4.0]]), np.array([[1.0]]))
    >>> fitted.report(squares).tolist()
    [[1.0, 0.0, 3.0]]
    """

    name: ClassVar[str] = "euclidean"
    join: ClassVar[Join] = Join.SUM

    def fit(self, reference: Reference) -> FittedObjective:
        """Learn σ of every column."""
        return FittedEuclidean(name=self.name, join=self.join, unit=reference.spread())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedEuclidean(FittedObjective):
    """The square of Δ over ``unit``, which is σ."""

    keeps_the_rules: ClassVar[bool] = True
    name: str
    join: Join
    unit: FloatArray  # (d,)

    def costs(self, column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        """Price a column's values, as squares."""
        moved: FloatArray = (values - current) / self.unit[column]
        moved *= moved
        return moved

    def report(self, total: FloatArray) -> FloatArray:
        """Turn a sum of squares into the distance."""
        distance: FloatArray = np.sqrt(total)
        return distance
