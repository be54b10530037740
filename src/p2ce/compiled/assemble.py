"""Turn the node arrays of any library into a Forest in preorder."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from p2ce.arrays import FloatArray, IntArray
from p2ce.compiled.forest import Forest


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeNodes:
    """One tree as its library stores it: node 0 is the root, a negative ``left`` marks a leaf."""

    left: IntArray  # (nodes,) child for ``seen <= threshold``
    right: IntArray  # (nodes,)
    feature: IntArray  # (nodes,)
    threshold: FloatArray  # (nodes,) already a plain float64 cut
    value: FloatArray  # (nodes,) what the leaf adds; ignored at inner nodes


def assemble_forest(trees: Sequence[TreeNodes]) -> Forest:
    """Lay the trees out one after the other, each in preorder."""
    sizes = np.array([len(tree.left) for tree in trees], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    shift = np.repeat(first, sizes)
    left = np.concatenate([tree.left for tree in trees]).astype(np.int64)
    right = np.concatenate([tree.right for tree in trees]).astype(np.int64)
    inner = left >= 0
    left = np.where(inner, left + shift, -1)
    right = np.where(inner, right + shift, -1)
    feature = np.concatenate([tree.feature for tree in trees])
    threshold = np.concatenate([tree.threshold for tree in trees])
    value = np.concatenate([tree.value for tree in trees])

    place, reached = _preorder(first, left, right)
    count = int(reached.sum())
    old = np.empty(count, dtype=np.int64)
    old[place[reached]] = np.flatnonzero(reached)
    inner = inner[old]
    return Forest(
        root=place[first].astype(np.int32),
        feature=np.where(inner, feature[old], -1).astype(np.int32),
        threshold=np.where(inner, threshold[old], 0.0),
        right=np.where(inner, place[right[old]], -1).astype(np.int32),
        value=np.where(inner, 0.0, value[old]),
    )


def _preorder(roots: IntArray, left: IntArray, right: IntArray) -> tuple[IntArray, np.ndarray]:
    """Give every node its preorder position, level by level for all trees at once."""
    levels = []
    front = roots
    while len(front):
        levels.append(front)
        parents = front[left[front] >= 0]
        front = np.concatenate([left[parents], right[parents]])
    size = np.zeros(len(left), dtype=np.int64)
    for nodes in reversed(levels):
        parents = nodes[left[nodes] >= 0]
        size[nodes] = 1
        size[parents] += size[left[parents]] + size[right[parents]]
    place = np.zeros(len(left), dtype=np.int64)
    place[roots] = np.concatenate([[0], np.cumsum(size[roots])[:-1]])
    for nodes in levels:
        parents = nodes[left[nodes] >= 0]
        place[left[parents]] = place[parents] + 1
        place[right[parents]] = place[parents] + 1 + size[left[parents]]
    # Some libraries keep nodes that no path reaches (XGBoost after pruning); they are left out.
    return place, size > 0


def largest_leaves(forest: Forest) -> FloatArray:
    """Give the largest leaf magnitude of each tree: (trees,)."""
    return np.maximum.reduceat(np.abs(forest.value), forest.root)
