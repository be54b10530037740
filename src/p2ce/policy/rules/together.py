"""Define the rule that features change together or not at all."""

from dataclasses import dataclass

import numpy as np

from p2ce.base.arrays import BoolArray
from p2ce.policy.rules.rule import (
    Budget,
    Codes,
    IfChanged,
    NamesEntry,
    ResolvedRule,
    RuleOfNames,
    changed,
    check_columns,
    read_names,
)
from p2ce.tables.codebook import Codebook


class TogetherEntry(NamesEntry, tag="together"):
    """The columns change together or not at all."""

    def rule(self) -> "Together":
        return together(*self.columns)


@dataclass(frozen=True, slots=True)
class Together(RuleOfNames):
    """These columns change together or not at all."""

    kind = "together"
    form = TogetherEntry

    def text(self) -> str:
        return f"{', '.join(self.names)} change together or not at all"

    def resolve(self, codebook: Codebook) -> ResolvedRule:
        check_columns(self, codebook)
        # In a ring: each may change only if the next one does, so all change or none does.
        ring = zip(self.names, (*self.names[1:], self.names[0]), strict=True)
        budgets = tuple(
            Budget(self.text(), 0.5, True, ((one, IfChanged()), (next_one, IfChanged(-1.0))))
            for one, next_one in ring
        )
        return ResolvedRule(self, budgets, self._holds)

    def _holds(self, before: Codes, after: Codes) -> BoolArray:
        moved = np.array([changed(before, after, name) for name in self.names])
        count = np.count_nonzero(moved, axis=0)
        same: BoolArray = (count == 0) | (count == len(self.names))
        return same


def together(*names: object) -> Together:
    """Require that columns change together or not at all.

    Args:
        *names: Two or more columns.

    >>> together("LoanAmount", "LoanMonths").text()
    'LoanAmount, LoanMonths change together or not at all'
    """
    return Together(read_names("together", names))
