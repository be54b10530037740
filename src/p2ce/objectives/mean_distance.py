"""The mean distance over the numeric features, in units of each column: c₁ of the paper."""

from dataclasses import dataclass
from typing import ClassVar

from p2ce.engine.grid.candidate_costs import Join
from p2ce.objectives.distance import DistanceObjective


@dataclass(frozen=True, slots=True)
class MeanDistance(DistanceObjective):
    """The mean of |Δ|/unit over all numeric columns, including those that may not change.

    ``MeanDistance(unit="std", category=0)`` is the paper's form.

    Args:
        unit: the unit in which each feature is measured. "robust" is the standard deviation of the column
            after clipping to its 1st–99th percentile, so a few outliers do not make every change almost
            free. "std" is the plain standard deviation, the paper's σ. "own" is the feature's own unit.
        category: how many units a changed category counts, and a change from or to a missing value; 0 makes
            such changes free.

    >>> import numpy as np
    >>> from p2ce.objectives.objective import Reference
    >>> people = Reference(names=("a", "b"), values=np.array([[0.0, 5.0], [2.0, 5.0]]))
    >>> MeanDistance().fit(people).costs(0, np.array([[0.0, 1.0, 4.0]]), np.array([[1.0]])).tolist()
    [[0.5, 0.0, 1.5]]
    """

    name: ClassVar[str] = "mean_distance"
    join: ClassVar[Join] = Join.SUM
    is_mean: ClassVar[bool] = True
