"""Rules between features: what each says, how the search prunes by it, and how a row is judged."""

from p2ce.problem.rules.at_most_one_of import AtMostOneOf, at_most_one_of
from p2ce.problem.rules.conditions import CHANGES
from p2ce.problem.rules.exclusive import Exclusive, exclusive
from p2ce.problem.rules.if_then import IfThen, if_then
from p2ce.problem.rules.inequality import Inequality, inequality
from p2ce.problem.rules.linked import Linked, linked
from p2ce.problem.rules.one_hot import OneHot, one_hot
from p2ce.problem.rules.predicate import Predicate, predicate
from p2ce.problem.rules.rule import Budget, ResolvedRule, Rule
from p2ce.problem.rules.rule_names import rule_from_plain
from p2ce.problem.rules.together import Together, together
from p2ce.problem.rules.transitions import AllowOnly, Forbid, allow_only, forbid

__all__ = [
    "CHANGES",
    "AllowOnly",
    "AtMostOneOf",
    "Budget",
    "Exclusive",
    "Forbid",
    "IfThen",
    "Inequality",
    "Linked",
    "OneHot",
    "Predicate",
    "ResolvedRule",
    "Rule",
    "Together",
    "allow_only",
    "at_most_one_of",
    "exclusive",
    "forbid",
    "if_then",
    "inequality",
    "linked",
    "one_hot",
    "predicate",
    "rule_from_plain",
    "together",
]
