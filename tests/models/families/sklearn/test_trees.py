"""Check what is particular to trees, forests and boosting of scikit-learn: ties, starts, broken trees."""

import sys
import threading
from fractions import Fraction
from types import FrameType
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from p2ce.errors import InvalidArgument, InvalidModel, InvalidTarget, UnsupportedModel
from p2ce.models.families.sklearn.gradient_boosting import _adds_rounded, rounds_twice
from p2ce.models.parse_model import parse_model
from tests.models.laws import assert_black_box, assert_conforms, people

FRAME, LABEL = people(rows=200)
SCALED = (FRAME - FRAME.mean()) / FRAME.std()


@pytest.mark.parametrize("target", [0, 1, 2])
def test_votes_that_tie_go_to_the_earlier_class_without_a_doubt(target):
    frame = FRAME[["balance", "owner"]].astype(float).round(0)
    # Full-grown trees vote with whole shares: with two trees, every disagreement is a tie.
    model = RandomForestClassifier(n_estimators=2, max_features=1, random_state=0)
    model.fit(frame.drop_duplicates(), np.arange(len(frame.drop_duplicates())) % 3)
    assert (model.predict_proba(frame) == 0.5).any()
    found, _ = assert_conforms(model, frame, target=target, undecided=0.0)
    assert found.score.accept_from == found.score.reject_below


def test_shares_that_tie_with_the_threshold_are_decided_as_the_library_decides():
    model = RandomForestClassifier(n_estimators=3, max_depth=2, random_state=0).fit(FRAME, LABEL)
    for threshold in np.unique(model.predict_proba(FRAME)[:, 1])[::3]:
        found, _ = assert_conforms(model, FRAME, at_least=float(threshold))
        assert found.score.accept_from == found.score.reject_below


def test_boosting_that_starts_from_a_model_or_takes_labels_is_a_black_box():
    model = GradientBoostingClassifier(n_estimators=3, init=LogisticRegression()).fit(SCALED, LABEL)
    assert_black_box(model, SCALED, "starts from LogisticRegression")
    number = GradientBoostingRegressor(n_estimators=3, init=LinearRegression()).fit(FRAME, FRAME["income"])
    assert_black_box(number, FRAME, "starts from LinearRegression", target=(0.0, 1.0))
    coded = FRAME.assign(owner=FRAME["owner"].astype("category"))
    labels = GradientBoostingClassifier(n_estimators=3).fit(coded, LABEL)
    assert_black_box(labels, coded, "'owner' holds categories")


FOREST = RandomForestClassifier(9, max_depth=3, random_state=0)


@pytest.mark.parametrize(
    "model", [FOREST.fit(FRAME, LABEL), FixedThresholdClassifier(FOREST, threshold=0.4).fit(FRAME, LABEL)]
)
@pytest.mark.parametrize("target", [0, 1])
def test_a_forest_adds_in_order_even_if_joblib_uses_several_threads_by_then(model, target):
    """Its band is 0 since one thread adds the trees; other threads add them as they finish."""
    found = parse_model(model, reference=FRAME, target=target)
    assert found.score.accept_from == found.score.reject_below
    seen = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        if frame.f_code.co_name == "_accumulate_prediction":
            seen.add(threading.get_ident())

    threading.setprofile(watch)  # of threads that begin from now on
    sys.setprofile(watch)
    try:
        with parallel_config(backend="threading", n_jobs=3):
            found.evaluate(FRAME)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    assert seen == {threading.get_ident()}


def added(exactly: bool):
    """Add like scikit-learn's compiled function, or as if the compiler had fused product and sum."""

    def predict(stages, rows, rate, total):
        value = float(stages[0, 0].tree_.value[0, 0, 0])
        product = Fraction(rate) * Fraction(value) if exactly else Fraction(rate * value)
        total[0, 0] = float(product + Fraction(float(total[0, 0])))

    return predict


def test_a_fused_product_is_noticed_whatever_the_machine_is_called(monkeypatch):
    stage = DecisionTreeRegressor().fit([[0.0]], [1.0 / 3.0])
    assert _adds_rounded(added(exactly=False), stage)
    assert not _adds_rounded(added(exactly=True), stage)
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    model = GradientBoostingClassifier(n_estimators=3).fit(FRAME, LABEL)
    found = parse_model(model, reference=FRAME, at_least=0.0, scale="decision")
    assert (found.score.accept_from == found.score.reject_below) == rounds_twice()


TREE = DecisionTreeClassifier(max_depth=2).fit(FRAME, LABEL)
PAIR = DecisionTreeClassifier(max_depth=2).fit(FRAME, np.stack([LABEL, 1 - LABEL], axis=1))
NUMBER = DecisionTreeRegressor(max_depth=2).fit(FRAME, LABEL)


@pytest.mark.parametrize(
    ("model", "wanted", "error", "message"),
    [
        (TREE, {"scale": "decision"}, InvalidArgument, "scale='decision'"),
        (NUMBER, {}, InvalidTarget, "is a regressor"),
        (PAIR, {}, UnsupportedModel, "2 outputs"),
    ],
)
def test_a_mistake_is_named(model, wanted, error, message):
    with pytest.raises(error, match=message):
        parse_model(model, reference=FRAME, **wanted)


def spoil(tree: Any, name: str, value: float) -> None:
    """Change a number of the root of a ``tree_``."""
    state = tree.__getstate__()
    state["nodes"] = state["nodes"].copy()
    state["nodes"][name][0] = value
    tree.__setstate__(state)


WRONG = [
    ("left_child", -50),
    ("left_child", 0),
    ("right_child", 10**8),
    ("feature", 10**8),
    ("threshold", np.nan),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
@pytest.mark.parametrize("kind", [DecisionTreeClassifier, RandomForestClassifier, GradientBoostingClassifier])
def test_a_broken_tree_is_reported_and_not_walked(kind, name, value):
    options = {} if kind is DecisionTreeClassifier else {"n_estimators": 3}
    model = kind(random_state=0, **options).fit(FRAME, LABEL)
    spoil(np.ravel(getattr(model, "estimators_", [model]))[0].tree_, name, value)
    with pytest.raises(InvalidModel):
        parse_model(model, reference=FRAME)


@pytest.mark.parametrize(("name", "value"), [("left", 0), ("right", 10**8), ("feature_idx", 10**6)])
def test_a_broken_tree_of_histogram_boosting(name, value):
    model = HistGradientBoostingClassifier(max_iter=2, random_state=0).fit(FRAME, LABEL)
    model._predictors[0][0].nodes[name][0] = value
    with pytest.raises(InvalidModel):
        parse_model(model, reference=FRAME)
