"""Say what one feature may do, and which values it may take."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from fractions import Fraction
from typing import Any

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.errors import ContradictoryConstraints, InvalidActions
from p2ce.problem.decimals import as_typed, index_range, multiples, round_step, to_dtype

MOST_CANDIDATES = 30_000
LARGEST_MAGNITUDE = 1e300  # differences of two such values, and sums of a few, still are numbers


class Kind(StrEnum):
    """What the values of a column are like."""

    BINARY = "binary"
    WHOLE = "whole"
    NUMBER = "number"


class Direction(IntEnum):
    """Which way a feature may move; the numbers are the sign of the change."""

    DOWN = -1
    BOTH = 0
    UP = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureActions:
    """What one feature may do.

    Candidates are ``anchor + i * step`` inside the range, or the ``choices`` if there are any. The
    range is ``asked_range`` (from ``within()``) if there is one, else the inferred ``low`` to ``high``,
    which says nothing about ``choices``. Whoever narrows the range only removes candidates.

    >>> rate = FeatureActions(
    ...     name="Rate", kind=Kind.NUMBER, dtype=np.dtype(float), low=0.1, high=0.3, step=0.05
    ... )
    >>> rate.candidates().tolist()
    [0.1, 0.15, 0.2, 0.25, 0.3]
    """

    name: str
    kind: Kind
    dtype: "np.dtype[Any]"  # the column's own
    fixed: bool = False
    direction: Direction = Direction.BOTH
    low: float
    high: float
    step: float
    anchor: float = 0.0
    asked_range: tuple[float, float] | None = None
    choices: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse constraints that leave no candidate at all."""
        if self.count() == 0:
            raise self._choices_outside() if self.choices is not None else self._range_between_multiples()

    def ends(self) -> tuple[float, float]:
        """Give the range in force, in the column's own precision."""
        low, high = self.asked_range or (self.low, self.high)
        if self.dtype.kind == "f":
            # The range ends as the column holds them: the float32 nearest to 0.1 is a little above 0.1.
            limit = min(float(np.finfo(self.dtype).max), LARGEST_MAGNITUDE)
            low, high = (to_dtype(min(max(end, -limit), limit), self.dtype) for end in (low, high))
        return low, high

    def candidates(self) -> FloatArray:
        """Give the values that the feature may take, ascending, without the person's current one.

        All are exact in the column's own dtype. A fixed feature has none.
        """
        if self.fixed:
            return np.empty(0)
        if self.choices is not None:
            return self._filter(np.array(self.choices))
        if self._is_constant():
            return np.array([self.ends()[0]])
        self._check_not_too_many()
        return self._filter(np.unique(self._at(self._indices())))

    def first_and_last(self) -> tuple[float, float]:
        """Give the smallest and the largest multiple of the step inside the range."""
        indices = self._indices()
        return float(self._at(indices[:1])[0]), float(self._at(indices[-1:])[0])

    def count(self) -> int:
        """Count the candidates (of a fixed feature: those it would have) without making them."""
        if self.choices is not None:
            return len(self._filter(np.array(self.choices)))
        return 1 if self._is_constant() else len(self._indices())

    def allows(self, before: float, after: float) -> bool:
        """Tell whether the feature may go from one value to the other, by what was asked of it alone.

        Looks at ``fix``, direction, ``within`` and ``values``; an inferred range and the step choose
        candidates but forbid nothing.
        """
        if after == before:
            return True
        if self.fixed or (after - before) * self.direction < 0:
            return False
        if self.asked_range is not None and not self.ends()[0] <= after <= self.ends()[1]:
            return False
        return self.choices is None or after in self.choices

    def _is_constant(self) -> bool:
        # Then the one value is the candidate, whether or not it is a multiple of the step.
        return self.asked_range is None and self.low == self.high

    def _anchor(self) -> Fraction:
        return as_typed(self.anchor, self.dtype)

    def _indices(self) -> range:
        low, high = self.ends()
        if self.dtype.kind in "iu":
            held = np.iinfo(self.dtype)
            low, high = max(low, float(held.min)), min(high, float(held.max))
        elif self.dtype.kind == "b":
            low, high = max(low, 0.0), min(high, 1.0)
        if low > high:
            return range(0)
        ends = as_typed(low, self.dtype), as_typed(high, self.dtype)
        inside = index_range(*ends, anchor=self._anchor(), step=as_typed(self.step))
        # A multiple a hair outside counts as well if the column cannot tell it from the end.
        before = self._at(range(inside.start - 1, inside.start))[0]
        after = self._at(range(inside.stop, inside.stop + 1))[0]
        return range(inside.start - int(before >= low), inside.stop + int(after <= high))

    def _at(self, indices: range) -> FloatArray:
        found = multiples(indices, anchor=self._anchor(), step=as_typed(self.step))
        if self.dtype.kind != "f":
            return found
        with np.errstate(over="ignore"):  # one beyond the largest float32 is infinite, and so outside
            return found.astype(self.dtype).astype(np.float64)

    def _filter(self, values: FloatArray) -> FloatArray:
        if self.choices is not None and self.asked_range is None:
            return values
        low, high = self.ends()
        return values[(values >= low) & (values <= high)]

    def _check_not_too_many(self) -> None:
        # Not checked at construction: a fine step() may come before the within() that makes it sensible.
        if self.count() > MOST_CANDIDATES:
            raise InvalidActions(
                f"Steps of {shown(self.step)} give {self.name!r} {self.count():,} candidates in "
                f"{shown_range(*self.ends())}, more than the {MOST_CANDIDATES:,} allowed. "
                f"Use a larger step() or a narrower within()."
            )

    def _choices_outside(self) -> ContradictoryConstraints:
        assert self.choices is not None
        return ContradictoryConstraints(
            f"within() asks for {shown_range(*self.ends())} of {self.name!r}, which leaves none of its "
            f"values() {shown_values(self.choices)}. Widen the range or add a value inside it."
        )

    def _range_between_multiples(self) -> InvalidActions:
        where = "within() asks for" if self.asked_range else "The inferred range is"
        return InvalidActions(
            f"{where} {shown_range(*self.ends())} of {self.name!r}, which holds no multiple of its step "
            f"{shown(self.step)}{self._anchored()}. {self._way_out(*self.ends())}"
        )

    def _anchored(self) -> str:
        return f" counted from {shown(self.anchor)}" if self.anchor else ""

    def _way_out(self, low: float, high: float) -> str:
        whole = self.kind is not Kind.NUMBER
        width = as_typed(high) - as_typed(low)
        if self.kind is Kind.BINARY or width == 0 or (whole and np.ceil(low) > np.floor(high)):
            return "Widen the range, or name the candidates with values() first."
        step = round_step(width, whole=whole)
        return f"Widen the range, or call .step({{{self.name!r}: {shown(step)}}}) first."


def shown(value: float) -> str:
    """Write a number as people do: 41 and not 41.0."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def shown_range(low: float, high: float) -> str:
    """Write a range with a dash between its ends."""
    return f"{shown(low)}–{shown(high)}"


def shown_values(values: Iterable[float]) -> str:
    """Write the first few values of a list."""
    texts = [shown(value) for value in values]
    return ", ".join(texts[:6]) + (", …" if len(texts) > 6 else "")
