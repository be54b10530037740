"""A throw-away objective, as the one file of a built-in objective would hold it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from p2ce.extend import FittedObjective, FloatArray, Join, Objective, Reference


@dataclass(frozen=True, slots=True)
class HalfPoints(Objective):
    """Half a point for each changed feature."""

    name: ClassVar[str] = "half_points"
    join: ClassVar[Join] = Join.SUM
    point: float = 0.5

    def fit(self, reference: Reference) -> FittedObjective:
        return FittedHalfPoints(self.name, self.join, self.point)


@dataclass(frozen=True, slots=True)
class FittedHalfPoints(FittedObjective):
    """The points of each value."""

    name: str
    join: Join
    point: float

    def costs(self, column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        return np.where(values != current, self.point, 0.0)
