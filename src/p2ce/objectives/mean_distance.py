"""How far does the person move on average, in standard deviations? c₁ of the paper."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from p2ce.compiled.costs import Join
from p2ce.objectives.arguments import read_category
from p2ce.objectives.base import FittedObjective, Objective, Reference
from p2ce.objectives.distance import FittedDistance


@dataclass(frozen=True, slots=True)
class MeanDistance(Objective):
    """The mean over all columns of numbers, those that may not change included, of |Δ|/σ.

    Args:
        category: how many σ a changed category counts, and a change from or to a missing value. 0 gives
            the paper's form, in which they are free.

    >>> import numpy as np
    >>> people = Reference(names=("a", "b"), values=np.array([[0.0, 5.0], [2.0, 5.0]]))
    >>> MeanDistance().fit(people).costs(0, np.array([[0.0, 1.0, 4.0]]), np.array([[1.0]])).tolist()
    [[0.5, 0.0, 1.5]]
    """

    name: ClassVar[str] = "mean_distance"
    join: ClassVar[Join] = Join.SUM
    category: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "category", read_category(self.category, name=self.name))

    def fit(self, reference: Reference) -> FittedObjective:
        """Learn σ of every column."""
        return FittedDistance(
            name=self.name,
            join=self.join,
            unit=reference.spread() * reference.number_count,
            flip=np.full(len(reference.names), self.category / reference.number_count),
            is_category=reference.is_category,
        )
