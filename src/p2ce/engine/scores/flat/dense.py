"""Score all cells of a box at once: each leaf is added as a box, and no cell is walked down a tree."""

from p2ce.engine.kernels.jit import kernel


@kernel
def fill_dense(reached, count, spans, axes, size, corner, cells):
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


@kernel
def score_cell(flat, s, instance, index, row):
    """Score one point in the library's order, in float64: offset, weights, then tree by tree.

    ``row`` is scratch (columns,).
    """
    score = flat.scores[s]
    for column in range(row.shape[0]):
        row[column] = instance.own[score.looks_at, column]
    for a in range(index.shape[0]):
        row[flat.columns[a]] = instance.seen[score.looks_at, a, index[a]]
    total = score.offset
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
def looks_the_same(flat, s, instance, cell, ban):
    """Return whether a point reaches the same leaf as a rejected one in every tree of a forest.

    ``ban`` is a row of ``instance.banned``. The library adds the same numbers for both points, so its result
    for one holds for the other.
    """
    score = flat.scores[s]
    for tree in range(score.first_tree, score.last_tree):
        at = flat.trees[tree].root
        while flat.nodes[at].right != at:
            node = flat.nodes[at]
            axis = flat.axis_of[node.feature]
            value = instance.own[score.looks_at, node.feature]
            rejected = value
            if axis >= 0:
                value = instance.seen[score.looks_at, axis, cell[axis]]
                rejected = instance.seen[score.looks_at, axis, instance.banned[ban, axis]]
            if (value <= node.threshold) != (rejected <= node.threshold):
                return False
            at = at + 1 if value <= node.threshold else node.right
    return True
