"""Check the reading of scikit-learn's linear classifiers."""

import numpy as np
from sklearn.linear_model import (
    LogisticRegression,
    SGDClassifier,
)

from p2ce.models.parse_model import parse_model
from tests.models.laws import assert_conforms, people


def scaled_people():
    frame, label = people()
    return (frame - frame.mean()) / frame.std(), label


def test_a_sparsified_model_is_read():
    frame, label = scaled_people()
    model = (
        SGDClassifier(loss="log_loss", penalty="l1", alpha=0.05, random_state=0).fit(frame, label).sparsify()
    )
    assert_conforms(model, frame, undecided=0.02, edge=True)


def test_a_larger_reach_widens_the_band():
    frame, label = scaled_people()
    model = LogisticRegression().fit(frame, label)
    near = parse_model(model, reference=frame)
    far = parse_model(model, reference=frame, reach=np.full(5, 1e6))
    assert far.score.accept_from - far.score.reject_below > near.score.accept_from - near.score.reject_below
    assert (far.reach == 1e6).all()
