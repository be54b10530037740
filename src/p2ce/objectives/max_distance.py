"""How far does the feature move that moves farthest? c₂ of the paper."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from p2ce.compiled.costs import Join
from p2ce.objectives.arguments import read_category
from p2ce.objectives.base import FittedObjective, Objective, Reference
from p2ce.objectives.distance import FittedDistance


@dataclass(frozen=True, slots=True)
class MaxDistance(Objective):
    """The largest |Δ|/σ; with ``scaled=False`` the largest |Δ|, in the features' own units.

    Args:
        scaled: False leaves σ out.
        category: how many σ (units, unscaled) a changed category counts, and a change from or to a
            missing value.

    >>> import numpy as np
    >>> people = Reference(names=("a",), values=np.array([[0.0], [4.0]]))
    >>> MaxDistance().fit(people).costs(0, np.array([[0.0, 1.0, 4.0]]), np.array([[1.0]])).tolist()
    [[0.5, 0.0, 1.5]]
    """

    join: ClassVar[Join] = Join.MAX
    scaled: bool = True
    category: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "category", read_category(self.category, name=self.name))

    @property
    def name(self) -> str:
        """``max_distance``, or ``max_distance_unscaled`` so that both can be asked for at once."""
        return "max_distance" if self.scaled else "max_distance_unscaled"

    def fit(self, reference: Reference) -> FittedObjective:
        """Learn σ of every column, unless distances stay unscaled."""
        unit = reference.spread() if self.scaled else np.ones(len(reference.names))
        return FittedDistance(
            name=self.name,
            join=self.join,
            unit=unit,
            flip=np.full(len(unit), self.category),
            is_category=reference.is_category,
        )
