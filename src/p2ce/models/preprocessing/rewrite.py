"""Rewrite scores over a model's inputs as scores over the columns of the table that the inputs depend on.

Trees: a split ``input <= cut`` sends some values of the column left, and others right. For a category, the
codes are enumerated. For numbers, the column's floats are divided into stretches. In each stretch, the input
never decreases, or never increases, or is constant, *in floating point too*. There, a bisection over floats
finds the exact value at which the split changes sides. So the rewritten trees take every float64 to the same
leaf as the model behind its preprocessing.

Sums: the contribution of a column is the sum over its inputs, so the columns' contributions replace weights.
"""

from collections.abc import Callable

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.engine.scores.score import seen_as_given
from p2ce.engine.scores.trees.assemble import resplit
from p2ce.engine.scores.trees.float_bisection import HIGHEST, LOWEST, last_true, rank, unrank
from p2ce.engine.scores.trees.forest import Forest
from p2ce.engine.scores.trees.steps import Steps, steps_of_stretches
from p2ce.models.preprocessing.input_maps import RISING, InputMap, InputMaps, LabelTable, MonotonePieces
from p2ce.tables.codebook import ABOVE_MISSING, MISSING

_LARGEST = float(np.finfo(np.float64).max)


def pieces_of(input_map: InputMap) -> MonotonePieces | None:
    """Return where an input is monotone along its column's finite floats; None if not all of it is proven."""
    cuts, directions = RISING
    for place, operation in enumerate(input_map.operations):
        found = operation.monotone_pieces()
        if found is None:
            return None
        before = InputMap(source=input_map.source, operations=input_map.operations[:place])
        cuts, directions = _composed(before, MonotonePieces(cuts, directions), found)
    return MonotonePieces(cuts, directions)


def _composed(before: InputMap, pieces: MonotonePieces, operation_pieces: MonotonePieces) -> MonotonePieces:
    """Compose a function that has the first pieces with an operation that has the second."""
    starts, ends = _stretches(pieces)
    moving = np.flatnonzero(pieces.directions != 0)
    cuts = pieces.cuts
    if len(operation_pieces.cuts) and len(moving):
        piece = np.repeat(moving, len(operation_pieces.cuts))
        found = turning_points(
            before,
            starts[piece],
            ends[piece],
            pieces.directions[piece],
            np.tile(operation_pieces.cuts, len(moving)),
        )
        inside = (found > starts[piece]) & (found < ends[piece])
        cuts = np.unique(np.concatenate([pieces.cuts, unrank(found[inside])]))
    # The last value of a stretch shows on which stretch of the operation the whole stretch lies.
    last = np.append(cuts, _LARGEST)
    old = pieces.directions[np.searchsorted(pieces.cuts, last, side="left")]
    new = operation_pieces.directions[np.searchsorted(operation_pieces.cuts, before.apply(last), side="left")]
    return MonotonePieces(cuts, old * new)


def turning_points(
    input_map: InputMap, starts: IntArray, ends: IntArray, directions: IntArray, at: FloatArray
) -> IntArray:
    """Find where stretches of an input cross from one side of ``at`` to the other, as ranks: (n,).

    Up to this rank, an increasing stretch is ``<= at``, and a decreasing one is above.
    """

    def holds(values: FloatArray, which: IntArray) -> BoolArray:
        below: BoolArray = input_map.apply(values) <= at[which]
        return np.where(directions[which] > 0, below, ~below)

    return last_true(holds, starts, ends)


def _stretches(shape: MonotonePieces) -> tuple[IntArray, IntArray]:
    """Return the stretches of a shape as ranks: after the start, up to the end."""
    ends = rank(np.append(shape.cuts, _LARGEST))
    return np.append(LOWEST, ends[:-1]), ends


def rewrite_forest(forest: Forest, maps: InputMaps, nullable: BoolArray) -> Forest:
    """Rewrite a forest over inputs as one over the codes of the table's columns.

    ``nullable`` (d,) marks the columns in which values may be missing; elsewhere, the side of a missing value
    is arbitrary.
    """
    feature, threshold = forest.feature.copy(), forest.threshold.copy()
    odd: dict[int, Steps] = {}
    for j in np.unique(forest.feature[forest.feature >= 0]).tolist():
        nodes = np.flatnonzero(forest.feature == j)
        cuts, which = np.unique(forest.threshold[nodes], return_inverse=True)
        feature[nodes] = maps.maps_by_input[j].source
        moved = None if nullable[maps.maps_by_input[j].source] else _moved_cuts(maps.maps_by_input[j], cuts)
        if moved is not None:
            threshold[nodes] = moved[which]
            continue
        sides = steps_of_input(maps, j, cuts, nullable)
        for node, place in zip(nodes.tolist(), which.tolist(), strict=True):
            steps = sides[place]
            if len(steps.cuts) == 1 and steps.starts_left:
                threshold[node] = steps.cuts[0]
            else:
                odd[node] = steps
    return resplit(forest, feature, threshold, odd)


def _moved_cuts(input_map: InputMap, cuts: FloatArray) -> FloatArray | None:
    """Move all cuts through an input that never decreases; None for others, or if a cut has no left side."""
    if not never_decreases(input_map):
        return None
    whole = np.zeros(len(cuts), dtype=np.int64)
    found = turning_points(input_map, whole + LOWEST, whole + HIGHEST, whole + 1, cuts)
    return None if (found == LOWEST).any() else unrank(found)


def steps_of_input(maps: InputMaps, j: int, cuts: FloatArray, nullable: BoolArray) -> list[Steps]:
    """Return ``input j <= cut`` as steps along the codes of the input's column, for each of the cuts."""
    input_map = maps.maps_by_input[j]
    if input_map.is_category:
        table = next(table for table in maps.tables if j in table.inputs)
        place = int(np.flatnonzero(table.inputs == j)[0])
        return _steps_of_table(table.values[:, place], cuts, bool(nullable[input_map.source]))
    shape = pieces_of(input_map)
    assert shape is not None, "`behind` keeps forests over inputs that are not known in between"
    return _steps_of_numbers(input_map, shape, cuts, bool(nullable[input_map.source]))


def _steps_of_table(values: FloatArray, cuts: FloatArray, nullable: bool) -> list[Steps]:
    """Return steps over codes: 0, 1, …, then any unseen label; a missing value lies below all codes."""
    labels = len(values) - 2
    known = np.concatenate([values[-1:], values[:-1]])
    ends = np.append(ABOVE_MISSING, np.arange(labels) + 0.5)
    steps = []
    for cut in cuts.tolist():
        sides = _calmed(known <= cut, np.isnan(known))
        if not nullable and len(sides) > 1:
            sides[0] = sides[1]
        steps.append(steps_of_stretches(ends, sides))
    return steps


def _steps_of_numbers(
    input_map: InputMap, shape: MonotonePieces, cuts: FloatArray, nullable: bool
) -> list[Steps]:
    starts, ends = _stretches(shape)
    pieces, count = len(ends), len(cuts)
    turn, at = np.tile(shape.directions, count), np.repeat(cuts, pieces)
    first, last = np.tile(starts, count), np.tile(ends, count)
    found = first.copy()
    moving = np.flatnonzero(turn != 0)
    found[moving] = turning_points(input_map, first[moving], last[moving], turn[moving], at[moving])
    value = input_map.apply(unrank(ends))
    before = np.where(turn != 0, turn > 0, False).reshape(count, pieces)
    behind = np.where(turn != 0, turn < 0, np.tile(value, count) <= at).reshape(count, pieces)
    found = found.reshape(count, pieces)
    missing = input_map.apply(np.array([MISSING]))[0]
    steps = []
    for row, cut in enumerate(cuts.tolist()):
        # Each stretch is split in two, one of which may be empty.
        stop = np.stack([found[row], ends], axis=1).ravel()
        begin = np.stack([starts, found[row]], axis=1).ravel()
        sides = np.stack([before[row], behind[row]], axis=1).ravel()
        filled = stop > begin
        sides, limits = sides[filled], unrank(stop[filled])[:-1]
        if nullable:
            sides, limits = np.append(missing <= cut, sides), np.append(ABOVE_MISSING, limits)
        steps.append(steps_of_stretches(limits, sides))
    return steps


def _calmed(sides: BoolArray, unknown: BoolArray) -> BoolArray:
    """Send codes that the preprocessing rejects to the side of the code before, to save cuts."""
    for place in np.flatnonzero(unknown).tolist():
        sides[place] = sides[place - 1] if place else False
    return sides


def reach_of_inputs(
    maps: InputMaps, reach: FloatArray, shown: FloatArray, factor: float
) -> tuple[FloatArray, BoolArray]:
    """Bound the magnitude of inputs (inputs,) for columns up to ``reach`` (d,), and return which are proven.

    An unproven bound is ``factor`` times the largest magnitude in ``shown`` (n, inputs). The score must then
    claim nothing about inputs beyond it.
    """
    largest = np.zeros(len(maps.maps_by_input))
    proven = np.ones(len(maps.maps_by_input), dtype=np.bool_)
    for table in maps.tables:
        largest[table.inputs] = _largest(table.values)
    for j, input_map in enumerate(maps.maps_by_input):
        if input_map.is_category:
            continue
        shape = pieces_of(input_map)
        proven[j] = shape is not None
        if shape is None:
            largest[j] = factor * max(float(_largest(shown[:, [j]])[0]), 1.0)
            continue
        far = float(reach[input_map.source])
        if not np.isfinite(far):
            largest[j] = np.inf
            continue
        cuts = shape.cuts[np.abs(shape.cuts) <= far]
        points = np.concatenate([[MISSING, -far, far], cuts, np.nextafter(cuts, np.inf)])
        largest[j] = _largest(input_map.apply(points)[:, None])[0]
    return largest, proven


def _largest(values: FloatArray) -> FloatArray:
    """Return the largest finite magnitude of each column (n, k) → (k,); the library rejects all others."""
    return np.asarray(np.where(np.isfinite(values), np.abs(values), 0.0).max(axis=0, initial=0.0))


def contributions(
    maps: InputMaps,
    weights: FloatArray,
    see: Callable[[FloatArray], FloatArray],
    limits: FloatArray,
) -> Callable[[FloatArray], FloatArray]:
    """Build the view that returns each column's contribution to a weighted sum of inputs: (n, d) → (n, d).

    ``see`` is the inner score's own view of its inputs. ``limits`` (inputs,) are the magnitudes up to which
    its thresholds are proven; inputs beyond them contribute NaN, so nothing is claimed.

    The rounding stays within the amount by which the thresholds were widened. They allow for a sum of all
    products in any order: each product is rounded once and passes through at most as many additions as there
    are inputs, including the offset. Here, a product passes through the additions inside its column, one
    fewer than the column has inputs, and then through at most one per column with any inputs. Together, these
    are no more.
    """
    sources = maps.sources
    numbers = maps.number_inputs
    levels = _levels(sources, numbers)
    limited = np.flatnonzero(np.isfinite(limits))
    tables = []
    for table in maps.tables:
        inputs = np.zeros((len(table.values), len(maps.maps_by_input)))
        inputs[:, table.inputs] = table.values
        with np.errstate(all="ignore"):
            seen = inputs if see is seen_as_given else see(inputs)
            total = np.zeros(len(table.values))
            for j in table.inputs.tolist():
                total = total + weights[j] * seen[:, j]
        tables.append(LabelTable(table.column, table.inputs, total[:, None]))

    def show(rows: FloatArray) -> FloatArray:
        added = np.zeros((len(rows), maps.column_count))
        if len(numbers):
            with np.errstate(all="ignore"):
                shown = maps.transform_numbers(rows)
                for j in limited.tolist():
                    shown[np.abs(shown[:, j]) > limits[j], j] = np.nan
                seen = shown if see is seen_as_given else see(shown)
                for columns, inputs in levels:
                    added[:, columns] += seen[:, inputs] * weights[inputs]
        for table in tables:
            added[:, table.column] = table.values[table.rows(rows[:, table.column]), 0]
        return added

    return show


def _levels(sources: IntArray, inputs: IntArray) -> list[tuple[IntArray, IntArray]]:
    """Divide inputs into rounds in which no column occurs twice: (columns, inputs) of each round."""
    seen: dict[int, int] = {}
    rounds: list[list[int]] = []
    for j in inputs.tolist():
        source = int(sources[j])
        place = seen.get(source, 0)
        seen[source] = place + 1
        if place == len(rounds):
            rounds.append([])
        rounds[place].append(j)
    return [(sources[members], np.array(members, dtype=np.int64)) for members in rounds]


def never_decreases(input_map: InputMap) -> bool:
    """Return whether an input provably never decreases along its column's numbers."""
    shape = None if input_map.is_category else pieces_of(input_map)
    return shape is not None and len(shape.cuts) == 0 and int(shape.directions[0]) >= 0
