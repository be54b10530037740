"""How far does the feature move that moves farthest? c₂ of the paper."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from p2ce.compiled.costs import Join
from p2ce.objectives.base import FittedDistance, FittedObjective, Objective, Reference


@dataclass(frozen=True, slots=True)
class MaxDistance(Objective):
    """The largest |Δ|/σ; with ``scaled=False`` the largest |Δ|, in the features' own units.

    >>> import numpy as np
    >>> people = Reference(names=("a",), values=np.array([[0.0], [4.0]]))
    >>> MaxDistance().fit(people).costs(0, np.array([[0.0, 1.0, 4.0]]), np.array([[1.0]])).tolist()
    [[0.5, 0.0, 1.5]]
    """

    join: ClassVar[Join] = Join.MAX
    scaled: bool = True

    @property
    def name(self) -> str:
        """``max_distance``, or ``max_distance_unscaled`` so that both can be asked for at once."""
        return "max_distance" if self.scaled else "max_distance_unscaled"

    def fit(self, reference: Reference) -> FittedObjective:
        """Learn σ of every column, unless distances stay unscaled."""
        unit = reference.spread() if self.scaled else np.ones(len(reference.names))
        return FittedDistance(name=self.name, join=self.join, unit=unit)
