"""Define the conditions on a column: one of some values, a range, or a change."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from numbers import Real
from typing import Annotated, Any, TypeAlias

import msgspec
import numpy as np
from msgspec import UNSET, Meta, UnsetType

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.visible import echoed
from p2ce.errors import InvalidPolicy
from p2ce.policy.features.category_labels import place_of
from p2ce.policy.features.decimals import as_float, to_dtype
from p2ce.policy.features.feature import FeaturePolicy
from p2ce.policy.file.typed_entries import typed
from p2ce.policy.rules.rule import Rule, Value, Values
from p2ce.policy.rules.rule_values import check_labels, code_of, plain_value, value_text
from p2ce.tables.codebook import MISSING, Coding


class RangeEntry(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A range that includes its ends, or that the column changes."""

    from_: Value | UnsetType = msgspec.field(name="from", default=UNSET)
    to: Value | UnsetType = UNSET
    changes: Annotated[bool, Meta(extra_json_schema={"const": True})] | UnsetType = UNSET


ConditionEntry: TypeAlias = Annotated[
    Value | Values | RangeEntry,
    Meta(
        description="A value, a list of values, a range that includes its ends, or that the column changes.",
        extra_json_schema={"minProperties": 1, "dependentSchemas": {"changes": {"maxProperties": 1}}},
    ),
]


class ChangeMark(Enum):
    """The condition that a column changes."""

    CHANGES = "changes"

    def __repr__(self) -> str:
        return "CHANGES"


CHANGES = ChangeMark.CHANGES


@dataclass(frozen=True, slots=True)
class OneOf:
    """The column has one of these values. None is a missing value."""

    values: tuple[Any, ...]

    def text(self, column: str) -> str:
        if len(self.values) == 1:
            return f"{column} is {value_text(self.values[0])}"
        return f"{column} is one of {', '.join(map(value_text, self.values))}"

    def entry(self) -> ConditionEntry:
        alone = len(self.values) == 1 and self.values[0] != "changes"  # alone, it would not be a label
        return self.values[0] if alone else list(self.values)

    def met_by(self, coding: Coding, *, rule: Rule) -> "Met":
        return _Among(tuple(code_of(value, coding, rule=rule) for value in self.values))

    def check(self, rule: Rule, feature: FeaturePolicy) -> None:
        check_labels(rule, feature, self.values)

    def is_met(self, value: Any, feature: FeaturePolicy) -> bool:
        missing = feature.may_go_missing and None in self.values
        return missing or place_of(value, [one for one in self.values if one is not None]) is not None


@dataclass(frozen=True, slots=True)
class Between:
    """The column is in a range, ends included. None is an open end. A missing value is in no range."""

    low: Any
    high: Any

    def text(self, column: str) -> str:
        if self.low is None:
            return f"{column} is at most {value_text(self.high)}"
        if self.high is None:
            return f"{column} is at least {value_text(self.low)}"
        return f"{column} is from {value_text(self.low)} to {value_text(self.high)}"

    def entry(self) -> ConditionEntry:
        low, high = (UNSET if end is None else end for end in (self.low, self.high))
        return RangeEntry(from_=low, to=high)

    def met_by(self, coding: Coding, *, rule: Rule) -> "Met":
        if coding.is_category and not coding.ordered:
            raise InvalidPolicy(
                f"The rule '{rule.text()}' requires a range of {echoed(coding.name)}, whose categories have "
                f"no order. List the values instead: [{value_text(self.low)}, {value_text(self.high)}]."
            )
        low, high = (None if end is None else _end(end, coding, rule=rule) for end in (self.low, self.high))
        return _Inside(-np.inf if low is None else low, np.inf if high is None else high)

    def check(self, rule: Rule, feature: FeaturePolicy) -> None:
        if feature.labels is not None and feature.order is None:
            raise InvalidPolicy(
                f"The rule '{rule.text()}' requires a range of {echoed(feature.name)}, whose categories "
                "have no order. List the values instead."
            )
        check_labels(rule, feature, [end for end in (self.low, self.high) if end is not None])

    def is_met(self, value: Any, feature: FeaturePolicy) -> bool:
        places = [value, self.low, self.high]
        if feature.order is not None:
            places = [None if one is None else place_of(one, feature.order) for one in places]
        at, low, high = places
        return (low is None or at >= low) and (high is None or at <= high)


@dataclass(frozen=True, slots=True)
class HasChanged:
    """The column changes."""

    def text(self, column: str) -> str:
        return f"{column} changes"

    def entry(self) -> ConditionEntry:
        return RangeEntry(changes=True)

    def met_by(self, coding: Coding, *, rule: Rule) -> "Met":  # noqa: ARG002
        return _Other()

    def check(self, rule: Rule, feature: FeaturePolicy) -> None:
        pass

    def is_met(self, value: Any, feature: FeaturePolicy) -> bool:  # noqa: ARG002
        return not feature.fixed


Condition: TypeAlias = OneOf | Between | HasChanged


@dataclass(frozen=True, slots=True)
class _Among:
    codes: tuple[float, ...]

    def __call__(self, values: FloatArray, current: FloatArray) -> BoolArray:
        met: BoolArray = np.isin(values, self.codes) & np.ones(current.shape, dtype=np.bool_)
        return met


@dataclass(frozen=True, slots=True)
class _Inside:
    low: float
    high: float

    def __call__(self, values: FloatArray, current: FloatArray) -> BoolArray:
        known = (values != MISSING) & np.ones(current.shape, dtype=np.bool_)
        met: BoolArray = known & (values >= self.low) & (values <= self.high)
        return met


@dataclass(frozen=True, slots=True)
class _Other:
    def __call__(self, values: FloatArray, current: FloatArray) -> BoolArray:
        met: BoolArray = np.asarray(values != current, dtype=np.bool_)
        return met


Met: TypeAlias = _Among | _Inside | _Other


def read_condition(column: str, given: Any) -> Condition:
    """Convert a condition as users write it, or raise with the possible forms."""
    if given is CHANGES or (isinstance(given, str) and given == "changes"):
        return HasChanged()
    if isinstance(given, Mapping):
        given = typed(given, RangeEntry, f"the condition of {echoed(column)}")
    if isinstance(given, RangeEntry):
        return _from_entry(column, given)
    if isinstance(given, tuple):
        if len(given) != 2:
            raise InvalidPolicy(
                f"A tuple for {echoed(column)} must be a range (low, high), got {echoed(given)}. Use a list "
                "for single values."
            )
        return _range(column, *given)
    listed = list(given) if isinstance(given, list | set | frozenset | range | np.ndarray) else [given]
    if not listed:
        raise InvalidPolicy(f"The list of values for {echoed(column)} is empty. Name at least one.")
    try:
        return OneOf(tuple(dict.fromkeys(plain_value(value) for value in listed)))
    except TypeError:  # a list, for example, which no column holds
        raise InvalidPolicy(
            f"The values for {echoed(column)} must be numbers, text or bools, got {echoed(given)}."
        ) from None


def _from_entry(column: str, given: RangeEntry) -> Condition:
    ends = given.from_, given.to
    if given.changes is UNSET and ends != (UNSET, UNSET):
        return _range(column, *(None if end is UNSET else end for end in ends))
    if given.changes is True and ends == (UNSET, UNSET):
        return HasChanged()
    raise InvalidPolicy(
        f"the condition of {echoed(column)} is empty or has too many entries. Expected a value, a list of "
        "values, {from: low, to: high} or {changes: true}."
    )


def _range(column: str, low: Any, high: Any) -> Between:
    low, high = (_open(plain_value(end)) for end in (low, high))
    if low is None and high is None:
        raise InvalidPolicy(f"The range of {echoed(column)} is open at both ends. State at least one end.")
    if isinstance(low, Real) and isinstance(high, Real) and low > high:
        raise InvalidPolicy(
            f"The range {value_text(low)} to {value_text(high)} of {echoed(column)} is empty. Swap the ends, "
            f"or use a list for single values."
        )
    return Between(low, high)


def _open(end: Any) -> Any:
    return None if isinstance(end, float) and np.isinf(end) else end


def _end(end: Any, coding: Coding, *, rule: Rule) -> float:
    if coding.is_category or not isinstance(end, Real):
        return code_of(end, coding, rule=rule)
    return to_dtype(as_float(end), coding.number_dtype)  # the end need not be whole, even in a whole column
