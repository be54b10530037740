"""Measures of change for ``Explainer(objectives=…)``: each assigns a cost to every value of every feature.

    from p2ce import objectives

    Explainer(model, X_train, objectives=["changes", objectives.WeightedDistance({"Income": 5})])

An objective with default settings can be passed by name: "changes", "mean_distance", "max_distance",
"euclidean" or "percentile_shift". `p2ce.extend` has what a custom objective needs.
"""

# This is the registry of built-in objectives. One line here makes an objective public: names, error messages,
# saved explainers, evidence and the table in the documentation follow from its class.
from p2ce.objectives.cost_table import CostTable as CostTable
from p2ce.objectives.distance import Euclidean as Euclidean
from p2ce.objectives.distance import MaxDistance as MaxDistance
from p2ce.objectives.distance import MeanDistance as MeanDistance
from p2ce.objectives.number_of_changes import Changes as Changes
from p2ce.objectives.objective import FittedObjective as FittedObjective
from p2ce.objectives.objective import Objective as Objective
from p2ce.objectives.objective import Reference as Reference
from p2ce.objectives.objective import price as price
from p2ce.objectives.percentile_shift import PercentileShift as PercentileShift
from p2ce.objectives.weighted_distance import WeightedDistance as WeightedDistance

__all__ = sorted(name for name, value in globals().items() if isinstance(value, type) or name == "price")
