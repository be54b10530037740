"""Check what is particular to scikit-learn's linear models: rounding, ties, scales and reach."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
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

import p2ce
from p2ce.errors import InvalidArgument, InvalidModel, InvalidTarget
from p2ce.models.parse_model import parse_model
from tests.models.laws import assert_black_box, assert_conforms, diabetes, people, wine
from tests.properties.amount import examples

WINE, KIND = wine()
DIABETES, NUMBER = diabetes()
FRAME, LABEL = people()
FRAME = (FRAME - FRAME.mean()) / FRAME.std()
LINE = LinearRegression().fit(DIABETES, NUMBER)


def test_sparse_weights_a_column_of_targets_and_single_precision_are_parsed():
    sparse = SGDClassifier(loss="log_loss", penalty="l1", alpha=0.05, random_state=0).fit(FRAME, LABEL)
    assert_conforms(sparse.sparsify(), FRAME, undecided=0.02, edge=True)
    column = Ridge().fit(DIABETES, NUMBER[:, None])
    assert_conforms(column, DIABETES, target=(None, 120.0), undecided=0.02)
    single = DIABETES.astype(np.float32)
    model = Ridge().fit(single, NUMBER.astype(np.float32))
    assert model.coef_.dtype == np.float32
    assert_conforms(model, single, target=(100.0, 150.0), undecided=0.02, edge=True)


def test_a_larger_reach_widens_the_band():
    model = LogisticRegression().fit(FRAME, LABEL)
    near = parse_model(model, reference=FRAME)
    far = parse_model(model, reference=FRAME, reach=np.full(5, 1e6))
    assert far.score.accept_from - far.score.reject_below > near.score.accept_from - near.score.reject_below
    assert (far.reach == 1e6).all()


def test_ties_go_to_the_first_class_as_in_predict():
    model = LogisticRegression().fit(WINE, KIND)
    model.coef_[:] = 0.0
    model.intercept_[:] = 0.0
    leads = [parse_model(model, reference=WINE, target=one).evaluate(WINE[:1])[0] for one in model.classes_]
    assert leads == [0.0, -5e-324, -5e-324]
    assert model.predict(WINE[:1])[0] == model.classes_[0]


@examples(15)
@given(
    seed=st.integers(0, 10**6),
    classes=st.integers(3, 6),
    spread=st.sampled_from([0.0, 1e-12, 1e-3, 1.0, 1e8]),
    single=st.booleans(),
)
def test_any_weights_decide_as_the_model_does(seed, classes, spread, single):
    """Weights of all magnitudes, equal ones among them, so classes lead by rounding errors."""
    rng = np.random.default_rng(seed)
    dtype = np.float32 if single else np.float64
    frame = WINE.astype(dtype)
    model = LogisticRegression(max_iter=5, tol=1.0).fit(frame, np.arange(len(frame)) % classes)
    common = rng.normal(0.0, 1.0, frame.shape[1])
    model.coef_ = (common + spread * rng.normal(0.0, 1.0, (classes, frame.shape[1])).round(1)).astype(dtype)
    model.coef_[1] = np.nextafter(model.coef_[0], dtype(np.inf))
    model.intercept_ = rng.choice([0.0, spread, -spread], classes).astype(dtype)
    target = int(rng.integers(classes))
    for threshold in (None, 0.2, float(rng.choice(model.predict_proba(frame)[:, target]))):
        assert_conforms(model, frame, target=target, at_least=threshold, undecided=1.0)


def test_what_is_no_single_sum_is_a_black_box():
    poisson = PoissonRegressor().fit(DIABETES, NUMBER)
    assert parse_model(poisson, reference=DIABETES, target=(None, 90)).score is None
    rows, labels = make_multilabel_classification(50, 4, n_classes=3, random_state=0)
    frame = WINE.iloc[:50, :4].reset_index(drop=True)
    frame[:] = rows
    assert_black_box(RidgeClassifier().fit(frame, labels[:, :2]), frame, "sums for")
    shares = SGDClassifier(loss="log_loss", random_state=0).fit(WINE, KIND)
    assert_black_box(shares, WINE, "divides each probability", target="barolo", at_least=0.5)


@pytest.mark.parametrize(
    ("model", "frame", "wanted", "error", "message"),
    [
        (LINE, DIABETES, {}, InvalidTarget, r"is a regressor: pass target=\(low, high\)"),
        (LINE, DIABETES, {"target": (None, 1.0), "at_least": 0.5}, InvalidArgument, "is a regressor"),
        (LINE, DIABETES, {"target": (2.0, 1.0)}, InvalidTarget, "ascending"),
        (LogisticRegression().fit(WINE, KIND), WINE, {}, InvalidTarget, "'barbera', 'barolo', 'grignolino'"),
        (LinearSVC().fit(FRAME, LABEL), FRAME, {"scale": "probability"}, InvalidArgument, "'probability'"),
    ],
)
def test_a_mistake_is_named(model, frame, wanted, error, message):
    with pytest.raises(error, match=message):
        parse_model(model, reference=frame, **wanted)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("intercept_", np.empty(0)),
        ("intercept_", np.zeros(2)),
        ("intercept_", np.array([np.nan])),
        ("intercept_", np.array(["x"])),
        ("coef_", np.zeros((1, FRAME.shape[1] + 1))),
        ("coef_", np.full((1, FRAME.shape[1]), np.inf)),
    ],
)
def test_parts_that_no_fitting_gives_are_blamed_on_the_model(part: str, value: Any) -> None:
    model = LogisticRegression().fit(FRAME, LABEL)
    setattr(model, part, value)
    with pytest.raises(
        InvalidModel, match=r"This scikit-learn linear model.* does not have the structure that its library"
    ):
        p2ce.Explainer(model, FRAME, target=1)
