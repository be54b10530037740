"""Score rows in the slow and obvious way: the twin that tests compare every fast routine with."""

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.engine.scores.score import FlatScore
from p2ce.engine.scores.trees.forest import Forest


def score_rows(score: FlatScore, rows: FloatArray) -> FloatArray:
    """Add offset, weights and leaves in the order that FlatScore promises: (n, d) → (n,)."""
    seen = score.see(np.asarray(rows, dtype=np.float64))
    total = np.full(len(seen), score.offset, dtype=np.float64)
    if score.weights is not None:
        for column, weight in enumerate(score.weights):
            total = total + weight * seen[:, column]
    if score.forest is not None:
        reached = leaves_reached(score.forest, seen)
        for tree in range(score.forest.tree_count):
            total = total + score.forest.value[reached[:, tree]]
    return total


def leaves_reached(forest: Forest, seen: FloatArray) -> IntArray:
    """Return the leaf that every row reaches in every tree: (n, d) → (n, trees) leaf nodes."""
    node = np.repeat(forest.root[None, :].astype(np.int64), len(seen), axis=0)
    row = np.arange(len(seen))[:, None]
    while True:
        feature = forest.feature[node]
        if (feature < 0).all():
            return node
        goes_left = seen[row, np.maximum(feature, 0)] <= forest.threshold[node]
        below = np.where(goes_left, node + 1, forest.right[node])
        node = np.where(feature < 0, node, below)
