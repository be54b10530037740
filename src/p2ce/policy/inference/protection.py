"""Protect columns that must not change, and keep history and time from running backwards."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal, TypeAlias

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import as_text, echoed, listed
from p2ce.errors import InvalidPolicy, nearest
from p2ce.policy.features.feature import Direction, FeaturePolicy, Kind
from p2ce.policy.inference.infer_features import EncodedColumns
from p2ce.policy.inference.name_hints import NameHint, Topic, hint_of, likely_protected, names_ids
from p2ce.policy.rules.one_hot import OneHot

Protect: TypeAlias = Literal["detect"] | Iterable[Any] | None

DETECT = "detect"
FEWEST_IDS = 20  # rows; with this many distinct values and no repetition, a column looks like identifiers
MOST_NAMED = 12  # columns to list in a message


class Grant(StrEnum):
    """How a column is restricted, in the words of the log message."""

    PROTECTED = "protected"
    NEVER_FALLS = "never fall"
    NEVER_RISES = "never rise"
    FIXED = "fixed as a record of the past or of time"
    IDENTIFIER = "fixed, since every row has a different value"


@dataclass(frozen=True, slots=True)
class Granted:
    """The assumptions about columns, each under the name of the column or of its one-hot group."""

    grants: tuple[tuple[str, Grant], ...] = ()

    def names(self, *wanted: Grant) -> list[str]:
        """Return the columns that are restricted in one of these ways."""
        return [name for name, grant in self.grants if grant in wanted]

    def text(self) -> str:
        """List all assumptions in one line, or return "" if there are none."""
        by_grant = {grant: self.names(grant) for grant in Grant}
        return "; ".join(
            f"{grant}: {listed(names, MOST_NAMED)}" for grant, names in by_grant.items() if names
        )


def names_to_protect(
    protect: Protect, names: Sequence[str], groups: Sequence[OneHot] = ()
) -> frozenset[str] | None:
    """Check the argument and return the columns that it lists: no columns for None, and None for "detect".

    A one-hot group is named by its name or by one of its columns, and protected as a whole.
    """
    if isinstance(protect, str) and protect == DETECT:
        return None
    if isinstance(protect, str) or not isinstance(protect, Iterable | None):
        example = f" Write protect=[{echoed(protect)}] for one column." if isinstance(protect, str) else ""
        raise InvalidPolicy(
            f"protect must be 'detect', a list of columns or None; got {echoed(protect)}.{example}"
        )
    wanted = {as_text(name) for name in protect or ()}
    group_names = [group.name for group in groups]
    for name in wanted:
        if name not in names and name not in group_names:
            raise InvalidPolicy(
                f"protect names {echoed(name)}, which is not a column. "
                f"{nearest(name, [*names, *group_names])}"
            )
    for group in groups:
        if not wanted.isdisjoint([group.name, *group.levels]):
            wanted = (wanted - {group.name}) | set(group.levels)
    return frozenset(wanted)


def protect_by_name(
    features: Sequence[FeaturePolicy], columns: EncodedColumns, groups: Sequence[OneHot]
) -> tuple[tuple[FeaturePolicy, ...], Granted]:
    """Restrict every feature as its name suggests: protected attributes, history, time, identifiers.

    A one-hot group is treated as one category.
    """
    by_name = {feature.name: feature for feature in features}
    known = dict(zip(columns.names, columns.known, strict=True))
    in_groups = {level for group in groups for level in group.levels}
    changed: dict[str, FeaturePolicy] = {}
    grants: list[tuple[str, Grant | None]] = []
    for feature in features:
        if feature.name not in in_groups:
            grant = _grant(feature, known[feature.name])
            grants.append((feature.name, grant))
            changed[feature.name] = _restricted(feature, grant)
    for group in groups:
        grant = _grant_of_group(group)
        grants.append((group.name, grant))
        changed |= {level: _restricted(by_name[level], grant) for level in group.levels}
    granted = Granted(tuple((name, grant) for name, grant in grants if grant is not None))
    return tuple(changed[feature.name] for feature in features), granted


def _restricted(feature: FeaturePolicy, grant: Grant | None) -> FeaturePolicy:
    if grant is None:
        return feature
    if grant is Grant.NEVER_FALLS:
        return replace(feature, direction=Direction.UP)
    if grant is Grant.NEVER_RISES:
        return replace(feature, direction=Direction.DOWN)
    return replace(feature, fixed=True, protected=grant is Grant.PROTECTED)


def _grant_of_group(group: OneHot) -> Grant | None:
    hint = hint_of(group.name)
    # One protected level, such as "married", shows what the category is about.
    if any(likely_protected(name) for name in (group.name, *group.levels)):
        return Grant.PROTECTED
    return None if hint is None else Grant.FIXED


def _grant(feature: FeaturePolicy, known: FloatArray) -> Grant | None:
    hint = hint_of(feature.name)
    if hint is not None and hint.topic is Topic.PROTECTED:
        return Grant.PROTECTED
    if feature.kind is Kind.DATE:  # fixed in any case
        return None
    if _is_identifier(feature, known):
        return Grant.IDENTIFIER
    if hint is None:
        return None
    direction = _direction(feature, hint)
    if direction is None:
        return Grant.FIXED
    return Grant.NEVER_FALLS if direction is Direction.UP else Grant.NEVER_RISES


def _direction(feature: FeaturePolicy, hint: NameHint) -> Direction | None:
    """Return the direction of history and time, or None if only a fixed value is safe."""
    if hint.unclear or (feature.is_category and (feature.order is None or hint.topic is Topic.HISTORY)):
        return None
    if hint.topic is Topic.HISTORY:
        return Direction.UP
    # Some tables count days before today as negative numbers.
    counts_down = feature.high <= 0 and feature.low < 0
    return Direction.DOWN if counts_down or (hint.falls and feature.kind is Kind.BINARY) else Direction.UP


def _is_identifier(feature: FeaturePolicy, known: FloatArray) -> bool:
    """Return whether all values differ, in a column of text or one with the name of an identifier."""
    if len(known) < FEWEST_IDS or feature.order is not None:
        return False
    if feature.labels is not None:
        return len(feature.labels) == len(known)
    return feature.kind is Kind.WHOLE and names_ids(feature.name) and len(np.unique(known)) == len(known)
