"""The score of a number that never falls in any of several parts, each of them a score with a bound."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.engine.scores.external import (
    ACCEPT,
    REJECT,
    UNDECIDED,
    Placed,
    PreparedRows,
    PreparedScore,
    Verdicts,
)
from p2ce.engine.scores.network.network import NetworkScore
from p2ce.engine.scores.network.network_layers import forward
from p2ce.engine.scores.network.network_rounding import row_error
from p2ce.engine.scores.score import Bound, FlatScore, require_ordered, score_rows
from p2ce.errors import InvalidModel

# Below this number of walks down trees, NumPy is quick enough. Parsing a model already walks more.
_FEW_WALKS = 64

if TYPE_CHECKING:
    from p2ce.engine.grid.base_grid import BaseGrid
    from p2ce.engine.grid.grouped_axis import Compound
    from p2ce.engine.scores.flat.flat_arrays import ChainLines, ScoreLayout


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CombinedScore:
    """A number of several parts that must reach a threshold; see `Combination` for ``reported``.

    The thresholds apply to the number as the library reports it. ``layout`` has the parts on the grid that
    it is prepared for; it is filled in once for all batches (`laid_out`).
    """

    name: str
    column_count: int
    parts: tuple[FlatScore | NetworkScore, ...]
    reported: Callable[[FloatArray], tuple[FloatArray, FloatArray]]
    accept_from: float
    reject_below: float
    layout: "ScoreLayout | None" = None

    def __post_init__(self) -> None:
        require_ordered(self.name, self.accept_from, self.reject_below)
        for part in self.parts:
            if part.column_count != self.column_count:
                raise InvalidModel(
                    f"The parts of the score {echoed(self.name)} expect {self.column_count} and "
                    f"{part.column_count} columns. State all of them over the same columns."
                )
            if part.flat is not None and part.flat.spending is not None:
                raise InvalidModel("A budget is a separate score and no part of another. State it alone.")

    @property
    def bound(self) -> Bound:
        """Boxes are bounded by the combination of the bounds of the parts."""
        return Bound.COMBINED

    @property
    def flat(self) -> None:
        """None: it is evaluated in batches outside the kernel."""
        return

    @property
    def is_flat(self) -> bool:
        """Whether all parts are flat."""
        return all(part.flat is not None for part in self.parts)

    def verdicts(self, low: FloatArray, high: FloatArray) -> Verdicts:
        """Compare rows whose parts have values between ``low`` and ``high`` (n, parts) with the thresholds.

        A part without a value proves nothing.
        """
        with np.errstate(all="ignore"):
            bottom, top = self.reported(low)[0], self.reported(high)[1]
            unknown = (np.isnan(low) | np.isnan(high)).any(axis=1) | np.isnan(bottom) | np.isnan(top)
            accepted, rejected = bottom >= self.accept_from, top < self.reject_below
            verdict = np.where(accepted, ACCEPT, np.where(rejected, REJECT, UNDECIDED))
            value = np.where(bottom == top, top, bottom + (top - bottom) / 2.0)
        verdict[unknown] = UNDECIDED
        value[unknown] = np.nan
        return Verdicts(verdict, value)

    def evaluate_rows(self, rows: FloatArray) -> Verdicts:
        """Evaluate rows of the user's values, each from scratch."""
        rows = np.asarray(rows, dtype=np.float64)
        with np.errstate(all="ignore"):
            ends = [part_ends(part, rows) for part in self.parts]
        low, high = (np.column_stack(side) for side in zip(*ends, strict=True))
        return self.verdicts(low, high)

    def with_parts(
        self, change: Callable[[FlatScore | NetworkScore], FlatScore | NetworkScore]
    ) -> "CombinedScore":
        """Return the same number of changed parts, such as the same parts over other columns."""
        parts = tuple(map(change, self.parts))
        return replace(self, parts=parts, column_count=parts[0].column_count, layout=None)

    def laid_out(
        self, grid: "BaseGrid", compounds: Sequence["Compound"] = (), chains: Sequence["ChainLines"] = ()
    ) -> "CombinedScore":
        """Lay the flat parts out on a grid, whose axes may move columns of compounds or chains together."""
        from p2ce.engine.scores.combined.prepared_combined import lay_out_parts

        return replace(self, layout=lay_out_parts(self.parts, grid, compounds, chains))

    def prepare(self, placed: Placed) -> PreparedScore:
        """Prepare the parts for a batch; networks on grouped axes are evaluated as rows."""
        from p2ce.engine.scores.combined.prepared_combined import prepare_parts

        if placed.is_grouped and not (self.is_flat and self.layout is not None):
            return PreparedRows(evaluate_rows=self.evaluate_rows, placed=placed)
        return prepare_parts(self, placed)


def part_ends(part: FlatScore | NetworkScore, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the ends of a part's value for rows: the value of a network has an error."""
    if isinstance(part, NetworkScore):
        from p2ce.engine.scores.network.network_batch import ends_of

        seen = part.see(rows)
        value = forward(part.layers, seen)
        return ends_of(value, row_error(part.layers, seen, part.unit, axes=0))
    value = sums_of_rows(part, rows)
    return value, value


def sums_of_rows(part: FlatScore, rows: FloatArray) -> FloatArray:
    """Compute what `score_rows` computes, bit by bit; the walks down many trees are compiled."""
    forest = part.forest
    if forest is None or len(rows) * forest.tree_count < _FEW_WALKS:
        return score_rows(part, rows)
    from p2ce.engine.scores.flat.tree_kernels import sum_leaves

    seen, value = np.ascontiguousarray(part.see(rows), dtype=np.float64), np.empty(len(rows))
    sum_leaves(
        forest.root, forest.feature, forest.threshold, forest.right, forest.value, part.offset, seen, value
    )
    return value
