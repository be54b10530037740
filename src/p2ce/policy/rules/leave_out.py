"""Define the rule that leaves out every row that meets all of some conditions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.visible import echoed
from p2ce.errors import InvalidPolicy
from p2ce.policy.features.feature import FeaturePolicy
from p2ce.policy.rules.conditions import Condition, Met, read_condition
from p2ce.policy.rules.implies import Conditions, Side
from p2ce.policy.rules.rule import Budget, Codes, Rule, RuleEntry, coding_for, read_name
from p2ce.tables.codebook import Codebook


class LeaveOutEntry(RuleEntry, tag="leave_out"):
    """No row meets all of 'where' after the changes. 'Explainer.more' writes this rule."""

    where: Side

    def rule(self) -> "LeaveOut":
        return leave_out(self.where)


@dataclass(frozen=True, slots=True)
class LeaveOut(Rule):
    """No row meets all of these conditions after the changes."""

    conditions: Conditions

    kind = "leave_out"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column for column, _ in self.conditions)

    def text(self) -> str:
        return f"not all of: {'; '.join(condition.text(column) for column, condition in self.conditions)}"

    def entry(self) -> LeaveOutEntry:
        return LeaveOutEntry(where={column: condition.entry() for column, condition in self.conditions})

    def budgets(self, codebook: Codebook) -> tuple[Budget, ...]:
        # A row that meets all conditions exceeds the limit by one half.
        prices = tuple((column, _Price(met)) for column, met in self._met(codebook))
        return (Budget(self.text(), len(prices) - 0.5, True, prices),)

    def holds(self, before: Codes, after: Codes, codebook: Codebook) -> BoolArray:
        met = [met(after[column], before[column]) for column, met in self._met(codebook)]
        kept: BoolArray = ~np.logical_and.reduce(met)
        return kept

    def check(self, features: Mapping[str, FeaturePolicy]) -> None:
        """Reject values that a column never has."""
        Rule.check(self, features)
        for name, condition in self.conditions:
            condition.check(self, features[name])

    def _met(self, codebook: Codebook) -> Iterator[tuple[str, Met]]:
        """Return the conditions as functions of codes."""
        for column, condition in self.conditions:
            yield column, condition.met_by(coding_for(self, codebook, column), rule=self)


@dataclass(frozen=True, slots=True)
class _Price:
    met: Met

    def __call__(self, values: FloatArray, current: FloatArray) -> FloatArray:
        return np.where(self.met(values, current), 1.0, 0.0)


def leave_out(where: Mapping[Any, Any]) -> LeaveOut:
    """Leave out every row that meets all of some conditions after the changes.

    `Explainer.more` makes these rules, one for each thing to leave out.

    Args:
        where: A dict from columns to what they must be, as in `implies`: a value, a list of values, a range
            ``(low, high)`` that includes its ends, or ``CHANGES``.

    >>> from p2ce.policy.rules.conditions import CHANGES
    >>> leave_out({"Housing": "own", "LoanAmount": CHANGES}).text()
    "not all of: Housing is 'own'; LoanAmount changes"
    """
    if not isinstance(where, Mapping) or not where:
        raise InvalidPolicy(
            f"leave_out() expects columns and their values, got {echoed(where)}. "
            'Write {"Housing": "own", "LoanAmount": CHANGES}.'
        )
    found: dict[str, Condition] = {
        read_name("leave_out", column): read_condition(str(column), condition)
        for column, condition in where.items()
    }
    return LeaveOut(tuple(found.items()))
