"""Define the rule that if a condition is met, a consequence must be met as well."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

import numpy as np
from msgspec import Meta

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.visible import echoed
from p2ce.errors import InvalidPolicy
from p2ce.policy.features.category_labels import shown_labels
from p2ce.policy.features.feature import FeaturePolicy
from p2ce.policy.rules.conditions import Condition, ConditionEntry, HasChanged, Met, read_condition
from p2ce.policy.rules.rule import (
    Budget,
    Codes,
    Rule,
    RuleEntry,
    coding_for,
    columns_once,
    read_name,
)
from p2ce.policy.rules.rule_values import value_text
from p2ce.tables.codebook import Codebook

Conditions: TypeAlias = tuple[tuple[str, Condition], ...]
Side: TypeAlias = Annotated[dict[str, ConditionEntry], Meta(min_length=1)]


class ImpliesEntry(RuleEntry, tag="implies"):
    """If all of 'condition' is met after the changes, all of 'consequence' must be met."""

    condition: Side
    consequence: Side

    def rule(self) -> "Implies":
        return implies(self.condition, self.consequence)


@dataclass(frozen=True, slots=True)
class Implies(Rule):
    """If every condition is met after the changes, every consequence must be met as well."""

    conditions: Conditions
    consequences: Conditions

    kind = "implies"

    @property
    def columns(self) -> tuple[str, ...]:
        return columns_once(column for column, _ in (*self.conditions, *self.consequences))

    def text(self) -> str:
        return f"if {_joined(self.conditions)}, then {_joined(self.consequences)}"

    def entry(self) -> ImpliesEntry:
        condition, consequence = (
            {column: met.entry() for column, met in side} for side in (self.conditions, self.consequences)
        )
        return ImpliesEntry(condition=condition, consequence=consequence)

    def budgets(self, codebook: Codebook) -> tuple[Budget, ...]:
        conditions = tuple(
            (name, _Price(met, wanted=True)) for name, met in self._met(self.conditions, codebook)
        )
        consequences = self._met(self.consequences, codebook)
        # If all conditions are met and one consequence is not, the sum exceeds the number of conditions.
        return tuple(
            Budget(
                f"if {_joined(self.conditions)}, then {condition.text(column)}",
                len(conditions) + 0.5,
                True,
                (*conditions, (column, _Price(met, wanted=False))),
            )
            for (_, condition), (column, met) in zip(self.consequences, consequences, strict=True)
        )

    def holds(self, before: Codes, after: Codes, codebook: Codebook) -> BoolArray:
        conditions_hold, kept = (
            np.logical_and.reduce(
                [met(after[column], before[column]) for column, met in self._met(side, codebook)]
            )
            for side in (self.conditions, self.consequences)
        )
        implied: BoolArray = ~conditions_hold | kept
        return implied

    def _met(self, side: Conditions, codebook: Codebook) -> Iterator[tuple[str, Met]]:
        """Return the conditions of a side as functions of codes."""
        for column, condition in side:
            yield column, condition.met_by(coding_for(self, codebook, column), rule=self)

    def check(self, features: Mapping[str, FeaturePolicy]) -> None:
        """Reject values that a column never has, and consequences that no candidate can meet."""
        Rule.check(self, features)
        for name, condition in (*self.conditions, *self.consequences):
            condition.check(self, features[name])
        for name, condition in self.consequences:
            self._check_consequence(features[name], condition)

    def _check_consequence(self, feature: FeaturePolicy, condition: Condition) -> None:
        if isinstance(condition, HasChanged) and feature.fixed:
            raise InvalidPolicy(
                f"The rule '{self.text()}' requires that {echoed(feature.name)} changes, but it is fixed. "
                f"Remove .fix({echoed(feature.name)}) or the rule."
            )
        if feature.fixed or feature.choices is None:
            return  # an instance may have any value
        if not any(condition.is_met(value, feature) for value in feature.choices):
            listed = shown_labels(value_text(value) for value in feature.choices)
            raise InvalidPolicy(
                f"The rule '{self.text()}' requires a value that is not among the candidates() of "
                f"{echoed(feature.name)} ({listed}). Add a value to candidates(), or correct the rule."
            )


@dataclass(frozen=True, slots=True)
class _Price:
    met: Met
    wanted: bool  # whether 1 is added if the condition is met, or if it is not

    def __call__(self, values: FloatArray, current: FloatArray) -> FloatArray:
        return np.where(self.met(values, current) == self.wanted, 1.0, 0.0)


def implies(condition: Mapping[Any, Any], consequence: Mapping[Any, Any]) -> Implies:
    """Require the consequence for every row that meets the condition after the changes.

    Both arguments are dicts from columns to what they must be: a value, a list of values, a range
    ``(low, high)`` that includes its ends, or ``CHANGES``. None is a missing value. In a range it is an open
    end. (Put a label "changes" in a list.)

    Args:
        condition: All entries must be met for the rule to apply.
        consequence: All entries must then be met.

    >>> implies({"Housing": "own"}, {"Rent": 0, "Age": (21, None)}).text()
    "if Housing is 'own', then Rent is 0 and Age is at least 21"
    """
    return Implies(_side("condition", condition), _side("consequence", consequence))


def _side(name: str, given: object) -> Conditions:
    if not isinstance(given, Mapping) or not given:
        raise InvalidPolicy(
            f"implies() expects columns and their values as {name}, got {echoed(given)}. "
            f'Write {{"Housing": "own"}}.'
        )
    return tuple(
        (read_name("implies", column), read_condition(str(column), condition))
        for column, condition in given.items()
    )


def _joined(side: Conditions) -> str:
    return " and ".join(condition.text(column) for column, condition in side)
