"""Define rules between features: what each means, how it prunes the search, and how it judges a row."""

from p2ce.policy.rules.at_most_one_nonzero import AtMostOneNonzero, at_most_one_nonzero
from p2ce.policy.rules.change_at_most_one import ChangeAtMostOne, change_at_most_one
from p2ce.policy.rules.conditions import CHANGES
from p2ce.policy.rules.implies import Implies, implies
from p2ce.policy.rules.inequality import Inequality, inequality
from p2ce.policy.rules.linked import Linked, linked
from p2ce.policy.rules.one_hot import OneHot, one_hot
from p2ce.policy.rules.predicate import Predicate, predicate
from p2ce.policy.rules.rule import Budget, ResolvedRule, Rule
from p2ce.policy.rules.rule_names import rule_from_plain
from p2ce.policy.rules.together import Together, together
from p2ce.policy.rules.transitions import AllowOnly, Forbid, allow_only, forbid

__all__ = [
    "CHANGES",
    "AllowOnly",
    "AtMostOneNonzero",
    "Budget",
    "ChangeAtMostOne",
    "Forbid",
    "Implies",
    "Inequality",
    "Linked",
    "OneHot",
    "Predicate",
    "ResolvedRule",
    "Rule",
    "Together",
    "allow_only",
    "at_most_one_nonzero",
    "change_at_most_one",
    "forbid",
    "implies",
    "inequality",
    "linked",
    "one_hot",
    "predicate",
    "rule_from_plain",
    "together",
]
