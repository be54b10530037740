"""Say every rule a second time, in pandas and on plain values, beside the rule that p2ce is given."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from p2ce import ActionSet, rules
from tests.properties.random_tables import GROUP, plain

Person = Mapping[str, Any]
LINKABLE = ("age", "debt", "years")  # numbers of which one may follow another


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spoken:
    """A rule, and which rows keep it in the words of pandas: (person, rows as objects) → bools."""

    rule: rules.Rule
    keeps: Callable[[Person, pd.DataFrame], Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Link(Spoken):
    """A feature that follows another one."""

    driver: str
    follower: str
    ratio: float
    counts: str

    def follow(self, person: Person, row: Person) -> Any:
        """Give where the follower goes."""
        known = (person[self.driver], row[self.driver], person[self.follower])
        if None in known:
            return person[self.follower]
        return known[2] + self.ratio * (known[1] - known[0])

    def may_arrive(self, person: Person, row: Person, actions: ActionSet) -> bool:
        """Return whether the follower may be where it was led to."""
        feature, before, after = actions[self.follower], person[self.follower], row[self.follower]
        if before == after:
            return True
        if (feature.kind != "number" or feature.dtype.kind in "iub") and after != int(after):
            return False
        low, high = feature.ends()
        fits = low <= after <= high if feature.choices is None else after in feature.choices
        return bool(fits and (after - before) * feature.direction >= 0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Group(Spoken):
    """0/1 columns that are one category."""

    name: str
    names: tuple[str, ...]
    may_be_none: bool

    def positions(self, person: Person, actions: ActionSet) -> list[dict[str, Any]]:
        """List the levels that the group may have; the rule keeps the person's own only if it is one."""
        own = {name: person[name] for name in self.names}
        levels = [{name: int(name == level) for name in self.names} for level in self.names]
        if self.may_be_none:
            levels.append(dict.fromkeys(self.names, 0))
        if actions[self.names[0]].fixed:
            levels = []
        return [own, *(level for level in levels if level != own)]


def changed(person: Person, rows: pd.DataFrame, name: str) -> Any:
    """Return which rows have another value; missing and still missing is none."""
    now = person[name]
    return rows[name].notna() if now is None else (rows[name].isna() | (rows[name] != now))


def at(rows: pd.DataFrame, name: str, values: list[Any]) -> Any:
    """Return which rows have one of these values."""
    known = [value for value in values if value is not None]
    found = rows[name].isin(known) & rows[name].notna()
    return found | rows[name].isna() if None in values else found


def between(rows: pd.DataFrame, name: str, low: float, high: float) -> Any:
    """Return which rows lie in a range, which no missing value does."""
    numbers = pd.to_numeric(rows[name])
    return (numbers >= low) & (numbers <= high)


def make_if_then(frame: pd.DataFrame, names: list[str], draw: np.random.Generator) -> Spoken:
    """If one column has one of two values (or changes), the other has one of two or lies in a range."""
    one, other = names[:2]
    if_values = _values(frame, one, draw, 2)
    condition: Any = rules.CHANGES if draw.random() < 0.3 else if_values
    if pd.api.types.is_numeric_dtype(frame[other]) and draw.random() < 0.4:
        known = frame[other].dropna().astype(float)
        low, high = float(known.quantile(0.3)), float(known.max())
        rule = rules.if_then(if_={one: condition}, then={other: (low, high)})
        return Spoken(
            rule=rule, keeps=lambda p, r: ~_met(p, r, one, condition) | between(r, other, low, high)
        )
    then_values = _values(frame, other, draw, 2)
    rule = rules.if_then(if_={one: condition}, then={other: then_values})
    return Spoken(rule=rule, keeps=lambda p, r: ~_met(p, r, one, condition) | at(r, other, then_values))


def _met(person: Person, rows: pd.DataFrame, name: str, condition: Any) -> Any:
    return changed(person, rows, name) if condition is rules.CHANGES else at(rows, name, condition)


def make_transitions(frame: pd.DataFrame, names: list[str], draw: np.random.Generator) -> Spoken:
    """Forbid, or allow only, some changes of a column from some values."""
    name = names[0]
    starts, ends = _values(frame, name, draw, 2), _values(frame, name, draw, 2)
    listed = dict.fromkeys(starts, ends)

    def named(person: Person, rows: pd.DataFrame) -> Any:
        return at(rows, name, listed.get(person[name], []))

    if draw.random() < 0.5:
        return Spoken(
            rule=rules.forbid(name, listed), keeps=lambda p, r: ~(changed(p, r, name) & named(p, r))
        )
    return Spoken(rule=rules.allow_only(name, listed), keeps=lambda p, r: ~changed(p, r, name) | named(p, r))


def make_together(frame: pd.DataFrame, names: list[str], draw: np.random.Generator) -> Spoken:
    """Two or three columns change together or not at all."""
    mine = names[: int(draw.integers(2, 4))]

    def keeps(person: Person, rows: pd.DataFrame) -> Any:
        count = sum(changed(person, rows, name).astype(int) for name in mine)
        return (count == 0) | (count == len(mine))

    return Spoken(rule=rules.together(*mine), keeps=keeps)


def make_exclusive(frame: pd.DataFrame, names: list[str], draw: np.random.Generator) -> Spoken:
    """At most one of some columns changes."""
    mine = names[: int(draw.integers(2, 4))]
    return Spoken(
        rule=rules.exclusive(*mine),
        keeps=lambda p, r: sum(changed(p, r, name).astype(int) for name in mine) <= 1,
    )


def make_at_most_one_of(frame: pd.DataFrame, names: list[str], draw: np.random.Generator) -> Spoken | None:
    """At most one of some numbers is other than 0; a missing one counts as 0."""
    numbers = [name for name in names if pd.api.types.is_numeric_dtype(frame[name])]
    mine = numbers[: int(draw.integers(2, 4))]
    if len(mine) < 2:
        return None
    return Spoken(
        rule=rules.at_most_one_of(*mine),
        keeps=lambda _, r: sum((pd.to_numeric(r[name]).fillna(0) != 0).astype(int) for name in mine) <= 1,
    )


def make_inequality(frame: pd.DataFrame, names: list[str], draw: np.random.Generator) -> Spoken | None:
    """A multiple of one number is at most another one plus something; nothing is known of missing ones."""
    numbers = [name for name in names if pd.api.types.is_numeric_dtype(frame[name])][:2]
    if len(numbers) < 2:
        return None
    one, other = numbers
    times = int(draw.integers(1, 4))
    usual = times * frame[one].astype("float64") - frame[other].astype("float64")
    limit = int(np.floor(usual.median()))  # a whole number, so that nothing is rounded
    text = f"{times}*{one} <= {other} + {limit}" if limit >= 0 else f"{times}*{one} + {-limit} <= {other}"

    def keeps(_: Person, rows: pd.DataFrame) -> Any:
        left, right = (pd.to_numeric(rows[name]).astype(float) for name in numbers)
        return (times * left - right <= limit) | left.isna() | right.isna()

    return Spoken(rule=rules.inequality(text), keeps=keeps)


def make_predicate(frame: pd.DataFrame, names: list[str], draw: np.random.Generator) -> Spoken:
    """A function of frames: no row has both of two values."""
    one, other = names[:2]
    values = _values(frame, one, draw, 2), _values(frame, other, draw, 2)

    def keeps(_: Person, rows: pd.DataFrame) -> Any:
        return ~(at(rows, one, values[0]) & at(rows, other, values[1]))

    return Spoken(rule=rules.predicate(lambda rows: keeps({}, rows.astype(object)), name="ours"), keeps=keeps)


def make_link(frame: pd.DataFrame, names: list[str], draw: np.random.Generator) -> Link | None:
    """One number follows another."""
    numbers = [name for name in names if name in LINKABLE][:2]
    if len(numbers) < 2:
        return None
    driver, follower = numbers
    ratio, counts = float(draw.choice([1.0, 2.0, -1.0, 0.5])), str(draw.choice(["once", "each"]))

    def keeps(person: Person, rows: pd.DataFrame) -> Any:
        before, after = person[driver], pd.to_numeric(rows[driver]).astype(float)
        moved = after.notna() & (after != before) & (before is not None and person[follower] is not None)
        now = pd.to_numeric(rows[follower]).astype(float)
        start = np.nan if person[follower] is None else float(person[follower])
        led = start + ratio * (after - (0.0 if before is None else float(before)))
        return (moved & (now == led)) | (~moved & ~changed(person, rows, follower))

    rule = rules.linked(driver, follower, ratio=ratio, counts=counts)
    return Link(rule=rule, keeps=keeps, driver=driver, follower=follower, ratio=ratio, counts=counts)


def make_group(frame: pd.DataFrame, draw: np.random.Generator) -> Group:
    """Three 0/1 columns are one category; the data, or we, say whether none is a level."""
    said = [None, True, False][int(draw.integers(3))]
    none_seen = bool((frame[list(GROUP)].sum(axis=1) == 0).any())
    may_be_none = none_seen if said is None else said

    def keeps(_: Person, rows: pd.DataFrame) -> Any:
        count = rows[list(GROUP)].astype(int).sum(axis=1)
        return (count == 1) | ((count == 0) & may_be_none)

    rule = rules.one_hot("place", list(GROUP), may_be_none=said)
    return Group(rule=rule, keeps=keeps, name="place", names=GROUP, may_be_none=may_be_none)


def _values(frame: pd.DataFrame, name: str, draw: np.random.Generator, count: int) -> list[Any]:
    """Choose values of a column, now and then the missing one."""
    known = list(dict.fromkeys(plain(cell) for cell in frame[name]))
    return [known[i] for i in draw.permutation(len(known))[:count]]


MAKERS: tuple[Callable[..., Spoken | None], ...] = (
    make_if_then,
    make_transitions,
    make_together,
    make_exclusive,
    make_at_most_one_of,
    make_inequality,
    make_predicate,
    make_link,
)
