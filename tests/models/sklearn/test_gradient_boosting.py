"""Check the reading of scikit-learn's gradient boosting, and of the histogram kind on plain numbers."""

import numpy as np
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression

from p2ce.decisions.model_adapter import Request
from p2ce.errors import UnsupportedModel
from p2ce.models.parse_model import parse_model
from p2ce.models.sklearn import gradient_boosting as sklearn_boosting
from tests.models.laws import people


def test_a_start_that_is_a_model_is_only_asked(caplog):
    frame, label = people()
    small = (frame - frame.mean()) / frame.std()
    model = GradientBoostingClassifier(n_estimators=3, init=LogisticRegression()).fit(small, label)
    with caplog.at_level("INFO", logger="p2ce"):
        assert parse_model(model, reference=small).score is None
    assert "starts from LogisticRegression" in caplog.text


def test_a_regressor_that_starts_from_a_model_is_not_read():
    frame, _ = people()
    model = GradientBoostingRegressor(n_estimators=3, init=LinearRegression()).fit(frame, frame["income"])
    request = Request(reference=frame, target=(0.0, 1.0), reach=np.ones(5), parse=sklearn_boosting.parse)
    with pytest.raises(UnsupportedModel, match="starts from LinearRegression"):
        sklearn_boosting.parse(model, request)


def test_labels_that_look_like_numbers_are_not_read():
    frame, label = people()
    frame["owner"] = frame["owner"].astype("category")
    model = GradientBoostingClassifier(n_estimators=3).fit(frame, label)
    request = Request(reference=frame, reach=np.ones(5), parse=sklearn_boosting.parse)
    with pytest.raises(UnsupportedModel, match="'owner' holds categories"):
        sklearn_boosting.parse(model, request)
