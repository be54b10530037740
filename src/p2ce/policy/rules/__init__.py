"""Rules between features: what each means, how it prunes the search, how it judges a row, and its name."""

from collections.abc import Mapping
from typing import Any, TypeAlias, get_args

from p2ce.policy.file.typed_entries import typed_by
from p2ce.policy.rules.column_list_rules import (
    AtMostOneNonzero,
    AtMostOneNonzeroEntry,
    ChangeAtMostOne,
    ChangeAtMostOneEntry,
    Together,
    TogetherEntry,
    at_most_one_nonzero,
    change_at_most_one,
    together,
)
from p2ce.policy.rules.conditions import CHANGES
from p2ce.policy.rules.implies import Implies, ImpliesEntry, implies
from p2ce.policy.rules.inequality import Inequality, InequalityEntry, inequality
from p2ce.policy.rules.leave_out import LeaveOut, LeaveOutEntry, leave_out
from p2ce.policy.rules.linked import Linked, LinkedEntry, linked
from p2ce.policy.rules.one_hot import OneHot, OneHotEntry, one_hot
from p2ce.policy.rules.predicate import Predicate, PredicateEntry, predicate
from p2ce.policy.rules.rule import Budget, Rule, RuleEntry
from p2ce.policy.rules.transitions import (
    AllowOnly,
    AllowOnlyEntry,
    Forbid,
    ForbidEntry,
    allow_only,
    forbid,
)

__all__ = [
    "CHANGES",
    "RULES",
    "AllowOnly",
    "AnyRuleEntry",
    "AtMostOneNonzero",
    "Budget",
    "ChangeAtMostOne",
    "Forbid",
    "Implies",
    "Inequality",
    "LeaveOut",
    "Linked",
    "OneHot",
    "Predicate",
    "Rule",
    "Together",
    "allow_only",
    "at_most_one_nonzero",
    "change_at_most_one",
    "forbid",
    "implies",
    "inequality",
    "leave_out",
    "linked",
    "one_hot",
    "predicate",
    "rule_from_plain",
    "together",
]

AnyRuleEntry: TypeAlias = (
    AllowOnlyEntry
    | AtMostOneNonzeroEntry
    | ChangeAtMostOneEntry
    | ForbidEntry
    | ImpliesEntry
    | InequalityEntry
    | LeaveOutEntry
    | LinkedEntry
    | OneHotEntry
    | PredicateEntry
    | TogetherEntry
)
# The name of a rule in a policy file → the form of its entry.
RULES: dict[str, type[RuleEntry]] = {
    str(entry.__struct_config__.tag): entry for entry in get_args(AnyRuleEntry)
}


def rule_from_plain(plain: Mapping[str, Any]) -> Rule:
    """Build a rule from its entry in a policy file.

    >>> rule_from_plain({"rule": "change_at_most_one", "columns": ["a", "b"]}).text()
    'at most one of a, b changes'
    """
    return typed_by(plain, "rule", RULES, "the rule").rule()
