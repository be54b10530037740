"""Define the rule that at most one of several columns is other than zero."""

from dataclasses import dataclass

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.policy.rules.rule import (
    Budget,
    Codes,
    NamesEntry,
    ResolvedRule,
    RuleOfNames,
    read_names,
    reject_categories,
)
from p2ce.tables.codebook import MISSING, Codebook


class AtMostOneNonzeroEntry(NamesEntry, tag="at_most_one_nonzero"):
    """At most one of the columns is other than zero."""

    def rule(self) -> "AtMostOneNonzero":
        return at_most_one_nonzero(*self.columns)


@dataclass(frozen=True, slots=True)
class AtMostOneNonzero(RuleOfNames):
    """At most one of these columns is other than zero. A missing value counts as zero."""

    kind = "at_most_one_nonzero"
    form = AtMostOneNonzeroEntry

    def text(self) -> str:
        return f"at most one of {', '.join(self.names)} is other than 0"

    def resolve(self, codebook: Codebook) -> ResolvedRule:
        reject_categories(self, codebook, because="its values are not numbers. Use implies() instead")
        prices = tuple((name, _nonzero) for name in self.names)
        return ResolvedRule(self, (Budget(self.text(), 1.5, True, prices),), self._holds)

    def _holds(self, before: Codes, after: Codes) -> BoolArray:  # noqa: ARG002
        there = np.array([(after[name] != 0) & ~np.isneginf(after[name]) for name in self.names])
        few: BoolArray = np.count_nonzero(there, axis=0) <= 1
        return few


def _nonzero(values: FloatArray, current: FloatArray) -> FloatArray:  # noqa: ARG001
    return np.where((values == 0) | (values == MISSING), 0.0, 1.0)


def at_most_one_nonzero(*names: object) -> AtMostOneNonzero:
    """Require that at most one of the columns is other than zero (or True, for bools).

    Args:
        *names: Two or more columns of numbers or bools.

    >>> at_most_one_nonzero("HasMortgage", "HasLease").text()
    'at most one of HasMortgage, HasLease is other than 0'
    """
    return AtMostOneNonzero(read_names("at_most_one_nonzero", names))
