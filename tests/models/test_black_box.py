"""Check that whatever can be asked is asked rightly, and that useless answers are refused by name."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from torch import nn

from p2ce.errors import (
    InvalidOutput,
    InvalidReference,
    InvalidTarget,
    InvalidThreshold,
    NotFitted,
    UnsupportedModel,
)
from p2ce.models.parse_model import parse_model
from tests.models.laws import people

FRAME, LABEL = people(rows=300)
SCALED = (FRAME - FRAME.mean()) / FRAME.std()
THREE = LABEL + (FRAME["age"] > 50).to_numpy()
BACKWARDS = SCALED[SCALED.columns[::-1]]

PROBABILITIES = {
    "neighbours": lambda: KNeighborsClassifier(),
    "calibrated": lambda: CalibratedClassifierCV(SVC(), cv=2),
    "voting": lambda: VotingClassifier([("a", LogisticRegression()), ("b", BernoulliNB())], voting="soft"),
    "stacking": lambda: StackingClassifier([("a", BernoulliNB()), ("b", KNeighborsClassifier())], cv=2),
    "search": lambda: GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [3, 5]}, cv=2),
}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", PROBABILITIES)
def test_what_has_probabilities_is_asked_for_them(name, named):
    model = PROBABILITIES[name]().fit(SCALED if named else SCALED.to_numpy(), LABEL)
    own = model.predict_proba(SCALED if named else SCALED.to_numpy())
    for target in (0, 1):
        found = parse_model(model, reference=SCALED, target=target)
        assert found.family == f"black box ({type(model).__name__})"
        assert found.score is None
        assert (found.scale, found.threshold, found.classes) == ("probability", 0.5, (0, 1))
        assert found.columns == tuple(SCALED.columns)
        assert (found.evaluate(BACKWARDS) == own[:, target]).all()
        assert (found.report(own[:, target]) == own[:, target]).all()


def test_any_of_several_classes_can_be_the_target():
    labels = np.array(["no", "maybe", "yes"])[THREE]
    model = KNeighborsClassifier().fit(SCALED, labels)
    for index, target in enumerate(("maybe", "no", "yes")):
        found = parse_model(model, reference=SCALED, target=target, threshold=0.5)
        assert (found.evaluate(SCALED) == model.predict_proba(SCALED)[:, index]).all()
    with pytest.raises(InvalidTarget, match="'maybe', 'no', 'yes'"):
        parse_model(model, reference=SCALED)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid"])
def test_decision_values_are_signed_for_the_second_class(kernel):
    model = SVC(kernel=kernel).fit(SCALED, LABEL)
    second, first = (parse_model(model, reference=SCALED, target=target) for target in (1, 0))
    assert (second.scale, second.threshold) == ("decision", 0.0)
    assert (second.evaluate(SCALED) == model.decision_function(SCALED)).all()
    assert (first.evaluate(SCALED) == -model.decision_function(SCALED)).all()


def test_decision_values_of_several_classes_are_those_of_the_target():
    model = SVC().fit(SCALED, THREE)
    found = parse_model(model, reference=SCALED, target=2, threshold=1.5)
    assert (found.evaluate(SCALED) == model.decision_function(SCALED)[:, 2]).all()
    pairs = SVC(decision_function_shape="ovo").fit(SCALED, THREE)
    with pytest.raises(UnsupportedModel, match="compares classes in pairs"):
        parse_model(pairs, reference=SCALED)


class Plain:
    """A model of somebody's own, without any of scikit-learn's attributes."""

    def predict_proba(self, rows):
        share = 1.0 / (1.0 + np.exp(-rows["income"].to_numpy()))
        return np.column_stack([1.0 - share, share])


def test_a_class_of_ones_own_needs_one_method_only():
    found = parse_model(Plain(), reference=SCALED)
    assert found.classes == (0, 1)
    assert (found.evaluate(BACKWARDS) == Plain().predict_proba(SCALED)[:, 1]).all()
    assert parse_model(Plain(), reference=SCALED, target=0).evaluate(SCALED[:1])[0] == pytest.approx(
        1.0 - found.evaluate(SCALED[:1])[0]
    )


CALLABLES = {
    "frame": lambda rows: 1.0 / (1.0 + np.exp(-rows["income"])),
    "array": lambda rows: 1.0 / (1.0 + np.exp(-rows[:, 1])),
    "column": lambda rows: 1.0 / (1.0 + np.exp(-rows[["income"]])),
    "list": lambda rows: [1.0 / (1.0 + np.exp(-value)) for value in rows["income"]],
    "tensor": lambda rows: nn.Parameter(torch.sigmoid(torch.tensor(rows)))[:, 1],
}


@pytest.mark.parametrize("name", CALLABLES)
def test_a_function_gets_a_frame_or_else_an_array(name):
    found = parse_model(CALLABLES[name], reference=SCALED)
    assert (found.scale, found.threshold, found.classes) == ("probability", 0.5, (0, 1))
    assert found.evaluate(BACKWARDS) == pytest.approx(1.0 / (1.0 + np.exp(-SCALED["income"].to_numpy())))


def test_a_function_may_report_several_classes_by_number():
    model = KNeighborsClassifier().fit(SCALED, THREE)
    own = model.predict_proba(SCALED)
    for target in range(3):
        found = parse_model(
            lambda rows: model.predict_proba(rows), reference=SCALED, target=target, threshold=0.4
        )
        assert (found.evaluate(SCALED) == own[:, target]).all()
    with pytest.raises(InvalidTarget, match="0, 1, 2; target=3"):
        parse_model(lambda rows: model.predict_proba(rows), reference=SCALED, target=3)
    with pytest.raises(InvalidTarget, match="one number per row"):
        parse_model(CALLABLES["frame"], reference=SCALED, target=0)


def test_a_method_gets_what_its_estimator_was_fitted_on():
    model = KNeighborsClassifier().fit(SCALED, LABEL)
    found = parse_model(model.predict_proba, reference=BACKWARDS)
    assert found.columns == tuple(SCALED.columns)
    assert (found.evaluate(BACKWARDS) == model.predict_proba(SCALED)[:, 1]).all()


def test_columns_in_another_order_are_not_slipped_to_a_model_as_an_array():
    model = KNeighborsClassifier().fit(SCALED, LABEL)
    with pytest.raises(InvalidOutput, match="feature names should match"):
        parse_model(lambda rows: model.predict_proba(rows), reference=BACKWARDS)


def test_what_an_array_was_fitted_on_gets_an_array_without_a_warning():
    model = KNeighborsClassifier().fit(SCALED.to_numpy(), LABEL)
    found = parse_model(lambda rows: model.predict_proba(rows)[:, 1], reference=SCALED)
    assert (found.evaluate(SCALED) == model.predict_proba(SCALED.to_numpy())[:, 1]).all()
    with pytest.raises(InvalidReference, match="5 unnamed columns"):
        parse_model(model, reference=SCALED.drop(columns="age"))


def test_a_function_says_yes_or_no():
    found = parse_model(lambda rows: rows["income"] > 0.0, reference=SCALED)
    assert ((found.evaluate(SCALED) >= found.threshold) == (SCALED["income"] > 0.0)).all()


def test_values_that_are_no_probabilities_need_a_threshold():
    with pytest.raises(InvalidThreshold, match=r"run from -.* to .*threshold=0\.0"):
        parse_model(lambda rows: rows["income"], reference=SCALED)
    found = parse_model(lambda rows: rows["income"], reference=SCALED, threshold=0.5)
    assert (found.scale, found.threshold) == ("decision", 0.5)
    inside = parse_model(lambda rows: rows["owner"], reference=FRAME, threshold=7.0)
    assert (inside.scale, inside.threshold) == ("decision", 7.0)
    with pytest.raises(InvalidThreshold, match="must be finite"):
        parse_model(lambda rows: rows["income"], reference=SCALED, threshold=float("nan"))


def test_a_model_may_write_to_what_it_is_given():
    def careless(rows):
        answers = 1.0 / (1.0 + np.exp(-rows["income"].to_numpy()))
        rows.iloc[:, :] = 0.0
        rows["more"] = 1.0
        return answers

    def careless_array(rows):
        answers = 1.0 / (1.0 + np.exp(-rows[:, 1]))
        rows[:] = 0.0
        return answers

    for model in (careless, careless_array):
        given = SCALED.copy()
        found = parse_model(model, reference=given)
        once, twice = found.evaluate(given), found.evaluate(given)
        assert (once == twice).all()
        pd.testing.assert_frame_equal(given, SCALED)


def test_a_model_may_answer_with_the_same_array_every_time():
    buffer = np.zeros(len(SCALED))

    def reuses(rows):
        buffer[: len(rows)] = rows["income"] > 0.0
        return buffer[: len(rows)]

    found = parse_model(reuses, reference=SCALED)
    once = found.evaluate(SCALED)
    found.evaluate(SCALED[::-1])
    assert (once == (SCALED["income"] > 0.0)).all()


def test_the_users_model_stays_as_it_is():
    model = CalibratedClassifierCV(SVC(), cv=2).fit(SCALED, LABEL)
    before = pickle.dumps(copy.deepcopy(model))
    parse_model(model, reference=SCALED).evaluate(SCALED)
    assert pickle.dumps(copy.deepcopy(model)) == before


class Failing:
    """Answers as it is told to."""

    def __init__(self, answer):
        self.answer = answer

    def predict_proba(self, rows):
        return self.answer(rows)


def raises(rows):
    raise ValueError("no rows please")


USELESS = {
    "raises": (raises, "raised ValueError: no rows please"),
    "missing": (lambda rows: np.full((len(rows), 2), np.nan), "NaN for 150 of 150 rows"),
    "flat": (lambda rows: np.zeros(len(rows)), r"shape \(150, one per class\).*gave shape \(150,\)"),
    "short": (lambda rows: np.zeros((3, 2)), r"for 150 rows it returned shape \(3, 2\)"),
    "deep": (lambda rows: np.zeros((len(rows), 2, 2)), r"returned shape \(150, 2, 2\)"),
    "words": (lambda rows: np.full((len(rows), 2), "yes"), "has to return numbers.*'yes'"),
    "nothing": (lambda rows: None, "has to return numbers"),
    "complex": (lambda rows: np.zeros((len(rows), 2)) * 1j, "complex128"),
}


@pytest.mark.parametrize("name", USELESS)
def test_useless_answers_are_named_with_the_call(name):
    answer, message = USELESS[name]
    with pytest.raises(InvalidOutput, match=message) as error:
        parse_model(Failing(answer), reference=SCALED)
    assert "model.predict_proba" in str(error.value)


def test_a_function_that_fails_both_ways_says_so_for_both():
    with pytest.raises(InvalidOutput, match=r"Given a DataFrame: .*no rows please.* Given an array: "):
        parse_model(raises, reference=SCALED)
    with pytest.raises(InvalidOutput, match=r"model\(rows\)"):
        parse_model(np.mean, reference=SCALED)


def test_a_model_that_fails_later_is_named_too():
    def picky(rows):
        if (rows["income"] > 1e6).any():
            raise KeyError("income")
        return np.where(rows["income"] > 1e5, np.nan, 0.5)

    found = parse_model(picky, reference=SCALED)
    with pytest.raises(
        InvalidOutput, match=r"model\(rows\) raised KeyError: 'income' when called with 2 rows"
    ):
        found.evaluate(SCALED[:2].assign(income=1e7))
    with pytest.raises(InvalidOutput, match="NaN for 1 of 2 rows"):
        found.evaluate(SCALED[:2].assign(income=[0.0, 2e5]))


def test_a_model_that_answers_at_random_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(
        InvalidOutput, match=r"model\(rows\) returns different values when called twice.*seed"
    ):
        parse_model(lambda rows: 0.5 + 1e-8 * rng.random(len(rows)), reference=SCALED)
    steady = parse_model(lambda rows: 0.5 + 1e-16 * rng.random(len(rows)), reference=SCALED)
    assert steady.tolerance == 1e-9


def test_a_model_that_looks_at_the_whole_batch_is_refused():
    with pytest.raises(InvalidOutput, match="when other rows are in its batch"):
        parse_model(lambda rows: rows["income"].rank(pct=True), reference=SCALED)


def test_single_precision_is_expected_to_round():
    found = parse_model(lambda rows: rows["owner"].to_numpy(dtype=np.float32), reference=FRAME)
    assert found.tolerance == 1e-4
    assert found.evaluate(FRAME).dtype == np.float64


class Unfitted(BaseEstimator):
    def fit(self, rows, label):
        return self

    def predict_proba(self, rows):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)


@pytest.mark.parametrize("model", [KNeighborsClassifier(), SVC(), Unfitted()], ids=lambda m: type(m).__name__)
def test_an_unfitted_model_says_what_to_call(model):
    with pytest.raises(NotFitted, match=r"Call \.fit\(X, y\)|Fit it before"):
        parse_model(model, reference=SCALED)


class Curved(nn.Module):
    """A network that is no Sequential."""

    def __init__(self, outputs):
        super().__init__()
        self.first, self.second = nn.Linear(5, 4), nn.Linear(4, outputs)

    def forward(self, rows):
        return self.second(nn.functional.gelu(self.first(rows)))


@pytest.mark.parametrize("outputs", [1, 3])
def test_a_module_that_is_not_read_is_asked_for_logits(outputs):
    torch.manual_seed(0)
    module = Curved(outputs).eval()
    found = parse_model(module, reference=SCALED, threshold=0.5)
    assert found.family == "black box (Curved)"
    with torch.no_grad():
        logits = module(torch.tensor(SCALED.to_numpy(), dtype=torch.float32))
        own = torch.sigmoid(logits)[:, 0] if outputs == 1 else torch.softmax(logits, 1)[:, 1]
    assert found.evaluate(BACKWARDS) == pytest.approx(own.numpy(), abs=1e-6)
    assert found.tolerance >= 1e-4
    with pytest.raises(UnsupportedModel, match=r"Call \.eval\(\)"):
        parse_model(Curved(outputs), reference=SCALED)
    with pytest.raises(InvalidOutput, match=r"model \(Curved\) raised RuntimeError"):
        parse_model(module, reference=SCALED.drop(columns="age"))


def test_a_module_that_ends_with_probabilities_is_not_squashed_twice():
    module = nn.Sequential(nn.Linear(5, 3), nn.GELU(), nn.Linear(3, 2), nn.Softmax(1)).eval()
    with pytest.raises(UnsupportedModel, match="have to be logits"):
        parse_model(module, reference=SCALED)
    found = parse_model(lambda rows: module(torch.as_tensor(rows, dtype=torch.float32)), reference=SCALED)
    assert found.classes == (0, 1)
