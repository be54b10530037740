"""Check support vector machines that predict a number, and those whose decision value was chosen."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, SVR, NuSVR

from p2ce.errors import InvalidArgument, InvalidTarget
from p2ce.models.parse_model import parse_model
from tests.models.laws import people
from tests.models.target_laws import assert_decides_as, assert_lies_within, diabetes, wine

DIABETES, NUMBER = diabetes()
WINE, KIND = wine()
FRAME, LABEL = people()
SCALED = (FRAME - FRAME.mean()) / FRAME.std()


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(
    "model",
    [SVR(kernel="linear"), SVR(C=100.0), SVR(kernel="poly", degree=2, coef0=1.0), NuSVR(C=10.0)],
    ids=["linear", "rbf", "poly", "nu"],
)
def test_a_number_lies_in_the_wanted_range(model, named):
    class Named:
        """Predicts as the model does, from a frame whatever it was fitted on."""

        def predict(self, rows):
            return model.predict(rows if named else rows.to_numpy())

    model.fit(DIABETES if named else DIABETES.to_numpy(), NUMBER)
    middle = float(np.median(Named().predict(DIABETES)))
    for wanted in [(None, middle), (middle, None), (middle - 3.0, middle)]:
        found, rows = assert_decides_as(model, DIABETES, target=wanted)
        assert (found.predict(rows) == Named().predict(rows)).all()
        assert len(found.scores) == sum(end is not None for end in wanted)
    if named:
        assert_lies_within(model, DIABETES, [(middle - 1.0, middle + 1.0)])


def test_the_decision_value_is_read_beside_probabilities():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn 1.9 deprecates probability=True
        model = SVC(probability=True, random_state=0).fit(SCALED, LABEL)
    found, rows = assert_decides_as(model, SCALED, scale="decision", threshold=0.2)
    assert (found.ask(rows) == model.decision_function(rows)).all()
    assert parse_model(model, reference=SCALED).score is None
    with pytest.raises(InvalidArgument, match="scale='probability'"):
        parse_model(SVC().fit(SCALED, LABEL), reference=SCALED, scale="probability")
    with pytest.raises(InvalidTarget, match="is a regressor"):
        parse_model(SVR().fit(SCALED, LABEL), reference=SCALED)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(
    "wrap", [lambda one: one, lambda one: make_pipeline(PCA(), one)], ids=["alone", "inside"]
)
def test_of_several_classes_the_one_that_is_predicted_wins(wrap, ties):
    """Pairs of classes vote in a kernel machine, so that the largest decision value need not win."""
    model = wrap(SVC(break_ties=ties, C=0.1)).fit(WINE, KIND)
    far = pd.concat([WINE] * 20, ignore_index=True)
    far *= np.random.default_rng(0).uniform(-3.0, 3.0, far.shape)
    for target in model.classes_:
        found = parse_model(model, reference=WINE, target=target)
        assert found.score is None
        for rows in (WINE, far):
            assert ((found.ask(rows) >= found.threshold) == (model.predict(rows) == target)).all()
