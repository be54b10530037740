"""Check that forests keep their answers when they are laid out in preorder."""

import numpy as np

from p2ce.compiled.assemble import TreeNodes, assemble_forest, largest_leaves
from p2ce.compiled.evaluate import leaves_reached, score_rows
from p2ce.compiled.score import CompiledScore


def stump(feature: int, threshold: float, low: float, high: float) -> TreeNodes:
    """Make a tree whose leaves stand before its root's other child and with a node that nothing reaches."""
    return TreeNodes(
        left=np.array([3, -1, -1, -1]),
        right=np.array([1, -1, -1, -1]),
        feature=np.array([feature, 0, 0, 0]),
        threshold=np.array([threshold, 0.0, 0.0, 0.0]),
        value=np.array([9.0, high, 99.0, low]),
    )


def test_a_forest_stands_in_preorder_without_unreachable_nodes():
    forest = assemble_forest([stump(0, 1.0, -1.0, 1.0), stump(1, 2.0, -10.0, 10.0)])
    assert forest.tree_count == 2
    assert forest.root.tolist() == [0, 3]
    assert forest.feature.tolist() == [0, -1, -1, 1, -1, -1]
    assert forest.right.tolist() == [2, -1, -1, 5, -1, -1]
    assert forest.value.tolist() == [0.0, -1.0, 1.0, 0.0, -10.0, 10.0]
    assert largest_leaves(forest).tolist() == [1.0, 10.0]


def test_a_tree_may_be_a_single_leaf():
    leaf = TreeNodes(
        left=np.array([-1]),
        right=np.array([-1]),
        feature=np.array([0]),
        threshold=np.array([0.0]),
        value=np.array([0.25]),
    )
    forest = assemble_forest([leaf, stump(0, 0.0, 1.0, 2.0)])
    score = CompiledScore(name="model", column_count=1, forest=forest, sure=0.0, maybe=0.0)
    assert score_rows(score, np.array([[0.0], [0.5]])).tolist() == [1.25, 2.25]


def test_deep_trees_of_random_shape_reach_the_same_leaves():
    rng = np.random.default_rng(0)
    left, right, feature, threshold, value = [-1], [-1], [0], [0.0], [rng.normal()]
    for _ in range(60):
        leaf = int(rng.choice(np.flatnonzero(np.array(left) < 0)))
        feature[leaf], threshold[leaf] = int(rng.integers(3)), float(rng.normal())
        left[leaf], right[leaf] = len(left) + 1, len(left)
        for _ in range(2):
            (
                left.append(-1),
                right.append(-1),
                feature.append(0),
                threshold.append(0.0),
                value.append(rng.normal()),
            )
    tree = TreeNodes(
        left=np.array(left),
        right=np.array(right),
        feature=np.array(feature),
        threshold=np.array(threshold),
        value=np.array(value),
    )
    rows = rng.normal(size=(200, 3))
    forest = assemble_forest([tree])
    reached = forest.value[leaves_reached(forest, rows)[:, 0]]
    for row, got in zip(rows, reached, strict=True):
        node = 0
        while left[node] >= 0:
            node = left[node] if row[feature[node]] <= threshold[node] else right[node]
        assert got == value[node]
