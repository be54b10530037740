"""Check the reading of scikit-learn's two gradient boosting classifiers."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from p2ce.models.read import read_model
from tests.models.laws import assert_reads, people

MODELS = [
    GradientBoostingClassifier(n_estimators=20, random_state=0),
    GradientBoostingClassifier(n_estimators=12, loss="exponential", random_state=0),
    GradientBoostingClassifier(n_estimators=12, init="zero", max_leaf_nodes=6, random_state=0),
    GradientBoostingClassifier(n_estimators=12, init=DummyClassifier(strategy="prior"), random_state=0),
    GradientBoostingClassifier(n_estimators=50, n_iter_no_change=2, learning_rate=0.7, random_state=0),
    HistGradientBoostingClassifier(max_iter=20, random_state=0),
    HistGradientBoostingClassifier(max_iter=12, early_stopping=True, max_leaf_nodes=5, random_state=0),
    HistGradientBoostingClassifier(max_iter=12, monotonic_cst=[0, 1, 0, 0, 0], random_state=0),
]


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_scores_equal_the_librarys_own(model, named, target):
    frame, label = people()
    fitted = clone(model).fit(frame if named else frame.to_numpy(), label)
    assert_reads(fitted, frame, target=target, band=1e-11, error=1e-15, thresholds=3)


def test_a_start_that_is_a_model_is_only_asked(caplog):
    frame, label = people()
    small = (frame - frame.mean()) / frame.std()
    model = GradientBoostingClassifier(n_estimators=3, init=LogisticRegression()).fit(small, label)
    with caplog.at_level("INFO", logger="p2ce"):
        assert read_model(model, reference=small).score is None
    assert "starts from LogisticRegression" in caplog.text


@pytest.mark.parametrize(
    "model", [GradientBoostingClassifier(n_estimators=2), HistGradientBoostingClassifier(max_iter=2)]
)
def test_several_classes_are_only_asked(model, caplog):
    frame, _ = people()
    fitted = clone(model).fit(frame, np.digitize(frame["income"], [2500.0, 3500.0]))
    with caplog.at_level("INFO", logger="p2ce"):
        assert read_model(fitted, reference=frame).score is None
    assert "3 classes" in caplog.text


def test_categories_are_only_asked(caplog):
    frame, label = people()
    model = HistGradientBoostingClassifier(max_iter=3, categorical_features=["owner"]).fit(frame, label)
    with caplog.at_level("INFO", logger="p2ce"):
        assert read_model(model, reference=frame).score is None
    assert "'owner' as a category" in caplog.text
