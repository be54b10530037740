"""Every Pareto-optimal, plausible counterfactual of a model, with proof."""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from p2ce import datasets as datasets
    from p2ce import paper as paper
    from p2ce import rules as rules
    from p2ce.detectors.parse_detector import IsolationForest as IsolationForest
    from p2ce.errors import P2CEError as P2CEError
    from p2ce.estimates.shap_estimate import ShapEstimate as ShapEstimate
    from p2ce.explainer import Explainer as Explainer
    from p2ce.limits import Limits as Limits
    from p2ce.load_explainer import load as load
    from p2ce.objectives import Changes as Changes
    from p2ce.objectives import CostTable as CostTable
    from p2ce.objectives import Euclidean as Euclidean
    from p2ce.objectives import MaxDistance as MaxDistance
    from p2ce.objectives import MeanDistance as MeanDistance
    from p2ce.objectives import Objective as Objective
    from p2ce.objectives import PercentileShift as PercentileShift
    from p2ce.objectives import WeightedDistance as WeightedDistance
    from p2ce.plugins import register as register
    from p2ce.present.charts import plot_changes as plot_changes
    from p2ce.present.charts import plot_costs as plot_costs
    from p2ce.present.charts import plot_front as plot_front
    from p2ce.present.charts import plot_levers as plot_levers
    from p2ce.present.charts import plot_map as plot_map
    from p2ce.present.report import to_html as to_html
    from p2ce.present.report import to_markdown as to_markdown
    from p2ce.present.write_text import to_text as to_text
    from p2ce.problem import ActionSet as ActionSet
    from p2ce.problem import Display as Display
    from p2ce.result import Certificate as Certificate
    from p2ce.result import Counterfactual as Counterfactual
    from p2ce.result import Explanation as Explanation
    from p2ce.result import Explanations as Explanations
    from p2ce.result import FeatureMap as FeatureMap
    from p2ce.result import Judgement as Judgement
    from p2ce.result import ModelFacts as ModelFacts
    from p2ce.result import Pick as Pick
    from p2ce.result import Question as Question
    from p2ce.result import Relaxation as Relaxation
    from p2ce.result import Status as Status
    from p2ce.result import WhyNone as WhyNone
    from p2ce.solver.progress import Progress as Progress

# Names are loaded when first used: the command line answers --help without pandas and scikit-learn.
_HOMES = {
    "ActionSet": "p2ce.problem",
    "Certificate": "p2ce.result",
    "Changes": "p2ce.objectives",
    "CostTable": "p2ce.objectives",
    "Counterfactual": "p2ce.result",
    "Display": "p2ce.problem",
    "Euclidean": "p2ce.objectives",
    "Explainer": "p2ce.explainer",
    "Explanation": "p2ce.result",
    "Explanations": "p2ce.result",
    "FeatureMap": "p2ce.result",
    "IsolationForest": "p2ce.detectors.parse_detector",
    "Judgement": "p2ce.result",
    "Limits": "p2ce.limits",
    "MaxDistance": "p2ce.objectives",
    "MeanDistance": "p2ce.objectives",
    "ModelFacts": "p2ce.result",
    "Objective": "p2ce.objectives",
    "P2CEError": "p2ce.errors",
    "PercentileShift": "p2ce.objectives",
    "Pick": "p2ce.result",
    "Progress": "p2ce.solver.progress",
    "Question": "p2ce.result",
    "Relaxation": "p2ce.result",
    "ShapEstimate": "p2ce.estimates.shap_estimate",
    "Status": "p2ce.result",
    "WeightedDistance": "p2ce.objectives",
    "WhyNone": "p2ce.result",
    "datasets": "p2ce",
    "load": "p2ce.load_explainer",
    "paper": "p2ce",
    "plot_changes": "p2ce.present.charts",
    "plot_costs": "p2ce.present.charts",
    "plot_front": "p2ce.present.charts",
    "plot_levers": "p2ce.present.charts",
    "plot_map": "p2ce.present.charts",
    "register": "p2ce.plugins",
    "rules": "p2ce",
    "to_html": "p2ce.present.report",
    "to_markdown": "p2ce.present.report",
    "to_text": "p2ce.present.write_text",
}

__version__ = version("p2ce")
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'p2ce' has no attribute {name!r}")
    if name in (
        "datasets",
        "paper",
        "rules",
    ):  # modules of their own: datasets.load_german(), rules.linked(...)
        return import_module(f"p2ce.{name}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
