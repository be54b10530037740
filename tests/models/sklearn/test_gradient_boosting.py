"""Check the reading of scikit-learn's gradient boosting, and of the histogram kind on plain numbers."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
)
from sklearn.linear_model import LinearRegression, LogisticRegression

from p2ce.decisions.model_adapter import Request
from p2ce.errors import UnsupportedModel
from p2ce.models.parse_model import parse_model
from p2ce.models.sklearn import gradient_boosting as sklearn_boosting
from tests.models.laws import assert_reads, people
from tests.models.table_laws import assert_decides

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
        assert parse_model(model, reference=small).score is None
    assert "starts from LogisticRegression" in caplog.text


STARTS = [None, "zero", DummyClassifier(strategy="prior"), DummyClassifier(strategy="most_frequent")]


@pytest.mark.parametrize("start", STARTS, ids=str)
@pytest.mark.parametrize("target", [0, 1, 2])
def test_the_class_that_must_win_is_the_one_that_is_predicted(target, start):
    frame, _ = people()
    label = np.digitize(frame["income"], [2500.0, 3500.0])
    model = GradientBoostingClassifier(n_estimators=6, init=start, subsample=0.7, random_state=0)
    model.fit(frame, label)
    found, rows = assert_decides(model, frame.astype(np.float64), target=target, doubts=0.01)
    assert len(found.scores) == 2
    assert ((found.evaluate(rows) >= 0.0) == (model.predict(rows) == target)).all()
    assert (found.predict(rows) == model.predict_proba(rows)[:, target]).all()


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.9, 1.0])
def test_a_probability_among_several_classes_is_never_refused_wrongly(threshold):
    frame, _ = people()
    label = np.digitize(frame["income"], [2500.0, 3500.0])
    model = GradientBoostingClassifier(n_estimators=6, subsample=0.7, random_state=0).fit(frame, label)
    found, rows = assert_decides(model, frame.astype(np.float64), target=1, threshold=threshold)
    assert not found.decides
    assert (found.evaluate(rows) == model.predict_proba(rows)[:, 1]).all()


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
@pytest.mark.parametrize("target", [0, 1])
def test_the_decision_function_of_two_classes(target, loss):
    frame, label = people()
    model = GradientBoostingClassifier(n_estimators=8, loss=loss, random_state=0).fit(frame, label)
    sign = 1.0 if target else -1.0
    values = sign * model.decision_function(frame)
    for threshold in (None, float(values[3]), float(np.nextafter(values[4], np.inf))):
        found, rows = assert_decides(
            model, frame.astype(np.float64), target=target, scale="decision", threshold=threshold
        )
        assert (found.evaluate(rows) == sign * model.decision_function(rows)).all()


def test_the_decision_function_of_one_class_of_several():
    frame, _ = people()
    label = np.digitize(frame["income"], [2500.0, 3500.0])
    model = GradientBoostingClassifier(n_estimators=4, subsample=0.7, random_state=0).fit(frame, label)
    found, rows = assert_decides(
        model, frame.astype(np.float64), target=2, scale="decision", threshold=0.25, doubts=0.01
    )
    assert (found.evaluate(rows) == model.decision_function(rows)[:, 2]).all()


REGRESSORS = [
    GradientBoostingRegressor(n_estimators=10, random_state=0),
    GradientBoostingRegressor(n_estimators=10, loss="absolute_error", random_state=0),
    GradientBoostingRegressor(n_estimators=10, loss="huber", init="zero", random_state=0),
    GradientBoostingRegressor(n_estimators=10, loss="quantile", alpha=0.3, random_state=0),
    GradientBoostingRegressor(n_estimators=10, init=DummyRegressor(strategy="median"), random_state=0),
]


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: f"{model.loss}-{model.init}")
def test_regressors_reach_a_range(model):
    frame, _ = people()
    number = frame["income"] / 100.0 + 10.0 * frame["balance"] ** 2
    fitted = clone(model).fit(frame, number)
    predicted = np.sort(fitted.predict(frame))
    low, high = float(predicted[150]), float(predicted[250])
    for target in ((low, high), (None, high), (low, np.inf), (np.nextafter(low, np.inf), None)):
        found, rows = assert_decides(fitted, frame.astype(np.float64), target=target)
        answer = fitted.predict(rows)
        ends = [-np.inf if target[0] is None else target[0], np.inf if target[1] is None else target[1]]
        assert ((found.evaluate(rows) >= 0.0) == ((answer >= ends[0]) & (answer <= ends[1]))).all()
        assert (found.predict(rows) == answer).all()


def test_a_regressor_that_starts_from_a_model_is_not_read():
    frame, _ = people()
    model = GradientBoostingRegressor(n_estimators=3, init=LinearRegression()).fit(frame, frame["income"])
    request = Request(reference=frame, target=(0.0, 1.0), reach=np.ones(5), read=sklearn_boosting.read)
    with pytest.raises(UnsupportedModel, match="starts from LinearRegression"):
        sklearn_boosting.read(model, request)


def test_wine_and_diabetes():
    wine = load_wine(as_frame=True)
    model = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(wine.data, wine.target)
    for target in (0, 1, 2):
        found, rows = assert_decides(model, wine.data, target=target, doubts=0.01)
        assert ((found.evaluate(rows) >= 0.0) == (model.predict(rows) == target)).all()
    diabetes = load_diabetes(as_frame=True)
    number = GradientBoostingRegressor(n_estimators=20, random_state=0).fit(diabetes.data, diabetes.target)
    assert_decides(number, diabetes.data, target=(None, 110.0))
    assert_decides(number, diabetes.data, target=(100.0, 150.0))


def test_labels_that_look_like_numbers_are_not_read():
    frame, label = people()
    frame["owner"] = frame["owner"].astype("category")
    model = GradientBoostingClassifier(n_estimators=3).fit(frame, label)
    request = Request(reference=frame, reach=np.ones(5), read=sklearn_boosting.read)
    with pytest.raises(UnsupportedModel, match="'owner' holds categories"):
        sklearn_boosting.read(model, request)
