"""Measures of change: each prices every value of every feature, one file per objective."""

from p2ce.objectives.cost_table import CostTable
from p2ce.objectives.euclidean import Euclidean
from p2ce.objectives.max_distance import MaxDistance
from p2ce.objectives.mean_distance import MeanDistance
from p2ce.objectives.number_of_changes import Changes
from p2ce.objectives.objective import FittedObjective, Objective, Reference, price
from p2ce.objectives.objective_names import resolve
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
    "resolve",
]
