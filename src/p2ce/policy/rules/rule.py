"""Define a rule between features: its columns, its budgets, how it judges a row, and its form as data."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.visible import as_text, echoed, visible_line
from p2ce.errors import InvalidPolicy, nearest
from p2ce.policy.features.feature import FeaturePolicy, Kind
from p2ce.policy.file.typed_entries import about
from p2ce.tables.codebook import Codebook, Coding

# Column → codes (n,), for n instances or n candidate rows.
Codes: TypeAlias = Mapping[str, FloatArray]

# What the entries of a policy file hold.
Name: TypeAlias = Annotated[str | int | float, about("The name of a column.")]
Value: TypeAlias = Annotated[str | bool | int | float | None, about("A value; null is a missing value.")]
Values: TypeAlias = Annotated[list[Value], Meta(min_length=1)]
ONCE = {"uniqueItems": True}
ColumnNames: TypeAlias = Annotated[list[Name], Meta(min_length=2, extra_json_schema=ONCE)]


class RuleEntry(msgspec.Struct, kw_only=True, tag_field="rule", forbid_unknown_fields=True):
    """The form of a rule in a policy file. Its docstring and descriptions are used in the JSON schema."""

    @abstractmethod
    def rule(self) -> "Rule":
        """Build the rule."""


# (values, current) → what each value adds, broadcast against each other
Price: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Budget:
    """A sum over columns that must not exceed a limit.

    A value with the cost −inf keeps the sum within the limit, for any values of the other columns.

    Args:
        name: a short text for messages, such as the rule's own.
        limit: the largest sum that is allowed.
        whole: whether costs are whole numbers (or −inf) and the limit is a whole number + 0.5. Then there is
            no rounding problem as long as the sum stays below 2**53.
        prices: (column, price) pairs; a column may have more than one. A price is a function of (values,
            current) that returns what each value adds. The two arrays broadcast against each other.
    """

    name: str
    limit: float
    whole: bool
    prices: tuple[tuple[str, Price], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that contribute to the sum, without repetition."""
        return columns_once(column for column, _ in self.prices)

    def costs(self, column: str, values: FloatArray, current: FloatArray) -> FloatArray:
        """Return the costs (n, w) of values (n, w) for instances with the current values (n, 1)."""
        total = np.zeros(np.broadcast_shapes(values.shape, current.shape))
        for name, price in self.prices:
            if name == column:
                total = total + price(values, current)
        return total


@dataclass(frozen=True, slots=True)
class IfChanged:
    """The price of a change: a weight if the value differs from today's, else 0."""

    weight: float = 1.0

    def __call__(self, values: FloatArray, current: FloatArray) -> FloatArray:
        return np.where(values != current, self.weight, 0.0)


class Rule(ABC):
    """A rule between features. Rules are frozen and compare by value.

    A rule is about the row *after* the changes. Some rules are also about which columns change. A row that
    breaks a rule is never returned. Values are codes: numbers themselves, ranks of labels (`Coding.code_of`),
    and MISSING (−inf). For a custom rule, derive a frozen dataclass and define ``kind``, ``columns``,
    ``text``, ``budgets`` and ``holds``.
    """

    # The dataclasses below have slots. Without this line, the base class would give every rule a __dict__.
    __slots__ = ()

    kind: ClassVar[str]  # the name in a policy file, the same as that of the function
    prunes: ClassVar[bool] = True  # False: it is only checked on candidate rows
    about_numbers: ClassVar[bool] = False  # True: no column may hold categories

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns that the rule is about, without repetition."""

    @abstractmethod
    def text(self) -> str:
        """Return the rule as one line of text."""

    @abstractmethod
    def budgets(self, codebook: Codebook) -> tuple[Budget, ...]:
        """Return the sums by which the search prunes; raise InvalidPolicy if the table does not fit the rule.

        The rule holds if and only if all budgets are within their limits, up to rounding if a budget is not
        whole. Rules that shape the axes (linked, one_hot) and predicates have no budgets.
        """

    @abstractmethod
    def holds(self, before: Codes, after: Codes, codebook: Codebook) -> BoolArray:
        """Return exactly for which rows the rule holds, (n,). Every result is checked again with it."""

    def check(self, features: Mapping[str, FeaturePolicy]) -> None:
        """Raise InvalidPolicy if the rule does not fit the features, by name."""
        for name in self.columns:
            if name not in features:
                raise unknown_column(self, name, features)
            if self.prunes and features[name].kind is Kind.DATE:
                raise InvalidPolicy(
                    f"The rule '{self.text()}' names {echoed(name)}, which holds dates and never changes. "
                    "Use a number instead, such as the days since the date, or a predicate of rows."
                )
            if self.about_numbers and features[name].kind is Kind.CATEGORY:
                raise InvalidPolicy(
                    f"The rule '{self.text()}' is about numbers, but {echoed(name)} holds categories. "
                    f"Use implies(), forbid() or together() for them."
                )

    def entry(self) -> RuleEntry | None:
        """Return the rule's entry for a policy file; None if a policy file cannot hold the rule."""
        return None

    def to_plain(self) -> dict[str, Any]:
        """Return the rule as JSON-ready data: its entry in a policy file, or else its kind and text."""
        entry = self.entry()
        if entry is None:
            return self.described()
        plain: dict[str, Any] = msgspec.to_builtins(entry, enc_hook=str)
        return plain

    def described(self) -> dict[str, Any]:
        """Return the data of a rule that a policy file cannot hold."""
        return {"rule": self.kind, "text": self.text(), "columns": list(self.columns)}

    def details(self) -> dict[str, Any]:
        """Return what an explanation states of the rule in addition to its entry."""
        return {}

    def __str__(self) -> str:
        return visible_line(self.text())


def columns_once(names: Iterable[str]) -> tuple[str, ...]:
    """Remove repeated names, and keep the order."""
    return tuple(dict.fromkeys(names))


def read_names(rule: str, names: Iterable[object], *, least: int = 2) -> tuple[str, ...]:
    """Check the names of a group: there must be enough, and none may be repeated."""
    if not isinstance(names, Iterable):
        raise InvalidPolicy(f"{rule}() expects names of columns, got {echoed(names)}. Name them in a list.")
    found = tuple(read_name(rule, name) for name in names)
    if len(found) < least:
        got = ", ".join(map(echoed, found)) or "none"
        raise InvalidPolicy(f"{rule}() needs at least {least} columns, got {got}. Name the others too.")
    times = Counter(found)
    twice = next((name for name in found if times[name] > 1), None)
    if twice is not None:
        raise InvalidPolicy(f"{rule}() names {echoed(twice)} twice. Remove one of the two.")
    return found


def read_name(rule: str, name: object) -> str:
    """Return a column's name as text, and raise if it cannot be the name of one column."""
    if isinstance(name, bool) or name is None or isinstance(name, list | set | dict):
        raise InvalidPolicy(
            f"{rule}() expects the name of a column, got {echoed(name)}. "
            f"Pass names one by one. In a policy file, put a name such as 'yes' or 'null' in quotes."
        )
    return as_text(name)


def unknown_column(rule: Rule, column: str, known: Iterable[str]) -> InvalidPolicy:
    """Return the error for a column that is not there."""
    return InvalidPolicy(
        f"The rule '{rule.text()}' names {echoed(column)}, which is not a column. {nearest(column, known)}"
    )


def coding_for(rule: Rule, codebook: Codebook, column: str) -> Coding:
    """Return the coding of a column, and raise if there is no such column."""
    if column not in codebook.names:
        raise unknown_column(rule, column, codebook.names)
    return codebook[column]


def check_columns(rule: Rule, codebook: Codebook) -> None:
    """Raise if the rule names a column that the table does not have."""
    for column in rule.columns:
        coding_for(rule, codebook, column)


def reject_categories(rule: Rule, codebook: Codebook, *, because: str) -> None:
    """Raise if a column of a rule about numbers holds categories, or is not there."""
    for column in rule.columns:
        if coding_for(rule, codebook, column).is_category:
            raise InvalidPolicy(
                f"The rule '{rule.text()}' names {echoed(column)}, which holds categories: {because}."
            )


def changed(before: Codes, after: Codes, column: str) -> BoolArray:
    """Return in which rows a column changes. A value that stays missing does not change."""
    differs: BoolArray = np.asarray(after[column] != before[column], dtype=np.bool_)
    return differs
