"""How far does the feature move that moves farthest? c₂ of the paper."""

from dataclasses import dataclass
from typing import ClassVar

from p2ce.grid.candidate_costs import Join
from p2ce.objectives.distance import DistanceObjective


@dataclass(frozen=True, slots=True)
class MaxDistance(DistanceObjective):
    """The largest |Δ|/unit.

    Args:
        unit: "robust" counts in standard deviations of the column clipped to its 1st–99th percentile, so that
            a few outliers do not make every change free; "std" in plain ones, the paper's σ; "own" in the
            feature's own unit.
        category: how many units a changed category counts, and a change from or to a missing value.

    >>> import numpy as np
    >>> from p2ce.objectives.objective import Reference
    >>> people = Reference(names=("a",), values=np.array([[0.0], [4.0]]))
    >>> MaxDistance().fit(people).costs(0, np.array([[0.0, 1.0, 4.0]]), np.array([[1.0]])).tolist()
    [[0.5, 0.0, 1.5]]
    """

    join: ClassVar[Join] = Join.MAX

    @property
    def name(self) -> str:
        """``max_distance``, or ``max_distance_own_unit`` so that both can be used at once."""
        return "max_distance_own_unit" if self.unit == "own" else "max_distance"
