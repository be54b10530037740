"""How far does the feature move that moves farthest? c₂ of the paper."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from p2ce.grid.candidate_costs import Join
from p2ce.objectives.distance import FittedDistance
from p2ce.objectives.objective import FittedObjective, Objective, Reference, Unit
from p2ce.objectives.objective_arguments import read_category, read_unit


@dataclass(frozen=True, slots=True)
class MaxDistance(Objective):
    """The largest |Δ|/unit.

    Args:
        unit: "robust" counts in standard deviations of the column clipped to its 1st–99th percentile, so that
            a few outliers do not make every change free; "std" in plain ones, the paper's σ; "own" in the
            feature's own unit.
        category: how many units a changed category counts, and a change from or to a missing value.

    >>> import numpy as np
    >>> people = Reference(names=("a",), values=np.array([[0.0], [4.0]]))
    >>> MaxDistance().fit(people).costs(0, np.array([[0.0, 1.0, 4.0]]), np.array([[1.0]])).tolist()
    [[0.5, 0.0, 1.5]]
    """

    join: ClassVar[Join] = Join.MAX
    unit: Unit = field(default="robust", kw_only=True)
    category: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit", read_unit(self.unit, name=self.name))
        object.__setattr__(self, "category", read_category(self.category, name=self.name))

    @property
    def name(self) -> str:
        """``max_distance``, or ``max_distance_own_unit`` so that both can be used at once."""
        return "max_distance_own_unit" if self.unit == "own" else "max_distance"

    def fit(self, reference: Reference) -> FittedObjective:
        """Learn the unit of every column."""
        unit = reference.unit(self.unit)
        return FittedDistance(
            name=self.name,
            join=self.join,
            unit=unit,
            flip=np.full(len(unit), self.category),
            is_category=reference.is_category,
        )
