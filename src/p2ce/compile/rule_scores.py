"""Compile rules between features to scores, and check them again on the solver's results."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.visible import echoed
from p2ce.engine.scores.score import FlatScore, Spending
from p2ce.errors import BrokenPlugin
from p2ce.policy.policy import Policy
from p2ce.policy.rules.linked import AddedLinks, Linked, links_by_follower
from p2ce.policy.rules.predicate import Predicate
from p2ce.policy.rules.rule import Budget, Rule
from p2ce.result.rule_data import RuleData, rule_data
from p2ce.tables.codebook import Codebook


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CompiledRule:
    """A rule for the columns of a table."""

    rule: Rule
    codebook: Codebook
    budgets: tuple[Budget, ...]
    data: RuleData  # its form in explanations

    @property
    def is_predicate(self) -> bool:
        """Whether the rule is a function of the user, which is called with rows and cannot prune."""
        return isinstance(self.rule, Predicate)

    def scores(self, names: Sequence[str]) -> list[FlatScore]:
        """Return the rule as flat scores: minus what a row spends of each budget."""
        return [_score(budget, names) for budget in self.budgets]

    def holds(self, names: Sequence[str], before: FloatArray, after: FloatArray) -> BoolArray:
        """Return for which rows (n, d) of codes the rule holds; functions are not called."""
        if self.is_predicate:
            return np.ones(len(after), dtype=np.bool_)
        then = {name: before[:, names.index(name)] for name in self.rule.columns}
        now = {name: after[:, names.index(name)] for name in self.rule.columns}
        kept = self.rule.holds(then, now, self.codebook)
        if not isinstance(kept, np.ndarray) or kept.dtype != np.bool_ or kept.shape != (len(after),):
            raise BrokenPlugin(
                f"holds() of the rule {echoed(self.rule.text())} must return {len(after)} bools, one per "
                f"row; got {echoed(kept)}. Return a NumPy array of comparisons."
            )
        return kept

    def holds_frame(self, frame: pd.DataFrame) -> BoolArray:
        """Call the user's function with rows. Other rules are not about frames."""
        return self.rule.holds_frame(frame) if isinstance(self.rule, Predicate) else np.ones(len(frame), bool)

    def values_of_frame(self, frame: pd.DataFrame) -> FloatArray:
        """Return 1 for the rows that the user's function accepts, 0 for the others."""
        return self.holds_frame(frame).astype(np.float64)


def compile_rules(policy: Policy, codebook: Codebook) -> tuple[CompiledRule, ...]:
    """Compile the rules of a policy for the columns of a table.

    The links of one follower add up, so none of them holds by itself.
    """
    causes = links_by_follower(policy.rules)
    compiled = []
    for stated in policy.rules:
        links = causes[stated.follower] if isinstance(stated, Linked) else ()
        rule = AddedLinks(links) if len(links) > 1 else stated
        compiled.append(
            CompiledRule(
                rule=rule, codebook=codebook, budgets=_budgets(rule, codebook), data=rule_data(stated)
            )
        )
    return tuple(compiled)


def columns_to_miss(policy: Policy) -> frozenset[str]:
    """Return the columns whose values may go missing."""
    return frozenset(feature.name for feature in policy.features if feature.may_go_missing)


def _budgets(rule: Rule, codebook: Codebook) -> tuple[Budget, ...]:
    """Return the budgets of a rule; raise if a custom rule has wrong ones."""
    budgets = tuple(rule.budgets(codebook))
    for budget in budgets:
        if not isinstance(budget, Budget):
            raise BrokenPlugin(
                f"budgets() of the rule {echoed(rule.text())} must return Budget objects, got "
                f"{echoed(budget)}. Import Budget from p2ce.extend."
            )
        strange = [name for name in budget.columns if name not in rule.columns]
        if strange:
            raise BrokenPlugin(
                f"A budget of the rule {echoed(rule.text())} prices {echoed(strange[0])}, which is not among "
                f"the rule's columns ({', '.join(map(echoed, rule.columns))}). Name it in `columns`."
            )
        if budget.whole and not (budget.limit - 0.5).is_integer():
            raise BrokenPlugin(
                f"A budget of the rule {echoed(rule.text())} is whole, so its limit must be a whole number + "
                f"0.5, got {echoed(budget.limit)}. Add 0.5, or pass whole=False."
            )
    return budgets


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
