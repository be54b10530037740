"""Check the reading of scikit-learn's linear classifiers."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.svm import LinearSVC

from p2ce.models.parse_model import parse_model
from p2ce.scores.score_rows import score_rows
from tests.models.laws import assert_reads, people

MODELS = [
    LogisticRegression(),
    LinearDiscriminantAnalysis(),
    SGDClassifier(loss="log_loss", random_state=0),
    SGDClassifier(loss="modified_huber", random_state=0),
    SGDClassifier(loss="hinge", random_state=0),
    RidgeClassifier(),
    RidgeClassifierCV(),
    LinearSVC(random_state=0),
    Perceptron(random_state=0),
]


def scaled_people():
    frame, label = people()
    return (frame - frame.mean()) / frame.std(), label


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(
    "model", MODELS, ids=lambda model: f"{type(model).__name__}-{getattr(model, 'loss', '')}"
)
def test_what_is_sure_is_what_the_model_says(model, named, target):
    frame, label = scaled_people()
    fitted = clone(model).fit(frame if named else frame.to_numpy(), label)
    found = assert_reads(fitted, frame, target=target, band=1e-9, error=1e-12, thresholds=8)
    assert found.scale == ("probability" if hasattr(fitted, "predict_proba") else "decision")
    assert found.reach is not None


def test_a_sparsified_model_is_read():
    frame, label = scaled_people()
    model = (
        SGDClassifier(loss="log_loss", penalty="l1", alpha=0.05, random_state=0).fit(frame, label).sparsify()
    )
    assert_reads(model, frame, band=1e-9)


def test_single_precision_models_get_the_band_of_single_precision():
    frame, label = scaled_people()
    single = frame.astype(np.float32)
    model = LogisticRegression().fit(single, label)
    assert model.coef_.dtype == np.float32
    found = parse_model(model, reference=single)
    answers = found.evaluate(single)
    scores = score_rows(found.score, single.to_numpy(dtype=np.float64))
    for threshold in answers[:40]:
        again = parse_model(model, reference=single, threshold=float(threshold)).score
        accepted = answers >= threshold
        assert accepted[scores >= again.accept_from].all()
        assert not accepted[scores < again.reject_below].any()
        assert again.accept_from - again.reject_below > 1e-7


def test_a_larger_reach_widens_the_band():
    frame, label = scaled_people()
    model = LogisticRegression().fit(frame, label)
    near = parse_model(model, reference=frame)
    far = parse_model(model, reference=frame, reach=np.full(5, 1e6))
    assert far.score.accept_from - far.score.reject_below > near.score.accept_from - near.score.reject_below
    assert (far.reach == 1e6).all()
