"""Measures of change for ``Explainer(objectives=…)``: each assigns a cost to every value of every feature.

    from p2ce import objectives

    Explainer(model, X_train, objectives=["changes", objectives.WeightedDistance({"Income": 5})])

An objective with default settings can be passed by name: "changes", "mean_distance", "max_distance",
"euclidean" or "percentile_shift".
"""

from p2ce.objectives.cost_table import CostTable
from p2ce.objectives.euclidean import Euclidean
from p2ce.objectives.max_distance import MaxDistance
from p2ce.objectives.mean_distance import MeanDistance
from p2ce.objectives.number_of_changes import Changes
from p2ce.objectives.objective import FittedObjective, Objective, Reference, price
from p2ce.objectives.percentile_shift import PercentileShift
from p2ce.objectives.weighted_distance import WeightedDistance

__all__ = [
    "Changes",
    "CostTable",
    "Euclidean",
    "FittedObjective",
    "MaxDistance",
    "MeanDistance",
    "Objective",
    "PercentileShift",
    "Reference",
    "WeightedDistance",
    "price",
]
