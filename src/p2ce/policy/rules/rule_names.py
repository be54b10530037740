"""Find a rule by its name in a policy file."""

from collections.abc import Mapping
from typing import Any, TypeAlias, get_args

from p2ce.policy.file.typed_entries import typed_by
from p2ce.policy.rules.at_most_one_nonzero import AtMostOneNonzeroEntry
from p2ce.policy.rules.change_at_most_one import ChangeAtMostOneEntry
from p2ce.policy.rules.implies import ImpliesEntry
from p2ce.policy.rules.inequality import InequalityEntry
from p2ce.policy.rules.linked import LinkedEntry
from p2ce.policy.rules.one_hot import OneHotEntry
from p2ce.policy.rules.predicate import PredicateEntry
from p2ce.policy.rules.rule import Rule, RuleEntry
from p2ce.policy.rules.together import TogetherEntry
from p2ce.policy.rules.transitions import AllowOnlyEntry, ForbidEntry

AnyRuleEntry: TypeAlias = (
    AllowOnlyEntry
    | AtMostOneNonzeroEntry
    | ChangeAtMostOneEntry
    | ForbidEntry
    | ImpliesEntry
    | InequalityEntry
    | LinkedEntry
    | OneHotEntry
    | PredicateEntry
    | TogetherEntry
)
RULES: dict[str, type[RuleEntry]] = {
    str(entry.__struct_config__.tag): entry for entry in get_args(AnyRuleEntry)
}


def rule_from_plain(plain: Mapping[str, Any]) -> Rule:
    """Build a rule from its entry in a policy file.

    >>> rule_from_plain({"rule": "change_at_most_one", "columns": ["a", "b"]}).text()
    'at most one of a, b changes'
    """
    return typed_by(plain, "rule", RULES, "the rule").rule()
