"""Evaluate listed cells with a flat score, in the order in which its library adds."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from p2ce.base.arrays import Int32Array, IntArray
from p2ce.engine.scores.external import PreparedScore, Verdicts, verdicts_at
from p2ce.engine.scores.score import FlatScore

if TYPE_CHECKING:  # the kernels load Numba, which takes a second
    from p2ce.engine.scores.flat.flat_arrays import FlatInstances, ScoreLayout


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedFlat(PreparedScore):
    """A flat score, prepared for a batch of instances. The kernel itself bounds its boxes."""

    score: FlatScore
    layout: "ScoreLayout"
    number: int  # of the score in the layout
    instances: "FlatInstances"

    def evaluate(
        self,
        instance: IntArray,
        cells: Int32Array,
        *,
        until: float | None = None,  # noqa: ARG002
    ) -> Verdicts:
        """Compare the values of cells with the certified thresholds."""
        return self.prove(instance, cells)

    def prove(self, instance: IntArray, cells: Int32Array) -> Verdicts:
        """Compare the values of cells with the certified thresholds."""
        from p2ce.engine.scores.flat.score_cells import score_points

        value = np.empty(len(cells))
        row = np.empty(self.instances.own.shape[2])
        cells = np.ascontiguousarray(cells)
        score_points(self.layout.flat, self.number, self.instances, instance, cells, row, value)
        certified = self.instances.thresholds[instance, self.number]
        return Verdicts(
            verdicts_at(value, certified["value_accept_from"], certified["value_reject_below"]), value
        )
