"""Any class of several, a range of a number, a threshold of a decision function: proven as two classes are.

Wine and Diabetes, as scikit-learn brings them, a few columns each, on grids small enough for brute force.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce import Explanation, Status
from tests.oracle import assert_is_front, brute_force_front

NETWORK: dict[str, Any] = {"solver": "lbfgs", "max_iter": 4000, "random_state": 0}
CLASSIFIERS: dict[str, Any] = {
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": RandomForestClassifier(8, max_depth=4, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=8, max_depth=2, random_state=0),
    "histogram boosting": HistGradientBoostingClassifier(max_iter=8, random_state=0),
    "scaled linear": make_pipeline(StandardScaler(), LogisticRegression()),
    "scaled network": make_pipeline(StandardScaler(), MLPClassifier(hidden_layer_sizes=(6,), **NETWORK)),
    "scaled forest": make_pipeline(MinMaxScaler(), RandomForestClassifier(8, max_depth=3, random_state=0)),
}
REGRESSORS: dict[str, Any] = {
    "linear": LinearRegression(),
    "scaled linear": make_pipeline(StandardScaler(), Ridge()),
    "forest": RandomForestRegressor(8, max_depth=4, random_state=0),
    "extra trees": ExtraTreesRegressor(8, max_depth=4, random_state=0),
    "boosting": GradientBoostingRegressor(n_estimators=10, max_depth=2, random_state=0),
    "histogram boosting": HistGradientBoostingRegressor(max_iter=10, random_state=0),
    "scaled network": make_pipeline(StandardScaler(), MLPRegressor(hidden_layer_sizes=(6,), **NETWORK)),
}
PROVEN = {"tree leaves", "additive", "network"}
Accepts = Callable[[pd.DataFrame], np.ndarray]


@cache
def wine() -> tuple[pd.DataFrame, np.ndarray]:
    """Return four columns and the three classes by name."""
    frame, label = load_wine(return_X_y=True, as_frame=True)
    frame = frame[["alcohol", "color_intensity", "proline", "hue"]].round(1)
    return frame, np.array(["barolo", "grignolino", "barbera"])[label]


@cache
def diabetes() -> tuple[pd.DataFrame, np.ndarray]:
    """Return four columns in readable units, and the number to predict."""
    frame, number = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    return frame[["age", "bmi", "bp", "s5"]].round(1), number.to_numpy()


@cache
def fitted(name: str, *, regression: bool = False) -> Any:
    from sklearn.base import clone

    frame, wanted = diabetes() if regression else wine()
    return clone((REGRESSORS if regression else CLASSIFIERS)[name]).fit(frame, wanted)


def few(frame: pd.DataFrame) -> p2ce.Policy:
    """Take five candidates per column."""
    return p2ce.Policy.infer(frame, protect=None).candidates(
        {name: frame[name].quantile(np.linspace(0.02, 0.98, 5), "nearest").tolist() for name in frame}
    )


def assert_is_the_front(
    explainer: p2ce.Explainer, frame: pd.DataFrame, person: pd.Series, accepts: Accepts
) -> Explanation:
    """Compare an explanation with the user's own calls on every cell."""
    found = explainer.explain(person)
    truth = brute_force_front(
        person.to_dict(),
        frame,
        few(frame),
        accepts=accepts,
        max_changes=2,
        objectives=found.objectives,
    )
    assert_is_front(found, truth)
    assert set(found.certificate.bound.split(", ")) <= PROVEN  # and not "complete": bounds did drop cells
    if len(found):
        assert accepts(found.to_frame()[list(frame)]).all()
    return found


def explainer_of(model: Any, frame: pd.DataFrame, **arguments: Any) -> p2ce.Explainer:
    arguments = {"policy": few(frame), "max_changes": 2, "plausibility": None, **arguments}
    return p2ce.Explainer(model, frame, **arguments)


@pytest.mark.parametrize("target", ["barolo", "grignolino", "barbera"])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_class_of_several_must_win(name: str, target: str) -> None:
    frame, label = wine()
    model = fitted(name)
    explainer = explainer_of(model, frame, target=target)
    others = frame[(label != target) & (model.predict(frame) != target)]
    statuses = []
    for place in (0, len(others) // 2, len(others) - 1):
        found = assert_is_the_front(
            explainer, frame, others.iloc[place], lambda rows: model.predict(rows) == target
        )
        statuses.append(found.status)
        index = list(model.classes_).index(target)
        for option in found:
            chances = model.predict_proba(pd.DataFrame([option.values]))[0]
            assert option.prediction == pytest.approx(chances[index])
            assert option.score >= 0.0  # the lead of the class over the next best
    assert Status.OPTIMAL in statuses
    accepted = frame[model.predict(frame) == target].iloc[0]
    assert explainer.explain(accepted).status is Status.ACCEPTED


@pytest.mark.parametrize("threshold", [0.4, 0.8])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_class_of_several_must_reach_a_threshold(name: str, threshold: float) -> None:
    frame, label = wine()
    model, target = fitted(name), "grignolino"
    index = list(model.classes_).index(target)

    def accepts(rows: pd.DataFrame) -> np.ndarray:
        return model.predict_proba(rows)[:, index] >= threshold

    explainer = explainer_of(model, frame, target=target, at_least=threshold)
    others = frame[~accepts(frame) & (label != target)]
    for place in (0, len(others) - 1):
        for option in assert_is_the_front(explainer, frame, others.iloc[place], accepts):
            assert option.score >= threshold


@pytest.mark.parametrize("target", [(None, 125.0), (190.0, None), (120.0, 150.0), (160.0, np.inf)])
@pytest.mark.parametrize("name", REGRESSORS)
def test_a_number_must_lie_in_a_range(name: str, target: Any) -> None:
    frame, _ = diabetes()
    model = fitted(name, regression=True)
    low = -np.inf if target[0] is None else target[0]
    high = np.inf if target[1] is None else target[1]

    def accepts(rows: pd.DataFrame) -> np.ndarray:
        predicted = model.predict(rows)
        return (predicted >= low) & (predicted <= high)

    explainer = explainer_of(model, frame, target=target)
    others = frame[~accepts(frame)]
    statuses = []
    for place in (0, len(others) - 1):
        found = assert_is_the_front(explainer, frame, others.iloc[place], accepts)
        statuses.append(found.status)
        for option in found:
            assert low <= option.prediction <= high
        assert not low <= found.person_prediction <= high
    assert Status.OPTIMAL in statuses


@pytest.mark.parametrize("threshold", [None, 0.7, -0.5])
@pytest.mark.parametrize("name", ["boosting", "histogram boosting", "scaled linear"])
def test_a_decision_function_must_reach_a_threshold(name: str, threshold: float | None) -> None:
    from sklearn.base import clone

    frame, label = wine()
    model = clone(CLASSIFIERS[name]).fit(frame, label == "barolo")

    def accepts(rows: pd.DataFrame) -> np.ndarray:
        return model.decision_function(rows) >= (threshold or 0.0)

    explainer = explainer_of(model, frame, target=True, scale="decision", at_least=threshold)
    found = assert_is_the_front(explainer, frame, frame[~accepts(frame)].iloc[0], accepts)
    assert found.status is Status.OPTIMAL
    # The other class of the two is the same function with the other sign.
    other = explainer_of(model, frame, target=False, scale="decision", at_least=threshold)
    turned = frame[-model.decision_function(frame) < (threshold or 0.0)]
    assert_is_the_front(
        other, frame, turned.iloc[0], lambda rows: -model.decision_function(rows) >= (threshold or 0.0)
    )


@pytest.mark.parametrize("name", ["boosting", "histogram boosting", "scaled linear"])
def test_a_decision_function_of_one_class_of_several(name: str) -> None:
    frame, _ = wine()
    model = fitted(name)
    index = list(model.classes_).index("barolo")

    def accepts(rows: pd.DataFrame) -> np.ndarray:
        return model.decision_function(rows)[:, index] >= 0.3

    explainer = explainer_of(model, frame, target="barolo", scale="decision", at_least=0.3)
    assert_is_the_front(explainer, frame, frame[~accepts(frame)].iloc[0], accepts)


def test_a_range_with_several_models_and_margin() -> None:
    """Both have to lie in the range, and farther inside than the margin."""
    frame, _ = diabetes()
    models = [fitted("forest", regression=True), fitted("linear", regression=True)]

    def accepts(rows: pd.DataFrame) -> np.ndarray:
        leads = [np.minimum(model.predict(rows) - 100.0, 160.0 - model.predict(rows)) for model in models]
        return np.min(leads, axis=0) >= 5.0

    explainer = explainer_of(models, frame, target=(100.0, 160.0), margin=5.0)
    assert_is_the_front(explainer, frame, frame[~accepts(frame)].iloc[0], accepts)
