"""Replace the isotree forest of the authors' code by the given isolation forest.

Whole rows get exactly scikit-learn's verdict. In a row with missing values, a cut in a missing column is
followed to both sides, weighted by the training rows on each. isotree does the same with
``missing_action="divide"``, the setting of the authors' notebook.
"""

from typing import Any

import numpy as np
from sklearn.ensemble._iforest import _average_path_length


class Detector:
    """All trees in flat arrays, which take a fraction of a millisecond per row, and scikit-learn several."""

    def __init__(self, forest: Any, counts: dict[str, int]) -> None:
        trees = [estimator.tree_ for estimator in forest.estimators_]
        sizes = np.array([tree.node_count for tree in trees])
        shift = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.roots = shift
        self.feature = np.concatenate([tree.feature for tree in trees])
        self.threshold = np.concatenate([tree.threshold for tree in trees])
        self.left = np.concatenate([tree.children_left + at for tree, at in zip(trees, shift, strict=True)])
        self.right = np.concatenate([tree.children_right + at for tree, at in zip(trees, shift, strict=True)])
        rows = np.concatenate([tree.n_node_samples for tree in trees])
        depth = np.concatenate([tree.compute_node_depths() for tree in trees])
        self.length = depth + _average_path_length(rows) - 1.0
        self.is_leaf = self.feature < 0
        self.share = np.where(self.is_leaf, 0.0, rows[np.where(self.is_leaf, 0, self.left)] / rows)
        self.usual = len(trees) * _average_path_length(np.array([forest._max_samples]))[0]
        self.offset = forest.offset_
        self.counts = counts

    def predict(self, rows: Any) -> np.ndarray:  # (n, d) → (n,): 1, or −1 for an outlier
        rows = np.atleast_2d(np.asarray(rows, dtype=np.float32))  # as scikit-learn compares
        self.counts["detector calls"] += len(rows)
        return np.array(
            [1 if -(2.0 ** (-self._length(row) / self.usual)) - self.offset >= 0 else -1 for row in rows]
        )

    def _length(self, row: np.ndarray) -> float:
        """Add the path lengths in all trees, in the order of the trees."""
        if np.isnan(row).any():
            return self._mean_length(row)
        node = self.roots
        while not self.is_leaf[node].all():
            inner = ~self.is_leaf[node]
            goes_left = row[self.feature[node]] <= self.threshold[node]
            node = np.where(inner, np.where(goes_left, self.left[node], self.right[node]), node)
        return float(np.cumsum(self.length[node])[-1])

    def _mean_length(self, row: np.ndarray) -> float:
        node, weight, total = self.roots, np.ones(len(self.roots)), 0.0
        while len(node):
            ends = self.is_leaf[node]
            total += float((weight[ends] * self.length[node[ends]]).sum())
            node, weight = node[~ends], weight[~ends]
            value = row[self.feature[node]]
            left = np.where(np.isnan(value), self.share[node], value <= self.threshold[node])
            node = np.concatenate([self.left[node], self.right[node]])
            weight = np.concatenate([weight * left, weight * (1.0 - left)])
            node, weight = node[weight > 0], weight[weight > 0]
        return total
