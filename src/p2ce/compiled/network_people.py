"""Lay a network out for a batch of people, and judge cells of their grids in large batches."""

from dataclasses import dataclass

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.compiled.foreign import DOUBTFUL, Boxes, Verdicts, verdicts
from p2ce.compiled.network import NetworkScore
from p2ce.compiled.network_layers import activate, forward
from p2ce.compiled.network_rounding import Reach, reach_of, row_error
from p2ce.compiled.seen import see_people
from p2ce.grid.base_grid import BaseGrid
from p2ce.grid.placement import Placement, point_rows

# A chunk's values of one layer fill about this many bytes, so that two layers stay in the cache.
CHUNK_BYTES = 400_000
REFINED_AT_ONCE = 4096


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NetworkPeople:
    """A network beside a batch of n people: their first layer, what they may change, and their rounding."""

    score: NetworkScore
    columns: IntArray  # (axes,)
    weights: FloatArray  # (axes, width) the first layer's rows of the columns that may change
    own: FloatArray  # (n, d) what the first layer reads of the people today
    base: FloatArray  # (n, width) the first layer of that, before the activation
    today: FloatArray  # (n,) the output of that
    seen: FloatArray  # (n, axes, candidates) what the first layer reads of every candidate
    position: Int32Array  # (n, axes)
    reach: Reach

    def judge(self, owner: IntArray, points: Int32Array) -> Verdicts:
        """Judge cells by the people's margin; those inside it by a margin of their own."""
        owner = np.ascontiguousarray(owner, dtype=np.int64)
        points = np.ascontiguousarray(points, dtype=np.int32)
        score = self.score
        with np.errstate(all="ignore"):
            value = self._values(owner, points)
            verdict = verdicts(value, self.reach.margin[owner], score.sure, score.maybe)
            doubtful = np.flatnonzero(verdict == DOUBTFUL)
            for start in range(0, len(doubtful), REFINED_AT_ONCE):
                cells = doubtful[start : start + REFINED_AT_ONCE]
                rows = self._rows(owner[cells], points[cells])
                value[cells] = forward(score.layers, rows)
                margin = row_error(score.layers, rows, score.unit, axes=0)
                verdict[cells] = verdicts(value[cells], margin, score.sure, score.maybe)
        return Verdicts(verdict, value)

    def hopeless(self, owner: IntArray, boxes: Boxes) -> BoolArray:
        """Mark the boxes of which it is proven that the model refuses every cell."""
        from p2ce.compiled.network_bounds import hopeless

        return hopeless(self, owner, boxes)

    def _values(self, owner: IntArray, points: Int32Array) -> FloatArray:
        from p2ce.compiled.network_kernel import add_bias, first_layer

        layers = self.score.layers
        widest = max(layer.weights.shape[1] for layer in layers)
        chunk = max(64, min(len(owner), CHUNK_BYTES // (8 * widest)))
        rooms = [np.empty((chunk, layer.weights.shape[1])) for layer in layers]
        value = np.empty(len(owner))
        before = rooms[0]
        for start in range(0, len(owner), chunk):
            cells = slice(start, min(start + chunk, len(owner)))
            size = cells.stop - cells.start
            for room, layer in zip(rooms, layers, strict=True):
                out = room[:size]
                bend = -1.0 if layer.is_curved else layer.below
                if room is rooms[0]:
                    first_layer(
                        self.base,
                        self.weights,
                        self.seen,
                        self.position,
                        owner[cells],
                        points[cells],
                        bend,
                        out,
                    )
                else:
                    np.dot(before, layer.weights, out=out)
                    add_bias(out, layer.bias, bend)
                if layer.is_curved:
                    activate(layer, out)
                before = out
            value[cells] = before[:, 0]
        return value

    def _rows(self, owner: IntArray, points: Int32Array) -> FloatArray:
        """Write cells as rows that the first layer reads."""
        return point_rows(self.columns, self.own, self.seen, owner, points)


def lay_out(score: NetworkScore, grid: BaseGrid, placement: Placement, people: FloatArray) -> NetworkPeople:
    """Show all candidates to the network once, and bound the rounding over every person's grid."""
    people = np.ascontiguousarray(people, dtype=np.float64)
    first = score.layers[0]
    with np.errstate(all="ignore"):
        own, seen = see_people(score.see, grid, placement, people)
        low, high = own.copy(), own.copy()
        if grid.axis_count:
            low[:, grid.columns] = seen.min(axis=2)
            high[:, grid.columns] = seen.max(axis=2)
        return NetworkPeople(
            score=score,
            columns=grid.columns,
            weights=np.ascontiguousarray(first.weights[grid.columns]),
            own=own,
            today=forward(score.layers, own),
            base=own @ first.weights + first.bias,
            seen=np.ascontiguousarray(seen),
            position=np.ascontiguousarray(placement.position, dtype=np.int32),
            reach=reach_of(score.layers, low, high, score.unit, axes=grid.axis_count),
        )
