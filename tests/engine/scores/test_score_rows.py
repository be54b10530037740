"""Check the slow twin on scores whose values are known."""

import numpy as np

from p2ce.engine.scores.score import score_rows
from tests.populations.small_scores import flat, forest


def test_weights_and_offset_are_added_to_what_is_seen() -> None:
    score = flat(2, offset=1.0, weights=[2.0, -1.0], see=lambda rows: rows * 10.0)
    assert score_rows(score, np.array([[1.0, 2.0]])).tolist() == [1.0]


def test_leaves_are_added_in_the_order_of_the_trees() -> None:
    score = flat(1, forest=forest(1e16, 1.0, -1e16, 1.0))  # any other order gives another sum
    assert score_rows(score, np.zeros((1, 1))).tolist() == [((1e16 + 1.0) - 1e16) + 1.0]
