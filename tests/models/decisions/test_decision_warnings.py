"""Check who is warned that ``predict`` decides otherwise, or that a function scores the wrong outcome."""

import functools
import logging
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from p2ce import Explainer, Status
from tests.models.laws import people


class Strict(ClassifierMixin, BaseEstimator):
    """A custom wrapper, with its own cut-off."""

    def __init__(self, inner: Any, cut: float = 0.8) -> None:
        self.inner, self.cut = inner, cut

    def fit(self, frame: pd.DataFrame, label: np.ndarray) -> "Strict":
        self.classes_ = self.inner.fit(frame, label).classes_
        return self

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        return np.asarray(self.inner.predict_proba(frame))

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        return np.asarray(self.classes_[(self.predict_proba(frame)[:, 1] >= self.cut).astype(int)])


def forest() -> Any:
    return RandomForestClassifier(10, max_depth=3, random_state=0)


def heard(caplog: pytest.LogCaptureFixture, model: Any, frame: Any, **options: Any) -> list[str]:
    """The lines about decisions that making an explainer logs."""
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="p2ce"):
        Explainer(model, frame, **{"plausibility": None, "max_changes": 1, **options})
    told = [one.getMessage() for one in caplog.records]
    return [line for line in told if "target=" in line or "at_least=" in line]


@pytest.mark.parametrize("target", [0, 1])
def test_a_wrapper_with_a_cut_of_its_own_asks_for_a_threshold(
    caplog: pytest.LogCaptureFixture, target: int
) -> None:
    frame, label = people()
    model = Strict(forest()).fit(frame, label)
    (line,) = heard(caplog, model, frame, target=target)
    shown = frame.iloc[::2]
    share = model.predict_proba(shown)[:, 1]
    apart = int(((share >= 0.8) != (share >= 0.5)).sum())
    assert f"on {apart} of {len(shown)} rows" in line
    assert "Strict" in line
    assert "at_least=" in line
    low, high = (share[share < 0.8].max(), share[share >= 0.8].min())
    if target == 0:
        low, high = 1.0 - high, 1.0 - low
    assert f"between {low:.4g} and {high:.4g}" in line
    assert not heard(caplog, model, frame, target=target, at_least=0.8 if target else 0.2)


def test_a_cut_that_is_parsed_and_a_plain_model_are_silent(caplog: pytest.LogCaptureFixture) -> None:
    frame, label = people()
    plain = forest()
    for model in (
        plain,
        FixedThresholdClassifier(forest(), threshold=0.8),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ):
        for target in (0, 1):
            assert heard(caplog, model.fit(frame, label), frame, target=target) == []
            assert heard(caplog, model, frame, target=target, margin=0.05) == []


def contrary(frame: pd.DataFrame) -> np.ndarray:
    return np.asarray((frame["owner"] == 1).to_numpy().astype(int))


def broken(frame: pd.DataFrame) -> np.ndarray:
    raise RuntimeError("not today")


@pytest.mark.parametrize(
    ("predict", "lines"), [(contrary, ["No cut-off of this score reproduces predict"]), (broken, [])]
)
def test_a_predict_that_goes_by_something_else_or_fails(
    caplog: pytest.LogCaptureFixture, predict: Any, lines: list[str]
) -> None:
    frame, label = people()
    model = Strict(forest()).fit(frame, label)
    model.predict = predict
    found = heard(caplog, model, frame, target=1)
    assert len(found) == len(lines)
    assert all(line in one for line, one in zip(lines, found, strict=True))


def test_ties_at_the_threshold_are_no_disagreement(caplog: pytest.LogCaptureFixture) -> None:
    """Predict gives the first class at a probability of one half, and so does the explainer of a tree."""
    frame = pd.DataFrame({"step": np.repeat([0, 1, 2], 8)})
    label = np.array([0] * 8 + [0, 1] * 4 + [1] * 8)
    tree = DecisionTreeClassifier(random_state=0).fit(frame, label)
    explainer = Explainer(tree, frame, target=1, plausibility=None)
    assert tree.predict(pd.DataFrame({"step": [1]}))[0] == 0
    assert explainer.explain({"step": 1}).status is Status.OPTIMAL
    assert heard(caplog, tree, frame, target=1) == []
    assert Explainer(tree, frame, target=0, plausibility=None).explain({"step": 1}).status is (
        Status.ACCEPTED
    )


def predict_default_risk(rows: pd.DataFrame) -> np.ndarray:
    return np.asarray((rows["age"] / 80.0).clip(0.0, 1.0))


def test_names_of_functions_are_heard(caplog: pytest.LogCaptureFixture) -> None:
    frame, _ = people()
    for function in (predict_default_risk, functools.partial(predict_default_risk)):
        (line,) = heard(caplog, function, frame)
        assert "'predict_default_risk'" in line
        assert "a function that scores the favourable outcome" in line
        assert heard(caplog, function, frame, target=1) == []

    def latent_badge(rows: pd.DataFrame) -> np.ndarray:
        return predict_default_risk(rows)

    assert heard(caplog, latent_badge, frame) == []
