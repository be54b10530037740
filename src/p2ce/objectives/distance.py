"""Distances in units of each column, which several objectives share; a changed category costs fixed units."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.engine.grid.candidate_costs import Join
from p2ce.objectives.objective import FittedObjective, Objective, Reference, Unit
from p2ce.objectives.objective_arguments import read_category, read_unit
from p2ce.tables.codebook import MISSING


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedDistance(FittedObjective):
    """|Δ| / ``unit``; ``flip`` where a category changes, or a value goes missing or is filled in."""

    keeps_the_rules: ClassVar[bool] = True
    name: str
    join: Join
    unit: FloatArray  # (d,) the distance that costs 1; infinite where moving is free
    flip: FloatArray  # (d,) the cost of a changed label, and of a change from or to missing
    is_category: BoolArray  # (d,)

    def costs(self, column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        """Price a column's values."""
        return self.table(np.array([column]), values[:, None], current[:, None])[:, 0]

    def table(self, columns: IntArray, values: FloatArray, current: FloatArray) -> FloatArray:
        """Price the values of several columns."""
        with np.errstate(invalid="ignore"):  # missing − missing is invalid here, and priced below
            moved: FloatArray = values - current
            np.abs(moved, out=moved)
            moved /= self.unit[columns, None]
        categories = self.is_category[columns, None]
        if categories.any() or not np.isfinite(moved).all():
            flips = categories | (values == MISSING) | (current == MISSING)
            flipped = np.where(values != current, self.flip[columns, None], 0.0)
            moved = np.where(flips, flipped, moved)
        return moved

    def switch(self, columns: tuple[int, ...], before: FloatArray, after: FloatArray) -> FloatArray:
        """Price a one-hot group as one category: the largest ``flip`` of its columns."""
        switched = (before != after).any(axis=2)
        return np.where(switched, self.flip[list(columns)].max(), 0.0)


@dataclass(frozen=True, slots=True)
class DistanceObjective(Objective):
    """A distance with one unit per column and equal weights."""

    fitted: ClassVar[type[FittedDistance]] = FittedDistance
    is_mean: ClassVar[bool] = False  # True divides by the number of numeric columns
    unit: Unit = field(default="robust", kw_only=True)
    category: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit", read_unit(self.unit, name=self.name))
        object.__setattr__(self, "category", read_category(self.category, name=self.name))

    def fit(self, reference: Reference) -> FittedObjective:
        """Measure the unit of every column."""
        parts = reference.number_count if self.is_mean else 1
        return self.fitted(
            name=self.name,
            join=self.join,
            unit=reference.unit(self.unit) * parts,
            flip=np.full(len(reference.names), self.category / parts),
            is_category=reference.is_category,
        )
