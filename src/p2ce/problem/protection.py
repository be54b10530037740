"""Protect the columns that no advice may touch, and keep history and time from running backwards."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.errors import InvalidActions, UnknownFeature, nearest
from p2ce.problem.feature import Direction, FeatureActions, Kind
from p2ce.problem.infer import EncodedColumns
from p2ce.problem.name_hints import NameHint, Topic, hint_of, names_people
from p2ce.problem.rules.one_hot import OneHot
from p2ce.visible import as_text, echoed, listed

Protect: TypeAlias = Literal["detect"] | Iterable[Any] | None

DETECT = "detect"
FEWEST_IDS = 20  # rows, all with another value, that make a column look like one of identifiers
MOST_NAMED = 12  # columns that a message lists


@dataclass(slots=True, kw_only=True)
class Granted:
    """What was read off the names of columns, each under its own name or that of its one-hot group."""

    protected: list[str] = field(default_factory=list)
    never_fall: list[str] = field(default_factory=list)
    never_rise: list[str] = field(default_factory=list)
    fixed: list[str] = field(default_factory=list)
    identifiers: list[str] = field(default_factory=list)

    def text(self) -> str:
        """List everything in one line; empty if there is nothing."""
        parts = [
            f"{words}: {listed(names, most=MOST_NAMED)}"
            for words, names in (
                ("protected", self.protected),
                ("never fall", self.never_fall),
                ("never rise", self.never_rise),
                ("fixed as a record of the past or of time", self.fixed),
                ("fixed, since every row has another value", self.identifiers),
            )
            if names
        ]
        return "; ".join(parts)

    def first(self) -> str:
        """Return one of the columns, for an example."""
        return next(
            iter([*self.protected, *self.never_fall, *self.never_rise, *self.fixed, *self.identifiers])
        )


def names_to_protect(protect: Protect, names: Sequence[str]) -> tuple[str, ...] | None:
    """Check the argument: the names that it lists, none for None, and None for "detect"."""
    if protect is None:
        return ()
    if isinstance(protect, str):
        if protect == DETECT:
            return None
        raise InvalidActions(
            f"protect is 'detect', a list of columns or None; got {echoed(protect)}. "
            f"Write protect=[{echoed(protect)}] for one column."
        )
    if not isinstance(protect, Iterable):
        raise InvalidActions(f"protect is 'detect', a list of columns or None; got {echoed(protect)}.")
    wanted = tuple(as_text(name) for name in protect)
    for name in wanted:
        if name not in names:
            raise UnknownFeature(f"protect names {echoed(name)}. {nearest(name, names)}")
    return wanted


def protect_by_name(
    features: Sequence[FeatureActions], columns: EncodedColumns, groups: Sequence[OneHot]
) -> tuple[tuple[FeatureActions, ...], Granted]:
    """Restrict every feature as its name suggests: protected attributes, history, time, identifiers.

    A one-hot group is treated as the category that it is.
    """
    granted, changed = Granted(), dict[str, FeatureActions]()
    by_name = {feature.name: feature for feature in features}
    for group in groups:
        members = [by_name[level] for level in group.levels]
        changed |= {member.name: member for member in _restrict_group(group, members, granted)}
    in_groups = {level for group in groups for level in group.levels}
    for feature, known in zip(features, columns.known, strict=True):
        if feature.name not in in_groups:
            changed[feature.name] = _restrict(feature, known, granted)
    return tuple(changed[feature.name] for feature in features), granted


def _restrict_group(
    group: OneHot, members: Sequence[FeatureActions], granted: Granted
) -> list[FeatureActions]:
    hints = [hint_of(group.name), *(hint_of(member.name) for member in members)]
    # One level that is protected, such as "married", makes the category what it is about.
    if any(hint is not None and hint.topic is Topic.PROTECTED for hint in hints):
        granted.protected.append(group.name)
        return [replace(member, fixed=True, protected=True) for member in members]
    if hints[0] is not None:
        granted.fixed.append(group.name)
        return [replace(member, fixed=True) for member in members]
    return list(members)


def _restrict(feature: FeatureActions, known: FloatArray, granted: Granted) -> FeatureActions:
    hint = hint_of(feature.name)
    if hint is not None and hint.topic is Topic.PROTECTED:
        granted.protected.append(feature.name)
        return replace(feature, fixed=True, protected=True)
    if _is_identifier(feature, known):
        granted.identifiers.append(feature.name)
        return replace(feature, fixed=True)
    if hint is None:
        return feature
    direction = _direction(feature, hint)
    if direction is None:
        granted.fixed.append(feature.name)
        return replace(feature, fixed=True)
    (granted.never_fall if direction is Direction.UP else granted.never_rise).append(feature.name)
    return replace(feature, direction=direction)


def _direction(feature: FeatureActions, hint: NameHint) -> Direction | None:
    """Return the direction that history and time take; None where only standing still is safe."""
    if hint.unclear or (feature.is_category and (feature.order is None or hint.topic is Topic.HISTORY)):
        return None
    if hint.topic is Topic.HISTORY:
        return Direction.UP
    # Days before today are counted below zero in some tables.
    counts_down = feature.high <= 0 and feature.low < 0
    return Direction.DOWN if counts_down or (hint.falls and feature.kind is Kind.BINARY) else Direction.UP


def _is_identifier(feature: FeatureActions, known: FloatArray) -> bool:
    """Return whether every row has another value, in a column of text or one that is called as ids are."""
    if len(known) < FEWEST_IDS or feature.order is not None:
        return False
    if feature.labels is not None:
        return len(feature.labels) == len(known)
    return feature.kind is Kind.WHOLE and names_people(feature.name) and len(np.unique(known)) == len(known)
