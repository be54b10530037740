"""Check that no class of a classifier is taken as the favourable one unless something says that it is."""

import logging
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from p2ce import Explainer, Status
from p2ce.errors import InvalidArgument, InvalidTarget, UnnamedTarget
from tests.models.laws import people
from tests.optional import LazyLibrary

lightgbm = LazyLibrary("lightgbm")

PLAIN: dict[str, Any] = {"plausibility": None, "max_changes": 1}
FRAME, BAD = people()  # a balanced table; whatever people() calls 1, here it is the unfavourable outcome
CLASSIFIERS: dict[str, Any] = {
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "forest": RandomForestClassifier(5, max_depth=3, random_state=0),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "own threshold": FixedThresholdClassifier(LogisticRegression(max_iter=10_000), threshold=0.3),
    "network": make_pipeline(
        StandardScaler(), MLPClassifier((4,), solver="lbfgs", max_iter=4000, random_state=0)
    ),
    "black box": make_pipeline(StandardScaler(), SVC()),
    "boosting": lightgbm.LGBMClassifier(n_estimators=5, verbosity=-1, n_jobs=1),
}


def of(model: Any, **arguments: Any) -> Explainer:
    return Explainer(model, FRAME, **{**PLAIN, **arguments})


def numbers(label: np.ndarray) -> np.ndarray:
    return np.asarray(label).astype(int)


def fitted(name: str, label: Any = BAD) -> Any:
    from sklearn.base import clone

    return clone(CLASSIFIERS[name]).fit(FRAME, label)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classes_0_and_1_alone_are_an_error_with_the_two_calls(name: str) -> None:
    model = fitted(name)
    with pytest.raises(UnnamedTarget) as raised:
        of(model)
    text = str(raised.value)
    assert raised.value.classes == (0, 1)
    rows = FRAME.iloc[:: max(1, -(-len(FRAME) // 256))]
    for target in (0, 1):
        share = (np.asarray(model.predict(rows)) == target).mean()
        assert f"target={target} (accepts about {share:.0%} of the reference)" in text
        assert of(model, target=target).describe().target == target
        assert f"--target {target}" in raised.value.on_command_line


def test_boosters_are_classifiers_too() -> None:
    booster = fitted("boosting").booster_
    with pytest.raises(UnnamedTarget, match=r"target=1 .* or target=0 "):
        of(booster)
    assert of(booster, target=0).describe().target == 0


def test_no_class_of_several_is_taken() -> None:
    label = np.digitize(FRAME["income"], FRAME["income"].quantile([0.3, 0.6]))
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(FRAME, label)
    with pytest.raises(UnnamedTarget, match=r"target=2 .* or target=1 .* or target=0 "):
        of(model)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_names_of_classes_are_evidence(name: str, caplog: pytest.LogCaptureFixture) -> None:
    model = fitted(name, np.where(numbers(BAD) == 1, "bad", "good"))
    with caplog.at_level(logging.INFO, logger="p2ce"):
        explainer = of(model)
    assert explainer.describe().target == "good"
    assert any("class 'good' is the favourable outcome" in one.getMessage() for one in caplog.records)


@pytest.mark.parametrize(("label", "favourable"), [("default", 0), ("approved", 1)])
def test_the_name_of_the_label_is_evidence(
    label: str, favourable: int, caplog: pytest.LogCaptureFixture
) -> None:
    y = pd.Series(numbers(BAD), name=label)
    with caplog.at_level(logging.INFO, logger="p2ce"):
        explainer = of(fitted("forest", y.to_numpy()), y=y)
    assert explainer.describe().target == favourable
    assert any(f"the label is called {label!r}" in one.getMessage() for one in caplog.records)


def test_a_person_who_will_default_is_not_called_accepted() -> None:
    """In a balanced table, no one who is likely to be bad reads that the model accepts the application."""
    model = fitted("forest")
    worst = FRAME.iloc[int(np.argmax(model.predict_proba(FRAME)[:, 1]))]
    explainer = of(model, y=pd.Series(numbers(BAD), name="default"))
    assert explainer.explain(worst).status is not Status.ACCEPTED


def test_labels_without_a_telling_name_are_no_evidence() -> None:
    for y in (numbers(BAD), pd.Series(numbers(BAD), name="target")):
        with pytest.raises(UnnamedTarget):
            of(fitted("forest"), y=y)


def test_labels_that_contradict_the_model_are_no_evidence() -> None:
    """A label called "approved" says nothing about a model that predicts its opposite."""
    y = pd.Series(1 - numbers(BAD), name="approved")
    with pytest.raises(UnnamedTarget, match="'approved' contradicts the model"):
        of(fitted("forest"), y=y)
    assert of(fitted("forest"), y=y, target=0).describe().target == 0


def test_labels_are_checked_whatever_the_target() -> None:
    model = fitted("forest")
    with pytest.raises(InvalidTarget, match="not one of the model's classes 0, 1"):
        of(model, target=1, y=np.where(numbers(BAD) == 1, "bad", "good"))
    with pytest.raises(InvalidArgument, match="2 labels"):
        of(model, target=1, y=[0, 1])


def test_a_function_scores_the_favourable_outcome() -> None:
    model = fitted("forest")
    assert of(lambda rows: model.predict_proba(rows)[:, 1]).describe().target == 1
    assert of(model.predict_proba).describe().target == 1


def test_a_saved_explainer_keeps_the_settled_target(tmp_path: Any) -> None:
    model = fitted("forest")
    of(model, y=pd.Series(numbers(BAD), name="default")).save(tmp_path / "saved.p2ce")
    assert Explainer.load(tmp_path / "saved.p2ce", model).describe().target == 0
