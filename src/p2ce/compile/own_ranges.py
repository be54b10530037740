"""Find the range that each instance must stay in: from limits relative to today, and limits of a row."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.compile.compiled_problem import Problem
from p2ce.engine.grid.own_candidates import OwnRanges
from p2ce.policy.features.feature import Kind
from p2ce.tables.codebook import MISSING


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowLimits:
    """The ranges, in the model's columns, that a caller states for single instances; infinite for none."""

    low: FloatArray  # (n, d)
    high: FloatArray  # (n, d)

    def __getitem__(self, some: IntArray | slice | list[int]) -> "RowLimits":
        return RowLimits(low=self.low[some], high=self.high[some])

    def keep(self, instance: IntArray, before: FloatArray, after: FloatArray) -> BoolArray:
        """Return which rows (n, d) of instances (n,) change values only to values inside their ranges."""
        fine = (after >= self.low[instance]) & (after <= self.high[instance])
        kept: BoolArray = (fine | (after == before) | (after == MISSING)).all(axis=1)
        return kept


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LimitedRows:
    """Encoded instances with limits of their own."""

    codes: FloatArray  # (n, d)
    limits: RowLimits

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, some: IntArray | slice | list[int]) -> "LimitedRows":
        return LimitedRows(codes=self.codes[some], limits=self.limits[some])


# Encoded instances (n, d). Whatever selects some of them keeps their limits.
Rows: TypeAlias = FloatArray | LimitedRows


def codes_of(rows: Rows) -> FloatArray:
    """Return the values of instances without their limits."""
    return rows.codes if isinstance(rows, LimitedRows) else rows


def own_ranges(problem: Problem, values: FloatArray, stated: RowLimits | None) -> OwnRanges | None:
    """Return the ranges of instances (n, d) on the axes of the grid; None if none has any."""
    limited = [place for place, feature in enumerate(problem.features) if feature.change is not None]
    low, high = (np.full(values.shape, end) for end in (-np.inf, np.inf))
    for place in limited:
        feature = problem.features[place]
        known, index = np.unique(values[:, place], return_inverse=True)
        ends = np.array([feature.own_range(value) for value in known.tolist()]).reshape(-1, 2)
        low[:, place], high[:, place] = ends[index].T
    if stated is not None:
        low, high = np.maximum(low, stated.low), np.minimum(high, stated.high)
        is_whole = [feature.kind is not Kind.NUMBER for feature in problem.features]
        low[:, is_whole], high[:, is_whole] = np.ceil(low[:, is_whole]), np.floor(high[:, is_whole])
    columns = problem.grid.columns
    alone = columns < len(problem.names)  # features that move together have limits on their levels
    shape = (len(values), len(columns))
    axis_low, axis_high = np.full(shape, -np.inf), np.full(shape, np.inf)
    axis_low[:, alone], axis_high[:, alone] = low[:, columns[alone]], high[:, columns[alone]]
    if not (np.isfinite(axis_low).any() or np.isfinite(axis_high).any()):
        return None
    with_ends = np.array(
        [
            not_grouped and problem.features[column].is_inferred
            for column, not_grouped in zip(columns.tolist(), alone.tolist(), strict=True)
        ],
        dtype=np.bool_,
    )
    return OwnRanges(axis_low, axis_high, with_ends)
