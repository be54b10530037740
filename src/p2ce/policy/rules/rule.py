"""Define a rule between features, and what the search needs to know about it."""

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
from p2ce.policy.file.typed_entries import about
from p2ce.tables.codebook import Codebook, Coding

# Column → codes (n,), for n people or n candidate rows.
Codes: TypeAlias = Mapping[str, FloatArray]

# What the entries of a policy file hold.
Name: TypeAlias = Annotated[str | int | float, about("The name of a column.")]
Value: TypeAlias = Annotated[str | bool | int | float | None, about("A value; null is a missing value.")]
Values: TypeAlias = Annotated[list[Value], Meta(min_length=1)]
ONCE = {"uniqueItems": True}
Names: TypeAlias = Annotated[list[Name], Meta(min_length=2, extra_json_schema=ONCE)]


class RuleEntry(msgspec.Struct, kw_only=True, tag_field="rule", forbid_unknown_fields=True):
    """The form of a rule in a policy file. Its docstring and descriptions are used in the JSON schema."""

    @abstractmethod
    def rule(self) -> "Rule":
        """Build the rule."""


class Rule(ABC):
    """A rule between features. Rules are frozen and compare by value.

    A rule is about the row *after* the changes. Some rules are also about which columns change. A row that
    breaks a rule is never returned.
    """

    # The dataclasses below have slots. Without this line, the base class would give every rule a __dict__.
    __slots__ = ()

    kind: ClassVar[str]  # the name in a policy file, the same as that of the function
    prunes: ClassVar[bool] = True  # False: it is only checked on candidate rows

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns that the rule is about, without repetition."""

    @abstractmethod
    def text(self) -> str:
        """Return the rule as one line of text."""

    @abstractmethod
    def entry(self) -> RuleEntry:
        """Return the rule's entry for a policy file."""

    def to_plain(self) -> dict[str, Any]:
        """Return the entry as JSON-ready data, ``{"rule": kind, ...}``. Other objects become text."""
        plain: dict[str, Any] = msgspec.to_builtins(self.entry(), enc_hook=str)
        return plain

    @abstractmethod
    def resolve(self, codebook: Codebook) -> "ResolvedRule":
        """Translate the values that the rule names into the codes of a table's columns."""

    def __str__(self) -> str:
        return visible_line(self.text())


class NamesEntry(RuleEntry):
    """The form of a rule with nothing but a list of columns."""

    columns: Names


@dataclass(frozen=True, slots=True)
class RuleOfNames(Rule):
    """A rule with nothing but a list of columns, all treated alike."""

    names: tuple[str, ...]

    form: ClassVar[type[NamesEntry]]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names

    def entry(self) -> NamesEntry:
        return self.form(columns=list(self.names))


@dataclass(frozen=True, slots=True, eq=False)
class ResolvedRule:
    """A rule about codes: how the search may prune by it, and how a row is judged."""

    rule: Rule
    # The rule holds if and only if all budgets are within their limits, up to rounding if a budget is not
    # whole. Rules that shape the axes (linked, one_hot) and predicates have no budgets.
    budgets: tuple["Budget", ...] = ()
    # (before, after) → (n,): the exact rule, with which every result is checked again. None for a predicate,
    # which needs frames with the columns' own types: call its ``holds_frame``.
    holds: Callable[[Codes, Codes], BoolArray] | None = None


# (values, current) → what each value adds, broadcast against each other
Price: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Budget:
    """A sum over columns that must not exceed a limit.

    A value with the cost −inf keeps the sum within the limit, for any values of the other columns.
    """

    name: str
    limit: float
    # Whether costs are whole numbers (or −inf) and the limit is a whole number + 0.5. Then there is no
    # rounding problem as long as the sum stays below 2**53.
    whole: bool
    prices: tuple[tuple[str, Price], ...]  # a column may have more than one

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that contribute to the sum, without repetition."""
        return tuple(dict.fromkeys(column for column, _ in self.prices))

    def costs(self, column: str, values: FloatArray, current: FloatArray) -> FloatArray:
        """Return the costs (n, w) of values (n, w) for instances with the current values (n, 1)."""
        total = np.zeros(np.broadcast_shapes(values.shape, current.shape))
        for name, price in self.prices:
            if name == column:
                total = total + price(values, current)
        return total


@dataclass(frozen=True, slots=True)
class IfChanged:
    """Add a weight if the value changes."""

    weight: float = 1.0

    def __call__(self, values: FloatArray, current: FloatArray) -> FloatArray:
        return np.where(values != current, self.weight, 0.0)


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


def coding_for(rule: Rule, codebook: Codebook, column: str) -> Coding:
    """Return the coding of a column, and raise if there is no such column."""
    if column not in codebook.names:
        raise InvalidPolicy(
            f"The rule '{rule.text()}' names {echoed(column)}, which is not a column. "
            f"{nearest(column, codebook.names)}"
        )
    return codebook[column]


def check_columns(rule: Rule, codebook: Codebook) -> None:
    """Raise if the rule names a column that the table does not have."""
    for column in rule.columns:
        coding_for(rule, codebook, column)


def reject_categories(rule: Rule, codebook: Codebook, *, because: str) -> None:
    """Raise if a column of a rule about numbers holds categories."""
    for column in rule.columns:
        if coding_for(rule, codebook, column).is_category:
            raise InvalidPolicy(
                f"The rule '{rule.text()}' names {echoed(column)}, which holds categories: {because}."
            )


def changed(before: Codes, after: Codes, column: str) -> BoolArray:
    """Return in which rows a column changes. A value that stays missing does not change."""
    differs: BoolArray = np.asarray(after[column] != before[column], dtype=np.bool_)
    return differs
