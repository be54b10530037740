"""Define the rule that one feature moves whenever another one does."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from numbers import Real
from typing import Annotated, Any, Literal, TypeAlias, get_args

import numpy as np
from msgspec import UNSET, Meta, UnsetType

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.visible import echoed
from p2ce.errors import InvalidPolicy, nearest
from p2ce.policy.features.decimals import as_float, as_typed
from p2ce.policy.features.feature import FeaturePolicy, shown_number
from p2ce.policy.file.typed_entries import about
from p2ce.policy.rules.rule import (
    Budget,
    Codes,
    Name,
    Rule,
    RuleEntry,
    coding_for,
    read_name,
    reject_categories,
)
from p2ce.tables.codebook import MISSING, Codebook

Counts = Literal["once", "each"]
MOST_DECIMALS = 7  # decimal places that fast arithmetic covers


class LinkedEntry(RuleEntry, tag="linked"):
    """When the driver moves, the follower moves ratio times as much, and never on its own."""

    driver: Name
    follower: Name
    ratio: Annotated[float, Meta(extra_json_schema={"not": {"const": 0}})] = 1
    counts: Annotated[Counts, about("Whether the pair counts as one change or two.")] | UnsetType = UNSET

    def rule(self) -> "Linked":
        return linked(self.driver, self.follower, self.ratio, self.counts or "once")


@dataclass(frozen=True, slots=True)
class Linked(Rule):
    """When the driver moves by some amount, the follower moves by ratio times that amount.

    The follower never moves on its own. The driver takes no value that would lead the follower out of its
    range. If the driver becomes known or missing, the follower does not move. A missing follower does not
    move either.
    """

    driver: str
    follower: str
    ratio: float = 1.0
    counts: Counts = "once"  # whether the pair counts as one change or two

    kind = "linked"
    about_numbers = True

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.driver, self.follower)

    def text(self) -> str:
        times = "as much" if self.ratio == 1 else f"{shown_number(self.ratio)} times as much"
        counted = "" if self.counts == "once" else ", counted as two changes"
        return f"{self.follower} moves {times} as {self.driver} does{counted}"

    def entry(self) -> LinkedEntry:
        whole = float(self.ratio).is_integer() and abs(self.ratio) < 1e15
        return LinkedEntry(
            driver=self.driver,
            follower=self.follower,
            ratio=int(self.ratio) if whole else self.ratio,
            counts=UNSET if self.counts == "once" else self.counts,
        )

    def budgets(self, codebook: Codebook) -> tuple[Budget, ...]:
        reject_categories(self, codebook, because="a link is about numbers. Use implies() or together()")
        return ()

    def holds(self, before: Codes, after: Codes, codebook: Codebook) -> BoolArray:
        driver, follower = self.driver, self.follower
        expected = self.follow(before[driver], after[driver], before[follower], codebook)
        there: BoolArray = after[follower] == expected
        return there

    def check(self, features: Mapping[str, FeaturePolicy]) -> None:
        Rule.check(self, features)
        for name, partner in (self.columns, self.columns[::-1]):
            if features[name].fixed:
                raise InvalidPolicy(
                    f"{echoed(name)} is fixed, but the rule '{self.text()}' moves it. Remove the rule, or "
                    f"release {echoed(name)} with free({echoed(name)}): it then moves only together with "
                    f"{echoed(partner)}."
                )

    def follow(
        self, before: FloatArray, after: FloatArray, follower: FloatArray, codebook: Codebook
    ) -> FloatArray:
        """Return the follower's codes if the driver goes from before to after.

        The three arrays broadcast against each other. The code is NaN if the follower's column cannot hold
        the value, such as half a year in a column of whole years. Values are computed in the decimals that
        people read.
        """
        before, after, follower = np.broadcast_arrays(before, after, follower)
        moves = (before != after) & (before != MISSING) & (after != MISSING) & (follower != MISSING)
        unheld = np.isnan(after)  # the driver itself follows another feature, and cannot hold its value
        moves &= ~unheld
        arrived = np.where(unheld, np.nan, follower)
        if moves.any():
            driver, own = (coding_for(self, codebook, name).number_dtype for name in self.columns)
            columns = (before[moves], driver), (after[moves], driver), (follower[moves], own)
            ratio = as_typed(self.ratio)
            reached = _in_whole_units(columns, ratio)
            arrived[moves] = _held(_one_by_one(columns, ratio) if reached is None else reached, own)
        return arrived


TypedColumn: TypeAlias = tuple[FloatArray, "np.dtype[Any]"]


def _one_by_one(columns: tuple[TypedColumn, TypedColumn, TypedColumn], ratio: Fraction) -> FloatArray:
    """Compute follower + ratio · (after − before) as fractions."""
    exact = zip(
        *([as_typed(value, dtype) for value in column.tolist()] for column, dtype in columns), strict=True
    )
    return np.array([float(start + ratio * (new - old)) for old, new, start in exact])


def _held(values: FloatArray, dtype: "np.dtype[Any]") -> FloatArray:
    """Round to the precision of a column, with NaN for values that it cannot hold."""
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            held = values.astype(dtype).astype(np.float64)
        return np.where(np.isfinite(held), held, np.nan)
    low, high = (0.0, 1.0) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    fits = (values == np.floor(values)) & (values >= low) & (values <= high)
    return np.where(fits, values, np.nan)


def _in_whole_units(
    columns: tuple[TypedColumn, TypedColumn, TypedColumn], ratio: Fraction
) -> FloatArray | None:
    """Compute follower + ratio · (after − before) exactly in units of 10⁻ᵏ, or return None if impossible.

    A value with so few digits is the only one of its type with these digits, so it is the shortest decimal
    that people read.
    """
    finer = next((power for power in range(MOST_DECIMALS) if (ratio * 10**power).denominator == 1), None)
    if finer is None:
        return None
    for power in range(MOST_DECIMALS):
        units = [np.rint(values * 10.0**power) for values, _ in columns]
        if all(
            bool((np.abs(unit) < 10.0 ** _digits(dtype)).all())
            and bool(((unit / 10.0**power).astype(dtype) == values).all())
            for unit, (values, dtype) in zip(units, columns, strict=True)
        ):
            before, after, follower = units
            move = float(ratio * 10**finer) * (after - before)
            start = follower * 10.0**finer
            if max(np.abs(move).max(), np.abs(start).max()) >= 2.0**52:
                return None
            reached: FloatArray = (start + move) / 10.0 ** (power + finer)
            return reached
    return None


def _digits(dtype: "np.dtype[Any]") -> int:
    return int(np.finfo(dtype).precision) if dtype.kind == "f" else 15


def linked(driver: object, follower: object, ratio: Any = 1.0, counts: str = "once") -> Linked:
    """Require that the follower moves ``ratio`` times as much as the driver, and never on its own.

    The follower stays within its own range, kind, `candidates` and stated `step`. A value of the driver that
    would violate this is not a candidate.

    Args:
        driver: The column that changes.
        follower: The column that moves along.
        ratio: How much the follower moves when the driver moves by 1. The default is 1.
        counts: "once" (the default) counts the pair as one change, "each" as two.

    >>> linked("YearsAtCurrentJob", "Age").text()
    'Age moves as much as YearsAtCurrentJob does'
    """
    names = read_name("linked", driver), read_name("linked", follower)
    if names[0] == names[1]:
        raise InvalidPolicy(f"linked() names {echoed(names[0])} as its own follower. Name two columns.")
    if isinstance(ratio, bool) or not isinstance(ratio, Real) or not isfinite(as_float(ratio)) or ratio == 0:
        raise InvalidPolicy(
            f"linked() expects a ratio other than 0, got {echoed(ratio)}. "
            f"Pass how much {echoed(names[1])} moves when {echoed(names[0])} moves by 1."
        )
    known = get_args(Counts)
    if counts not in known:
        raise InvalidPolicy(
            f"linked() expects counts='once' or 'each', got {echoed(counts)}. {nearest(counts, known)}"
        )
    return Linked(*names, float(ratio), "each" if counts == "each" else "once")
