"""Check the reading of scikit-learn's trees and averaged forests."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from p2ce.compiled.evaluate import score_rows
from p2ce.errors import InvalidTarget, UnsupportedModel
from p2ce.models.read import read_model
from tests.models.laws import assert_reads, people, rows_near_splits

MODELS = [
    DecisionTreeClassifier(max_depth=5, random_state=0),
    DecisionTreeClassifier(max_leaf_nodes=9, class_weight="balanced", random_state=0),
    ExtraTreeClassifier(max_depth=5, random_state=0),
    RandomForestClassifier(n_estimators=15, max_depth=6, random_state=0),
    RandomForestClassifier(n_estimators=7, max_leaf_nodes=12, class_weight={0: 1.0, 1: 0.3}, random_state=0),
    ExtraTreesClassifier(n_estimators=15, max_depth=6, bootstrap=True, random_state=0),
]


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_scores_equal_the_librarys_own_bit_by_bit(model, named, target):
    frame, label = people()
    fitted = clone(model).fit(frame if named else frame.to_numpy(), label)
    found = assert_reads(fitted, frame, target=target, band=0.0, error=0.0)
    assert found.columns == tuple(frame.columns)


def test_threads_widen_the_band_and_nothing_else():
    frame, label = people()
    model = RandomForestClassifier(n_estimators=9, max_depth=4, n_jobs=2, random_state=0).fit(frame, label)
    found = assert_reads(model, frame, band=1e-12)
    assert found.score.sure - found.score.maybe > 0.0


def test_each_class_of_many_is_a_sum_of_its_own():
    frame, _ = people()
    label = np.digitize(frame["income"], [2500.0, 3500.0])
    names = np.array(["low", "middle", "high"])[label]
    model = RandomForestClassifier(n_estimators=9, max_depth=4, random_state=0).fit(frame, names)
    for target in ("low", "middle", "high"):
        assert_reads(model, frame, target=target, band=0.0, error=0.0, thresholds=2)
    with pytest.raises(InvalidTarget, match="'high', 'low', 'middle'"):
        read_model(model, reference=frame, target="hihg")


def test_shares_that_tie_with_the_threshold_are_decided_as_the_library_decides():
    frame, label = people()
    model = RandomForestClassifier(n_estimators=3, max_depth=2, random_state=0).fit(frame, label)
    rows = rows_near_splits(read_model(model, reference=frame), frame)
    answers = read_model(model, reference=frame).ask(rows)
    for threshold in np.unique(answers):
        found = read_model(model, reference=frame, threshold=float(threshold))
        decided = score_rows(found.score, rows.to_numpy()) >= found.score.sure
        assert (decided == (answers >= threshold)).all()


def test_several_outputs_are_refused():
    frame, label = people()
    model = DecisionTreeClassifier(max_depth=2).fit(frame, np.stack([label, 1 - label], axis=1))
    with pytest.raises(UnsupportedModel, match="2 outputs"):
        read_model(model, reference=frame)
