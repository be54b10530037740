"""Select one instance of a batch, and score its cells one by one in the library's own order, compiled."""

from typing import NamedTuple

from p2ce.base.arrays import FloatArray, Int32Array, IntArray
from p2ce.engine.kernels.jit import entry, kernel
from p2ce.engine.scores.flat.flat_arrays import FlatInstances, FlatScores, Records


class Instance(NamedTuple):
    """One instance of `FlatInstances`, without the first dimension."""

    positions: Records  # (axes,) POSITION
    seen: FloatArray  # (views, lines, width)
    own: FloatArray  # (views, columns)
    prices: Records  # (objectives, axes, width) PRICE
    joins: Int32Array  # (objectives,)
    shares: FloatArray  # (objectives,)
    gains: Int32Array  # (tables, axes, width)
    thresholds: Records  # (scores,) LIMIT
    excluded: Int32Array  # (excluded, axes + 1)


@kernel
def instance_of(instances: FlatInstances, number: int) -> Instance:
    """Return views of the batch's arrays for one instance."""
    return Instance(
        instances.positions[number],
        instances.seen[number],
        instances.own[number],
        instances.prices[number],
        instances.joins,
        instances.shares[number],
        instances.gains[number],
        instances.thresholds[number],
        instances.excluded[instances.first_excluded[number] : instances.first_excluded[number + 1]],
    )


@kernel
def score_cell(flat: FlatScores, s: int, instance: Instance, index: Int32Array, row: FloatArray) -> float:
    """Score one point in the library's order, in float64: offset, weights, then tree by tree.

    ``row`` is scratch (columns,).
    """
    score = flat.scores[s]
    for column in range(row.shape[0]):
        row[column] = instance.own[score.looks_at, column]
    for line in range(flat.columns.shape[0]):
        row[flat.columns[line]] = instance.seen[score.looks_at, line, index[flat.axes[line]]]
    total: float = score.offset
    if score.table >= 0:
        for column in range(row.shape[0]):
            total += flat.weights[score.table, column] * row[column]
    # Four trees in parallel, since a single walk mostly waits for memory. A walk that reaches a leaf stays.
    tree = score.first_tree
    while tree + 4 <= score.last_tree:
        a = flat.trees[tree].root
        b = flat.trees[tree + 1].root
        c = flat.trees[tree + 2].root
        d = flat.trees[tree + 3].root
        deepest = max(
            max(flat.trees[tree].depth, flat.trees[tree + 1].depth),
            max(flat.trees[tree + 2].depth, flat.trees[tree + 3].depth),
        )
        for _ in range(deepest):
            a = a + 1 if row[flat.nodes[a].feature] <= flat.nodes[a].threshold else flat.nodes[a].right
            b = b + 1 if row[flat.nodes[b].feature] <= flat.nodes[b].threshold else flat.nodes[b].right
            c = c + 1 if row[flat.nodes[c].feature] <= flat.nodes[c].threshold else flat.nodes[c].right
            d = d + 1 if row[flat.nodes[d].feature] <= flat.nodes[d].threshold else flat.nodes[d].right
        total += flat.details[a].value
        total += flat.details[b].value
        total += flat.details[c].value
        total += flat.details[d].value
        tree += 4
    while tree < score.last_tree:
        a = flat.trees[tree].root
        for _ in range(flat.trees[tree].depth):
            a = a + 1 if row[flat.nodes[a].feature] <= flat.nodes[a].threshold else flat.nodes[a].right
        total += flat.details[a].value
        tree += 1
    return total


@kernel
def looks_the_same(flat: FlatScores, s: int, instance: Instance, cell: Int32Array, number: int) -> bool:
    """Return whether a point reaches the same leaf as a rejected one in every tree of a forest.

    ``number`` is a row of ``instance.excluded``. The library adds the same numbers for both points, so its
    result for one holds for the other.
    """
    score = flat.scores[s]
    for tree in range(score.first_tree, score.last_tree):
        at = flat.trees[tree].root
        while flat.nodes[at].right != at:
            node = flat.nodes[at]
            line = flat.line_of[node.feature]
            value = instance.own[score.looks_at, node.feature]
            rejected = value
            if line >= 0:
                axis = flat.axes[line]
                value = instance.seen[score.looks_at, line, cell[axis]]
                rejected = instance.seen[score.looks_at, line, instance.excluded[number, axis]]
            if (value <= node.threshold) != (rejected <= node.threshold):
                return False
            at = at + 1 if value <= node.threshold else node.right
    return True


@entry
def score_points(
    flat: FlatScores,
    s: int,
    instances: FlatInstances,
    instance: IntArray,
    cells: Int32Array,
    row: FloatArray,
    out: FloatArray,
) -> None:
    """Write the score of every point (n, axes) of instance ``instance[n]``; ``row`` is scratch (columns,)."""
    for n in range(cells.shape[0]):
        out[n] = score_cell(flat, s, instance_of(instances, instance[n]), cells[n], row)
