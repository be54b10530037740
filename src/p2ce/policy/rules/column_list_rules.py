"""Define the rules that treat a list of columns alike: change together, change one, at most one not zero."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.policy.rules.rule import (
    Budget,
    Codes,
    ColumnNames,
    IfChanged,
    Rule,
    RuleEntry,
    changed,
    check_columns,
    read_names,
    reject_categories,
)
from p2ce.tables.codebook import MISSING, Codebook


class ColumnListEntry(RuleEntry):
    """The form of a rule with nothing but a list of columns."""

    columns: ColumnNames


class TogetherEntry(ColumnListEntry, tag="together"):
    """The columns change together or not at all."""

    def rule(self) -> "Together":
        return together(*self.columns)


class ChangeAtMostOneEntry(ColumnListEntry, tag="change_at_most_one"):
    """At most one of the columns changes."""

    def rule(self) -> "ChangeAtMostOne":
        return change_at_most_one(*self.columns)


class AtMostOneNonzeroEntry(ColumnListEntry, tag="at_most_one_nonzero"):
    """At most one of the columns is other than zero."""

    def rule(self) -> "AtMostOneNonzero":
        return at_most_one_nonzero(*self.columns)


@dataclass(frozen=True, slots=True)
class ColumnListRule(Rule):
    """A rule with nothing but a list of columns, all treated alike."""

    names: tuple[str, ...]

    form: ClassVar[type[ColumnListEntry]]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names

    def entry(self) -> ColumnListEntry:
        return self.form(columns=list(self.names))

    def _count_changes(self, before: Codes, after: Codes) -> IntArray:
        """Count the columns that change: (n,)."""
        moved = [changed(before, after, name) for name in self.names]
        counts: IntArray = np.count_nonzero(moved, axis=0)
        return counts


@dataclass(frozen=True, slots=True)
class Together(ColumnListRule):
    """These columns change together or not at all."""

    kind = "together"
    form = TogetherEntry

    def text(self) -> str:
        return f"{', '.join(self.names)} change together or not at all"

    def budgets(self, codebook: Codebook) -> tuple[Budget, ...]:
        check_columns(self, codebook)
        # In a ring: each may change only if the next one does, so all change or none does.
        ring = zip(self.names, (*self.names[1:], self.names[0]), strict=True)
        return tuple(
            Budget(self.text(), 0.5, True, ((one, IfChanged()), (next_one, IfChanged(-1.0))))
            for one, next_one in ring
        )

    def holds(self, before: Codes, after: Codes, codebook: Codebook) -> BoolArray:  # noqa: ARG002
        count = self._count_changes(before, after)
        same: BoolArray = (count == 0) | (count == len(self.names))
        return same


@dataclass(frozen=True, slots=True)
class ChangeAtMostOne(ColumnListRule):
    """At most one of these columns changes."""

    kind = "change_at_most_one"
    form = ChangeAtMostOneEntry

    def text(self) -> str:
        return f"at most one of {', '.join(self.names)} changes"

    def budgets(self, codebook: Codebook) -> tuple[Budget, ...]:
        check_columns(self, codebook)
        return (Budget(self.text(), 1.5, True, tuple((name, IfChanged()) for name in self.names)),)

    def holds(self, before: Codes, after: Codes, codebook: Codebook) -> BoolArray:  # noqa: ARG002
        few: BoolArray = self._count_changes(before, after) <= 1
        return few


@dataclass(frozen=True, slots=True)
class AtMostOneNonzero(ColumnListRule):
    """At most one of these columns is other than zero. A missing value counts as zero."""

    kind = "at_most_one_nonzero"
    about_numbers = True
    form = AtMostOneNonzeroEntry

    def text(self) -> str:
        return f"at most one of {', '.join(self.names)} is other than 0"

    def budgets(self, codebook: Codebook) -> tuple[Budget, ...]:
        reject_categories(self, codebook, because="its values are not numbers. Use implies() instead")
        return (Budget(self.text(), 1.5, True, tuple((name, _nonzero) for name in self.names)),)

    def holds(self, before: Codes, after: Codes, codebook: Codebook) -> BoolArray:  # noqa: ARG002
        there = np.array([(after[name] != 0) & ~np.isneginf(after[name]) for name in self.names])
        few: BoolArray = np.count_nonzero(there, axis=0) <= 1
        return few


def _nonzero(values: FloatArray, current: FloatArray) -> FloatArray:  # noqa: ARG001
    return np.where((values == 0) | (values == MISSING), 0.0, 1.0)


def together(*names: object) -> Together:
    """Require that columns change together or not at all.

    Args:
        *names: Two or more columns.

    >>> together("LoanAmount", "LoanMonths").text()
    'LoanAmount, LoanMonths change together or not at all'
    """
    return Together(read_names("together", names))


def change_at_most_one(*names: object) -> ChangeAtMostOne:
    """Require that at most one of the columns changes.

    Args:
        *names: Two or more columns.

    >>> change_at_most_one("LoanAmount", "LoanMonths").text()
    'at most one of LoanAmount, LoanMonths changes'
    """
    return ChangeAtMostOne(read_names("change_at_most_one", names))


def at_most_one_nonzero(*names: object) -> AtMostOneNonzero:
    """Require that at most one of the columns is other than zero (or True, for bools).

    Args:
        *names: Two or more columns of numbers or bools.

    >>> at_most_one_nonzero("HasMortgage", "HasLease").text()
    'at most one of HasMortgage, HasLease is other than 0'
    """
    return AtMostOneNonzero(read_names("at_most_one_nonzero", names))
