"""Check linear models with several classes, wanted ranges and chosen scales."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.svm import LinearSVC

from p2ce.errors import InvalidArgument, InvalidTarget, InvalidThreshold
from p2ce.models.parse_model import parse_model
from tests.models.laws import assert_black_box, assert_conforms, diabetes, people, wine

WINE, KIND = wine()
DIABETES, NUMBER = diabetes()


def test_ties_go_to_the_first_class_as_in_predict():
    model = LogisticRegression().fit(WINE, KIND)
    model.coef_[:] = 0.0
    model.intercept_[:] = 0.0
    leads = [parse_model(model, reference=WINE, target=one).evaluate(WINE[:1])[0] for one in model.classes_]
    assert leads == [0.0, -5e-324, -5e-324]
    assert model.predict(WINE[:1])[0] == model.classes_[0]


def test_classes_that_differ_by_rounding_alone_are_left_to_the_model():
    model = LogisticRegression().fit(WINE, KIND)
    model.coef_[1] = np.nextafter(model.coef_[0], np.inf)
    model.intercept_[1] = model.intercept_[0]
    for target in model.classes_:
        assert_conforms(model, WINE, target=target, undecided=1.0)


def test_probabilities_divided_by_their_sum_are_asked_for(caplog):
    model = SGDClassifier(loss="log_loss", random_state=0).fit(WINE, KIND)
    with caplog.at_level("INFO", logger="p2ce"):
        found = parse_model(model, reference=WINE, target="barolo", threshold=0.5)
    assert found.score is None
    assert "divided by the sum" in caplog.text
    assert (found.evaluate(WINE) == model.predict_proba(WINE)[:, list(model.classes_).index("barolo")]).all()


@pytest.mark.parametrize("target", [0, 1])
def test_the_decision_value_of_two_classes_can_be_chosen(target):
    frame, label = people()
    frame = (frame - frame.mean()) / frame.std()
    model = LogisticRegression().fit(frame, label)
    found, rows = assert_conforms(model, frame, target=target, scale="decision", threshold=0.3)
    assert (found.evaluate(rows) == (1 if target else -1) * model.decision_function(rows)).all()
    assert parse_model(model, reference=frame, scale="probability").scale == "probability"
    with pytest.raises(InvalidArgument, match="scale='probability'"):
        parse_model(LinearSVC().fit(frame, label), reference=frame, scale="probability")


def test_a_regressor_of_an_array_or_a_column_or_in_single_precision_is_read():
    assert_conforms(Ridge().fit(DIABETES, NUMBER[:, None]), DIABETES, target=(None, 120.0), undecided=0.02)
    single = DIABETES.astype(np.float32)
    model = Ridge().fit(single, NUMBER.astype(np.float32))
    assert model.coef_.dtype == np.float32
    assert_conforms(model, single, target=(100.0, 150.0), undecided=0.02, edge=True)


def test_what_is_no_single_sum_is_asked():
    assert (
        parse_model(PoissonRegressor().fit(DIABETES, NUMBER), reference=DIABETES, target=(None, 90)).score
        is None
    )
    rows, labels = make_multilabel_classification(50, 4, n_classes=3, random_state=0)
    frame = WINE.iloc[:50, :4].reset_index(drop=True)
    frame[:] = rows
    assert_black_box(RidgeClassifier().fit(frame, labels[:, :2]), frame, "sums for")


def test_slips_are_told():
    model = LinearRegression().fit(DIABETES, NUMBER)
    with pytest.raises(InvalidTarget, match=r"is a regressor: pass target=\(low, high\)"):
        parse_model(model, reference=DIABETES)
    with pytest.raises(InvalidThreshold, match="is a regressor"):
        parse_model(model, reference=DIABETES, target=(None, 1.0), threshold=0.5)
    with pytest.raises(InvalidTarget, match="ascending"):
        parse_model(model, reference=DIABETES, target=(2.0, 1.0))
    with pytest.raises(InvalidTarget, match="'barbera', 'barolo', 'grignolino'"):
        parse_model(LogisticRegression().fit(WINE, KIND), reference=WINE)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    classes=st.integers(3, 6),
    spread=st.sampled_from([1e-12, 1e-3, 1.0, 1e3, 1e8]),
    single=st.booleans(),
)
def test_any_weights_decide_as_the_model_does(seed, classes, spread, single):
    """Weights of all magnitudes, equal ones among them, so that classes lead by rounding errors."""
    rng = np.random.default_rng(seed)
    dtype = np.float32 if single else np.float64
    frame = WINE.astype(dtype)
    model = LogisticRegression().fit(frame, rng.permutation(np.arange(len(frame)) % classes))
    common = rng.normal(0.0, 1.0, frame.shape[1])
    model.coef_ = (common + spread * rng.normal(0.0, 1.0, (classes, frame.shape[1])).round(1)).astype(dtype)
    model.intercept_ = rng.choice([0.0, spread, -spread], classes).astype(dtype)
    target = int(rng.integers(classes))
    for threshold in (None, 0.2, float(rng.choice(model.predict_proba(frame)[:, target]))):
        found, rows = assert_conforms(model, frame, target=target, threshold=threshold, undecided=1.0)
        if threshold is None:
            assert ((found.evaluate(rows) >= 0.0) == (model.predict(rows) == target)).all()
