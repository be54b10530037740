"""Every Pareto-optimal, plausible way to reach a model's favourable decision, with proof."""

from importlib.metadata import version

from p2ce.errors import P2CEError
from p2ce.explainer import Explainer
from p2ce.objectives import (
    Changes,
    CostTable,
    Euclidean,
    MaxDistance,
    MeanDistance,
    Objective,
    PercentileShift,
    WeightedDistance,
)
from p2ce.plausibility.read import IsolationForest
from p2ce.present.text import to_text
from p2ce.problem import ActionSet
from p2ce.result import Certificate, Counterfactual, Explanation, Explanations, Judgement, Status
from p2ce.search.engine import Progress

__version__ = version("p2ce")

__all__ = [
    "ActionSet",
    "Certificate",
    "Changes",
    "CostTable",
    "Counterfactual",
    "Euclidean",
    "Explainer",
    "Explanation",
    "Explanations",
    "IsolationForest",
    "Judgement",
    "MaxDistance",
    "MeanDistance",
    "Objective",
    "P2CEError",
    "PercentileShift",
    "Progress",
    "Status",
    "WeightedDistance",
    "to_text",
]
