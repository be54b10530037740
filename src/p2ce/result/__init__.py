"""Define the results: frozen, plain data that needs neither the model nor the search."""

from p2ce.policy.features.candidates import Candidates
from p2ce.result.categories import Categories
from p2ce.result.certificate import Certificate, Estimate
from p2ce.result.counterfactual import Counterfactual
from p2ce.result.distribution import Distribution
from p2ce.result.evaluation import Evaluation
from p2ce.result.explanation import Explanation
from p2ce.result.explanations import Explanations
from p2ce.result.flag import Flag
from p2ce.result.model_facts import ModelFacts
from p2ce.result.picks import Pick
from p2ce.result.price_of_plausibility import PriceOfPlausibility, SampledPrice
from p2ce.result.problem_record import Feature, ProblemRecord
from p2ce.result.relaxations import Relaxation, Relaxations
from p2ce.result.restriction import Restriction, Violation
from p2ce.result.rule_data import RuleData
from p2ce.result.status import Status
from p2ce.result.two_feature_map import Density, FeatureMap

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
