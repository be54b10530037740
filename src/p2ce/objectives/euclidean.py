"""How far is it in a straight line, every feature measured in standard deviations?"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from p2ce.arrays import FloatArray, IntArray
from p2ce.compiled.costs import Join
from p2ce.objectives.arguments import read_category
from p2ce.objectives.base import FittedObjective, Objective, Reference
from p2ce.objectives.distance import FittedDistance


@dataclass(frozen=True, slots=True)
class Euclidean(Objective):
    """√Σ(Δ/σ)². The search adds up the squares, which order people's options just as their root does.

    Args:
        category: how many σ a changed category counts, and a change from or to a missing value.

    >>> import numpy as np
    >>> people = Reference(names=("a",), values=np.array([[0.0], [2.0]]))
    >>> fitted = Euclidean().fit(people)
    >>> squares = fitted.costs(0, np.array([[0.0, 1.0, 4.0]]), np.array([[1.0]]))
    >>> fitted.report(squares).tolist()
    [[1.0, 0.0, 3.0]]
    """

    name: ClassVar[str] = "euclidean"
    join: ClassVar[Join] = Join.SUM
    category: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "category", read_category(self.category, name=self.name))

    def fit(self, reference: Reference) -> FittedObjective:
        """Learn σ of every column."""
        unit = reference.spread()
        return FittedEuclidean(
            name=self.name,
            join=self.join,
            unit=unit,
            flip=np.full(len(unit), self.category),
            is_category=reference.is_category,
        )


class FittedEuclidean(FittedDistance):
    """The square of the distance in σ."""

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
        """Turn a sum of squares into the distance."""
        distance: FloatArray = np.sqrt(total)
        return distance
