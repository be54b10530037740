"""Define the results: frozen, plain data that needs neither the model nor the search."""

from p2ce.policy.features.describe_features import Candidates
from p2ce.result.analysis import Density, Evaluation, FeatureMap, PriceOfPlausibility, SampledPrice
from p2ce.result.certificate import Certificate, Estimate, Status
from p2ce.result.columns import Categories
from p2ce.result.counterfactual import Counterfactual, Flag
from p2ce.result.explanation import Explanation
from p2ce.result.explanations import Explanations
from p2ce.result.picks import Pick
from p2ce.result.problem_record import Distribution, Feature, ModelFacts, ProblemRecord
from p2ce.result.relaxations import Relaxation, Relaxations, Restriction, Violation
from p2ce.result.rule_data import RuleData

__all__ = [
    "Candidates",
    "Categories",
    "Certificate",
    "Counterfactual",
    "Density",
    "Distribution",
    "Estimate",
    "Evaluation",
    "Explanation",
    "Explanations",
    "Feature",
    "FeatureMap",
    "Flag",
    "ModelFacts",
    "Pick",
    "PriceOfPlausibility",
    "ProblemRecord",
    "Relaxation",
    "Relaxations",
    "Restriction",
    "RuleData",
    "SampledPrice",
    "Status",
    "Violation",
]
