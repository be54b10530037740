"""Define the rule that at most one of several features changes."""

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


class ChangeAtMostOneEntry(NamesEntry, tag="change_at_most_one"):
    """At most one of the columns changes."""

    def rule(self) -> "ChangeAtMostOne":
        return change_at_most_one(*self.columns)


@dataclass(frozen=True, slots=True)
class ChangeAtMostOne(RuleOfNames):
    """At most one of these columns changes."""

    kind = "change_at_most_one"
    form = ChangeAtMostOneEntry

    def text(self) -> str:
        return f"at most one of {', '.join(self.names)} changes"

    def resolve(self, codebook: Codebook) -> ResolvedRule:
        check_columns(self, codebook)
        prices = tuple((name, IfChanged()) for name in self.names)
        return ResolvedRule(self, (Budget(self.text(), 1.5, True, prices),), self._holds)

    def _holds(self, before: Codes, after: Codes) -> BoolArray:
        moved = np.array([changed(before, after, name) for name in self.names])
        few: BoolArray = np.count_nonzero(moved, axis=0) <= 1
        return few


def change_at_most_one(*names: object) -> ChangeAtMostOne:
    """Require that at most one of the columns changes.

    Args:
        *names: Two or more columns.

    >>> change_at_most_one("LoanAmount", "LoanMonths").text()
    'at most one of LoanAmount, LoanMonths changes'
    """
    return ChangeAtMostOne(read_names("change_at_most_one", names))
