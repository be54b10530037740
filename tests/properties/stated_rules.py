"""Draw random rules, each stated twice: for p2ce, and in pandas on plain values for the oracle."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce import rules
from tests.oracle import Group, Link, Row, StatedRule, added_up, plain
from tests.populations.random_tables import GROUP

LINKABLE = ("age", "debt", "years")  # numbers of which one may follow another


def changed(person: Row, rows: pd.DataFrame, name: str) -> Any:
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


def make_implies(frame: pd.DataFrame, names: list[str], draw: np.random.Generator) -> StatedRule:
    """If one column has one of two values (or changes), the other has one of two or lies in a range."""
    one, other = names[:2]
    if_values = _values(frame, one, draw, 2)
    condition: Any = rules.CHANGES if draw.random() < 0.3 else if_values
    if pd.api.types.is_numeric_dtype(frame[other]) and draw.random() < 0.4:
        known = frame[other].dropna().astype(float)
        low, high = float(known.quantile(0.3)), float(known.max())
        rule = rules.implies({one: condition}, {other: (low, high)})
        return StatedRule(
            rule=rule, keeps=lambda p, r: ~_met(p, r, one, condition) | between(r, other, low, high)
        )
    then_values = _values(frame, other, draw, 2)
    rule = rules.implies({one: condition}, {other: then_values})
    return StatedRule(rule=rule, keeps=lambda p, r: ~_met(p, r, one, condition) | at(r, other, then_values))


def _met(person: Row, rows: pd.DataFrame, name: str, condition: Any) -> Any:
    return changed(person, rows, name) if condition is rules.CHANGES else at(rows, name, condition)


def make_transitions(frame: pd.DataFrame, names: list[str], draw: np.random.Generator) -> StatedRule:
    """Forbid, or allow only, some changes of a column from some values."""
    name = names[0]
    starts, ends = _values(frame, name, draw, 2), _values(frame, name, draw, 2)
    listed = dict.fromkeys(starts, ends)

    def named(person: Row, rows: pd.DataFrame) -> Any:
        return at(rows, name, listed.get(person[name], []))

    if draw.random() < 0.5:
        return StatedRule(
            rule=rules.forbid(name, listed), keeps=lambda p, r: ~(changed(p, r, name) & named(p, r))
        )
    return StatedRule(
        rule=rules.allow_only(name, listed), keeps=lambda p, r: ~changed(p, r, name) | named(p, r)
    )


def make_together(frame: pd.DataFrame, names: list[str], draw: np.random.Generator) -> StatedRule:
    """Two or three columns change together or not at all."""
    mine = names[: int(draw.integers(2, 4))]

    def keeps(person: Row, rows: pd.DataFrame) -> Any:
        count = sum(changed(person, rows, name).astype(int) for name in mine)
        return (count == 0) | (count == len(mine))

    return StatedRule(rule=rules.together(*mine), keeps=keeps)


def make_change_at_most_one(frame: pd.DataFrame, names: list[str], draw: np.random.Generator) -> StatedRule:
    """At most one of some columns changes."""
    mine = names[: int(draw.integers(2, 4))]
    return StatedRule(
        rule=rules.change_at_most_one(*mine),
        keeps=lambda p, r: sum(changed(p, r, name).astype(int) for name in mine) <= 1,
    )


def make_at_most_one_nonzero(
    frame: pd.DataFrame, names: list[str], draw: np.random.Generator
) -> StatedRule | None:
    """At most one of some numbers is other than 0; a missing one counts as 0."""
    numbers = [name for name in names if pd.api.types.is_numeric_dtype(frame[name])]
    mine = numbers[: int(draw.integers(2, 4))]
    if len(mine) < 2:
        return None
    return StatedRule(
        rule=rules.at_most_one_nonzero(*mine),
        keeps=lambda _, r: sum((pd.to_numeric(r[name]).fillna(0) != 0).astype(int) for name in mine) <= 1,
    )


def make_inequality(frame: pd.DataFrame, names: list[str], draw: np.random.Generator) -> StatedRule | None:
    """A multiple of one number is at most another one plus something; nothing is known of missing ones."""
    numbers = [name for name in names if pd.api.types.is_numeric_dtype(frame[name])][:2]
    if len(numbers) < 2:
        return None
    one, other = numbers
    times = int(draw.integers(1, 4))
    usual = times * frame[one].astype("float64") - frame[other].astype("float64")
    limit = int(np.floor(usual.median()))  # a whole number, so nothing is rounded
    text = f"{times}*{one} <= {other} + {limit}" if limit >= 0 else f"{times}*{one} + {-limit} <= {other}"

    def keeps(_: Row, rows: pd.DataFrame) -> Any:
        left, right = (pd.to_numeric(rows[name]).astype(float) for name in numbers)
        return (times * left - right <= limit) | left.isna() | right.isna()

    return StatedRule(rule=rules.inequality(text), keeps=keeps)


def make_predicate(frame: pd.DataFrame, names: list[str], draw: np.random.Generator) -> StatedRule:
    """A function of frames: no row has both of two values."""
    one, other = names[:2]
    values = _values(frame, one, draw, 2), _values(frame, other, draw, 2)

    def keeps(_: Row, rows: pd.DataFrame) -> Any:
        return ~(at(rows, one, values[0]) & at(rows, other, values[1]))

    return StatedRule(
        rule=rules.predicate(lambda rows: keeps({}, rows.astype(object)), name="ours"), keeps=keeps
    )


def make_link(frame: pd.DataFrame, names: list[str], draw: np.random.Generator) -> Link | None:
    """One number follows another."""
    numbers = [name for name in names if name in LINKABLE][:2]
    if len(numbers) < 2:
        return None
    driver, follower = numbers
    ratio, counts = float(draw.choice([1.0, 2.0, -1.0, 0.5])), str(draw.choice(["once", "each"]))

    link = Link(
        rule=rules.linked(driver, follower, ratio=ratio, counts=counts),
        keeps=lambda _, rows: np.ones(len(rows), dtype=bool),
        driver=driver,
        follower=follower,
        ratio=ratio,
        counts=counts,
    )
    return replace(link, keeps=added_up([link]))


def with_added_links(stated: Sequence[StatedRule]) -> tuple[StatedRule, ...]:
    """State the links of one follower together: none of them holds by itself."""
    links = [one for one in stated if isinstance(one, Link)]
    return tuple(
        replace(one, keeps=added_up([link for link in links if link.follower == one.follower]))
        if isinstance(one, Link)
        else one
        for one in stated
    )


def make_group(frame: pd.DataFrame, draw: np.random.Generator) -> Group:
    """Three 0/1 columns are one category; the data, or the rule, say whether none is a level."""
    said = [None, True, False][int(draw.integers(3))]
    none_seen = bool((frame[list(GROUP)].sum(axis=1) == 0).any())
    may_be_none = none_seen if said is None else said

    def keeps(_: Row, rows: pd.DataFrame) -> Any:
        count = rows[list(GROUP)].astype(int).sum(axis=1)
        return (count == 1) | ((count == 0) & may_be_none)

    rule = rules.one_hot("place", list(GROUP), may_be_none=said)
    return Group(rule=rule, keeps=keeps, names=GROUP, may_be_none=may_be_none)


def _values(frame: pd.DataFrame, name: str, draw: np.random.Generator, count: int) -> list[Any]:
    """Choose values of a column, now and then the missing one."""
    known = list(dict.fromkeys(plain(cell) for cell in frame[name]))
    return [known[i] for i in draw.permutation(len(known))[:count]]


MAKERS: tuple[Callable[..., StatedRule | None], ...] = (
    make_implies,
    make_transitions,
    make_together,
    make_change_at_most_one,
    make_at_most_one_nonzero,
    make_inequality,
    make_predicate,
    make_link,
)
