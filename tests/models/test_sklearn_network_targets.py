"""Check scikit-learn's networks with several classes, and those that predict a number."""

import warnings

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier, MLPRegressor

from p2ce.errors import InvalidArgument, InvalidOutput, InvalidTarget, UnsupportedModel
from p2ce.models.parse_model import parse_model
from p2ce.scores.network import NetworkScore
from tests.models.target_laws import (
    assert_decides_as,
    assert_lies_within,
    assert_reaches,
    assert_wins,
    diabetes,
    wine,
)

WINE, KIND = wine()
DIABETES, NUMBER = diabetes()
ACTIVATIONS = ["relu", "tanh", "logistic", "identity"]


def fit(kind, frame, label, activation="relu"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it need not converge
        return kind(hidden_layer_sizes=(12, 7), activation=activation, max_iter=80, random_state=0).fit(
            frame, label
        )


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("kind", ["named", "array", "single"])
def test_a_class_wins_where_the_model_predicts_it(activation, kind):
    frame = WINE.astype(np.float32) if kind == "single" else WINE
    model = fit(MLPClassifier, WINE.to_numpy() if kind == "array" else frame, KIND, activation)
    for target in model.classes_:
        found = assert_wins(model, frame, target)
        first, second = found.scores
        assert isinstance(first, NetworkScore)
        assert all(one is other for one, other in zip(first.layers[:-1], second.layers[:-1], strict=True))


@pytest.mark.parametrize("single", [False, True])
def test_a_probability_is_bounded_by_pairs_of_classes(single):
    frame = WINE.astype(np.float32) if single else WINE
    model = fit(MLPClassifier, frame, KIND)
    for index, target in enumerate(model.classes_):
        own = model.predict_proba(frame)[:3, index].astype(np.float64)
        own = own[own > 0.2]
        assert_reaches(model, frame, target, [0.4, 0.9, *own, *np.nextafter(own, 1.0)])
        for extreme in (0.0, 1e-300, 1e-12, 1.0):
            assert_decides_as(model, frame, target=target, threshold=extreme)


def test_outputs_far_apart_still_decide():
    """A softmax that says exactly 0 and 1 hides by how much a class leads, but not which."""
    model = fit(MLPClassifier, WINE, KIND)
    model.coefs_[-1] *= 1e4
    for target in model.classes_:
        assert_wins(model, WINE, target)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("single", [False, True])
def test_a_number_lies_in_the_wanted_range(activation, single):
    frame = DIABETES.astype(np.float32) if single else DIABETES
    model = fit(MLPRegressor, frame, NUMBER.astype(frame.dtypes.iloc[0]), activation)
    predicted = model.predict(frame).astype(np.float64)
    middle = float(np.median(predicted))
    ranges = [(None, middle), (middle, None), (middle - 5.0, middle), (predicted[3], predicted[3])]
    assert_lies_within(model, frame, ranges, doubts=0.05)


def test_what_is_asked_otherwise_is_told():
    model = fit(MLPRegressor, DIABETES, NUMBER)
    with pytest.raises(InvalidTarget, match=r"is a regressor: pass target=\(low, high\)"):
        parse_model(model, reference=DIABETES)
    with pytest.raises(InvalidArgument, match="scale='decision'"):
        parse_model(fit(MLPClassifier, WINE, KIND), reference=WINE, target="barolo", scale="decision")
    two = np.stack([NUMBER, -NUMBER], axis=1)
    pair = fit(MLPRegressor, DIABETES, two)
    with pytest.raises(UnsupportedModel, match="2 outputs"):
        parse_model(pair, reference=DIABETES, target=(None, 3.0))


def test_several_labels_at_once_have_probabilities_but_no_winner():
    labels = np.stack([KIND == "barolo", KIND != "barbera", KIND == "barbera"], axis=1).astype(int)
    model = fit(MLPClassifier, WINE, labels)
    found = parse_model(model, reference=WINE, threshold=0.5)
    assert found.score is None
    assert (found.evaluate(WINE) == model.predict_proba(WINE)[:, 1]).all()
    with pytest.raises(InvalidOutput, match="one class per row"):
        parse_model(model, reference=WINE)
