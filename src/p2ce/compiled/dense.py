"""Score all cells of a box at once: every leaf is added as a box, no cell is walked down a tree."""

from p2ce.jit import kernel


@kernel
def fill_dense(reached, count, spans, axes, size, corner, cells):  # type: ignore[no-untyped-def]
    """Write the forest's part of every cell's score, in ticks, into ``cells``; return how many there are.

    A leaf adds its ticks at the first corner of its box and takes them back past the last one, on every
    axis; running sums along each axis then give the score of each cell. Ticks are integers, so the order
    of the sums cannot matter. The last axis varies fastest.
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
            inside = reached.inside[j, k]
            stride //= span.high - span.low + 1
            begin = (inside.low - span.low) * stride
            end = (inside.high + 1 - span.low) * stride
            # The sign sits in the lowest bit: 2 * offset + (1 if taken back).
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


@kernel
def score_cell(flat, s, me, index, row):  # type: ignore[no-untyped-def]
    """Score one point as the library would: float64, offset, weights, then tree after tree.

    ``row`` is scratch (columns,).
    """
    score = flat.scores[s]
    for column in range(row.shape[0]):
        row[column] = me.own[score.looks_at, column]
    for a in range(index.shape[0]):
        row[flat.columns[a]] = me.seen[score.looks_at, a, index[a]]
    total = score.offset
    if score.table >= 0:
        for column in range(row.shape[0]):
            total += flat.weights[score.table, column] * row[column]
    for tree in range(score.first_tree, score.last_tree):
        at = flat.roots[tree]
        node = flat.nodes[at]
        while node.feature >= 0:
            at = at + 1 if row[node.feature] <= node.threshold else node.right
            node = flat.nodes[at]
        total += node.value
    return total
