"""How far does the person move on average, in standard deviations? c₁ of the paper."""

from dataclasses import dataclass
from typing import ClassVar

from p2ce.compiled.costs import Join
from p2ce.objectives.base import FittedDistance, FittedObjective, Objective, Reference


@dataclass(frozen=True, slots=True)
class MeanDistance(Objective):
    """The mean over all columns, those that may not change included, of |Δ|/σ.

    >>> import numpy as np
    >>> people = Reference(names=("a", "b"), values=np.array([[0.0, 5.0], [2.0, 5.0]]))
    >>> MeanDistance().fit(people).costs(0, np.array([[0.0, 1.0, 4.0]]), np.array([[1.0]])).tolist()
    [[0.5, 0.0, 1.5]]
    """

    name: ClassVar[str] = "mean_distance"
    join: ClassVar[Join] = Join.SUM

    def fit(self, reference: Reference) -> FittedObjective:
        """Learn σ of every column."""
        return FittedDistance(name=self.name, join=self.join, unit=reference.spread() * len(reference.names))
