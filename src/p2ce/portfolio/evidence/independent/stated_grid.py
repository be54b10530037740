"""Compare a front with the cells of a grid: with all cells if they are few, else with a sample."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from p2ce.portfolio.evidence.independent.stated_model import StatedModel
from p2ce.portfolio.evidence.independent.stated_policy import GAP, SampledOnly, StatedPolicy, Unchecked
from p2ce.portfolio.evidence.independent.stated_reference import StatedCosts

MOST_CELLS, SAMPLES, ALONE = 200_000, 50_000, 100
EQUAL = 1 + 2e-9  # costs within this factor are equal, since rounding makes no trade-off

Axes = Sequence[tuple[list[int], Any]]  # the positions of each axis's columns, and its moves as codes


def covers(cost: Any, costs: Any, *, ties: bool = False) -> Any:
    """Return which costs (n, objectives) one cost dominates, or equals unless ties count."""
    no_more = (cost <= costs * EQUAL).all(axis=-1)
    return no_more & (cost * EQUAL < costs).any(axis=-1) if ties else no_more


def repeated(rows: Any) -> Any:
    """Return which rows (n, d) equal an earlier row."""
    return np.array([(rows[:place] == row).all(axis=1).any() for place, row in enumerate(rows)], dtype=bool)


def dominated(costs: Any) -> Any:
    """Return which costs (n, objectives) another of them dominates."""
    return np.array([any(covers(other, cost, ties=True) for other in costs) for cost in costs], dtype=bool)


@dataclass
class StatedGrid:
    """The person's possible moves on every axis. Features that move together are one axis."""

    policy: StatedPolicy
    listed: list[dict[str, Any]] | None  # the axes of evidence.json
    most: int  # changes

    @cached_property
    def axes(self) -> dict[tuple[str, ...], Any]:
        """The features of every axis, and their codes (moves, features)."""
        if self.listed is None:
            raise Unchecked("the file has no grid, because it was saved without the model")
        moves = {tuple(axis["features"]): axis["values"] for axis in self.listed}
        return {names: self.policy.codes(names, values) for names, values in moves.items()}

    def off_grid(self, rows: Any, refined: bool = False) -> Any:
        """Return which rows (n, d) are off the grid; with ``refined``, only stated candidates are exact."""
        moved, known = rows != self.policy.before, np.zeros(len(self.policy.names), dtype=bool)
        wrong = np.zeros(len(rows), dtype=bool)
        for names, moves in self.axes.items():
            place = self.policy.at(names)
            there = (rows[:, None, place] == moves).all(axis=2).any(axis=1)
            if refined and len(names) == 1 and self._stated(names[0]) is None:
                low, high = (moves.min(), moves.max()) if len(moves) else (np.inf, -np.inf)
                there |= (rows[:, place[0]] >= low) & (rows[:, place[0]] <= high)
            wrong |= moved[:, place].any(axis=1) & ~there
            known[place] = True
        return wrong | moved[:, ~known].any(axis=1)

    def unlike_certificate(self, certificate: dict[str, Any]) -> Iterator[str]:
        """Compare the numbers of axes and cells with those in the certificate."""
        if not certificate:
            return
        cells = certificate["cells"]
        if isinstance(cells, dict):  # a huge number, in hexadecimal
            cells = int(cells["int"], 16)
        found = {
            "axes": sum(len(moves) > 0 for moves in self.axes.values()),
            "cells": self._count(self._placed),
        }
        for what, number in {"axes": certificate["axes"], "cells": cells}.items():
            if number != found[what]:
                yield f"it has another number of {what} than the certificate"

    def repeats(self) -> Iterator[str]:
        """Yield features with two axes, and axes with repeated or empty moves."""
        names = [name for axis in self.listed or () for name in axis["features"]]
        yield from (f"{name} has two axes" for name in self.policy.names if names.count(name) > 1)
        for axis, moves in self.axes.items():
            stays = (moves == self.policy.before[self.policy.at(axis)]).all(axis=1)
            if stays.any() or repeated(moves).any():
                yield f"the moves of {' and '.join(axis)} are not all different"

    def require_groups(self) -> None:
        """Raise if grouped features lack an axis, which may be correct if they have no move."""
        known = {name for axis in self.axes for name in axis}
        for rule in self.policy.rules:
            members = self._moved_by(rule)
            for name in (
                members if rule["rule"] == "one_hot" else members[:1]
            ):  # a follower waits for its driver
                if self.policy.may_change(name) and name not in known:
                    raise Unchecked(f"{name} has no axis; perhaps its group has no move")

    def unlike_policy(self) -> Iterator[str]:
        """Yield features that lack an axis, and features whose candidates differ from the policy."""
        together = {name for rule in self.policy.rules for name in self._moved_by(rule)}
        for place, name in enumerate(self.policy.names):
            if name in together:
                continue
            if self.policy.may_change(name) and (name,) not in self.axes:
                yield f"{name} may change but has no axis"
                continue
            stated = self._stated(name)
            if stated is None:
                continue
            rows = np.repeat(self.policy.before[None], len(stated), axis=0)
            rows[:, place] = stated
            fine = self.policy.feature_allows(name, rows) & (stated != self.policy.before[place])
            known = self.axes.get((name,), np.empty((0, 1)))[:, 0]
            known, wanted = np.sort(known[known != GAP]), np.sort(stated[fine])
            if len(known) != len(wanted) or not np.allclose(known, wanted, rtol=1e-6):
                yield f"the candidates of {name} are not those of the policy"

    def _moved_by(self, rule: dict[str, Any]) -> list[Any]:
        kinds = {"one_hot": rule.get("columns", []), "linked": [rule.get("driver"), rule.get("follower")]}
        return list(kinds.get(rule["rule"], ()))

    def _stated(self, name: str) -> Any:
        """Return the candidates that the policy states; None if they come from the data."""
        one = self.policy.features[name]
        if "candidates" in one or "labels" in one:
            values = one["candidates"] if "candidates" in one else one["labels"]
            return self.policy.codes([name], [[value] for value in values])[:, 0]
        if "inferred_candidates" in one or ("step" not in one and one["kind"] != "binary"):
            return None
        low, high = one["range"] if "range" in one else one.get("seen", (0, 1))
        start, step = one.get("count_from", 0), one.get("step", 1)
        first, last = np.ceil((low - start) / step - 1e-9), np.floor((high - start) / step + 1e-9)
        if low == high or last - first > MOST_CELLS:
            return np.array([low]) if low == high else None
        return start + step * np.arange(first, last + 1)

    def counterexamples(
        self, front: Any, costs: StatedCosts, judge: StatedModel, certificate: dict[str, Any]
    ) -> tuple[list[str], str]:
        """Return allowed, plausible, accepted cells that no option covers, and how many were tried."""
        if not certificate.get("proven") or certificate["method"] != "exact":
            raise Unchecked("the explanation claims no complete front")
        known, ties = costs.costs(front), certificate["ties"]

        def is_open(rows: Any) -> Any:
            priced, covered = costs.costs(rows), np.zeros(len(rows), dtype=bool)
            for cost in known:
                covered |= covers(cost, priced, ties=ties)
            return ~covered

        # More moves never lower a cost, so a cell is covered if one of its moves alone is covered.
        axes = self._placed
        left = [(place, moves[is_open(self._rows([(place, moves)]))]) for place, moves in axes]
        rows, share = self._all_cells(left), "all"
        if rows is None:
            rows = self._sample(left)
            share = f"a sample of {len(rows):,} of"
        rows = rows[is_open(rows) & (self.policy.count(rows) <= self.most)]
        for row in front:  # options of equal cost do not cover each other
            rows = rows[(rows != row).any(axis=1)]
        rows = rows[self.policy.allows(rows)]
        rows = rows[costs.plausibility(rows)[1]]
        note = f"{share} {self._count(axes):,} grid cells, {len(rows):,} by the model"
        rows = rows[judge(rows)[1]][:ALONE]
        # One by one, since libraries round a row differently in a batch.
        found = [row for row in rows if judge(row[None])[1][0]]
        if share != "all" and not found:
            raise SampledOnly(note)
        return [f"{self._text(row)} is accepted, but no option covers it" for row in found], note

    @property
    def _placed(self) -> Axes:
        return [(self.policy.at(names), moves) for names, moves in self.axes.items()]

    def _count(self, axes: Axes) -> int:
        """Count the cells with at most ``most`` moves."""
        counts = [1, *[0] * min(self.most, len(axes))]
        for _, moves in axes:
            counts = [1, *(more + less * len(moves) for less, more in pairwise(counts))]
        return sum(counts[1:])

    def _rows(self, support: Axes) -> Any:
        """Return all cells that move on exactly these axes, as rows."""
        picks = np.indices([len(moves) for _, moves in support]).reshape(len(support), -1)
        rows = np.repeat(self.policy.before[None], picks.shape[1], axis=0)
        for (place, moves), pick in zip(support, picks, strict=True):
            rows[:, place] = moves[pick]
        return rows

    def _all_cells(self, axes: Axes) -> Any:
        """Return all cells as rows; None if there are too many."""
        if self._count(axes) > MOST_CELLS:
            return None
        sizes = range(1, min(self.most, len(axes)) + 1)
        blocks = [self._rows(support) for size in sizes for support in combinations(axes, size)]
        return np.concatenate([np.empty((0, len(self.policy.names))), *blocks])

    def _sample(self, axes: Axes) -> Any:
        """Draw cells, many with small moves, which may be cheaper than the options."""
        rng, before, axes = np.random.default_rng(0), self.policy.before, [one for one in axes if len(one[1])]
        rows = np.repeat(before[None], SAMPLES, axis=0)
        rank = rng.random((SAMPLES, len(axes))).argsort(axis=1).argsort(axis=1)
        moving = rank < rng.integers(1, min(self.most, len(axes)) + 1, SAMPLES)[:, None]
        for axis, (place, moves) in enumerate(axes):
            who = np.flatnonzero(moving[:, axis])
            far = np.abs(np.nan_to_num(moves) - np.nan_to_num(before[place])).sum(axis=1)
            pick = (len(moves) * rng.random(len(who)) ** rng.choice([1, 3], len(who))).astype(int)
            rows[who[:, None], place] = moves[far.argsort()[pick]]
        return np.unique(rows, axis=0)

    def _text(self, row: Any) -> str:
        moved = np.flatnonzero(row != self.policy.before)
        return ", ".join(
            f"{self.policy.names[at]} at {self.policy.shown(at, row[at])}" for at in moved.tolist()
        )
