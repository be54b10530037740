"""One axis for several columns that move together: a one-hot group, or linked features."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Compound:
    """One axis for columns that move together. Its candidates, called levels, are tuples of their values.

    Internally it is an additional column after the user's columns. Its code is the number of a level. All
    instances share the levels; those of linked features are in `Chain`.

    >>> home = Compound(name="Home", members=np.array([2, 0]), levels=np.eye(2), may_go_to=np.ones(2, bool))
    >>> home.codes_of(np.array([[0.0, 7.0, 1.0], [1.0, 7.0, 0.0], [1.0, 7.0, 1.0]])).tolist()
    [0.0, 1.0, nan]
    """

    name: str
    members: IntArray  # (k,) positions of the columns
    levels: FloatArray  # (levels, k) the members' values at each level
    may_go_to: BoolArray  # (levels,) whether a level is a candidate; otherwise it can only be the current one
    may_stay: BoolArray | None = None  # (levels,) False where an instance must change; None: always True

    def codes_of(self, values: FloatArray) -> FloatArray:
        """Return the current levels of rows (n, d); NaN for a row at none of them."""
        mine = values[:, self.members]
        same = (mine[:, None, :] == self.levels[None, :, :]).all(axis=2)
        return np.where(same.any(axis=1), same.argmax(axis=1).astype(np.float64), np.nan)

    def values_at(self, codes: FloatArray) -> FloatArray:
        """Return the members' values (…, k) at levels (…)."""
        found: FloatArray = self.levels[codes.astype(np.int64)]
        return found

    def changes(self, before: FloatArray, after: FloatArray) -> FloatArray:
        """Count the changes between two sets of the members' values (…, k): any move counts as one (…)."""
        return np.asarray((before != after).any(axis=-1), dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chain:
    """One axis for drivers and the features linked to them, by their sums.

    Followers move relative to an instance's own values, so each instance has its own levels. As for a
    `Compound`, the axis is an additional column, and its code is the number of one of the instance's levels.
    """

    name: str
    members: IntArray  # (k,) positions of the columns: first the drivers that follow nothing, then the others
    drivers: int  # the number of members that follow nothing
    counted: BoolArray  # (k,) the members whose moves count as changes

    def changes(self, before: FloatArray, after: FloatArray) -> FloatArray:
        """Count the changes between two sets of the members' values (…, k): (…)."""
        return np.asarray(((before != after) & self.counted).sum(axis=-1), dtype=np.float64)

    @property
    def may_count_more(self) -> bool:
        """Whether one move along the axis may count as several changes."""
        return bool(self.counted.sum() > 1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChainLevels:
    """The levels of a chain for a batch of n instances: the members' values at each of them."""

    values: FloatArray  # (n, width, k); an instance's last level is repeated to fill the width
    count: IntArray  # (n,) the number of levels
    own: IntArray  # (n,) the number of the current level

    def values_at(self, instance: IntArray, codes: FloatArray) -> FloatArray:
        """Return the members' values (…, k) at levels (…) of instances (…)."""
        found: FloatArray = self.values[instance, codes.astype(np.int64)]
        return found

    def codes_of(self, instance: int, members: FloatArray) -> FloatArray:
        """Return the levels of an instance at which the members have these values (m, k); NaN for none."""
        mine = self.values[instance, : self.count[instance]]
        same = (members[:, None, :] == mine[None, :, :]).all(axis=2)
        return np.where(same.any(axis=1), same.argmax(axis=1).astype(np.float64), np.nan)


def with_levels(values: FloatArray, compounds: Sequence[Compound]) -> FloatArray:
    """Append the levels of the compounds to rows (n, d)."""
    if not compounds:
        return values
    return np.column_stack([values, *(compound.codes_of(values) for compound in compounds)])


def without_levels(rows: FloatArray, compounds: Sequence[Compound]) -> FloatArray:
    """Write the levels of wide rows into the members' columns, and return the user's columns only."""
    if not compounds:
        return rows
    first = rows.shape[1] - len(compounds)
    narrow_rows = rows[:, :first].copy()
    for place, compound in enumerate(compounds):
        narrow_rows[:, compound.members] = compound.values_at(rows[:, first + place])
    return narrow_rows
