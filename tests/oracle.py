"""Find a person's front by evaluating the user's own objects on every row that the stated problem allows.

This is the oracle of all tests with a model. Nothing here knows codes, boxes or bounds: rows are plain
Python values, None where one is missing, until they become a frame of the reference's own types. Candidates,
counts of changes and costs follow from their definitions, and rules are stated a second time in pandas.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

from p2ce import Explanation, Policy, Status, rules
from p2ce.policy.features.feature import FeaturePolicy
from p2ce.result import Counterfactual

SIGNIFICANT_BITS = 31  # costs count as equal when they agree in so many, about nine digits
MAX_JOINED = {"max_distance", "percentile_shift"}

Row = Mapping[str, Any]
Accepts = Callable[[pd.DataFrame], Any]  # typed rows → bools: models, detector, whatever must hold


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StatedRule:
    """A rule for p2ce, and the same in pandas: (person, rows as objects) → which rows keep it."""

    rule: rules.Rule
    keeps: Callable[[Row, pd.DataFrame], Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Link(StatedRule):
    """A feature that follows another one."""

    driver: str
    follower: str
    ratio: float
    counts: str

    def adds(self, person: Row, row: Row) -> Any:
        """Return what the driver adds to the follower."""
        known = (person[self.driver], row[self.driver], person[self.follower])
        return 0 if None in known else self.ratio * (known[1] - known[0])

    def may_arrive(self, person: Row, row: Row, policy: Policy) -> bool:
        """Return whether the follower may be where it goes."""
        feature, before, after = policy[self.follower], person[self.follower], row[self.follower]
        if before == after:
            return True
        if (feature.kind != "number" or feature.dtype.kind in "iub") and after != int(after):
            return False
        low, high = feature.ends()
        fits = low <= after <= high if feature.choices is None else after in feature.choices
        return bool(fits and (after - before) * feature.direction >= 0)


def added_up(links: Sequence[Link]) -> Callable[[Row, pd.DataFrame], Any]:
    """State in pandas that a follower moves by the sum of what its links say."""

    def keeps(person: Row, rows: pd.DataFrame) -> Any:
        own = person[links[0].follower]
        now = pd.to_numeric(rows[links[0].follower]).astype(float)
        if own is None:
            return now.isna()
        total = pd.Series(float(own), index=rows.index)
        for link in links:
            after, before = pd.to_numeric(rows[link.driver]).astype(float), person[link.driver]
            if before is not None:
                total += link.ratio * (after - float(before)).fillna(0.0)
        return now == total

    return keeps


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Group(StatedRule):
    """0/1 columns that are one category."""

    names: tuple[str, ...]
    may_be_none: bool

    def levels(self, person: Row, policy: Policy) -> list[Row]:
        """List the person's own level first, whether it is one or not, and the levels it may become."""
        own = {name: person[name] for name in self.names}
        levels = [{name: int(name == level) for name in self.names} for level in self.names]
        if self.may_be_none:
            levels.append(dict.fromkeys(self.names, 0))
        if policy[self.names[0]].fixed:
            levels = []
        return [own, *(level for level in levels if level != own)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Axis:
    """Columns that move as one: the values that they may have together, the present ones first."""

    levels: Sequence[Row]
    counts: np.ndarray  # (levels,) how many changes each is
    is_group: bool = False

    @property
    def columns(self) -> list[str]:
        return list(self.levels[0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Truth:
    """The front as every row gives it."""

    columns: tuple[str, ...]
    costs: set[tuple[int, ...]]  # in whole quanta
    rows: set[tuple[Any, ...]]  # every undominated row, ties included
    valid: int  # rows that are allowed and accepted
    allowed: int  # rows that constraints and rules allow, without the person's own


def brute_force_front(
    person: Mapping[str, Any] | pd.Series,
    reference: pd.DataFrame,
    policy: Policy,
    *,
    accepts: Accepts,
    objectives: Sequence[str],
    max_changes: int | None = None,
    stated: Sequence[StatedRule] = (),
) -> Truth:
    """Evaluate every row; ``policy`` are without the rules, which ``stated`` holds."""
    axes, cells = allowed_cells(person, policy, max_changes=max_changes, stated=stated)
    allowed = len(cells)
    if allowed:
        cells = cells[np.asarray(accepts(typed_cells(axes, cells, reference)), dtype=bool)]
    prices = Prices(reference)
    costs = np.column_stack([quanta(prices.totals(name, axes, cells)) for name in objectives])
    front = undominated(costs)
    best = cells[[cost in front for cost in map(tuple, costs.tolist())]] if len(cells) else cells
    values = plain_cells(axes, best)
    return Truth(
        columns=tuple(map(str, reference)),
        costs=front,
        rows=set(zip(*(values[str(name)] for name in reference), strict=True)),
        valid=len(cells),
        allowed=allowed,
    )


def assert_is_front(found: Explanation, truth: Truth, *, ties: bool = False) -> None:
    """State the law: what was found is the whole front, proven; with ties, every row of it."""
    assert found.status is (Status.OPTIMAL if truth.valid else Status.NO_RECOURSE)
    assert found.certificate is not None
    assert found.certificate.proven
    costs, rows = reported_quanta(found), rows_of(found, truth.columns)
    assert set(costs) == truth.costs
    assert costs == sorted(costs)
    assert len(set(rows)) == len(rows)
    if ties:
        assert set(rows) == truth.rows
    else:
        assert set(rows) <= truth.rows
        assert len(rows) == len(truth.costs)
    before = [plain(found.person[name]) for name in truth.columns]
    for option, row in zip(found, rows, strict=True):
        differs = {name for name, now, new in zip(truth.columns, before, row, strict=True) if now != new}
        assert option.changes.keys() == differs


def no_cheaper(after: Explanation, before: Explanation) -> bool:
    """Return whether for every option of ``after`` some option of ``before`` costs no more in anything."""

    def reaches(cheap: Counterfactual, expensive: Counterfactual) -> bool:
        return all(cheap.costs[name] <= expensive.costs[name] * (1.0 + 4e-9) for name in cheap.costs)

    return all(any(reaches(cheap, expensive) for cheap in before) for expensive in after)


def reported_quanta(found: Explanation) -> list[tuple[int, ...]]:
    """Return the costs of an explanation as they are compared."""
    names = found.objectives
    costs = np.array([[option.costs[name] for name in names] for option in found], dtype=np.float64)
    squared = np.array([name == "euclidean" for name in names])
    costs = costs.reshape(-1, len(names))
    return [tuple(row) for row in quanta(np.where(squared, costs**2, costs)).tolist()]


def rows_of(found: Explanation, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the counterfactuals as plain values."""
    return [tuple(plain(option.values[name]) for name in columns) for option in found]


# Which rows are allowed


def allowed_cells(
    person: Mapping[str, Any] | pd.Series,
    policy: Policy,
    *,
    max_changes: int | None = None,
    stated: Sequence[StatedRule] = (),
) -> tuple[list[Axis], np.ndarray]:
    """List the axes, and every cell (n, axes) but the person's own that constraints and rules allow."""
    now = {name: plain(person[name]) for name in policy.names}
    axes = _axes(now, policy, stated)
    limit = len(policy.names) if max_changes is None else max_changes
    blocks = [np.zeros((0, len(axes)), dtype=np.int64)]
    for size in range(1, min(limit, len(axes)) + 1):
        for support in map(list, combinations(range(len(axes)), size)):
            moves = np.indices([len(axes[axis].levels) - 1 for axis in support]).reshape(size, -1).T + 1
            block = np.zeros((len(moves), len(axes)), dtype=np.int64)
            block[:, support] = moves
            blocks.append(block)
    cells = np.concatenate(blocks)
    counted = sum((axis.counts[cells[:, place]] for place, axis in enumerate(axes)), np.zeros(len(cells)))
    cells = cells[counted <= limit]
    for one in stated:
        if len(cells):
            rows = pd.DataFrame(plain_cells(axes, cells), dtype=object)
            cells = cells[np.asarray(one.keeps(now, rows[list(policy.names)]), dtype=bool)]
    return axes, cells


def may_become(feature: FeaturePolicy, now: Any) -> list[Any]:
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


def _is_forward(feature: FeaturePolicy, now: Any, then: Any) -> bool:
    if not feature.direction:
        return True
    places = (now, then) if feature.order is None else (feature.order.index(now), feature.order.index(then))
    return bool((places[1] - places[0]) * feature.direction > 0)


def _axes(person: Row, policy: Policy, stated: Sequence[StatedRule]) -> list[Axis]:
    """Let every feature move on its own, except for groups, and followers, which move with their driver."""
    groups = [one for one in stated if isinstance(one, Group)]
    links = [one for one in stated if isinstance(one, Link)]
    axes = []
    for group in groups:
        levels = group.levels(person, policy)
        axes.append(Axis(levels=levels, counts=np.arange(len(levels)) > 0, is_group=True))
    elsewhere = {name for group in groups for name in group.names} | {link.follower for link in links}
    once = {link.follower for link in links if link.counts == "once"}
    met: set[str] = set()
    for feature in policy.features:
        if feature.name in elsewhere | met:
            continue
        drivers, followers = _linked_with(feature.name, links)
        met |= drivers
        each = [
            [{name: value} for value in [person[name], *may_become(policy[name], person[name])]]
            for name in sorted(drivers)
        ]
        levels = [{name: value for one in some for name, value in one.items()} for some in product(*each)]
        for follower, mine in followers.items():
            moved = [_followed(person, level, mine) for level in levels]
            levels = [{**level, follower: value} for level, value in zip(levels, moved, strict=True)]
            levels = [level for level in levels if mine[0].may_arrive(person, level, policy)]
        counts = [sum(level[name] != person[name] for name in level if name not in once) for level in levels]
        axes.append(Axis(levels=levels, counts=np.array(counts)))
    return axes


def _followed(person: Row, level: Row, links: Sequence[Link]) -> Any:
    """Return where a follower goes: nowhere if it is missing."""
    own = person[links[0].follower]
    return own if own is None else own + sum(link.adds(person, level) for link in links)


def _linked_with(driver: str, links: Sequence[Link]) -> tuple[set[str], dict[str, list[Link]]]:
    """Return all drivers that a feature shares a follower with, and the links of each follower, in order."""
    members, size = {driver}, 0
    while len(members) > size:
        size = len(members)
        for link in links:
            if {link.driver, link.follower} & members:
                members |= {link.driver, link.follower}
    causes: dict[str, list[Link]] = {}
    for link in links:
        if link.follower in members:
            causes.setdefault(link.follower, []).append(link)
    ordered: dict[str, list[Link]] = {}
    while len(ordered) < len(causes):
        for name, mine in causes.items():
            if name not in ordered and not {link.driver for link in mine} & (causes.keys() - ordered.keys()):
                ordered[name] = mine
    return members - causes.keys(), ordered


# Cells as rows


def plain(cell: Any) -> Any:
    """Return a cell as plain Python holds it, None where it is missing."""
    if cell is None or cell is pd.NA or cell != cell:
        return None
    return cell.item() if isinstance(cell, np.generic) else cell


def plain_row(frame: pd.DataFrame, place: int) -> dict[str, Any]:
    """Return one person as plain Python holds them."""
    return {str(name): plain(frame[name].iloc[place]) for name in frame}


def plain_cells(axes: Sequence[Axis], cells: np.ndarray) -> dict[str, np.ndarray]:
    """Return the plain values of cells, column by column."""
    columns = {}
    for place, axis in enumerate(axes):
        for name in axis.columns:
            values = np.empty(len(axis.levels), dtype=object)
            values[:] = [level[name] for level in axis.levels]
            columns[name] = values[cells[:, place]]
    return columns


def typed_cells(axes: Sequence[Axis], cells: np.ndarray, reference: pd.DataFrame) -> pd.DataFrame:
    """Write cells as the user would: in the reference's own types and order."""
    columns = {}
    for place, axis in enumerate(axes):
        typed = typed_rows(axis.levels, reference[axis.columns])
        for name in axis.columns:
            columns[name] = typed[name].take(cells[:, place]).reset_index(drop=True)
    return pd.DataFrame({name: columns[str(name)] for name in reference})


def typed_rows(rows: Sequence[Row], reference: pd.DataFrame) -> pd.DataFrame:
    """Write plain rows as the user would: in the reference's own types and order."""
    return pd.DataFrame(
        {
            name: pd.Series([row[str(name)] for row in rows], dtype=object).astype(dtype)
            for name, dtype in reference.dtypes.items()
        }
    )


# What changes cost


@dataclass(frozen=True, eq=False)
class Prices:
    """What changes cost, straight from the definitions; the reference gives units and shares."""

    reference: pd.DataFrame

    @cached_property
    def known(self) -> dict[str, np.ndarray]:
        """Sort the known values of every column of numbers."""
        return {
            str(name): np.sort(column.dropna().to_numpy(dtype=np.float64))
            for name, column in self.reference.items()
            if pd.api.types.is_numeric_dtype(column)
        }

    @cached_property
    def units(self) -> dict[str, float]:
        return {name: unit_of(known) for name, known in self.known.items()}

    def totals(self, objective: str, axes: Sequence[Axis], cells: np.ndarray) -> np.ndarray:
        """Price cells: (n,); euclidean stays squared."""
        join = np.maximum if objective in MAX_JOINED else np.add
        total = np.zeros(len(cells))
        for place, axis in enumerate(axes):
            total = join(total, self.of_axis(objective, axis)[cells[:, place]])
        return total

    def of_axis(self, objective: str, axis: Axis) -> np.ndarray:
        """Price every level of an axis: (levels,)."""
        if objective == "changes" or axis.is_group:  # a group is one feature: another level is another label
            return axis.counts * (1.0 if objective == "changes" else self._another_label(objective))
        join = np.max if objective in MAX_JOINED else np.sum
        now = axis.levels[0]
        return np.array(
            [
                join([self._change(objective, name, now[name], level[name]) for name in level])
                for level in axis.levels
            ]
        )

    def _another_label(self, objective: str) -> float:
        return 1.0 / max(1, len(self.known)) if objective == "mean_distance" else 1.0

    def _change(self, objective: str, column: str, before: Any, after: Any) -> float:
        if before == after:
            return 0.0
        if before is None or after is None or column not in self.known:
            return self._another_label(objective)
        known = self.known[column]
        if objective == "percentile_shift":
            shares = [
                (np.searchsorted(known, value, "left") + np.searchsorted(known, value, "right")) / 2
                for value in (before, after)
            ]
            return float(abs(shares[1] - shares[0]) / len(known))
        away = abs(float(after) - float(before)) / self.units[column]
        if objective == "euclidean":
            return float(away**2)
        assert objective in ("mean_distance", "max_distance")
        return float(away / len(self.known) if objective == "mean_distance" else away)


def unit_of(column: np.ndarray) -> float:
    """Return the deviation of a column (n,) without its tails."""
    distinct = len(np.unique(column))
    clipped = np.clip(column, *np.percentile(column, (1, 99))) if distinct > 2 else column
    if np.ptp(clipped) == 0:
        clipped = column
    return 1.0 if distinct == 1 else float(clipped.std())


def quanta(costs: np.ndarray) -> np.ndarray:
    """Round costs to significant bits, as whole numbers in the same order."""
    fraction, exponent = np.frexp(costs)
    whole = np.floor(fraction * 2.0**SIGNIFICANT_BITS + 0.5).astype(np.int64)
    step = np.int64(1) << (SIGNIFICANT_BITS - 1)  # from one power of two to the next
    return np.where(costs == 0.0, np.int64(-(1 << 62)), exponent.astype(np.int64) * step + whole)


def undominated(costs: np.ndarray) -> set[tuple[int, ...]]:
    """Return the cost vectors of (n, m) that no other one dominates."""
    left = np.unique(costs, axis=0)
    front = set()
    while len(left):
        best = left[0]  # nothing behind it in lexicographic order dominates it
        front.add(tuple(best.tolist()))
        left = left[(left < best).any(axis=1)]
    return front
