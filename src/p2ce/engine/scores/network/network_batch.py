"""Prepare a network for a batch of instances, and evaluate cells of their grids in large batches."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import Placement, seen_ends, spread
from p2ce.engine.scores.external import (
    UNDECIDED,
    Boxes,
    Placed,
    PreparedScore,
    Verdicts,
    decided,
    verdicts_within,
)
from p2ce.engine.scores.network.network import NetworkScore
from p2ce.engine.scores.network.network_layers import activate, forward
from p2ce.engine.scores.network.network_rounding import Reach, reach_of, row_error

# A chunk's values of one layer fill about this many bytes, so that two layers stay in the cache.
CHUNK_BYTES = 400_000
REFINED_AT_ONCE = 4096


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedNetwork(PreparedScore):
    """A network, prepared for n instances: their first layer, what they may change, and their rounding."""

    score: NetworkScore
    placed: Placed
    inputs: IntArray  # (moving,) inputs of the columns that may change; those of an axis are adjacent
    axis_of: IntArray  # (moving,) the axis of each of these inputs
    first: IntArray  # (axes + 1,) where the inputs of each axis begin
    plain: BoolArray  # (axes,) whether the axis has one input, which never decreases along it
    weights: FloatArray  # (moving, width) the first layer's rows of these inputs
    own: FloatArray  # (n, inputs) the first layer's inputs at the current values
    base: FloatArray  # (n, width) the first layer at the current values, before the activation
    own_output: FloatArray  # (n,) the output at the current values
    seen: FloatArray  # (n, moving, candidates) the first layer's inputs for every candidate
    position: Int32Array  # (n, axes)
    reach: Reach

    @property
    def bounds_boxes(self) -> bool:
        return True

    def evaluate(self, instance: IntArray, cells: Int32Array, *, until: float | None = None) -> Verdicts:
        """Compare cells by the instance's margin, undecided ones by their own, and then by the decider."""
        instance = np.ascontiguousarray(instance, dtype=np.int64)
        cells = np.ascontiguousarray(cells, dtype=np.int32)
        score = self.score
        with np.errstate(all="ignore"):
            value = self._values(instance, cells)
            verdict = verdicts_within(
                value, self.reach.margin[instance], score.accept_from, score.reject_below
            )
            undecided = np.flatnonzero(verdict == UNDECIDED)
            for start in range(0, len(undecided), REFINED_AT_ONCE):
                some = undecided[start : start + REFINED_AT_ONCE]
                rows = self._rows(instance[some], cells[some])
                value[some] = forward(score.layers, rows)
                margin = row_error(score.layers, rows, score.unit, axes=0)
                verdict[some] = verdicts_within(value[some], margin, score.accept_from, score.reject_below)
        return decided(Verdicts(verdict, value), self.placed, instance, cells, until)

    def prove(self, instance: IntArray, cells: Int32Array) -> Verdicts:
        """Evaluate the rows: adding changes to the base is less exact, the farther out an instance lies."""
        return self.score.evaluate_rows(self.placed.rows(instance, cells))

    def infeasible(self, instance: IntArray, boxes: Boxes) -> BoolArray:
        """Mark the boxes in which the model provably rejects every cell."""
        from p2ce.engine.scores.network.network_bounds import infeasible

        return infeasible(self, instance, boxes)

    def ends(self, instance: IntArray, cells: Int32Array) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the library's output for cells; NaN where nothing is known."""
        with np.errstate(all="ignore"):
            value = self._values(instance, cells)
            return ends_of(value, self.reach.margin[instance])

    def highest(self, instance: IntArray, boxes: Boxes) -> FloatArray:
        """Bound the library's output from above over boxes: (boxes,)."""
        from p2ce.engine.scores.network.network_bounds import highest_output

        return highest_output(self, instance, boxes)

    def _values(self, instance: IntArray, cells: Int32Array) -> FloatArray:
        from p2ce.engine.scores.network.network_kernel import add_bias, first_layer

        layers = self.score.layers
        widest = max(layer.weights.shape[1] for layer in layers)
        chunk = max(64, min(len(instance), CHUNK_BYTES // (8 * widest)))
        rooms = [np.empty((chunk, layer.weights.shape[1])) for layer in layers]
        value = np.empty(len(instance))
        before = rooms[0]
        for start in range(0, len(instance), chunk):
            part = slice(start, min(start + chunk, len(instance)))
            size = part.stop - part.start
            for room, layer in zip(rooms, layers, strict=True):
                out = room[:size]
                slope_below = -1.0 if layer.is_curved else layer.below
                if room is rooms[0]:
                    first_layer(
                        self.base,
                        self.weights,
                        self.seen,
                        self.first,
                        self.position,
                        instance[part],
                        cells[part],
                        slope_below,
                        out,
                    )
                else:
                    np.dot(before, layer.weights, out=out)
                    add_bias(out, layer.bias, slope_below)
                if layer.is_curved:
                    activate(layer, out)
                before = out
            value[part] = before[:, 0]
        return value

    def _rows(self, instance: IntArray, cells: Int32Array) -> FloatArray:
        """Return cells as inputs of the first layer."""
        rows = self.own[instance]
        moving = np.arange(len(self.inputs))
        rows[:, self.inputs] = self.seen[instance[:, None], moving, cells[:, self.axis_of]]
        return rows


def ends_of(value: FloatArray, margin: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the ends of numbers that may be off by ``margin``; NaN for numbers or margins that are none."""
    known = np.isfinite(margin) & np.isfinite(value)
    low = np.where(known, np.nextafter(value - margin, -np.inf), np.nan)
    return low, np.where(known, np.nextafter(value + margin, np.inf), np.nan)


def lay_out(score: NetworkScore, placed: Placed) -> PreparedNetwork:
    """Compute the inputs of all candidates once, and bound the rounding over every instance's grid."""
    grid, placement = placed.grid, placed.placement
    instances = np.ascontiguousarray(placed.instances, dtype=np.float64)
    first = score.layers[0]
    inputs, axis_of = inputs_by_axis(score.sources, grid.columns)
    counts = np.bincount(axis_of, minlength=grid.axis_count)
    begins = np.append(0, np.cumsum(counts))
    rising = np.append(score.rising[inputs], False)[np.minimum(begins[:-1], len(inputs))]
    with np.errstate(all="ignore"):
        own, seen = see_inputs(score.see, grid, placement, instances, inputs, axis_of)
        low, high = own.copy(), own.copy()
        if len(inputs):
            low[:, inputs] = seen.min(axis=2)
            high[:, inputs] = seen.max(axis=2)
        return PreparedNetwork(
            score=score,
            placed=placed,
            inputs=inputs,
            axis_of=axis_of,
            first=begins.astype(np.int64),
            plain=(counts == 1) & rising,
            weights=np.ascontiguousarray(first.weights[inputs]),
            own=own,
            own_output=forward(score.layers, own),
            base=own @ first.weights + first.bias,
            seen=np.ascontiguousarray(seen),
            position=np.ascontiguousarray(placement.position, dtype=np.int32),
            # Cells are computed by adding the changes of inputs, so each input counts as an axis.
            reach=reach_of(score.layers, low, high, score.unit, axes=len(inputs)),
        )


def inputs_by_axis(sources: IntArray, columns: IntArray) -> tuple[IntArray, IntArray]:
    """List the inputs of the columns of each axis, one axis after another, and the axis of each input."""
    axis_of_column = {column: axis for axis, column in enumerate(columns.tolist())}
    axes = np.array([axis_of_column.get(source, -1) for source in sources.tolist()], dtype=np.int64)
    order = np.argsort(axes, kind="stable")
    order = order[axes[order] >= 0]
    return order, axes[order]


def see_inputs(
    see: Callable[[FloatArray], FloatArray],
    grid: BaseGrid,
    placement: Placement,
    instances: FloatArray,
    inputs: IntArray,
    axis_of: IntArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the inputs of instances (n, inputs), and of all their candidates (n, moving, candidates)."""
    own = np.ascontiguousarray(see(instances), dtype=np.float64)
    rows = np.tile(instances[0], (grid.width, 1))
    rows[:, grid.columns] = grid.table.T
    base = np.ascontiguousarray(see(rows)[:, inputs].T, dtype=np.float64)
    # This table has a row per input, but the grid's table has a row per axis. So the sources are shifted.
    rows = (np.arange(len(inputs)) - axis_of) * grid.width
    source = placement.source[:, axis_of] + rows[:, None]
    at, count = placement.position[:, axis_of], placement.count[:, axis_of]
    if placement.own_ends is None:
        return own, spread(base, own[:, inputs], source, at, count)
    ends = seen_ends(see, grid.columns, placement, instances, inputs, axis_of)
    return own, spread(base, own[:, inputs], source, at, count, ends)
