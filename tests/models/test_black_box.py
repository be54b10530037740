"""Is a black box evaluated for the right thing, with what it was fitted on, and is useless output named?"""

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier, VotingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, QuantileTransformer
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from p2ce.errors import (
    InvalidArgument,
    InvalidOutput,
    InvalidReference,
    InvalidTarget,
    NotFitted,
    UnsupportedModel,
)
from p2ce.models.detectors.parse_detector import parse_detector
from p2ce.models.parse_model import parse_model
from tests.models.laws import diabetes, people, wine
from tests.optional import LazyLibrary, with_torch

torch, nn = LazyLibrary("torch"), LazyLibrary("torch.nn")
FRAME, LABEL = people(rows=300)
SCALED = (FRAME - FRAME.mean()) / FRAME.std()
THREE = LABEL + (FRAME["age"] > 50).to_numpy()
BACKWARDS = SCALED[SCALED.columns[::-1]]
WINE, KIND = wine()
DIABETES, NUMBER = diabetes()
FAR = WINE * np.random.default_rng(0).uniform(-4.0, 4.0, WINE.shape)
NEIGHBOURS = KNeighborsClassifier().fit(SCALED, LABEL)
NEIGHBOURS_OF_THREE = KNeighborsClassifier().fit(SCALED, THREE)
NEIGHBOURS_OF_WINE = KNeighborsClassifier().fit(WINE, KIND)
NUMBERS = KNeighborsRegressor().fit(DIABETES, NUMBER)


def sigmoid(margin: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-margin))


# Which number is evaluated

PROBABILITIES = {
    "neighbours": lambda: KNeighborsClassifier(),
    "calibrated": lambda: CalibratedClassifierCV(SVC(), cv=2),
    "voting": lambda: VotingClassifier([("a", LogisticRegression()), ("b", BernoulliNB())], voting="soft"),
    "stacking": lambda: StackingClassifier([("a", BernoulliNB()), ("b", KNeighborsClassifier())], cv=2),
    "search": lambda: GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [3, 5]}, cv=2),
}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", PROBABILITIES)
def test_probabilities_of_either_class(name, named):
    given = SCALED if named else SCALED.to_numpy()
    model = PROBABILITIES[name]().fit(given, LABEL)
    steady = name in ("calibrated", "voting")  # neighbours keep something of each call
    before, own = pickle.dumps(copy.deepcopy(model)), model.predict_proba(given)
    for target in (0, 1):
        found = parse_model(model, reference=SCALED, target=target)
        assert (found.family, found.score) == (f"black box ({type(model).__name__})", None)
        assert (found.scale, found.threshold, found.classes) == ("probability", 0.5, (0, 1))
        assert found.columns == tuple(SCALED.columns)
        assert (found.evaluate(BACKWARDS) == own[:, target]).all()
        assert (found.report(own[:, target]) == own[:, target]).all()
    assert pickle.dumps(copy.deepcopy(model)) == before or not steady


def test_decision_values_are_signed_for_the_second_class_or_those_of_the_target():
    model = SVC().fit(SCALED, LABEL)
    for target, sign in ((1, 1), (0, -1)):
        found = parse_model(model, reference=SCALED, target=target)
        assert (found.scale, found.threshold) == ("decision", 0.0)
        assert (found.evaluate(SCALED) == sign * model.decision_function(SCALED)).all()
    several = SVC().fit(SCALED, THREE)
    found = parse_model(several, reference=SCALED, target=2, at_least=1.5)
    assert (found.evaluate(SCALED) == several.decision_function(SCALED)[:, 2]).all()


CLASSIFIERS = {
    "neighbours": lambda: KNeighborsClassifier(4),  # with ties
    "bagging": lambda: BaggingClassifier(KNeighborsClassifier(4), 3, random_state=0),
    "pipeline": lambda: make_pipeline(QuantileTransformer(n_quantiles=20), KNeighborsClassifier(4)),
    # Pairs of classes vote in a kernel machine, so the largest decision value need not win.
    "decisions": lambda: SVC(C=0.1),
    "decisions, ties broken, inside": lambda: make_pipeline(PCA(), SVC(C=0.1, break_ties=True)),
    "votes": lambda: VotingClassifier([("a", KNeighborsClassifier(4)), ("b", DecisionTreeClassifier())]),
    "centroid": lambda: NearestCentroid(),
    "contrary": lambda: Contrary(),
}


class Contrary(ClassifierMixin, BaseEstimator):
    """Predicts the class that it finds least likely."""

    def fit(self, rows, label):
        self.inner_ = KNeighborsClassifier().fit(rows, label)
        self.classes_ = self.inner_.classes_
        return self

    def predict_proba(self, rows):
        return self.inner_.predict_proba(rows)

    def predict(self, rows):
        return self.classes_[self.predict_proba(rows).argmin(axis=1)]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_of_several_classes_one_is_accepted_where_it_is_predicted(name):
    model = CLASSIFIERS[name]().fit(WINE, KIND)
    for target in np.unique(KIND):
        found = parse_model(model, reference=WINE, target=target)
        assert (found.score, found.scale, found.threshold) == (None, "lead", 0.0)
        for rows in (WINE, FAR):
            assert ((found.evaluate(rows) >= 0.0) == (model.predict(rows) == target)).all()


def test_a_lead_is_the_distance_to_the_next_class_and_other_scales_can_be_chosen():
    model = BaggingClassifier(LogisticRegression(), 3, random_state=0).fit(WINE, KIND)
    shares, column = model.predict_proba(WINE), list(model.classes_).index("barolo")
    found = parse_model(model, reference=WINE, target="barolo", black_box=True)
    others = np.delete(shares, column, axis=1).max(axis=1)
    assert np.abs(found.evaluate(WINE) - (shares[:, column] - others)).max() < 1e-15
    assert (found.predict(WINE) == shares[:, column]).all()
    found = parse_model(model, reference=WINE, target="barolo", at_least=0.5)
    assert (found.evaluate(WINE) == shares[:, column]).all()
    found = parse_model(model, reference=WINE, target="barolo", scale="decision")
    assert (found.scale, found.threshold) == ("decision", 0.0)
    assert (found.evaluate(WINE) == model.decision_function(WINE)[:, column]).all()


REGRESSORS = {
    "voting": lambda: VotingRegressor([("a", LinearRegression()), ("b", KNeighborsRegressor())]),
    "search": lambda: GridSearchCV(KNeighborsRegressor(), {"n_neighbors": [3, 4]}, cv=2),
    "pipeline": lambda: make_pipeline(QuantileTransformer(n_quantiles=20), KNeighborsRegressor()),
    "logarithm": lambda: TransformedTargetRegressor(KNeighborsRegressor(), func=np.log, inverse_func=np.exp),
}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", REGRESSORS)
def test_a_predicted_number_lies_in_the_range(name, named):
    given = DIABETES if named else DIABETES.to_numpy()
    model = REGRESSORS[name]().fit(given, NUMBER)
    own = model.predict(given)
    for low, high in ((100.0, 150.0), (None, 90.0), (200.0, np.inf)):
        found = parse_model(model, reference=DIABETES, target=(low, high))
        assert (found.score, found.scale, found.threshold) == (None, "lead", 0.0)
        assert (found.predict(DIABETES) == own).all()
        inside = (own >= (-np.inf if low is None else low)) & (own <= high)
        assert ((found.evaluate(DIABETES) >= 0.0) == inside).all()


class Bare:
    """Has nothing but predict."""

    def __init__(self, outputs):
        self.outputs = outputs

    def predict(self, rows):
        return self.outputs(rows)


def test_predictions_alone_are_votes_or_numbers():
    votes = Bare(lambda rows: np.where(rows["bmi"] > 0.0, "good", "bad"))
    found = parse_model(votes, reference=DIABETES, target="good")
    assert (found.scale, found.threshold, set(found.classes)) == ("lead", 0.0, {"good", "bad"})
    assert (found.evaluate(DIABETES) == np.where(DIABETES["bmi"] > 0.0, 1.0, -1.0)).all()
    found = parse_model(Bare(lambda rows: rows["bmi"]), reference=DIABETES, target=(0.0, None))
    assert (found.predict(DIABETES) == DIABETES["bmi"]).all()


# How rows are passed

FUNCTIONS = {
    "frame": lambda rows: sigmoid(rows["income"]),
    "array": lambda rows: sigmoid(rows[:, 1]),
    "column": lambda rows: sigmoid(rows[["income"]]),
    "list": lambda rows: [sigmoid(value) for value in rows["income"]],
    "tensor": lambda rows: nn.Parameter(torch.sigmoid(torch.tensor(rows)))[:, 1],
}


@pytest.mark.parametrize("name", with_torch(FUNCTIONS, "tensor"))
def test_a_function_gets_a_frame_or_else_an_array(name):
    found = parse_model(FUNCTIONS[name], reference=SCALED)
    assert (found.scale, found.threshold, found.classes) == ("probability", 0.5, (0, 1))
    assert found.evaluate(BACKWARDS) == pytest.approx(sigmoid(SCALED["income"].to_numpy()))


class Plain:
    """A custom model, without any of scikit-learn's attributes."""

    def predict_proba(self, rows):
        share = sigmoid(rows["income"].to_numpy())
        return np.column_stack([1.0 - share, share])


def test_functions_and_methods_may_give_several_classes_yes_or_no_or_any_number():
    three = NEIGHBOURS_OF_THREE.predict_proba(SCALED)
    for target in range(3):
        wrapped = lambda rows: NEIGHBOURS_OF_THREE.predict_proba(rows)  # noqa: E731
        found = parse_model(wrapped, reference=SCALED, target=target, at_least=0.4)
        assert (found.evaluate(SCALED) == three[:, target]).all()
    found = parse_model(NEIGHBOURS.predict_proba, reference=BACKWARDS)
    assert found.columns == tuple(SCALED.columns)
    assert (found.evaluate(BACKWARDS) == NEIGHBOURS.predict_proba(SCALED)[:, 1]).all()
    of_array = KNeighborsClassifier().fit(SCALED.to_numpy(), LABEL)
    found = parse_model(lambda rows: of_array.predict_proba(rows)[:, 1], reference=SCALED)
    assert (found.evaluate(SCALED) == of_array.predict_proba(SCALED.to_numpy())[:, 1]).all()
    found = parse_model(Plain(), reference=SCALED, target=0)
    assert (found.evaluate(BACKWARDS) == Plain().predict_proba(SCALED)[:, 0]).all()
    found = parse_model(lambda rows: rows["income"] > 0.0, reference=SCALED)
    assert ((found.evaluate(SCALED) >= found.threshold) == (SCALED["income"] > 0.0)).all()
    found = parse_model(lambda rows: rows["income"], reference=SCALED, at_least=0.5)
    assert (found.scale, found.threshold) == ("decision", 0.5)
    found = parse_model(lambda rows: rows["owner"], reference=FRAME, at_least=7.0)
    assert (found.scale, found.threshold) == ("decision", 7.0)
    found = parse_model(lambda rows: rows["bmi"] * 3.0, reference=DIABETES, target=(None, 1.5))
    assert (found.evaluate(DIABETES) == 1.5 - 3.0 * DIABETES["bmi"]).all()
    found = parse_model(NUMBERS.predict, reference=DIABETES, target=(None, 150.0))
    assert (found.predict(DIABETES) == NUMBERS.predict(DIABETES)).all()


def test_a_model_may_write_to_what_it_is_given_and_reuse_what_it_returns():
    buffer = np.zeros(len(SCALED))

    def writes(rows):
        values = sigmoid(rows["income"].to_numpy())
        rows.iloc[:, :] = 0.0
        rows["more"] = 1.0
        return values

    def writes_into_the_array(rows):
        values = sigmoid(rows[:, 1])
        rows[:] = 0.0
        return values

    def reuses(rows):
        buffer[: len(rows)] = sigmoid(rows["income"])
        return buffer[: len(rows)]

    for model in (writes, writes_into_the_array, reuses):
        given = SCALED.copy()
        found = parse_model(model, reference=given)
        once = found.evaluate(given)
        found.evaluate(given[::-1])
        assert (once == found.evaluate(given)).all()
        pd.testing.assert_frame_equal(given, SCALED)


JOBS = pd.DataFrame(
    {
        "job": pd.Categorical(["cook", "clerk", "king", "cook"] * 20),
        "town": np.array(["Ulm", "Bonn"] * 40, dtype=object),
        "age": pd.array([31, 44, None, 28] * 20, dtype="Int64"),
    }
)
WORDS = JOBS[["job", "town"]]


class Reading(BaseEstimator):
    """Keeps what it was given."""

    def predict_proba(self, rows):
        self.given = rows
        share = np.asarray(rows["job"] == "king", dtype=float)
        return np.column_stack([1.0 - share, share])


def test_a_frame_keeps_its_types_and_categories_become_an_array_only_where_one_was_fitted():
    model = Reading()
    found = parse_model(model, reference=JOBS)
    found.evaluate(JOBS)
    pd.testing.assert_series_equal(model.given.dtypes, JOBS.dtypes)
    array = WORDS.to_numpy(dtype=object)
    encoded = make_pipeline(OneHotEncoder(handle_unknown="ignore"), KNeighborsClassifier())
    encoded.fit(array, np.arange(80) % 4 > 1)
    found = parse_model(encoded, reference=WORDS, target=True, black_box=True)
    assert (found.evaluate(WORDS) == encoded.predict_proba(array)[:, 1]).all()


def test_the_tolerance_is_that_of_the_precision():
    single = parse_model(lambda rows: rows["owner"].to_numpy(dtype=np.float32), reference=FRAME)
    assert (single.tolerance, single.evaluate(FRAME).dtype) == (1e-4, np.float64)
    rng = np.random.default_rng(0)
    steady = parse_model(lambda rows: 0.5 + 1e-16 * rng.random(len(rows)), reference=SCALED)
    assert steady.tolerance == 1e-9
    large = lambda rows: 1e9 * rows["bmi"].astype(np.float32)  # noqa: E731
    assert parse_model(large, reference=DIABETES, target=(0.0, None)).tolerance >= 1e-4 * 1e9


# PyTorch


def curved(outputs):
    """Make a network that is not a Sequential."""

    class Curved(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(5, 4), nn.Linear(4, outputs)

        def forward(self, rows):
            return self.second(nn.functional.gelu(self.first(rows)))

    return Curved()


def softmax():
    return nn.Sequential(nn.Linear(5, 3), nn.GELU(), nn.Linear(3, 2), nn.Softmax(1)).eval()


@pytest.mark.torch
@pytest.mark.parametrize("outputs", [1, 3])
def test_a_module_that_is_not_parsed_gives_logits(outputs):
    torch.manual_seed(0)
    module = curved(outputs).eval()
    found = parse_model(module, reference=SCALED, at_least=0.5)
    assert found.family == "black box (Curved)"
    with torch.no_grad():
        logits = module(torch.tensor(SCALED.to_numpy(), dtype=torch.float32))
        own = torch.sigmoid(logits)[:, 0] if outputs == 1 else torch.softmax(logits, 1)[:, 1]
    assert found.evaluate(BACKWARDS) == pytest.approx(own.numpy(), abs=1e-6)
    assert found.tolerance >= 1e-4


@pytest.mark.torch
def test_a_module_that_ends_with_probabilities_works_inside_a_function():
    module = softmax()
    found = parse_model(lambda rows: module(torch.as_tensor(rows, dtype=torch.float32)), reference=SCALED)
    assert found.classes == (0, 1)


# Mistakes


class Failing:
    """Returns what it is told to."""

    def __init__(self, outputs):
        self.outputs = outputs

    def predict_proba(self, rows):
        return self.outputs(rows)


def raises(rows):
    raise ValueError("no rows please")


USELESS = {
    "raises": (raises, "raised ValueError: no rows please"),
    "missing": (lambda rows: np.full((len(rows), 2), np.nan), "NaN for 150 of 150 rows"),
    "flat": (lambda rows: np.zeros(len(rows)), r"shape \(150, one per class\).*returned shape \(150,\)"),
    "short": (lambda rows: np.zeros((3, 2)), r"for 150 rows it returned shape \(3, 2\)"),
    "deep": (lambda rows: np.zeros((len(rows), 2, 2)), r"returned shape \(150, 2, 2\)"),
    "words": (lambda rows: np.full((len(rows), 2), "yes"), "must return numbers.*'yes'"),
    "nothing": (lambda rows: None, "must return numbers"),
    "complex": (lambda rows: np.zeros((len(rows), 2)) * 1j, "complex128"),
}


@pytest.mark.parametrize("name", USELESS)
def test_useless_output_is_named_with_the_call(name):
    outputs, message = USELESS[name]
    with pytest.raises(InvalidOutput, match=message) as error:
        parse_model(Failing(outputs), reference=SCALED)
    assert "model.predict_proba" in str(error.value)


def test_a_model_that_fails_later_is_named_too():
    def picky(rows):
        if (rows["income"] > 1e6).any():
            raise KeyError("income")
        return np.where(rows["income"] > 1e5, np.nan, 0.5)

    found = parse_model(picky, reference=SCALED)
    with pytest.raises(InvalidOutput, match=r"model\(rows\) raised KeyError: 'income' .*with 2 rows"):
        found.evaluate(SCALED[:2].assign(income=1e7))
    with pytest.raises(InvalidOutput, match="NaN for 1 of 2 rows"):
        found.evaluate(SCALED[:2].assign(income=[0.0, 2e5]))


class Unfitted(BaseEstimator):
    def fit(self, rows, label):
        return self

    def predict_proba(self, rows):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)


RNG = np.random.default_rng(0)
NAMES = "'barbera', 'barolo', 'grignolino'"
GAPS = DIABETES.assign(bmi=[np.nan, *DIABETES["bmi"][1:]], bp=[np.nan, *DIABETES["bp"][1:]])
OF_ARRAY = KNeighborsClassifier().fit(SCALED.to_numpy(), LABEL)
PAIRS = SVC(decision_function_shape="ovo").fit(SCALED, THREE)
VOTES = CLASSIFIERS["votes"]().fit(WINE, KIND)
MISTAKES: list[tuple[Any, pd.DataFrame, dict[str, Any], type[Exception], str | None]] = [
    (NEIGHBOURS_OF_WINE, WINE, {}, InvalidTarget, NAMES),
    (VOTES, WINE, {"target": "merlot"}, InvalidTarget, NAMES),
    (VOTES, WINE, {"target": "barolo", "at_least": 0.5}, InvalidArgument, "only predicts classes"),
    (NEIGHBOURS_OF_WINE, WINE, {"target": "barolo", "scale": "decision"}, InvalidArgument, "'decision'"),
    (lambda rows: rows["alcohol"] > 0.0, WINE, {"scale": "decision"}, InvalidArgument, "scale='decision'"),
    (PAIRS, SCALED, {}, UnsupportedModel, "compares classes in pairs"),
    (NUMBERS, DIABETES, {}, InvalidTarget, r"is a regressor: pass target=\(low, high\)"),
    (NEIGHBOURS_OF_THREE.predict_proba, SCALED, {"target": 3}, InvalidTarget, "0, 1, 2; target=3"),
    (FUNCTIONS["frame"], SCALED, {"target": 0}, InvalidTarget, "one number per row"),
    (lambda rows: rows[["bmi", "bp"]], DIABETES, {"target": (None, 1.5)}, InvalidTarget, None),
    (lambda rows: rows["income"], SCALED, {}, InvalidArgument, r"range from -.* to .*at_least=0\.0"),
    (lambda rows: rows["income"], SCALED, {"at_least": np.nan}, InvalidArgument, "must be finite"),
    (Bare(lambda rows: rows["bmi"]), DIABETES, {}, UnsupportedModel, None),
    (Bare(lambda rows: np.ones(len(rows))), DIABETES, {}, UnsupportedModel, None),
    # Columns in another order are not slipped to a model as an array.
    (lambda rows: NEIGHBOURS.predict_proba(rows), BACKWARDS, {}, InvalidOutput, "feature names should match"),
    (OF_ARRAY, SCALED.iloc[:, :4], {}, InvalidReference, "5 unnamed"),
    (lambda rows: rows[:, 0] == "king", WORDS, {}, InvalidOutput, r"^model\(rows\) raised"),
    (raises, SCALED, {}, InvalidOutput, r"Given a DataFrame: .*no rows please.* Given an array: "),
    (np.mean, SCALED, {}, InvalidOutput, r"model\(rows\)"),
    (lambda rows: 0.5 + 1e-8 * RNG.random(len(rows)), SCALED, {}, InvalidOutput, "called twice.*seed"),
    (lambda rows: rows["income"].rank(pct=True), SCALED, {}, InvalidOutput, "other rows are in its batch"),
    (NUMBERS, GAPS, {"target": (None, 90.0)}, InvalidOutput, r"NaN.*missing values here: 'bmi', 'bp'"),
    # In none of the rows that were looked at, but an instance may lack it.
    (NUMBERS, DIABETES, {"target": (None, 90.0), "nullable": {"sex"}}, InvalidOutput, "values here: 'sex'"),
    (KNeighborsClassifier(), SCALED, {}, NotFitted, r"Call \.fit\(X, y\)|Fit it first"),
    (Unfitted(), SCALED, {}, NotFitted, r"Call \.fit\(X, y\)|Fit it first"),
]


@pytest.mark.parametrize(("model", "frame", "wanted", "error", "message"), MISTAKES)
def test_a_mistake_is_named(model, frame, wanted, error, message):
    with pytest.raises(error, match=message):
        parse_model(model, reference=frame, **wanted)


@pytest.mark.torch
@pytest.mark.parametrize(
    ("make", "frame", "error", "message"),
    [
        (lambda: curved(1), SCALED, UnsupportedModel, r"Call \.eval\(\)"),
        (
            lambda: curved(1).eval(),
            SCALED.drop(columns="age"),
            InvalidOutput,
            r"\(Curved\) raised RuntimeError",
        ),
        (softmax, SCALED, UnsupportedModel, "must be logits"),
    ],
)
def test_a_mistake_with_a_module_is_named(make, frame, error, message):
    with pytest.raises(error, match=message):
        parse_model(make(), reference=frame)


class Half:
    """A model with a property that fails."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    @property
    def classes_(self) -> Any:
        raise self.error

    def predict_proba(self, rows: pd.DataFrame) -> np.ndarray:
        second = sigmoid(rows["age"].to_numpy())
        return np.stack([1.0 - second, second], axis=1)


def test_a_property_that_fails_is_not_taken_for_a_missing_one():
    for missing in (AttributeError("no classes"), NotFittedError("not fitted")):
        assert parse_model(Half(missing), reference=SCALED).classes == (0, 1)
    message = "classes_ of Half raised ZeroDivisionError: oops when it was looked up"
    with pytest.raises(InvalidOutput, match=message):
        parse_model(Half(ZeroDivisionError("oops")), reference=SCALED)


def test_a_detectors_property_that_fails_is_not_taken_for_a_missing_one():
    class Odd:
        @property
        def feature_names_in_(self) -> Any:
            raise ZeroDivisionError("oops")

        def score_samples(self, rows: Any) -> np.ndarray:
            return np.zeros(len(rows))

    with pytest.raises(InvalidOutput, match="feature_names_in_ of Odd raised ZeroDivisionError: oops"):
        parse_detector(Odd(), reference=SCALED)
