"""A call of the user's object is data: its traceback is short, it can be pickled, and it is checked once."""

import pickle
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce.base.calls.model_call import ModelCall, as_numbers, one_class_per_row, one_or_more, one_per_row
from p2ce.base.calls.retries import Retries
from p2ce.errors import InvalidOutput
from p2ce.models.parse_model import parse_model
from tests.populations import loans

PEOPLE = loans.people()
THREE = np.digitize(PEOPLE["Income"], [20, 40])


def score(rows: pd.DataFrame) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-(rows["Income"] / 12.0 - rows["Debt"] - 4.0).to_numpy()))


class Scorer:
    """A classifier of the user's own."""

    classes_ = np.array([0, 1])

    def predict_proba(self, rows: pd.DataFrame) -> np.ndarray:
        return np.stack([1.0 - score(rows), score(rows)], axis=1)


def plausible(rows: pd.DataFrame) -> np.ndarray:
    return np.asarray(3.0 - rows["Debt"].abs(), dtype=np.float64)


def labels() -> np.ndarray:
    return (score(PEOPLE) > 0.5).astype(int)


# What is explained, and which functions of the user's count as calls of it.
CASES: dict[str, tuple[Callable[[], Any], Any, set[str]]] = {
    "parsed": (lambda: DecisionTreeClassifier(max_depth=4).fit(PEOPLE, labels()), None, {"predict_proba"}),
    "parsed forest": (
        lambda: RandomForestClassifier(5, max_depth=4, n_jobs=1).fit(PEOPLE, labels()),
        None,
        {"predict_proba"},
    ),
    "pipeline": (
        lambda: make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=4)).fit(PEOPLE, labels()),
        None,
        {"transform", "predict_proba"},
    ),
    "black box": (Scorer, None, {"predict_proba"}),
    "function": (lambda: score, plausible, {"score", "plausible"}),
    "votes": (lambda: SVC().fit(PEOPLE, THREE), None, {"predict", "decision_function"}),
    "detector": (
        lambda: DecisionTreeClassifier(max_depth=4).fit(PEOPLE, labels()),
        IsolationForest(n_estimators=10, random_state=0).fit(PEOPLE),
        {"decision_function"},
    ),
}


def ours(frame: FrameType) -> bool:
    return "/p2ce/" in frame.f_code.co_filename and "/tests/" not in frame.f_code.co_filename


@pytest.mark.parametrize("case", CASES)
def test_the_users_function_is_called_by_at_most_two_of_ours(case: str) -> None:
    make, detector, names = CASES[case]
    explainer = p2ce.Explainer(make(), PEOPLE, target=1, plausibility=detector, max_changes=1)
    stacks: list[list[str]] = []

    def watch(frame: FrameType, event: str, _: object) -> None:
        caller = frame.f_back
        # The first function that is not ours, whatever its library puts around it.
        if event != "call" or frame.f_code.co_name not in names or ours(frame):
            return
        while caller is not None and not ours(caller):
            caller = caller.f_back
        between: list[str] = []
        while caller is not None and ours(caller) and not caller.f_code.co_name.startswith("evaluate"):
            between.append(caller.f_code.co_name)
            caller = caller.f_back
        if caller is not None and caller.f_code.co_name.startswith("evaluate"):
            stacks.append(between)

    sys.setprofile(watch)
    try:
        explainer.explain(PEOPLE[score(PEOPLE) < 0.5].iloc[0])
    finally:
        sys.setprofile(None)
    assert stacks
    assert all(len(between) <= 2 for between in stacks), max(stacks, key=len)
    assert not any(name.startswith(("<", "__")) for between in stacks for name in between)


@pytest.mark.parametrize("model", [Scorer(), score, DecisionTreeClassifier(max_depth=4)])
def test_a_call_can_be_pickled(model: Any) -> None:
    if hasattr(model, "fit"):
        model.fit(PEOPLE, labels())
    call = parse_model(model, reference=PEOPLE).evaluate
    assert np.array_equal(pickle.loads(pickle.dumps(call))(PEOPLE), call(PEOPLE))


def test_infinite_scores_whose_difference_is_nothing_are_an_error() -> None:
    """Each number that was returned is fine; what follows from them is not a number."""
    call = ModelCall(name="model", method=lambda rows: np.full((len(rows), 3), np.inf))
    assert np.isinf(call(PEOPLE)).all()
    nothing = "model must return numbers; it returned NaN for 1 of 1 rows"
    with np.errstate(invalid="ignore"), pytest.raises(InvalidOutput, match=nothing):
        call.then(lambda values: values[:, 0] - values[:, 1])(PEOPLE.iloc[:1])


def test_what_returns_a_wrong_form_once_is_called_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("p2ce.base.calls.retries.PAUSES", (0.0, 0.0))
    forms = iter([np.zeros(2), np.array([[0.0, 1.0]]), np.zeros(1)])
    method = lambda rows: next(forms)  # noqa: E731
    call = ModelCall(name="model", method=method, check=one_per_row, retries=Retries())
    assert call(PEOPLE.iloc[:1]).tolist() == [0.0]


@pytest.mark.parametrize("check", [one_or_more, as_numbers, one_class_per_row])
def test_a_buffer_that_the_next_call_overwrites_is_copied(check: Any) -> None:
    buffer = np.zeros(1)

    def method(rows: pd.DataFrame) -> np.ndarray:
        buffer[:] = rows["Income"]
        return buffer

    call = ModelCall(name="model", method=method, check=check)
    first, second = call(PEOPLE.iloc[:1]), call(PEOPLE.iloc[1:2])
    assert [first.item(), second.item()] == PEOPLE["Income"].iloc[:2].tolist()


def test_an_error_of_this_library_is_raised_as_it_is() -> None:
    error = InvalidOutput("said once")

    def method(rows: pd.DataFrame) -> np.ndarray:
        raise error

    with pytest.raises(InvalidOutput) as caught:
        ModelCall(name="model", method=method)(PEOPLE)
    assert caught.value is error
