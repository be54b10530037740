"""Score cells, and bound boxes, by a forest over inputs whose values at the candidates are known."""

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.engine.kernels.jit import entry


@entry
def score_cells(
    root: Int32Array,
    feature: Int32Array,
    threshold: FloatArray,
    right: Int32Array,
    value: FloatArray,
    offset: float,
    slack: FloatArray,
    limit: FloatArray,
    inputs: IntArray,
    axis_of: IntArray,
    own: FloatArray,
    seen: FloatArray,
    instance: IntArray,
    cells: Int32Array,
    row: FloatArray,
    out: FloatArray,
    unsure: BoolArray,
) -> None:
    """Write the value of every cell (cells, axes), and whether an input may lie on either side of a split.

    ``row`` (inputs,) is scratch.
    """
    for cell in range(cells.shape[0]):
        number = instance[cell]
        for j in range(row.shape[0]):
            row[j] = own[number, j]
        for slot in range(inputs.shape[0]):
            row[inputs[slot]] = seen[number, slot, cells[cell, axis_of[slot]]]
        total = offset
        doubt = False
        for tree in range(root.shape[0]):
            node = root[tree]
            while feature[node] >= 0:
                j = feature[node]
                x = row[j]
                if x != x:
                    doubt = True
                elif x != -np.inf:
                    is_near = slack[j] > 0.0 and abs(x - threshold[node]) <= slack[j]
                    doubt = doubt or is_near or abs(x) > limit[j]
                node = node + 1 if x <= threshold[node] else right[node]
            total += value[node]
        out[cell] = total
        unsure[cell] = doubt


@entry
def bound_boxes(
    root: Int32Array,
    feature: Int32Array,
    threshold: FloatArray,
    right: Int32Array,
    value: FloatArray,
    offset: float,
    slack: FloatArray,
    limit: FloatArray,
    inputs: IntArray,
    axis_of: IntArray,
    own: FloatArray,
    seen: FloatArray,
    position: Int32Array,
    instance: IntArray,
    low: Int32Array,
    high: Int32Array,
    must: BoolArray,
    changes_left: IntArray,
    room: FloatArray,
    best: FloatArray,
    out: FloatArray,
) -> None:
    """Write the largest sum of leaves that the inputs of every box reach.

    ``room`` (2, inputs) and ``best`` (nodes,) are scratch.
    """
    for box in range(low.shape[0]):
        number = instance[box]
        for j in range(own.shape[1]):
            x = own[number, j]
            room[0, j] = room[1, j] = x
            if x != x or (x != -np.inf and abs(x) > limit[j]):
                room[0, j], room[1, j] = -np.inf, np.inf
        for slot in range(inputs.shape[0]):
            axis, j = axis_of[slot], inputs[slot]
            here, first, last = position[number, axis], low[box, axis], high[box, axis]
            if changes_left[box] == 0 and first <= here <= last and not must[box, axis]:
                continue  # no further change is allowed, so the current value stays
            least, most = np.inf, -np.inf
            for at in range(first, last + 1):
                x = seen[number, slot, at]
                if x != x or (x != -np.inf and abs(x) > limit[j]):
                    least, most = -np.inf, np.inf
                else:
                    least, most = min(least, x), max(most, x)
            room[0, j], room[1, j] = least, most
        total = offset
        for tree in range(root.shape[0]):
            end = root[tree + 1] if tree + 1 < root.shape[0] else feature.shape[0]
            for node in range(end - 1, root[tree] - 1, -1):  # children come after their parents
                j = feature[node]
                if j < 0:
                    best[node] = value[node]
                    continue
                cut = threshold[node]
                goes_left = room[0, j] - slack[j] <= cut
                goes_right = room[1, j] + slack[j] > cut
                if goes_left and goes_right:
                    best[node] = max(best[node + 1], best[right[node]])
                elif goes_left:
                    best[node] = best[node + 1]
                else:
                    best[node] = best[right[node]]
            total += best[root[tree]]
        out[box] = total
