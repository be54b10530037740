"""Define rules that forbid some changes of a column, or allow only some."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.visible import echoed
from p2ce.errors import InvalidPolicy
from p2ce.policy.features.feature import FeaturePolicy
from p2ce.policy.rules.rule import (
    Budget,
    Codes,
    Name,
    Rule,
    RuleEntry,
    Value,
    Values,
    coding_for,
    read_name,
)
from p2ce.policy.rules.rule_values import check_labels, code_of, plain_value, value_text
from p2ce.tables.codebook import Codebook

# Today's value → the values that it may (or may not) become. Plain Python values, None for missing.
Transitions: TypeAlias = tuple[tuple[Any, tuple[Any, ...]], ...]


class Transition(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A change from one value to others."""

    from_: Value = msgspec.field(name="from")
    to: Value | Values


class TransitionsEntry(RuleEntry):
    """Changes of one column."""

    column: Name
    transitions: Annotated[list[Transition], Meta(min_length=1)]

    def moves(self) -> dict[Any, Any]:
        """Return the listed new values, by today's value."""
        found = {plain_value(one.from_): one.to for one in self.transitions}
        if len(found) < len(self.transitions):
            raise InvalidPolicy("A rule lists changes from one value twice. Merge the two entries.")
        return found


class ForbidEntry(TransitionsEntry, tag="forbid"):
    """The column never changes in these ways."""

    def rule(self) -> "Forbid":
        return forbid(self.column, self.moves())


class AllowOnlyEntry(TransitionsEntry, tag="allow_only"):
    """The column changes only in these ways. Keeping its value is not a change."""

    def rule(self) -> "AllowOnly":
        return allow_only(self.column, self.moves())


@dataclass(frozen=True, slots=True)
class _Transitions(Rule):
    """Changes of one column from one value to another. Keeping its value is not a change."""

    allowed: ClassVar[bool]  # whether these are the only changes, or the ones that never happen
    column: str
    moves: Transitions

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def _listed(self) -> list[Transition]:
        return [Transition(from_=start, to=list(ends)) for start, ends in self.moves]

    def _named(self) -> str:
        return "; ".join(
            f"{value_text(start)} → {', '.join(map(value_text, ends))}" for start, ends in self.moves
        )

    def budgets(self, codebook: Codebook) -> tuple[Budget, ...]:
        return (Budget(self.text(), 0.5, True, ((self.column, self._broken(codebook)),)),)

    def holds(self, before: Codes, after: Codes, codebook: Codebook) -> BoolArray:
        kept: BoolArray = self._broken(codebook)(after[self.column], before[self.column]) == 0
        return kept

    def check(self, features: Mapping[str, FeaturePolicy]) -> None:
        Rule.check(self, features)
        named = [value for start, ends in self.moves for value in (start, *ends)]
        check_labels(self, features[self.column], named)

    def _broken(self, codebook: Codebook) -> "_BrokenTransition":
        coding = coding_for(self, codebook, self.column)
        pairs = tuple(
            (code_of(start, coding, rule=self), code_of(end, coding, rule=self))
            for start, ends in self.moves
            for end in ends
        )
        return _BrokenTransition(pairs, self.allowed)


@dataclass(frozen=True, slots=True)
class Forbid(_Transitions):
    """These changes of a column never happen."""

    kind = "forbid"
    allowed = False

    def text(self) -> str:
        return f"{self.column} never changes {self._named()}"

    def entry(self) -> ForbidEntry:
        return ForbidEntry(column=self.column, transitions=self._listed())


@dataclass(frozen=True, slots=True)
class AllowOnly(_Transitions):
    """A column changes only in these ways."""

    kind = "allow_only"
    allowed = True

    def text(self) -> str:
        return f"{self.column} only changes {self._named()}"

    def entry(self) -> AllowOnlyEntry:
        return AllowOnlyEntry(column=self.column, transitions=self._listed())


@dataclass(frozen=True, slots=True)
class _BrokenTransition:
    """The price 1 of a change that breaks the rule."""

    pairs: tuple[tuple[float, float], ...]  # the listed changes, as codes
    allowed: bool

    def __call__(self, values: FloatArray, current: FloatArray) -> FloatArray:
        listed = np.zeros(np.broadcast_shapes(values.shape, current.shape), dtype=np.bool_)
        for start, end in self.pairs:
            listed |= (current == start) & (values == end)
        # Keeping a value is not a change, even if the rule lists own → own.
        return np.where((values != current) & (listed != self.allowed), 1.0, 0.0)


def forbid(column: object, transitions: Mapping[Any, Any]) -> Forbid:
    """Forbid some changes of a column.

    Args:
        column: The column.
        transitions: A dict from a value to the value, or list of values, that it must not become. None is a
            missing value.

    >>> forbid("Housing", {"own": ["rent", "free"]}).text()
    "Housing never changes 'own' → 'rent', 'free'"
    """
    return Forbid(read_name("forbid", column), _moves("forbid", transitions))


def allow_only(column: object, transitions: Mapping[Any, Any]) -> AllowOnly:
    """Allow only some changes of a column. A value that is not listed cannot change.

    Args:
        column: The column.
        transitions: A dict from a value to the value, or list of values, that it may become. None is a
            missing value.

    >>> allow_only("Housing", {"rent": "own"}).text()
    "Housing only changes 'rent' → 'own'"
    """
    return AllowOnly(read_name("allow_only", column), _moves("allow_only", transitions))


def _moves(rule: str, transitions: object) -> Transitions:
    if not isinstance(transitions, Mapping) or not transitions:
        raise InvalidPolicy(
            f"{rule}() expects what each value may become, got {echoed(transitions)}. "
            f'Write {rule}("Housing", {{"own": ["rent"]}}).'
        )
    found: dict[Any, tuple[Any, ...]] = {}
    for start, ends in transitions.items():
        listed = [ends] if isinstance(ends, str) or not isinstance(ends, Iterable) else list(ends)
        if not listed:
            raise InvalidPolicy(
                f"{rule}() lists no value for {echoed(start)}. List a value, or leave the entry out."
            )
        found[plain_value(start)] = tuple(dict.fromkeys(map(plain_value, listed)))
    return tuple(found.items())
