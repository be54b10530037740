"""Check detectors that can only be asked: whose convention they follow, and where their threshold lies."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.covariance import EllipticEnvelope
from sklearn.ensemble import IsolationForest as Library
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, OneClassSVM

from p2ce.errors import (
    InvalidArgument,
    InvalidOutput,
    InvalidReference,
    NotFitted,
    UnsupportedDetector,
)
from p2ce.models.detectors.black_box_detector import lowest_share
from p2ce.models.detectors.parse_detector import PlausibilityForest, parse_detector
from tests.optional import LazyLibrary

torch, nn = LazyLibrary("torch"), LazyLibrary("torch.nn")
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {"age": RNG.integers(18, 80, 300), "income": RNG.normal(size=300), "balance": RNG.normal(size=300)}
)
BACKWARDS = FRAME[FRAME.columns[::-1]]

OUTLIERS = {
    "local": lambda: LocalOutlierFactor(novelty=True),
    "one class": lambda: OneClassSVM(nu=0.1),
    "ellipse": lambda: EllipticEnvelope(random_state=0),
    "pipeline": lambda: make_pipeline(StandardScaler(), OneClassSVM(nu=0.1)),
    "forest behind a scaler": lambda: make_pipeline(
        StandardScaler(), Library(n_estimators=5, random_state=0)
    ),
}
DENSITIES = {
    "kernels": lambda: KernelDensity(),
    "pipeline": lambda: make_pipeline(StandardScaler(), KernelDensity()),
    "search": lambda: GridSearchCV(KernelDensity(), {"bandwidth": [0.5, 1.0]}, cv=2),
    "mixture": lambda: GaussianMixture(random_state=0),
}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", OUTLIERS)
def test_the_outlier_convention_means_plausible_from_zero(name, named):
    rows = FRAME if named else FRAME.to_numpy(dtype=float)
    detector = OUTLIERS[name]().fit(rows)
    found = parse_detector(detector, reference=BACKWARDS if named else FRAME)
    assert found.score is None
    assert found.family == f"black box ({type(detector).__name__})"
    results = found.evaluate(BACKWARDS)
    assert found.columns == tuple(FRAME.columns)
    assert ((results >= 0.0) == (detector_says(detector, rows) >= 0.0)).all()
    assert (found.report(results) == results).all()


def detector_says(detector, rows):
    with warnings.catch_warnings():
        # LocalOutlierFactor warns about the names that it was fitted on, even when it is given them.
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return detector.decision_function(rows)


@pytest.mark.parametrize("contamination", [None, 0.01, 0.5])
@pytest.mark.parametrize("name", [*OUTLIERS, *DENSITIES])
def test_contamination_moves_the_threshold_and_nothing_else(name, contamination):
    detector = (OUTLIERS | DENSITIES)[name]().fit(FRAME)
    before = pickle.dumps(detector) if name in ("one class", "ellipse", "mixture") else None
    found = parse_detector(detector, reference=FRAME, contamination=contamination)
    results = found.evaluate(FRAME)
    share = 0.05 if contamination is None else contamination  # a density has no own threshold
    if name in DENSITIES or contamination is not None:
        assert np.sum(results < 0.0) == np.ceil(share * (len(FRAME) - 1))
    if before is not None:
        assert pickle.dumps(detector) == before


class LikePyOD:
    """PyOD's documented convention: higher is more abnormal, and above ``threshold_`` is an outlier."""

    def fit(self, rows, y=None):
        self.middle = np.asarray(rows, dtype=float).mean(axis=0)
        self.decision_scores_ = self.decision_function(rows)
        self.threshold_ = np.percentile(self.decision_scores_, 90.0)
        self.labels_ = (self.decision_scores_ > self.threshold_).astype(int)
        return self

    def decision_function(self, rows):
        return np.abs(np.asarray(rows, dtype=float) - self.middle).sum(axis=1)


def test_pyods_convention_is_turned_around():
    detector = LikePyOD().fit(FRAME)
    found = parse_detector(detector, reference=FRAME)
    assert ((found.evaluate(FRAME) < 0.0) == (detector.labels_ == 1)).all()
    moved = parse_detector(detector, reference=FRAME, contamination=0.3)
    assert np.mean(moved.evaluate(FRAME) < 0.0) == pytest.approx(0.3, abs=1 / 300)
    assert found.evaluate(FRAME).argmin() == detector.decision_scores_.argmax()


def autoencoder(outputs=3):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5), nn.Tanh(), nn.Linear(2, outputs))


@pytest.mark.torch
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_an_autoencoder_finds_plausible_what_it_reproduces(precision):
    precision = getattr(torch, precision)
    module = autoencoder().to(precision).eval()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    found = parse_detector(module, reference=FRAME, contamination=0.1)
    given = torch.tensor(FRAME.to_numpy(dtype=float), dtype=precision)
    with torch.no_grad():
        error = ((module(given) - given).double() ** 2).mean(dim=1).numpy()
    results = found.evaluate(BACKWARDS)
    assert results == pytest.approx(np.percentile(error, 90.0) - error, rel=1e-5, abs=1e-3)
    assert np.mean(results < 0.0) == pytest.approx(0.1, abs=1 / 300)
    assert np.mean(parse_detector(module, reference=FRAME).evaluate(FRAME) < 0.0) == pytest.approx(0.05)
    assert found.tolerance == (1e-9 if precision == torch.float64 else 1e-4)
    assert not module.training
    assert all((value == before[name]).all() for name, value in module.state_dict().items())
    assert all(value.grad is None for value in module.parameters())


@pytest.mark.parametrize(
    "function",
    [
        lambda rows: rows["income"],
        lambda rows: rows[:, 1],
        lambda rows: rows[["income"]],
        lambda rows: rows["income"] >= 0.0,
        lambda rows: list(rows["income"] >= 0.0),
        pytest.param(lambda rows: torch.tensor(rows)[:, 1] >= 0.0, marks=pytest.mark.torch),
    ],
    ids=["frame", "array", "column", "yes or no", "list", "tensor"],
)
def test_a_function_calls_plausible_what_is_at_least_zero_or_true(function):
    found = parse_detector(function, reference=FRAME)
    assert ((found.evaluate(BACKWARDS) >= 0.0) == (FRAME["income"] >= 0.0)).all()


def test_a_detector_may_look_at_some_columns_only():
    detector = OneClassSVM().fit(FRAME[["balance", "age"]])
    found = parse_detector(detector, reference=FRAME)
    assert found.columns == ("balance", "age")
    assert (found.evaluate(FRAME) == detector.decision_function(FRAME[["balance", "age"]])).all()


FAR = KernelDensity(kernel="tophat", bandwidth=0.1).fit(FRAME + 1_000.0)
CLASSIFIER, OF_ARRAY = SVC().fit(FRAME, FRAME["age"] > 40), OneClassSVM().fit(FRAME.to_numpy()[:, :2])
LOCAL = LocalOutlierFactor()
NOVEL = r"Fit LocalOutlierFactor\(novelty=True\)"


def income(rows):
    return rows["income"]


@pytest.mark.parametrize(
    ("detector", "frame", "contamination", "error", "message"),
    [
        *(
            (PlausibilityForest(), FRAME, x, InvalidArgument, "above 0 and at most")
            for x in (0.0, "auto", True)
        ),
        *((income, FRAME, x, InvalidArgument, "above 0 and at most") for x in (-0.1, 0.51, float("nan"))),
        (lambda rows: rows["income"] > 0.0, FRAME, 0.25, InvalidArgument, "returns True or False"),
        (None, FRAME, 0.1, InvalidArgument, "Remove one of the two"),
        (FAR, FRAME, None, InvalidArgument, "value is infinite for 100% of it"),
        (OneClassSVM().fit(FRAME), FRAME.drop(columns="balance"), None, InvalidReference, "column 'balance'"),
        (OF_ARRAY, FRAME, None, InvalidReference, "2 unnamed columns"),
        (LOCAL.fit(FRAME), FRAME, None, UnsupportedDetector, NOVEL),
        (make_pipeline(StandardScaler(), LOCAL).fit(FRAME), FRAME, None, UnsupportedDetector, NOVEL),
        (CLASSIFIER, FRAME, None, UnsupportedDetector, "SVC is a classifier"),
        (OneClassSVM(), FRAME, None, NotFitted, "Fit it first"),
        (OneClassSVM, FRAME, None, UnsupportedDetector, r"Pass an instance: OneClassSVM\(\)"),
        (autoencoder(), FRAME, None, UnsupportedDetector, r"Call \.eval\(\)"),
        (autoencoder(2).eval(), FRAME, None, UnsupportedDetector, r"returned shape \(150, 2\)"),
        (autoencoder().eval(), FRAME.iloc[:, :2], None, InvalidOutput, r"\(Sequential\) raised RuntimeError"),
    ],
)
def test_a_mistake_is_named(detector, frame, contamination, error, message):
    with pytest.raises(error, match=message):
        parse_detector(detector, reference=frame, contamination=contamination)


def test_infinities_at_the_ends_do_not_spoil_the_threshold():
    values = np.array([-np.inf, -np.inf, *np.arange(97.0), np.inf])
    assert lowest_share(values, 0.5) == 47.5
    assert lowest_share(values, 0.05) == pytest.approx(2.95)


class Useless:
    def __init__(self, outputs):
        self.decision_function = outputs


def raises(rows):
    raise ZeroDivisionError("oops")


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        (raises, "raised ZeroDivisionError: oops"),
        (lambda rows: np.zeros((len(rows), 2)), r"one number per row.*returned shape \(150, 2\)"),
        (lambda rows: np.random.default_rng().random(len(rows)), "different values when called twice"),
        (lambda rows: np.arange(float(len(rows))), "when other rows are in its batch"),
    ],
    ids=["raises", "two", "random", "positions"],
)
def test_useless_outputs_are_named_with_the_call(outputs, message):
    with pytest.raises(InvalidOutput, match=message) as error:
        parse_detector(Useless(outputs), reference=FRAME)
    assert "detector.decision_function" in str(error.value)
