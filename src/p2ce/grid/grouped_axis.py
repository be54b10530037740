"""Let several columns move as one: a one-hot group, a feature and those that follow it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Compound:
    """An axis of its own for columns that move together; its candidates are tuples of their values.

    Inside, it is one more column behind the user's: its code is the number of a level.

    >>> home = Compound(name="Home", members=np.array([2, 0]), levels=np.eye(2), may_go_to=np.ones(2, bool))
    >>> home.codes_of(np.array([[0.0, 7.0, 1.0], [1.0, 7.0, 0.0], [1.0, 7.0, 1.0]])).tolist()
    [0.0, 1.0, nan]
    """

    name: str
    members: IntArray  # (k,) places of the columns
    levels: FloatArray  # (levels, k) the members' values at each level
    may_go_to: BoolArray  # (levels,) the others are only levels to start from
    may_stay: BoolArray | None = None  # (levels,) an instance at another level has to change; None: all
    is_category: bool = True  # priced as one category; otherwise as what the members cost
    # (k,) whose moves count as changes; of a category it is one, whichever members move.
    counted: BoolArray | None = None

    def codes_of(self, values: FloatArray) -> FloatArray:
        """Find the levels at which rows (n, d) stand; NaN where they stand at none."""
        mine = values[:, self.members]
        same = (mine[:, None, :] == self.levels[None, :, :]).all(axis=2)
        return np.where(same.any(axis=1), same.argmax(axis=1).astype(np.float64), np.nan)

    def values_at(self, codes: FloatArray) -> FloatArray:
        """Return the members' values (…, k) at levels (…)."""
        found: FloatArray = self.levels[codes.astype(np.int64)]
        return found

    def changes(self, before: FloatArray, after: FloatArray) -> FloatArray:
        """Count how many changes it is to go from the members' values (…, k) to others: (…)."""
        moved: BoolArray = before != after
        if self.counted is None:
            return np.asarray(moved.any(axis=-1), dtype=np.float64)
        return np.asarray((moved & self.counted).sum(axis=-1), dtype=np.float64)

    @property
    def may_count_more(self) -> bool:
        """Whether a move may be more than one change."""
        return self.counted is not None and bool(self.counted.sum() > 1)


def widen(values: FloatArray, compounds: Sequence[Compound]) -> FloatArray:
    """Put the levels of compounds behind rows (n, d)."""
    if not compounds:
        return values
    return np.column_stack([values, *(compound.codes_of(values) for compound in compounds)])


def narrow(rows: FloatArray, compounds: Sequence[Compound]) -> FloatArray:
    """Write the levels of wide rows into the members' columns, and give the user's columns alone."""
    if not compounds:
        return rows
    first = rows.shape[1] - len(compounds)
    narrow_rows = rows[:, :first].copy()
    for place, compound in enumerate(compounds):
        narrow_rows[:, compound.members] = compound.values_at(rows[:, first + place])
    return narrow_rows
