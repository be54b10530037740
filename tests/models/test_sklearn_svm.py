"""Check that a linear support vector machine is read with a band that covers libsvm's way of summing."""

import warnings

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, NuSVC

from p2ce.compiled.evaluate import score_rows
from p2ce.errors import NotFitted
from p2ce.models.read import read_model
from tests.models.laws import assert_reads, people

FRAME, LABEL = people()
SCALED = (FRAME - FRAME.mean()) / FRAME.std()


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("model", [SVC(kernel="linear"), NuSVC(kernel="linear", nu=0.6)])
def test_what_is_sure_is_what_libsvm_says(model, named, target):
    model.fit(SCALED if named else SCALED.to_numpy(), LABEL)
    found = assert_reads(model, SCALED, target=target, band=1e-6, error=1e-6, thresholds=3)
    assert found.score.weights is not None
    assert found.scale == "decision"


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler()])
def test_scalers_may_stand_in_front(scaler):
    model = make_pipeline(scaler, SVC(kernel="linear")).fit(FRAME, LABEL)
    assert_reads(model, FRAME, band=1e-6, error=1e-6, thresholds=2)


def test_the_band_covers_sums_that_cancel():
    """Huge duals of nearly equal rows: the decision value rounds far more than weights @ x would."""
    rng = np.random.default_rng(0)
    rows = SCALED.to_numpy()[:40] + 100.0
    rows = np.concatenate([rows, rows + rng.normal(0.0, 1e-6, rows.shape)])
    label = np.repeat([0, 1], 40)
    model = SVC(kernel="linear", C=1e9, max_iter=20_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(rows, label)
    reference = SCALED + 100.0
    found = read_model(model, reference=reference)
    error = np.abs(score_rows(found.score, reference.to_numpy()) - found.ask(reference))
    half_band = (found.score.sure - found.score.maybe) / 2.0
    assert error.max() > 1e-9
    assert error.max() <= half_band


def test_a_larger_reach_widens_the_band():
    model = SVC(kernel="linear").fit(SCALED, LABEL)
    near = read_model(model, reference=SCALED).score
    far = read_model(model, reference=SCALED, reach=np.full(5, 1e8)).score
    assert far.sure - far.maybe > near.sure - near.maybe


@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid", lambda one, other: one @ other.T])
def test_other_kernels_are_only_asked(kernel):
    model = SVC(kernel=kernel).fit(SCALED.to_numpy(), LABEL)
    found = read_model(model, reference=SCALED)
    assert found.family == "opaque (SVC)"
    assert (found.ask(SCALED) == model.decision_function(SCALED.to_numpy())).all()


def test_probabilities_are_only_asked_since_their_link_is_an_iteration_that_stops_early():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn 1.9 deprecates probability=True
        model = SVC(kernel="linear", probability=True, random_state=0).fit(SCALED, LABEL)
    found = read_model(model, reference=SCALED)
    assert (found.family, found.scale) == ("opaque (SVC)", "probability")
    # The reason: where libsvm's logistic is within half a percent of one half, it reports exactly one half.
    low, high = model.decision_function(SCALED).argmin(), model.decision_function(SCALED).argmax()
    start, end = SCALED.iloc[[low]], SCALED.iloc[[high]]
    steps = np.linspace(0.0, 1.0, 20_001)[:, None]
    between = SCALED.iloc[:0].reindex(range(len(steps)), fill_value=0.0)
    between[:] = start.to_numpy() * (1.0 - steps) + end.to_numpy() * steps
    answers = found.ask(between)
    assert (answers == 0.5).sum() > 10


def test_an_unfitted_model_says_so():
    with pytest.raises(NotFitted, match=r"Call \.fit\(X, y\)"):
        read_model(SVC(kernel="linear"), reference=SCALED)
