"""Score all cells of a box at once: each leaf is added as a box, and no cell is walked down a tree."""

from p2ce.base.arrays import Int32Array, IntArray
from p2ce.engine.kernels.jit import kernel
from p2ce.engine.scores.flat.flat_arrays import Records
from p2ce.engine.scores.flat.reachable_leaves import Reached


@kernel
def fill_dense(
    reached: Reached,
    count: int,
    spans: Records,
    axes: Int32Array,
    size: int,
    corner: IntArray,
    cells: Int32Array,
) -> int:
    """Write the forest's part of every cell's score, in ticks, to ``cells``; return the number of cells.

    On every axis, a leaf adds its ticks at the first index of its box and subtracts them after the last.
    Running sums along each axis then yield the score of each cell. Ticks are integers, so the order of the
    sums cannot matter. The last axis varies fastest.
    """
    volume = 1
    for k in range(size):
        volume *= spans[axes[k]].high - spans[axes[k]].low + 1
    for i in range(volume):
        cells[i] = 0
    for j in range(count):
        tick = reached.leaves[j].tick
        corners = 1
        corner[0] = 0
        stride = volume
        for k in range(size):
            span = spans[axes[k]]
            inside = reached.inside[j * size + k]
            stride //= span.high - span.low + 1
            begin = (inside.low - span.low) * stride
            end = (inside.high + 1 - span.low) * stride
            # The sign is in the lowest bit: 2 * offset + (1 if subtracted).
            if inside.high < span.high:
                for c in range(corners):
                    corner[corners + c] = (corner[c] + 2 * end) ^ 1
                    corner[c] += 2 * begin
                corners *= 2
            else:
                for c in range(corners):
                    corner[c] += 2 * begin
        for c in range(corners):
            if corner[c] & 1:
                cells[corner[c] >> 1] -= tick
            else:
                cells[corner[c] >> 1] += tick
    stride = volume
    for k in range(size):
        block = stride
        stride //= spans[axes[k]].high - spans[axes[k]].low + 1
        if block > stride:
            for begin in range(0, volume, block):
                for i in range(begin + stride, begin + block):
                    cells[i] += cells[i - stride]
    return volume
