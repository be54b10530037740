"""Prepare a combined score for a batch of instances: evaluate cells, and bound boxes, part by part."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.engine.grid.placement import CostTables
from p2ce.engine.scores.combined.combined_score import CombinedScore
from p2ce.engine.scores.external import Boxes, Placed, PreparedScore, Verdicts, decided
from p2ce.engine.scores.flat.flat_arrays import (
    ChainLines,
    FlatInstances,
    ScoreLayout,
    flatten_scores,
    lay_out_instances,
)
from p2ce.engine.scores.network.network import NetworkScore
from p2ce.engine.scores.network.network_batch import PreparedNetwork, lay_out
from p2ce.engine.scores.score import FlatScore
from p2ce.engine.scores.trees.grouped_columns import onto_compounds

if TYPE_CHECKING:
    from p2ce.engine.grid.base_grid import BaseGrid
    from p2ce.engine.grid.grouped_axis import Compound


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedCombined(PreparedScore):
    """A combined score, prepared for n instances: the flat parts as the kernels need them, and networks."""

    score: CombinedScore
    placed: Placed
    layout: ScoreLayout  # of the flat parts, in their order
    instances: FlatInstances
    flat_parts: IntArray  # their places among the parts
    networks: dict[int, PreparedNetwork]  # by their places among the parts

    @property
    def bounds_boxes(self) -> bool:
        return True

    def evaluate(self, instance: IntArray, cells: Int32Array, *, until: float | None = None) -> Verdicts:
        """Compare cells with the thresholds, and let the decider evaluate undecided ones."""
        return decided(self.prove(instance, cells), self.placed, instance, cells, until)

    def prove(self, instance: IntArray, cells: Int32Array) -> Verdicts:
        """Compare cells with the thresholds; a network's values are those of the whole row."""
        from p2ce.engine.scores.flat.score_cells import score_points

        instance = np.ascontiguousarray(instance, dtype=np.int64)
        cells = np.ascontiguousarray(cells, dtype=np.int32)
        low = np.empty((len(cells), len(self.score.parts)))
        high = low
        row, value = np.empty(self.instances.own.shape[2]), np.empty(len(cells))
        for number, part in enumerate(self.flat_parts.tolist()):
            score_points(self.layout.flat, number, self.instances, instance, cells, row, value)
            low[:, part] = value
        if self.networks:
            high = low.copy()
            for part, network in self.networks.items():
                low[:, part], high[:, part] = network.ends(instance, cells)
        return self.score.verdicts(low, high)

    def infeasible(self, instance: IntArray, boxes: Boxes) -> BoolArray:
        """Mark the boxes in which the number provably stays below everything that the model may accept."""
        top = self.highest(instance, boxes)
        with np.errstate(all="ignore"):
            return np.asarray(self.score.reported(top)[1] < self.score.reject_below)

    def highest(self, instance: IntArray, boxes: Boxes) -> FloatArray:
        """Bound the values of the parts from above over boxes: (boxes, parts)."""
        from p2ce.engine.scores.combined.part_kernels import BoundScratch, highest_parts
        from p2ce.engine.scores.flat.reachable_leaves import new_walk
        from p2ce.engine.scores.flat.records import SPAN

        top = np.empty((len(instance), len(self.score.parts)))
        instance = np.ascontiguousarray(instance, dtype=np.int64)
        axes = boxes.low.shape[1]
        if len(self.flat_parts):
            found = np.empty((len(instance), len(self.flat_parts)))
            highest_parts(
                self.layout.flat,
                self.instances,
                instance,
                np.ascontiguousarray(boxes.low, dtype=np.int32),
                np.ascontiguousarray(boxes.high, dtype=np.int32),
                np.ascontiguousarray(boxes.must, dtype=np.bool_),
                np.ascontiguousarray(boxes.changes_left, dtype=np.int64),
                BoundScratch(
                    np.zeros(axes, dtype=SPAN),
                    np.zeros(axes, dtype=np.int64),
                    new_walk(axes, self.layout.deepest),
                ),
                found,
            )
            top[:, self.flat_parts] = found
        for part, network in self.networks.items():
            top[:, part] = network.highest(instance, boxes)
        return top


def lay_out_parts(
    parts: Sequence[FlatScore | NetworkScore],
    grid: "BaseGrid",
    compounds: Sequence["Compound"] = (),
    chains: Sequence[ChainLines] = (),
) -> ScoreLayout:
    """Flatten the flat parts for a grid; those of grouped features follow the columns."""
    flat = [onto_compounds(part.flat, compounds) for part in parts if part.flat is not None]
    return flatten_scores(flat, grid, np.zeros(parts[0].column_count + len(compounds)), chains)


def prepare_parts(score: CombinedScore, placed: Placed) -> PreparedCombined:
    """Place the parts for a batch of instances; their thresholds have no meaning."""
    grid, placement = placed.grid, placed.placement
    layout = lay_out_parts(score.parts, grid) if score.layout is None else score.layout
    count, axes, width = placement.values.shape
    nothing = CostTables(
        steps=np.zeros((count, 0, axes, width)),
        envelope=np.zeros((count, 0, axes, width)),
        joins=np.zeros(0, dtype=np.int32),
        shares=np.zeros((count, 0)),
    )
    values = np.ascontiguousarray(placed.instances, dtype=np.float64)
    return PreparedCombined(
        score=score,
        placed=placed,
        layout=layout,
        instances=lay_out_instances(layout, placement, nothing, values, placed.chains),
        flat_parts=np.array(
            [at for at, part in enumerate(score.parts) if part.flat is not None], dtype=np.int64
        ),
        networks={
            at: lay_out(part, placed) for at, part in enumerate(score.parts) if isinstance(part, NetworkScore)
        },
    )
