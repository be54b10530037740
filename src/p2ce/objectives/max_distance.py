"""The largest distance that a single feature moves: c₂ of the paper."""

from dataclasses import dataclass
from typing import ClassVar

from p2ce.engine.grid.candidate_costs import Join
from p2ce.objectives.distance import DistanceObjective


@dataclass(frozen=True, slots=True)
class MaxDistance(DistanceObjective):
    """The largest |Δ|/unit over the features.

    Args:
        unit: the unit in which each feature is measured. "robust" is the standard deviation of the column
            after clipping to its 1st–99th percentile, so a few outliers do not make every change almost
            free. "std" is the plain standard deviation, the paper's σ. "own" is the feature's own unit.
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
        """``max_distance``; with ``unit="own"`` ``max_distance_own_unit``, so both can be used together."""
        return "max_distance_own_unit" if self.unit == "own" else "max_distance"
