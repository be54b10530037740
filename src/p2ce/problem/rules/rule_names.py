"""Find a rule by the name that a policy file gives it."""

from collections.abc import Mapping
from typing import Any

from p2ce.errors import InvalidActions, nearest
from p2ce.problem.rules.at_most_one_of import AtMostOneOf
from p2ce.problem.rules.exclusive import Exclusive
from p2ce.problem.rules.if_then import IfThen
from p2ce.problem.rules.inequality import Inequality
from p2ce.problem.rules.linked import Linked
from p2ce.problem.rules.one_hot import OneHot
from p2ce.problem.rules.predicate import Predicate
from p2ce.problem.rules.rule import Rule
from p2ce.problem.rules.together import Together
from p2ce.problem.rules.transitions import AllowOnly, Forbid
from p2ce.visible import echoed

RULES: dict[str, type[Rule]] = {
    rule.kind: rule
    for rule in (
        AllowOnly,
        AtMostOneOf,
        Exclusive,
        Forbid,
        IfThen,
        Inequality,
        Linked,
        OneHot,
        Predicate,
        Together,
    )
}


def rule_from_plain(plain: Mapping[str, Any]) -> Rule:
    """Make a rule from the form that a policy file holds.

    >>> rule_from_plain({"rule": "exclusive", "columns": ["a", "b"]}).text()
    'at most one of a, b changes'
    """
    if not isinstance(plain, Mapping) or "rule" not in plain:
        raise InvalidActions(f"Expected a rule such as {{rule: linked, ...}}, got {echoed(plain)}.")
    kind = plain["rule"]
    if not isinstance(kind, str) or kind not in RULES:
        raise InvalidActions(f"There is no rule {echoed(kind)}. {nearest(kind, RULES)}")
    rule = RULES[kind]
    known = ("rule", *rule.required, *rule.optional)
    for key in plain:
        if key not in known:
            raise InvalidActions(f"The rule {echoed(kind)} has no {echoed(key)}. {nearest(key, known[1:])}")
    for key in rule.required:
        if key not in plain:
            raise InvalidActions(f"The rule {echoed(kind)} needs {echoed(key)}. Add it.")
    return rule.read(plain)
