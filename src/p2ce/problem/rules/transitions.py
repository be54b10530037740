"""Forbid some changes from one value to another, or allow only some."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from p2ce.arrays import BoolArray, FloatArray
from p2ce.errors import InvalidActions
from p2ce.problem.rules.rule import Budget, Codes, ResolvedRule, Rule, coding_for, read_name
from p2ce.problem.rules.rule_values import code_of, plain_value, value_text
from p2ce.tables.codebook import Codebook
from p2ce.visible import echoed

# What a value may (not) become, by the value of today; plain Python values, None for missing.
Moves: TypeAlias = tuple[tuple[Any, tuple[Any, ...]], ...]


@dataclass(frozen=True, slots=True)
class _Transitions(Rule):
    """Changes of one column, from a value to another; staying is no change."""

    column: str
    moves: Moves

    required = ("column", "transitions")

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def to_plain(self) -> dict[str, Any]:
        listed = [{"from": start, "to": list(ends)} for start, ends in self.moves]
        return {"rule": self.kind, "column": self.column, "transitions": listed}

    def _named(self) -> str:
        return "; ".join(
            f"{value_text(start)} → {', '.join(map(value_text, ends))}" for start, ends in self.moves
        )

    def _pairs(self, codebook: Codebook) -> "_Pairs":
        coding = coding_for(self, codebook, self.column)
        pairs = tuple(
            (code_of(start, coding, rule=self.text()), code_of(end, coding, rule=self.text()))
            for start, ends in self.moves
            for end in ends
        )
        return _Pairs(pairs)

    def _resolved(self, price: "_Forbidden | _NotAllowed") -> ResolvedRule:
        budget = Budget(self.text(), 0.5, True, ((self.column, price),))
        return ResolvedRule(self, (budget,), _Allowed(self.column, price).holds)


@dataclass(frozen=True, slots=True)
class Forbid(_Transitions):
    """These changes of a column never happen."""

    kind = "forbid"

    def text(self) -> str:
        return f"{self.column} never changes {self._named()}"

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> "Forbid":
        return forbid(plain["column"], _listed("forbid", plain["transitions"]))

    def resolve(self, codebook: Codebook) -> ResolvedRule:
        return self._resolved(_Forbidden(self._pairs(codebook)))


@dataclass(frozen=True, slots=True)
class AllowOnly(_Transitions):
    """A column changes along these transitions only."""

    kind = "allow_only"

    def text(self) -> str:
        return f"{self.column} only changes {self._named()}"

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> "AllowOnly":
        return allow_only(plain["column"], _listed("allow_only", plain["transitions"]))

    def resolve(self, codebook: Codebook) -> ResolvedRule:
        return self._resolved(_NotAllowed(self._pairs(codebook)))


@dataclass(frozen=True, slots=True)
class _Pairs:
    pairs: tuple[tuple[float, float], ...]

    def hit(self, values: FloatArray, current: FloatArray) -> BoolArray:
        found = np.zeros(np.broadcast_shapes(values.shape, current.shape), dtype=np.bool_)
        for start, end in self.pairs:
            found |= (current == start) & (values == end)
        # Staying at a value is no change, also if the rule lists own → own.
        hit: BoolArray = found & (values != current)
        return hit


@dataclass(frozen=True, slots=True)
class _Forbidden:
    named: _Pairs

    def __call__(self, values: FloatArray, current: FloatArray) -> FloatArray:
        return np.where(self.named.hit(values, current), 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class _NotAllowed:
    named: _Pairs

    def __call__(self, values: FloatArray, current: FloatArray) -> FloatArray:
        return np.where((values != current) & ~self.named.hit(values, current), 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class _Allowed:
    column: str
    price: _Forbidden | _NotAllowed

    def holds(self, before: Codes, after: Codes) -> BoolArray:
        kept: BoolArray = self.price(after[self.column], before[self.column]) == 0
        return kept


def forbid(column: object, transitions: Mapping[Any, Any]) -> Forbid:
    """Forbid changes of a column: from a value to each of those listed. None is a missing value.

    >>> forbid("Housing", {"own": ["rent", "free"]}).text()
    "Housing never changes 'own' → 'rent', 'free'"
    """
    return Forbid(read_name("forbid", column), _moves("forbid", transitions))


def allow_only(column: object, transitions: Mapping[Any, Any]) -> AllowOnly:
    """Allow only the listed changes of a column; who stands at a value that is not listed stays.

    >>> allow_only("Housing", {"rent": "own"}).text()
    "Housing only changes 'rent' → 'own'"
    """
    return AllowOnly(read_name("allow_only", column), _moves("allow_only", transitions))


def _moves(rule: str, transitions: object) -> Moves:
    if not isinstance(transitions, Mapping) or not transitions:
        raise InvalidActions(
            f"{rule}() expects what each value may become, got {echoed(transitions)}. "
            f'Write {rule}("Housing", {{"own": ["rent"]}}).'
        )
    found: dict[Any, tuple[Any, ...]] = {}
    for start, ends in transitions.items():
        listed = [ends] if isinstance(ends, str) or not isinstance(ends, Iterable) else list(ends)
        if not listed:
            raise InvalidActions(f"{rule}() lists nothing for {echoed(start)}. Name a value or leave it out.")
        found[plain_value(start)] = tuple(dict.fromkeys(map(plain_value, listed)))
    return tuple(found.items())


def _listed(rule: str, transitions: Any) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    if not isinstance(transitions, list) or not transitions:
        raise InvalidActions(
            f"{rule} expects a list such as [{{from: own, to: [rent]}}], got {echoed(transitions)}."
        )
    for one in transitions:
        if not isinstance(one, Mapping) or set(one) != {"from", "to"}:
            raise InvalidActions(f"{rule} expects transitions {{from: own, to: [rent]}}, got {echoed(one)}.")
        if plain_value(one["from"]) in found:
            raise InvalidActions(f"{rule} lists changes from {echoed(one['from'])} twice. Join the two.")
        found[plain_value(one["from"])] = one["to"]
    return found
