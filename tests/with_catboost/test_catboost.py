"""Check the reading of CatBoost models."""

import numpy as np
import pytest

from p2ce.errors import NotFitted, UnsupportedModel
from p2ce.models.read import read_model
from tests.models.laws import assert_only_asked, assert_reads, people

catboost = pytest.importorskip("catboost")

QUIET = {"verbose": 0, "allow_writing_files": False, "thread_count": 1, "random_seed": 0}
OPTIONS = {
    "symmetric": {"iterations": 15, "depth": 4},
    "lossguide": {"iterations": 10, "grow_policy": "Lossguide", "max_leaves": 9},
    "depthwise": {"iterations": 10, "grow_policy": "Depthwise", "depth": 3},
    "start": {"iterations": 10, "depth": 3, "boost_from_average": True},
    "cross entropy": {"iterations": 10, "depth": 3, "loss_function": "CrossEntropy"},
    "weighted": {"iterations": 10, "depth": 2, "auto_class_weights": "Balanced"},
}


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", OPTIONS)
def test_what_is_sure_is_what_the_model_says(name, named, target):
    frame, label = people()
    model = catboost.CatBoostClassifier(**QUIET, **OPTIONS[name]).fit(
        frame if named else frame.to_numpy(), label
    )
    found = assert_reads(model, frame, target=target, band=1e-11, thresholds=4)
    assert found.family == "CatBoost"


def test_scale_bias_and_shrunk_models_are_honoured():
    frame, label = people()
    model = catboost.CatBoostClassifier(iterations=12, depth=3, **QUIET).fit(frame, label)
    model.set_scale_and_bias(0.7, -0.2)
    found = assert_reads(model, frame, band=1e-11)
    assert found.score.offset == pytest.approx(-0.2)
    model.shrink(5)
    assert assert_reads(model, frame, band=1e-11).score.forest.tree_count == 5


def test_the_best_model_of_early_stopping_is_read():
    frame, label = people()
    model = catboost.CatBoostClassifier(iterations=200, learning_rate=0.6, early_stopping_rounds=3, **QUIET)
    model.fit(frame[:200], label[:200], eval_set=(frame[200:], label[200:]))
    assert assert_reads(model, frame, band=1e-11).score.forest.tree_count == model.tree_count_


def test_names_of_classes_are_kept():
    frame, label = people()
    model = catboost.CatBoostClassifier(iterations=4, **QUIET).fit(frame, np.where(label, "yes", "no"))
    assert assert_reads(model, frame, target="yes", band=1e-11).classes == ("no", "yes")


def test_what_cannot_be_read_is_only_asked_or_refused():
    frame, label = people()
    with pytest.raises(NotFitted):
        read_model(catboost.CatBoostClassifier(), reference=frame)
    model = catboost.CatBoostClassifier(iterations=2, cat_features=["owner"], **QUIET).fit(frame, label)
    assert_only_asked(model, frame, "'owner' as a categorical feature")
    three = np.digitize(frame["income"], [2500.0, 3500.0])
    several = catboost.CatBoostClassifier(iterations=2, **QUIET).fit(frame, three)
    assert_only_asked(several, frame, "3 classes")
    with pytest.raises(UnsupportedModel, match="Pass a classifier"):
        read_model(catboost.CatBoostRegressor(iterations=2, **QUIET).fit(frame, label), reference=frame)


def test_a_model_behind_a_scaler_is_read():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    frame, label = people()
    model = make_pipeline(StandardScaler(), catboost.CatBoostClassifier(iterations=6, **QUIET)).fit(
        frame, label
    )
    assert_reads(model, frame, band=1e-11, thresholds=2)
