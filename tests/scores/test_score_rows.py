"""Check the slow twin on scores whose answers are known."""

import numpy as np

from p2ce.scores.assemble import assemble_forest
from p2ce.scores.score import FlatScore
from p2ce.scores.score_rows import score_rows
from p2ce.scores.tree_nodes import TreeNodes


def test_weights_and_offset_are_added_to_what_is_seen():
    score = FlatScore(
        name="model",
        column_count=2,
        offset=1.0,
        weights=np.array([2.0, -1.0]),
        accept_from=0.0,
        reject_below=0.0,
        see=lambda rows: rows * 10.0,
    )
    assert score_rows(score, np.array([[1.0, 2.0]])).tolist() == [1.0]


def test_leaves_are_added_in_the_order_of_the_trees():
    values = [1e16, 1.0, -1e16, 1.0]  # any other order gives another sum
    trees = [
        TreeNodes(
            left=np.array([-1]),
            right=np.array([-1]),
            feature=np.array([0]),
            threshold=np.array([0.0]),
            value=np.array([value]),
        )
        for value in values
    ]
    score = FlatScore(
        name="model", column_count=1, forest=assemble_forest(trees), accept_from=0.0, reject_below=0.0
    )
    assert score_rows(score, np.zeros((1, 1))).tolist() == [((1e16 + 1.0) - 1e16) + 1.0]
