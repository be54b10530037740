"""Define how one feature may change, and which values it may take."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.visible import echoed
from p2ce.base.whole_numbers import largest_held
from p2ce.errors import InvalidPolicy, nearest
from p2ce.policy.features.candidate_values import resolution_of, round_values_between
from p2ce.policy.features.category_labels import as_cells, place_of
from p2ce.policy.features.change_limit import ChangeLimit, whole_ends
from p2ce.policy.features.decimals import as_float, as_typed, index_range, multiples, round_step, to_dtype
from p2ce.policy.features.display import AS_IT_IS, Display, value_key
from p2ce.tables.cells import is_missing, label_key
from p2ce.tables.codebook import MISSING, Coding

MOST_CANDIDATES = 30_000
FEWEST_INFERRED = 10  # inferred candidates in a stated range; with fewer, the range gets additional ones
LARGEST_MAGNITUDE = 1e300  # differences and small sums of such values are still finite


class Kind(StrEnum):
    """The kind of a column's values."""

    BINARY = "binary"
    WHOLE = "whole"
    NUMBER = "number"
    CATEGORY = "category"
    DATE = "date"


class Direction(IntEnum):
    """The direction in which a feature may move. The number is the sign of the change."""

    DOWN = -1
    BOTH = 0
    UP = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FeaturePolicy:
    """How one feature may change.

    The candidates of a number are, in this order of precedence:

    1. the ``choices``, if the user named some,
    2. the ``inferred`` values, and multiples of the step where the range extends beyond them,
    3. ``anchor + i * step`` inside the range.

    ``change`` restricts each person's candidates to those close to the current value. Its ends are candidates
    too, if the data chose the candidates.

    The range is ``stated_range`` (from ``within()``), or else the inferred ``low`` to ``high``, which does
    not restrict ``choices``. If a stated range holds few inferred candidates, its ends and round numbers
    between them are candidates too. Narrowing a range never removes a candidate that is inside. The
    candidates of a category are its ``labels``, or the ``choices`` among them.

    If the feature is ``fillable``, a missing value may become any candidate. Its direction does not matter,
    since a change from missing is neither up nor down. A known value may become missing only if
    ``may_go_missing`` is set. A ``special`` value (a code such as -9 for "no record") is not a candidate. An
    instance that has one keeps it, unless ``leaves_special`` is set. Then it may become any candidate.

    A date is always fixed.

    >>> rate = FeaturePolicy(
    ...     name="Rate", kind=Kind.NUMBER, dtype=np.dtype(float), low=0.1, high=0.3, step=0.05
    ... )
    >>> rate.candidates().tolist()
    [0.1, 0.15, 0.2, 0.25, 0.3]
    """

    name: str
    kind: Kind
    dtype: "np.dtype[Any]"  # of the column's numbers, or of a category's codes
    fixed: bool = False
    protected: bool = False  # permanently fixed: no advice may name it
    direction: Direction = Direction.BOTH
    # The direction associated with the favourable outcome, by the data or the model. It restricts nothing.
    association: Direction = Direction.BOTH
    low: float
    high: float
    step: float  # if candidates were inferred, the step beyond them
    anchor: float = 0.0
    inferred: tuple[float, ...] | None = None  # ascending; None if step() or the paper's grid is used
    stated_range: tuple[float, float] | None = None
    change: ChangeLimit | None = None  # how far it may move from the current value
    choices: tuple[Any, ...] | None = None  # ascending numbers, or labels in the order of ``labels``
    labels: tuple[Any, ...] | None = None  # the labels of a category in the frame, in order of their codes
    order: tuple[Any, ...] | None = None  # all labels from low to high, if the category is ordered
    fillable: bool = True
    may_go_missing: bool = False
    holds_missing: bool = False  # whether the column's type can hold a missing value
    special: tuple[float, ...] = ()  # codes that are not numbers, ascending
    leaves_special: bool = False
    display: Display = field(default_factory=lambda: AS_IT_IS, hash=False)  # how it is shown

    def __post_init__(self) -> None:
        """Reject constraints that contradict each other or leave no candidate."""
        if self.special and self.choices is not None and set(self.special) & set(self.choices):
            both = shown_values(sorted(set(self.special) & set(self.choices)))
            raise InvalidPolicy(
                f"{both} of {echoed(self.name)} is both a special value, which cannot be a candidate, and "
                "listed in candidates(). Remove one of the two."
            )
        if self.kind is Kind.DATE and not self._only_stays():
            raise self._is_date()
        if self.direction and self.labels is not None and self.order is None:
            raise self._without_order()
        if self.may_go_missing:
            self._check_may_go_missing()
        self._check_named()
        self._check_change()
        # If the data chose the candidates, a column without another value in the range cannot change.
        if not self.is_inferred and self.count() == 0:
            if self.labels is not None:
                raise InvalidPolicy(f"{echoed(self.name)} is a category without labels. Add at least one.")
            raise self._range_between_multiples() if self.choices is None else self._choices_outside()

    def __repr__(self) -> str:
        from p2ce.policy.features.describe_features import feature_row  # which reads features

        return f"<FeaturePolicy {', '.join(filter(None, feature_row(self)))}>"

    @property
    def is_category(self) -> bool:
        return self.labels is not None

    @property
    def is_inferred(self) -> bool:
        """Whether the data chose the candidates, so finer ones do not contradict what the user stated."""
        return self.inferred is not None and self.choices is None and self.labels is None

    def with_more(self, values: FloatArray) -> "FeaturePolicy":
        """Add values that the column can hold to the inferred candidates."""
        assert self.inferred is not None
        if self.dtype.kind in "iub":
            values = values[values == np.floor(values)]
        elif self.kind is Kind.WHOLE:
            values = np.unique(np.round(values))
        merged = np.union1d(np.array(self.inferred, dtype=np.float64), self.as_held(values))
        return replace(self, inferred=tuple(merged.tolist()))

    def settled(self) -> "FeaturePolicy":
        """Return the feature with its inferred candidates restricted to the range in force."""
        if self.stated_range is None or self.fixed or not self.is_inferred:
            return self
        low, high = self.ends()
        return replace(self, low=low, high=high, inferred=tuple(self.candidates().tolist()))

    def ends(self) -> tuple[float, float]:
        """Return the range in force, in the column's own precision."""
        low, high = self.stated_range or (self.low, self.high)
        if self.dtype.kind == "f":
            # In the column's precision: the float32 nearest to 0.1 is slightly above 0.1.
            limit = _largest_end(self.dtype)
            low, high = (to_dtype(min(max(end, -limit), limit), self.dtype) for end in (low, high))
        return low, high

    def candidates(self) -> npt.NDArray[Any]:
        """Return the values that the feature may take, without the instance's current one.

        Numbers are ascending and exact in the column's dtype. Labels are in the order of their codes, in an
        array of objects. A fixed feature has no candidates.
        """
        if self.fixed:
            return np.empty(0, dtype=object if self.is_category else np.float64)
        self.check_not_too_many()
        if self.labels is not None:
            return as_cells(self.labels if self.choices is None else self.choices)
        return self._numbers()

    def _numbers(self) -> FloatArray:
        if self.choices is not None:
            return self._filter(np.array(self.choices))
        if self._is_constant():
            return np.array([self.ends()[0]])
        if self.inferred is None:
            return self._filter(np.unique(self._at(self._indices())))
        inside = self._filter(np.array(self.inferred, dtype=np.float64))
        beyond = self._beyond_inferred()
        known = np.union1d(inside, beyond) if len(beyond) else inside
        if self.stated_range is None or len(known) >= FEWEST_INFERRED or self.ends() == (self.low, self.high):
            return known
        return np.union1d(known, self._made_for_range())

    def _made_for_range(self) -> FloatArray:
        """Return the ends of the range in force and round numbers between them, in the column's precision."""
        low, high = self._held_ends()
        is_whole = self.kind is not Kind.NUMBER or self.dtype.kind in "iub"
        if is_whole:
            low, high = float(np.ceil(low)), float(np.floor(high))
        if low > high:
            return np.empty(0)
        ends = as_typed(low, self.dtype), as_typed(high, self.dtype)
        between = round_values_between(*ends, unit=self._inferred_unit(is_whole=is_whole), whole=is_whole)
        return self._filter(np.unique(self.as_held(np.concatenate([[low, high], between]))))

    def _inferred_unit(self, *, is_whole: bool) -> Fraction | None:
        """Return the column's resolution as the inferred candidates show it, or None if it is continuous."""
        known = np.array(self.inferred, dtype=np.float64)
        if not len(known):
            return Fraction(1) if is_whole else None
        unit = resolution_of(known, whole=is_whole, dtype=self.dtype)
        if is_whole or unit is None:
            return unit
        # If all multiples of a unit are candidates, the unit is the resolution. Otherwise it is a round step.
        ends = as_typed(known[0], self.dtype), as_typed(known[-1], self.dtype)
        every = index_range(*ends, anchor=Fraction(0), step=unit)
        return unit if len(known) > 1 and _length(every) == len(known) else None

    def _beyond_inferred(self) -> FloatArray:
        """Return the multiples of the step that are in the range but beyond the inferred candidates."""
        if not self._reaches_beyond():
            return np.empty(0)
        found = self._filter(np.unique(self._at(self._indices())))
        if not self.inferred:
            return found
        return found[(found < self._inferred_ends()[0]) | (found > self._inferred_ends()[1])]

    def _reaches_beyond(self) -> bool:
        if not self.inferred:
            return True
        (low, high), known = self.ends(), self._inferred_ends()
        return low < known[0] or high > known[1]

    def _inferred_ends(self) -> tuple[float, float]:
        assert self.inferred
        return min(self.inferred[0], self.low), max(self.inferred[-1], self.high)

    def codes(self, coding: Coding) -> FloatArray:
        """Return the candidates as ascending codes for the grid, with MISSING first if it is allowed.

        ``coding`` is the coding of the column in the reference frame. It must know every label.
        """
        if coding.is_category != self.is_category:
            here, there = ("a category", "numbers") if self.is_category else ("numbers", "a category")
            raise InvalidPolicy(
                f"{echoed(self.name)} is {here} in the policy but {there} in the reference frame "
                f"({coding.dtype}). Infer the policy from the reference frame: Policy.infer(frame)."
            )
        values = self.candidates()
        if coding.labels is not None:
            values = self._codes_of(values.tolist(), coding.labels)
        missing = [MISSING] if self.may_go_missing and not self.fixed else []
        return np.concatenate([missing, values])

    def first_and_last(self) -> tuple[float, float]:
        """Return the smallest and the largest multiple of the step inside the range."""
        indices = self._indices()
        return float(self._at(indices[:1])[0]), float(self._at(indices[-1:])[0])

    def count(self) -> int:
        """Count the known candidates without building them all. A fixed feature counts as if it were free."""
        if self.labels is not None:
            return len(self.labels if self.choices is None else self.choices)
        if self.choices is not None or self._is_constant():
            return len(self._numbers())
        counts_steps = self.inferred is None or self.stated_range is not None or self._reaches_beyond()
        steps = _length(self._indices()) if counts_steps else 0
        if self.inferred is None or steps > MOST_CANDIDATES:
            return steps
        return len(self._numbers())

    def allows(self, before: Any, after: Any) -> bool:
        """Return whether the feature's own constraints allow a change from one value to another.

        Values are the user's own: numbers, labels, and None or NaN for missing. The constraints are ``fix``,
        the direction, ``within``, ``candidates`` and those on missing and special values. An inferred range,
        the step and the labels of the reference choose candidates but forbid nothing.
        """
        return self._permits(before, after, self._is_missing(before), self._is_missing(after))

    def allows_codes(self, coding: Coding, before: FloatArray, after: FloatArray) -> BoolArray:
        """Return which changes of the column's codes (n,) `allows` allows; equal ones are checked once."""
        found: dict[tuple[float, float], bool] = {}
        changes = list(zip(before.tolist(), after.tolist(), strict=True))
        for change in changes:
            if change not in found:
                missing = [code == MISSING for code in change]
                # The code of a number is the number.
                values = [coding.plain(code) for code in change] if self.labels is not None else change
                found[change] = self._permits(*values, *missing)
        return np.array([found[change] for change in changes], dtype=np.bool_)

    def _permits(self, before: Any, after: Any, was_missing: bool, goes_missing: bool) -> bool:
        if self.kind is Kind.DATE:
            return bool(before == after) or (was_missing and goes_missing)
        if was_missing or goes_missing:
            if was_missing and goes_missing:
                return True
            permitted = self.may_go_missing if goes_missing else self.fillable and self._offers(after)
            return permitted and not self.fixed and self._may_leave(before)
        change = float(after) - float(before) if self.labels is None else self._change(before, after)
        if change == 0:
            return True
        if before in self.special:
            return not self.fixed and self._may_leave(before) and self._offers(after)
        if self.change is not None:
            low, high = self.change.ends(float(before), self.dtype)
            if not low <= float(after) <= high:
                return False
        return not self.fixed and change * self.direction >= 0 and self._offers(after)

    def own_range(self, value: float) -> tuple[float, float]:
        """Return the range that ``change`` leaves for new values from a current one: a number or MISSING."""
        if self.change is None or value == MISSING or value in self.special:
            return -np.inf, np.inf
        low, high = self.change.ends(value, self.dtype)
        return (low, high) if self.kind is Kind.NUMBER else whole_ends(low, high)

    def keeps(self, value: float) -> bool:
        """Return whether this feature may take a number that results from a link to another feature.

        The number must be in the range in force, stated or inferred, and of the feature's kind.
        ``candidates()`` and steps apply as well, unless the data chose the candidates. A special value is
        never allowed.
        """
        if value in self.special:
            return False
        if self.choices is not None:
            return value in self._filter(np.array(self.choices))
        low, high = self.ends()
        inside = low <= value <= high and (self.kind is Kind.NUMBER or float(value).is_integer())
        if not inside or self.inferred is not None:
            return inside
        index = round((as_typed(value, self.dtype) - self._anchor()) / as_typed(self.step))
        return bool(self._at(range(index, index + 1))[0] == value)

    def keeps_codes(self, values: FloatArray) -> BoolArray:
        """Return which numbers (n,) `keeps` accepts."""
        if self.choices is not None:
            return np.isin(values, self._filter(np.array(self.choices, dtype=np.float64)))
        low, high = self.ends()
        fine: BoolArray = (values >= low) & (values <= high) & ~np.isin(values, self.special)
        if self.kind is not Kind.NUMBER:
            fine &= values == np.floor(values)
        if self.inferred is None and self.count() <= MOST_CANDIDATES:
            fine &= np.isin(values, self._at(self._indices()))
        elif self.inferred is None:
            fine[fine] = [self.keeps(value) for value in values[fine].tolist()]
        return fine

    def _is_missing(self, value: Any) -> bool:
        return is_missing(value) or (not self.is_category and value == MISSING)

    def _change(self, before: Any, after: Any) -> float:
        """Return the change between two known labels. Without an order it is 0 or 1."""
        if place_of(after, (before,)) is not None:
            return 0.0
        return self._rank(after) - self._rank(before) if self.order is not None else 1.0

    def _rank(self, label: Any) -> float:
        assert self.order is not None
        place = place_of(label, self.order)
        # A label that is not in the order comes after all others, as its code does.
        return float(len(self.order) if place is None else place)

    def _may_leave(self, value: Any) -> bool:
        return self.leaves_special or value not in self.special

    def _offers(self, value: Any) -> bool:
        if self.labels is not None:
            return self.choices is None or place_of(value, self.choices) is not None
        if value in self.special:
            return False
        if self.stated_range is not None and not self.ends()[0] <= value <= self.ends()[1]:
            return False
        return self.choices is None or value in self.choices

    def _codes_of(self, labels: list[Any], known: tuple[Any, ...]) -> FloatArray:
        places = {label_key(label): place for place, label in enumerate(known)}
        for label in labels:
            if label_key(label) not in places:
                raise InvalidPolicy(
                    f"{echoed(self.name)} may become {echoed(label)}, which is not in the reference frame. "
                    f"{nearest(label, known)} Infer the policy from the reference frame, "
                    f"or list the possible labels with candidates()."
                )
        return np.array(sorted(places[label_key(label)] for label in labels), dtype=np.float64)

    def _is_constant(self) -> bool:
        # Then the only value is the candidate, even if it is not a multiple of the step.
        return self.stated_range is None and self.low == self.high

    def _anchor(self) -> Fraction:
        return as_typed(self.anchor, self.dtype)

    def _held_ends(self) -> tuple[float, float]:
        """Return the part of the range in force that the column's type can hold."""
        low, high = self.ends()
        if self.dtype.kind in "iu":
            return max(low, float(np.iinfo(self.dtype).min)), min(high, largest_held(self.dtype))
        return (max(low, 0.0), min(high, 1.0)) if self.dtype.kind == "b" else (low, high)

    def _indices(self) -> range:
        low, high = self._held_ends()
        if low > high:
            return range(0)
        return _indices_inside(low, high, self.anchor, self.step, self.dtype)

    def _at(self, indices: range) -> FloatArray:
        return _multiples_held(indices, self.anchor, self.step, self.dtype)

    def as_held(self, values: FloatArray) -> FloatArray:
        """Return values in the precision of the column."""
        return _held(values, self.dtype)

    def _filter(self, values: FloatArray) -> FloatArray:
        if self.special:
            values = values[~np.isin(values, self.special)]
        if self.choices is not None and self.stated_range is None:
            return values
        low, high = self.ends()
        return values[(values >= low) & (values <= high)]

    def check_not_too_many(self) -> None:
        """Raise if there are more candidates than a search can handle."""
        # Not checked at construction: a fine step() may come before the within() that makes it sensible.
        if self.count() <= MOST_CANDIDATES:
            return
        if self.labels is not None:
            raise InvalidPolicy(
                f"{echoed(self.name)} has {written_count(self.count())} labels, more than the "
                f"{MOST_CANDIDATES:,} allowed. If it identifies people, make it the index: "
                f"X = X.set_index({echoed(self.name)}). Otherwise list fewer with candidates()."
            )
        if self.inferred is not None and self.stated_range is None:
            raise InvalidPolicy(
                f"{echoed(self.name)} has {written_count(self.count())} inferred candidates, more than the "
                f"{MOST_CANDIDATES:,} allowed. Use step() or candidates()."
            )
        raise InvalidPolicy(
            f"With steps of {shown_number(self.step)}, {echoed(self.name)} has {written_count(self.count())} "
            f"candidates in {shown_range(*self.ends())}, more than the {MOST_CANDIDATES:,} allowed. "
            f"Use a larger step() or a narrower within()."
        )

    def _check_may_go_missing(self) -> None:
        if not self.holds_missing:
            raise InvalidPolicy(
                f"{echoed(self.name)} cannot become missing: its column is {self.dtype}, which has no "
                "missing value. Leave allow_missing() out, or make the column nullable: 'Int64', 'boolean'."
            )
        if self.direction:
            method = "increase_only" if self.direction > 0 else "decrease_only"
            raise InvalidPolicy(
                f"{echoed(self.name)} is {method} and may become missing, but a missing value is neither up "
                "nor down. Remove one of the two."
            )

    def _check_change(self) -> None:
        """Reject a limit of change against the only direction."""
        if self.change is None or not self.direction:
            return
        end = self.change.high if self.direction > 0 else self.change.low
        if end is not None and end.number == 0:
            method, way = ("increase_only", "rise") if self.direction > 0 else ("decrease_only", "fall")
            raise InvalidPolicy(
                f"{echoed(self.name)} is {method}, but within_change() does not let it {way}, so it cannot "
                f"change. Remove one of the two, or use fix({echoed(self.name)}) if it must not change."
            )

    def _check_named(self) -> None:
        """Reject words for labels that the category does not have, since they would never be shown."""
        labels = self.order or self.labels
        if labels is None or not (self.display.values or self.display.phrases):
            return
        known = {value_key(label): label for label in (*labels, *(self.labels or ()))}
        for key in (*self.display.values, *self.display.phrases):
            if key not in known:
                raise InvalidPolicy(
                    f"The display of {echoed(self.name)} has words for {echoed(key)}, which is not one of "
                    f"its labels. {nearest(key, known.values())}"
                )

    def _only_stays(self) -> bool:
        """Return whether the feature is fixed, and states nothing about values to change to."""
        stated = (self.stated_range, self.change, self.choices, self.inferred, self.labels)
        is_moved = self.direction or self.may_go_missing or self.special or self.step != 1.0 or self.anchor
        return self.fixed and not is_moved and all(one is None for one in stated)

    def _is_date(self) -> InvalidPolicy:
        return InvalidPolicy(
            f"{echoed(self.name)} holds dates, which no option changes. Leave it fixed. To search over time, "
            "fit the model on a number, such as the days since the date."
        )

    def _without_order(self) -> InvalidPolicy:
        return InvalidPolicy(
            f"{echoed(self.name)} is a category without an order, so it cannot go up or down. "
            f"Make its column an ordered categorical (pd.CategoricalDtype([...], ordered=True)), or list "
            f"the labels that it may take: candidates({{{echoed(self.name)}: [...]}})."
        )

    def _choices_outside(self) -> InvalidPolicy:
        assert self.choices is not None
        return InvalidPolicy(
            f"within() requires {shown_range(*self.ends())} of {echoed(self.name)}, which leaves none of its "
            f"candidates() {shown_values(self.choices)}. Widen the range or add a value inside it."
        )

    def _range_between_multiples(self) -> InvalidPolicy:
        where = "within() requires" if self.stated_range else "The inferred range is"
        return InvalidPolicy(
            f"{where} {shown_range(*self.ends())} of {echoed(self.name)}, which holds no multiple of its "
            f"step {shown_number(self.step)}{self._anchored()}. {self._way_out(*self.ends())}"
        )

    def _anchored(self) -> str:
        return f" counted from {shown_number(self.anchor)}" if self.anchor else ""

    def _way_out(self, low: float, high: float) -> str:
        whole = self.kind is not Kind.NUMBER
        width = as_typed(high) - as_typed(low)
        if self.kind is Kind.BINARY or width == 0 or (whole and np.ceil(low) > np.floor(high)):
            return "Widen the range, or list the candidates with candidates() first."
        step = round_step(width, whole=whole)
        return f"Widen the range, or call .step({{{echoed(self.name)}: {shown_number(step)}}}) first."


@lru_cache(maxsize=4096)  # exact fractions are slow, and most layouts have the features of another one
def _indices_inside(low: float, high: float, anchor: float, step: float, dtype: "np.dtype[Any]") -> range:
    """Return every whole number i for which the multiple anchor + i · step is in the range."""
    inside = index_range(
        as_typed(low, dtype), as_typed(high, dtype), anchor=as_typed(anchor, dtype), step=as_typed(step)
    )
    # A multiple just outside counts as well if the column's precision makes it equal to the end.
    around = range(inside.start - 1, inside.start), range(inside.stop, inside.stop + 1)
    before, after = (_multiples_held(one, anchor, step, dtype)[0] for one in around)
    return range(inside.start - int(before >= low), inside.stop + int(after <= high))


def _multiples_held(indices: range, anchor: float, step: float, dtype: "np.dtype[Any]") -> FloatArray:
    return _held(multiples(indices, anchor=as_typed(anchor, dtype), step=as_typed(step)), dtype)


def _held(values: FloatArray, dtype: "np.dtype[Any]") -> FloatArray:
    if dtype.kind != "f":
        return values
    with np.errstate(over="ignore"):  # a value beyond the largest float32 becomes infinite, so outside
        return values.astype(dtype).astype(np.float64)


def date_feature(name: str) -> FeaturePolicy:
    """Build the policy of a column of dates: it stays as it is, so its values are not listed."""
    return FeaturePolicy(
        name=name,
        kind=Kind.DATE,
        dtype=np.dtype(np.float64),
        fixed=True,
        low=0.0,
        high=0.0,
        step=1.0,
        holds_missing=True,
    )


@lru_cache(maxsize=16)
def _largest_end(dtype: "np.dtype[Any]") -> float:
    return min(float(np.finfo(dtype).max), LARGEST_MAGNITUDE)


def _length(indices: range) -> int:
    return max(0, indices.stop - indices.start)  # `len` fails for very long ranges


def written_count(count: int) -> str:
    """Write a count, or its order of magnitude if it is very large.

    >>> written_count(30_000), written_count(10**40)
    ('30,000', 'about 1e+40')
    """
    return f"{count:,}" if count < 10**15 else f"about {as_float(count):.0e}"


def shown_number(value: float) -> str:
    """Write a number without a needless decimal: 41, not 41.0."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def shown_range(low: float, high: float) -> str:
    """Write a range with a dash between its ends."""
    return f"{shown_number(low)}–{shown_number(high)}"


def shown_values(values: Iterable[float]) -> str:
    """Write the first few values of a list."""
    texts = [shown_number(value) for value in values]
    return ", ".join(texts[:6]) + (", …" if len(texts) > 6 else "")
