"""Any tree ensemble as flat arrays, in which a plain float64 comparison decides every split."""

from dataclasses import dataclass

import numpy as np

from p2ce.base.arrays import FloatArray, Int32Array, IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """Trees as flat node arrays, in the library's own tree order.

    A row goes left at a node if ``seen[feature] <= threshold`` in float64. Parsers translate the library's
    rule (float32 casts, strict comparisons, LightGBM's zero band) to this one form, so later steps do not
    depend on the library that grew the trees.

    The nodes of a tree are in preorder: the left child of an inner node is the next node.
    """

    root: Int32Array  # (trees,) first node of each tree
    feature: Int32Array  # (nodes,) model column that splits; -1 marks a leaf
    threshold: FloatArray  # (nodes,) rows with seen value <= threshold go left
    right: Int32Array  # (nodes,) the node for all other rows
    value: FloatArray  # (nodes,) the value that a leaf adds to the score; 0 at inner nodes

    @property
    def tree_count(self) -> int:
        return len(self.root)


# A forest that adds nothing, for a model without trees.
NO_TREES = Forest(
    root=np.zeros(1, dtype=np.int32),
    feature=np.full(1, -1, dtype=np.int32),
    threshold=np.zeros(1),
    right=np.full(1, -1, dtype=np.int32),
    value=np.zeros(1),
)


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
