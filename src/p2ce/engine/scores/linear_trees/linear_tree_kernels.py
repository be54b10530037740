"""Evaluate trees whose leaves are lines on rows, and bound them over boxes, compiled."""

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.engine.kernels.jit import entry
from p2ce.engine.scores.linear_trees.linear_forest import LinearLeaves, LineArrays
from p2ce.engine.scores.trees.forest import Forest


def add_lines(rows: FloatArray, forest: Forest, lines: LineArrays, out: FloatArray) -> None:
    """Write the sum over the trees for every row (n, d)."""
    nodes = (forest.root, forest.feature, forest.threshold, forest.right, forest.value)
    _add_lines(rows, *nodes, lines, out)


@entry
def _add_lines(
    rows: FloatArray,
    root: Int32Array,
    feature: Int32Array,
    threshold: FloatArray,
    right: Int32Array,
    value: FloatArray,
    lines: LineArrays,
    out: FloatArray,
) -> None:
    """Write the sums in the order of `LinearForest.score_rows`; ``value`` is the number of a leaf's line."""
    for n in range(rows.shape[0]):
        total = 0.0
        for tree in range(root.shape[0]):
            at = root[tree]
            while feature[at] >= 0:
                at = at + 1 if rows[n, feature[at]] <= threshold[at] else right[at]
            line = int(value[at])
            added = lines.constant[line]
            for k in range(lines.first[line], lines.first[line + 1]):
                x = rows[n, lines.column[k]]
                if x == -np.inf:
                    added = lines.otherwise[line]
                    break
                added += lines.weight[k] * x
            total += added
        out[n] = total


@entry
def highest_sums(
    values: FloatArray,
    own: FloatArray,
    position: Int32Array,
    columns: IntArray,
    owner: IntArray,
    low: Int32Array,
    high: Int32Array,
    must: BoolArray,
    changes_left: IntArray,
    leaves: LinearLeaves,
    ends: FloatArray,
    out: FloatArray,
) -> None:
    """Write an upper bound of the sum over the trees for every box, up to rounding.

    ``values`` (n, axes, width) are the candidates of the instances, ``own`` (n, d) their rows, and
    ``columns`` (axes,) the columns of the axes. ``ends`` is scratch (3, d): the lowest and the highest value
    of each column in the box, and the lowest that is not missing.
    """
    for b in range(owner.shape[0]):
        n = owner[b]
        for c in range(own.shape[1]):
            ends[0, c] = own[n, c]
            ends[1, c] = own[n, c]
            ends[2, c] = own[n, c] if own[n, c] > -np.inf else np.inf
        for a in range(columns.shape[0]):
            here = position[n, a]
            begin, end = low[b, a], high[b, a]
            stays = not must[b, a] and begin <= here <= end
            if stays and changes_left[b] == 0:
                begin, end = here, here
            c = columns[a]
            ends[0, c] = np.inf
            ends[1, c] = -np.inf
            ends[2, c] = np.inf
            for i in range(begin, end + 1):
                if i == here and not stays:
                    continue
                x = values[n, a, i]
                ends[0, c] = min(ends[0, c], x)
                ends[1, c] = max(ends[1, c], x)
                if x > -np.inf:
                    ends[2, c] = min(ends[2, c], x)
        total = 0.0
        for t in range(leaves.tree.shape[0] - 1):
            best = -np.inf
            for leaf in range(leaves.tree[t], leaves.tree[t + 1]):
                top = leaves.constant[leaf]
                reachable = True
                may_miss = False
                only_missing = False
                for k in range(leaves.first[leaf], leaves.first[leaf + 1]):
                    c = leaves.column[k]
                    if ends[0, c] > leaves.upto[k] or (
                        leaves.above[k] > -np.inf and ends[1, c] <= leaves.above[k]
                    ):
                        reachable = False
                        break
                    if leaves.on_line[k]:
                        if ends[0, c] == -np.inf and leaves.above[k] == -np.inf:
                            may_miss = True
                        if ends[2, c] == np.inf:
                            only_missing = True
                        elif leaves.weight[k] > 0.0:
                            top += leaves.weight[k] * min(ends[1, c], leaves.upto[k])
                        else:
                            top += leaves.weight[k] * max(ends[2, c], leaves.above[k])
                if not reachable:
                    continue
                if only_missing:
                    top = leaves.otherwise[leaf]
                elif may_miss:
                    top = max(top, leaves.otherwise[leaf])
                best = max(best, top)
            total += best
        out[b] = total
