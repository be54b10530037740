"""Evaluate the trees of a forest for rows: sums, the largest sum with open columns, and leaves as boxes."""

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.engine.kernels.jit import entry


@entry
def largest_sum(
    root: Int32Array,
    feature: Int32Array,
    threshold: FloatArray,
    right: Int32Array,
    value: FloatArray,
    offset: float,
    seen: FloatArray,
    is_open: BoolArray,
    best: FloatArray,
) -> float:
    """Add up, tree by tree, the largest leaf that a row can reach when some columns are open.

    At a split on an open column, both sides count. ``seen`` (columns,) holds the forest's inputs, and
    ``best`` (nodes,) is scratch. The sum is added in the same order as the score itself, and rounding never
    reverses an order. So no completion of the row scores higher, in floating point too.
    """
    total = offset
    for tree in range(root.shape[0]):
        end = root[tree + 1] if tree + 1 < root.shape[0] else feature.shape[0]
        for node in range(end - 1, root[tree] - 1, -1):  # children come after their parents
            column = feature[node]
            if column < 0:
                best[node] = value[node]
            elif is_open[column]:
                best[node] = max(best[node + 1], best[right[node]])
            elif seen[column] <= threshold[node]:
                best[node] = best[node + 1]
            else:
                best[node] = best[right[node]]
        total += best[root[tree]]
    return total


@entry
def sum_leaves(
    root: Int32Array,
    feature: Int32Array,
    threshold: FloatArray,
    right: Int32Array,
    value: FloatArray,
    offset: float,
    seen: FloatArray,
    out: FloatArray,
) -> None:
    """Add up the leaves that each row (n, d) reaches, in the order of the trees: the sum of `score_rows`."""
    for n in range(seen.shape[0]):
        total = offset
        for tree in range(root.shape[0]):
            at = root[tree]
            while feature[at] >= 0:
                at = at + 1 if seen[n, feature[at]] <= threshold[at] else right[at]
            total += value[at]
        out[n] = total


@entry
def look_up(
    seen: FloatArray,
    first: IntArray,
    column: IntArray,
    low: FloatArray,
    high: FloatArray,
    value: FloatArray,
    masks: IntArray,
    margins: FloatArray,
) -> None:
    """Write which intervals of each leaf contain each row, and add up the leaves that are reached."""
    for n in range(seen.shape[0]):
        for leaf in range(value.shape[0]):
            mask = 0
            for k in range(first[leaf], first[leaf + 1]):
                x = seen[n, column[k]]
                # A missing value is -inf, and no lower end is below it.
                if x <= high[k] and (x > low[k] or low[k] == -np.inf):
                    mask |= 1 << (k - first[leaf])
            masks[n, leaf] = mask
            if mask == (1 << (first[leaf + 1] - first[leaf])) - 1:
                margins[n] += value[leaf]


@entry
def add_leaves(
    masks: IntArray,
    slopes: FloatArray,
    value: FloatArray,
    first: IntArray,
    column: IntArray,
    first_pattern: IntArray,
    pattern: IntArray,
    first_row: IntArray,
    rows: Int32Array,
    weights: FloatArray,
    out: FloatArray,
) -> None:
    """Add the contribution of every leaf to the attributions ``out`` (n, d).

    The patterns of a leaf begin at ``first_pattern[leaf]``. The background rows of a pattern begin at
    ``rows[first_row[pattern]]``.
    """
    for n in range(masks.shape[0]):
        for leaf in range(value.shape[0]):
            begin = first[leaf]
            size = first[leaf + 1] - begin
            full = (1 << size) - 1
            mine = masks[n, leaf]
            for p in range(first_pattern[leaf], first_pattern[leaf + 1]):
                theirs = pattern[p]
                if mine | theirs != full or mine & theirs == full:
                    continue
                share = 0.0
                for r in range(first_row[p], first_row[p + 1]):
                    share += slopes[n, rows[r]]
                ups = 0
                downs = 0
                for k in range(size):
                    ups += (mine >> k) & ~(theirs >> k) & 1
                    downs += (theirs >> k) & ~(mine >> k) & 1
                worth = value[leaf] * share
                for k in range(size):
                    if (mine >> k) & ~(theirs >> k) & 1:
                        out[n, column[begin + k]] += worth * weights[ups, downs]
                    elif (theirs >> k) & ~(mine >> k) & 1:
                        out[n, column[begin + k]] -= worth * weights[downs, ups]
