"""Find a person's front in a table of mixed kinds by asking the user's own calls about every row.

Nothing here knows codes: rows are plain Python values, None where one is missing, until they become a frame
of the column's own types that the user's model gets.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from p2ce import ActionSet
from p2ce.problem.feature import FeatureActions
from tests.properties.random_tables import plain
from tests.properties.rules_in_pandas import Group, Link, Spoken
from tests.properties.whole_grid import MAX_JOINED, quanta_of, unit_of

Person = Mapping[str, Any]
Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The front as every row gives it."""

    costs: set[tuple[int, ...]]  # in whole quanta
    rows: list[Row]  # every undominated row, equal ones included
    valid: int


def as_typed_frame(rows: Sequence[Person], reference: pd.DataFrame) -> pd.DataFrame:
    """Write rows as the user would: in the reference's own types."""
    frame = pd.DataFrame(
        {
            name: pd.Series([row[str(name)] for row in rows], dtype=object).astype(dtype)
            for name, dtype in reference.dtypes.items()
        }
    )
    return frame[list(reference.columns)]


def may_become(feature: FeatureActions, now: Any) -> list[Any]:
    """List where a value may go, without itself, by the constraints of the feature."""
    if feature.fixed:
        return []
    known = [plain(value) for value in feature.candidates()]
    if not feature.is_category and feature.dtype.kind in "biu":
        known = [bool(value) if feature.dtype.kind == "b" else int(value) for value in known]
    if now is None:
        return known if feature.fillable else []
    known = [value for value in known if value != now and _is_forward(feature, now, value)]
    return [*known, None] if feature.may_go_missing else known


def _is_forward(feature: FeatureActions, now: Any, then: Any) -> bool:
    if not feature.direction:
        return True
    places = (now, then) if feature.order is None else (feature.order.index(now), feature.order.index(then))
    return bool((places[1] - places[0]) * feature.direction > 0)


def reachable_rows(
    person: Person, actions: ActionSet, spoken: Sequence[Spoken], max_changes: int | None
) -> list[Row]:
    """List every row that constraints and rules allow, without the person's own."""
    groups = [one for one in spoken if isinstance(one, Group)]
    links = [one for one in spoken if isinstance(one, Link)]
    moved_otherwise = {name for group in groups for name in group.names} | {one.follower for one in links}
    parts: list[list[Row]] = [group.positions(person, actions) for group in groups]
    for feature in actions.features:
        if feature.name not in moved_otherwise:
            now = person[feature.name]
            parts.append([{feature.name: value} for value in [now, *may_become(feature, now)]])
    found = []
    for choice in product(*parts):
        row = {name: value for part in choice for name, value in part.items()}
        for link in _in_order(links):
            row[link.follower] = link.follow(person, row)
        row = {name: row[name] for name in actions.names}
        if not all(link.may_arrive(person, row, actions) for link in links):
            continue
        changes = counted_changes(person, row, groups, links)
        if changes and (max_changes is None or changes <= max_changes):
            found.append(row)
    for one in spoken:
        if found:
            kept = one.keeps(person, pd.DataFrame(found, dtype=object))
            found = [row for row, keeps in zip(found, kept, strict=True) if keeps]
    return found


def _in_order(links: Sequence[Link]) -> list[Link]:
    """Put every link behind that of its driver."""
    followers = {link.follower: link for link in links}

    def depth(link: Link) -> int:
        return 0 if link.driver not in followers else 1 + depth(followers[link.driver])

    return sorted(links, key=depth)


def counted_changes(person: Person, row: Person, groups: Sequence[Group], links: Sequence[Link]) -> int:
    """Count changes: a group is one, and what follows another counts only if it was said to."""
    once = {name for group in groups for name in group.names}
    once |= {link.follower for link in links if link.counts == "once"}
    changes = sum(row[name] != person[name] for name in row if name not in once)
    return changes + sum(any(row[name] != person[name] for name in group.names) for group in groups)


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """What changes cost, straight from the definitions; made from the reference."""

    reference: pd.DataFrame

    def of(self, name: str, person: Person, rows: Sequence[Row], spoken: Sequence[Spoken]) -> np.ndarray:
        """Price what moves on its own, a column each: (n, axes)."""
        groups = [one for one in spoken if isinstance(one, Group)]
        links = [one for one in spoken if isinstance(one, Link)]
        in_group = {column for group in groups for column in group.names}
        prices = {
            column: np.array([self._change(name, column, person[column], row[column]) for row in rows])
            for column in person
            if column not in in_group
        }
        for link in reversed(_in_order(links)):  # a follower's price is part of its driver's
            follower = prices.pop(link.follower)
            if name == "changes" and link.counts == "once":
                continue
            join = np.maximum if name in MAX_JOINED else np.add
            prices[link.driver] = join(prices[link.driver], follower)
        for group in groups:
            moved = [any(row[column] != person[column] for column in group.names) for row in rows]
            prices[group.name] = np.array(moved) * self._flip(name)
        return np.column_stack(list(prices.values()))

    def _numbers(self) -> list[str]:
        return [name for name in self.reference if self._is_number(name)]

    def _is_number(self, name: str) -> bool:
        return bool(pd.api.types.is_numeric_dtype(self.reference[name]))

    def _flip(self, name: str) -> float:
        return 1.0 / max(1, len(self._numbers())) if name == "mean_distance" else 1.0

    def _change(self, name: str, column: str, before: Any, after: Any) -> float:
        if before == after:
            return 0.0
        if name == "changes":
            return 1.0
        if before is None or after is None or not self._is_number(column):
            return self._flip(name)
        known = self.reference[column].dropna().to_numpy(dtype=np.float64)
        if name == "percentile_shift":
            shares = [((known < value).sum() + (known <= value).sum()) / 2 for value in (before, after)]
            return float(abs(shares[1] - shares[0]) / len(known))
        away = abs(float(after) - float(before)) / unit_of(known)
        if name == "euclidean":
            return float(away**2)
        return float(away / len(self._numbers()) if name == "mean_distance" else away)


def brute_force_front(
    person: Person,
    reference: pd.DataFrame,
    actions: ActionSet,
    *,
    accepts: Callable[[pd.DataFrame], np.ndarray],
    spoken: Sequence[Spoken] = (),
    max_changes: int | None = None,
    objectives: Sequence[str],
) -> Truth:
    """Ask about everything."""
    rows = reachable_rows(person, actions, spoken, max_changes)
    if rows:
        fine = accepts(as_typed_frame(rows, reference))
        rows = [row for row, good in zip(rows, fine, strict=True) if good]
    if not rows:
        return Truth(costs=set(), rows=[], valid=0)
    prices = Prices(reference)
    costs = np.column_stack([quanta_of(name, prices.of(name, person, rows, spoken)) for name in objectives])
    cheaper = (costs[:, None, :] <= costs[None, :, :]).all(axis=2) & (
        costs[:, None, :] < costs[None, :, :]
    ).any(axis=2)
    best = np.flatnonzero(~cheaper.any(axis=0)).tolist()
    return Truth(
        costs={tuple(costs[row].tolist()) for row in best}, rows=[rows[row] for row in best], valid=len(rows)
    )
