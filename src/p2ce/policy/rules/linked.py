"""Define the rule that one feature moves whenever another one does, and add up several such moves."""

from collections.abc import Iterable, Mapping, Sequence
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
    move either. If a policy links a follower to several drivers, their moves add up (`AddedLinks`).
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
        expected = follow((self,), before, after, before[self.follower], codebook)
        there: BoolArray = after[self.follower] == expected
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


@dataclass(frozen=True, slots=True)
class AddedLinks(Rule):
    """All links of one follower, which moves by the sum of what they say. None of them holds by itself."""

    links: tuple[Linked, ...]

    kind = "linked"
    about_numbers = True

    @property
    def columns(self) -> tuple[str, ...]:
        return (*(link.driver for link in self.links), self.links[0].follower)

    def text(self) -> str:
        return " + ".join(link.text() for link in self.links)

    def budgets(self, codebook: Codebook) -> tuple[Budget, ...]:
        for link in self.links:
            link.budgets(codebook)
        return ()

    def holds(self, before: Codes, after: Codes, codebook: Codebook) -> BoolArray:
        follower = self.links[0].follower
        there: BoolArray = after[follower] == follow(self.links, before, after, before[follower], codebook)
        return there


def links_by_follower(rules: Iterable[Rule]) -> dict[str, tuple[Linked, ...]]:
    """Return the links to every follower."""
    found: dict[str, tuple[Linked, ...]] = {}
    for rule in rules:
        if isinstance(rule, Linked):
            found[rule.follower] = (*found.get(rule.follower, ()), rule)
    return found


def follow(
    links: Sequence[Linked], before: Codes, after: Codes, follower: FloatArray, codebook: Codebook
) -> FloatArray:
    """Return the follower's codes if the drivers of its links go from before to after.

    The arrays broadcast against each other. The code is NaN if the follower's column cannot hold the value,
    such as half a year in a column of whole years. Values are computed in the decimals that people read. A
    driver that becomes known or missing adds nothing.
    """
    drivers = [link.driver for link in links]
    follower, *ends = np.broadcast_arrays(
        follower, *(before[name] for name in drivers), *(after[name] for name in drivers)
    )
    starts, stops = ends[: len(links)], ends[len(links) :]
    # A driver that itself follows another feature may be unable to hold its value.
    unheld = np.any([np.isnan(stop) for stop in stops], axis=0)
    adds = [
        (start != stop) & (start != MISSING) & (stop != MISSING) & (follower != MISSING) & ~unheld
        for start, stop in zip(starts, stops, strict=True)
    ]
    moves = np.any(adds, axis=0)
    arrived = np.where(unheld, np.nan, follower)
    if moves.any():
        own = coding_for(links[0], codebook, links[0].follower).number_dtype
        columns = [
            (np.where(add, end, 0.0)[moves], coding_for(link, codebook, link.driver).number_dtype)
            for link, add, start, stop in zip(links, adds, starts, stops, strict=True)
            for end in (start, stop)
        ]
        ratios = [as_typed(link.ratio) for link in links]
        values = follower[moves], own
        reached = _in_whole_units(columns, ratios, values)
        arrived[moves] = _held(_one_by_one(columns, ratios, values) if reached is None else reached, own)
    return arrived


# Values of a column, and its type.
TypedColumn: TypeAlias = tuple[FloatArray, "np.dtype[Any]"]


def _one_by_one(columns: Sequence[TypedColumn], ratios: Sequence[Fraction], own: TypedColumn) -> FloatArray:
    """Compute own + Σ ratio · (after − before) as fractions; ``columns`` has before and after per ratio."""
    exact = [[as_typed(value, dtype) for value in values.tolist()] for values, dtype in (own, *columns)]
    return np.array(
        [
            float(
                start
                + sum(ratio * (b - a) for ratio, a, b in zip(ratios, ends[::2], ends[1::2], strict=True))
            )
            for start, *ends in zip(*exact, strict=True)
        ]
    )


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
    columns: Sequence[TypedColumn], ratios: Sequence[Fraction], own: TypedColumn
) -> FloatArray | None:
    """Compute own + Σ ratio · (after − before) exactly in units of 10⁻ᵏ, or return None if impossible.

    A value with so few digits is the only one of its type with these digits, so it is the shortest decimal
    that people read.
    """
    finer = next(
        (
            power
            for power in range(MOST_DECIMALS)
            if all((ratio * 10**power).denominator == 1 for ratio in ratios)
        ),
        None,
    )
    if finer is None:
        return None
    typed = (own, *columns)
    for power in range(MOST_DECIMALS):
        units = [np.rint(values * 10.0**power) for values, _ in typed]
        if all(
            bool((np.abs(unit) < 10.0 ** _digits(dtype)).all())
            and bool(((unit / 10.0**power).astype(dtype) == values).all())
            for unit, (values, dtype) in zip(units, typed, strict=True)
        ):
            start, *ends = units
            total = start * 10.0**finer
            largest = np.abs(total)
            for ratio, before, after in zip(ratios, ends[::2], ends[1::2], strict=True):
                move = float(ratio * 10**finer) * (after - before)
                total, largest = total + move, largest + np.abs(move)
            if largest.max() >= 2.0**52:
                return None
            reached: FloatArray = total / 10.0 ** (power + finer)
            return reached
    return None


def _digits(dtype: "np.dtype[Any]") -> int:
    return int(np.finfo(dtype).precision) if dtype.kind == "f" else 15


def linked(driver: object, follower: object, ratio: Any = 1.0, counts: str = "once") -> Linked:
    """Require that the follower moves ``ratio`` times as much as the driver, and never on its own.

    The follower stays within its own range, kind, `candidates` and stated `step`. A value of the driver that
    would violate this is not a candidate. If several links have the same follower, it moves by the sum of
    what they say. So two drivers that both measure time would count it twice: link one of them to the other.

    Args:
        driver: The column that changes.
        follower: The column that moves along.
        ratio: How much the follower moves when the driver moves by 1. The default is 1.
        counts: "once" (the default) counts the pair as one change, "each" as two. All links of one follower
            must say the same: it counts once, however many drivers move it.

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
