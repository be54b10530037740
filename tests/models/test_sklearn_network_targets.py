"""Check scikit-learn's networks with several classes, and those that predict a number."""

import warnings

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier, MLPRegressor

from p2ce.errors import InvalidArgument, InvalidOutput, InvalidTarget, UnsupportedModel
from p2ce.models.parse_model import parse_model
from tests.models.laws import assert_conforms, diabetes, wine

WINE, KIND = wine()
DIABETES, NUMBER = diabetes()


def fit(kind, frame, label, activation="relu"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it need not converge
        return kind(hidden_layer_sizes=(12, 7), activation=activation, max_iter=80, random_state=0).fit(
            frame, label
        )


def test_outputs_far_apart_still_decide():
    """A softmax that says exactly 0 and 1 hides by how much a class leads, but not which."""
    model = fit(MLPClassifier, WINE, KIND)
    model.coefs_[-1] *= 1e4
    for target in model.classes_:
        assert_conforms(model, WINE, target=target, undecided=0.05, edge=True)


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
