"""Compile rules between features to scores, and check them again on the solver's results."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.engine.scores.score import FlatScore, Spending
from p2ce.policy.policy import Policy
from p2ce.policy.rules.predicate import Predicate
from p2ce.policy.rules.rule import Budget, ResolvedRule, Rule
from p2ce.result.rule_data import RuleData, rule_data
from p2ce.tables.codebook import Codebook


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CompiledRule:
    """A rule in terms of codes."""

    rule: Rule
    data: RuleData  # its form in explanations
    resolved: ResolvedRule

    @property
    def is_predicate(self) -> bool:
        """Whether the rule is a function of the user, which is called with rows and cannot prune."""
        return isinstance(self.rule, Predicate)

    def scores(self, names: Sequence[str]) -> list[FlatScore]:
        """Return the rule as flat scores: minus what a row spends of each budget."""
        return [_score(budget, names) for budget in self.resolved.budgets]

    def holds(self, names: Sequence[str], before: FloatArray, after: FloatArray) -> BoolArray:
        """Return for which rows (n, d) of codes the rule holds; functions are not called."""
        if self.resolved.holds is None:
            return np.ones(len(after), dtype=np.bool_)
        then = {name: before[:, names.index(name)] for name in self.rule.columns}
        now = {name: after[:, names.index(name)] for name in self.rule.columns}
        return self.resolved.holds(then, now)

    def holds_frame(self, frame: pd.DataFrame) -> BoolArray:
        """Call the user's function with rows."""
        assert isinstance(self.rule, Predicate)
        return self.rule.holds_frame(frame)

    def values_of_frame(self, frame: pd.DataFrame) -> FloatArray:
        """Return 1 for the rows that the user's function accepts, 0 for the others."""
        return self.holds_frame(frame).astype(np.float64)


def resolve_rules(policy: Policy, codebook: Codebook) -> tuple[CompiledRule, ...]:
    """Resolve the rules of a policy: labels become codes."""
    return tuple(
        CompiledRule(rule=rule, data=rule_data(rule), resolved=rule.resolve(codebook))
        for rule in policy.rules
    )


def columns_to_miss(policy: Policy) -> frozenset[str]:
    """Return the columns whose values may go missing."""
    return frozenset(feature.name for feature in policy.features if feature.may_go_missing)


def _score(budget: Budget, names: Sequence[str]) -> FlatScore:
    places = {names.index(name): name for name in budget.columns}

    def of(column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        return budget.costs(places[column], values, current)

    return FlatScore(
        name=budget.name,
        column_count=len(names),
        spending=Spending(columns=tuple(places), of=of),
        # If a sum of floats is rounded (`flat_arrays.py` adds its error), the rule itself decides.
        accept_from=-budget.limit if budget.whole else np.inf,
        reject_below=-budget.limit if budget.whole else np.nextafter(-budget.limit, -np.inf),
    )
