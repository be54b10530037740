"""Represent rules between features as data, in the form of a policy file."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from p2ce.errors import InvalidPolicy
from p2ce.policy.rules import Predicate, Rule, rule_from_plain
from p2ce.policy.rules.inequality import DETAILS
from p2ce.tables.json_values import Checked, misfit, to_plain

# {"rule": "linked", "driver": "Years", "follower": "Age", "ratio": 1}: the kind and its arguments.
if TYPE_CHECKING:
    RuleData: TypeAlias = dict[str, Any]
else:

    class RuleData(metaclass=Checked):
        """A rule as in a policy file, or its kind, text and columns."""

        _schema: ClassVar = {
            "title": "RuleData",
            "description": "A rule between features, as in a policy file. A rule that a policy file cannot "
            "hold has a text and columns. A predicate that is a Python object has a name.",
            "type": "object",
            "properties": {"rule": {"type": "string"}},
            "required": ["rule"],
        }

        @staticmethod
        def _decode(data: Any) -> dict[str, Any]:
            if isinstance(data, Mapping):
                rule = _read(data)
                if rule is not None:
                    return rule_data(rule)
                if _is_described(data):
                    return dict(data)
            raise misfit("a rule such as {'rule': 'linked', ...}", data)


def rule_data(rule: Rule) -> RuleData:
    """Return a rule as JSON-ready data.

    A policy file cannot hold some rules: predicates that are Python objects, rules of custom classes, and
    rules about values that JSON does not have. They are represented by a name or a text.

    >>> from p2ce.rules import linked
    >>> rule_data(linked("Years", "Age"))
    {'rule': 'linked', 'driver': 'Years', 'follower': 'Age', 'ratio': 1}
    """
    plain: RuleData = to_plain(rule.to_plain())
    same = None if rule.entry() is None else _read(plain)
    if same is not None and to_plain(same.to_plain()) == plain:
        return {**plain, **rule.details()}
    return rule.described()


def _read(data: Mapping[str, Any]) -> Rule | None:
    """Build the rule that the data describe, or return None if a policy file cannot hold it."""
    try:
        return rule_from_plain({key: value for key, value in data.items() if key not in DETAILS})
    except (InvalidPolicy, TypeError, ValueError, ArithmeticError):
        return None


def _is_described(data: Mapping[str, Any]) -> bool:
    text = "name" if data.get("rule") == Predicate.kind else "text"
    columns = data.get("columns", [])
    return (
        set(data) <= {"rule", text, "columns"}
        and isinstance(data.get("rule"), str)
        and isinstance(data.get(text), str)
        and isinstance(columns, list)
        and all(isinstance(one, str) for one in columns)
    )
