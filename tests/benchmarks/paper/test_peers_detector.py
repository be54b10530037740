"""The stand-in for isotree judges whole rows as scikit-learn does, and holes by weighted averages."""

import numpy as np
import pytest

pytest.importorskip("benchmarks")  # not in a packed source

from collections import Counter

from sklearn.ensemble import IsolationForest
from sklearn.ensemble._iforest import _average_path_length

from benchmarks.paper.peers.programs.detector import Detector

ROWS = np.random.default_rng(0).normal(size=(700, 4)).round(1) * [1.0, 10.0, 1e4, 0.1]


@pytest.fixture(scope="module")
def forest() -> IsolationForest:
    return IsolationForest(n_estimators=30, contamination=0.1, random_state=0).fit(ROWS)


def mean_length(forest: IsolationForest, row: np.ndarray) -> float:
    """The slow, obvious twin: down each tree, to both sides where the value is missing."""

    def below(tree: object, node: int, depth: int) -> float:
        left, right = tree.children_left[node], tree.children_right[node]
        if left < 0:
            return depth + _average_path_length(tree.n_node_samples[[node]])[0]
        value = np.float32(row[tree.feature[node]])
        if np.isnan(value):
            share = tree.n_node_samples[left] / tree.n_node_samples[node]
            return share * below(tree, left, depth + 1) + (1 - share) * below(tree, right, depth + 1)
        return below(tree, left if value <= tree.threshold[node] else right, depth + 1)

    return sum(below(estimator.tree_, 0, 0) for estimator in forest.estimators_)


def test_whole_rows_are_judged_as_by_scikit_learn(forest: IsolationForest) -> None:
    counts = Counter()
    found = Detector(forest, counts).predict(ROWS)
    np.testing.assert_array_equal(found, np.where(forest.decision_function(ROWS) >= 0, 1, -1))
    assert set(found) == {1, -1}
    assert counts["detector calls"] == len(ROWS)


def test_holes_are_followed_to_both_sides_in_proportion(forest: IsolationForest) -> None:
    detector = Detector(forest, Counter())
    rng = np.random.default_rng(1)
    for row in ROWS[:40]:
        holed = np.where(rng.random(4) < 0.5, np.nan, row)
        assert detector._length(holed.astype(np.float32)) == pytest.approx(mean_length(forest, holed))
