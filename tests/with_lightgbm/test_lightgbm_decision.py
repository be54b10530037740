"""Check that LightGBM's classifiers are held to the threshold of the wrapper around them."""

import pytest
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from p2ce.models.parse_model import parse_model
from tests.models.decision_laws import assert_follows_predict
from tests.models.laws import people

lightgbm = pytest.importorskip("lightgbm")


def booster():
    return lightgbm.LGBMClassifier(n_estimators=20, num_leaves=7, learning_rate=0.3, verbose=-1, n_jobs=1)


WRAPPED = {
    "fixed": lambda: FixedThresholdClassifier(booster(), threshold=0.8),
    "tuned": lambda: TunedThresholdClassifierCV(booster(), scoring="f1", cv=3, random_state=0),
    "end of a pipeline": lambda: make_pipeline(
        StandardScaler().set_output(transform="pandas"), FixedThresholdClassifier(booster(), threshold=0.7)
    ),
    "around a pipeline": lambda: FixedThresholdClassifier(
        make_pipeline(StandardScaler().set_output(transform="pandas"), booster()), threshold=0.7, pos_label=0
    ),
}


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("name", WRAPPED)
def test_options_pass_predict_and_trees_keep_their_bounds(name, target):
    frame, label = people()
    model = WRAPPED[name]().fit(frame, label)
    assert parse_model(model, reference=frame, target=target).score is not None
    assert assert_follows_predict(model, frame, target) > 0


@pytest.mark.parametrize("target", [0, 1])
def test_a_score_of_the_reference_as_the_threshold_is_a_tie_like_any_other(target):
    frame, label = people()
    inner = booster().fit(frame, label)
    options = 0
    for score in sorted(inner.predict_proba(frame.head(40))[:, 1])[::8]:
        model = FixedThresholdClassifier(inner, threshold=float(score)).fit(frame, label)
        assert (model.predict_proba(frame.head(40))[:, 1] == score).any()
        options += assert_follows_predict(model, frame, target)
    assert options > 0
