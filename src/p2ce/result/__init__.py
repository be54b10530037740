"""Define the results: frozen, plain data that needs neither the model nor the search.

An explanation is data: numbers, statuses, rules in the form of a policy file, restrictions and violations of
them, candidate values, never sentences. The record of the problem holds what readers need next to the
numbers: the names of features, their policy, the distribution of the population, the policy as YAML, versions
and hashes. All explanations of an explainer share it; it is written once in JSON, and equality ignores it.
An option's number is its id, 1 … n in the order of the front, on every surface. `explanation.schema.json` is
generated from the same types that check what comes back from JSON. `str(explanation)` needs words, which lie
above, so `rendered` loads them when a result is first shown.
"""

from p2ce.policy.features.describe_features import Candidates
from p2ce.result.analysis import Density, Evaluation, FeatureMap, PriceOfPlausibility, SampledPrice
from p2ce.result.certificate import Certificate, Estimate, Status
from p2ce.result.columns import Categories
from p2ce.result.counterfactual import Counterfactual, Flag
from p2ce.result.explanation import Explanation
from p2ce.result.explanations import Explanations
from p2ce.result.near import Near
from p2ce.result.picks import Pick
from p2ce.result.points import PersonPoints, Points
from p2ce.result.problem_record import Distribution, Feature, ModelFacts, ProblemRecord
from p2ce.result.relaxations import Relaxation, Relaxations, Restriction, Violation
from p2ce.result.relaxations_of_many import BindingRestriction, RelaxationsOfMany
from p2ce.result.rule_data import RuleData

__all__ = [
    "BindingRestriction",
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
    "Near",
    "PersonPoints",
    "Pick",
    "Points",
    "PriceOfPlausibility",
    "ProblemRecord",
    "Relaxation",
    "Relaxations",
    "RelaxationsOfMany",
    "Restriction",
    "RuleData",
    "SampledPrice",
    "Status",
    "Violation",
]
