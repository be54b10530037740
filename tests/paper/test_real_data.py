"""On the paper's data the fronts are those of evaluating the models on every row."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest as SklearnForest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import p2ce
from p2ce.paper import P2CE
from tests.oracle import assert_is_front, brute_force_front
from tests.real_data import require_data

require_data()

CHANGES = {"german": 2, "taiwan": 2, "adult": 3}


def load(name: str) -> tuple[pd.DataFrame, pd.Series, pd.DataFrame, p2ce.ActionSet]:
    data = p2ce.datasets.load(name)
    train, test = train_test_split(data.features, test_size=0.5, random_state=0)
    actions = p2ce.ActionSet.infer(train, grid="paper").fix(*data.immutable)
    return train, data.outcome[train.index], test, actions


def fit(kind: str, train: pd.DataFrame, outcome: pd.Series) -> Any:
    if kind == "LightGBM":
        lightgbm = pytest.importorskip("lightgbm")
        model = lightgbm.LGBMClassifier(n_estimators=50, n_jobs=1, verbose=-1, random_state=0)
        return model.fit(train, outcome)
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(train, outcome)


@pytest.mark.parametrize("kind", ["LightGBM", "logistic regression"])
@pytest.mark.parametrize("name", CHANGES)
def test_the_front_is_that_of_evaluating_every_row(name: str, kind: str) -> None:
    train, outcome, test, actions = load(name)
    model = fit(kind, train, outcome)
    arguments = {"n_estimators": 40, "contamination": 0.05, "random_state": 0}
    theirs = SklearnForest(**arguments).fit(train.to_numpy(dtype=np.float64))
    explainer = p2ce.Explainer(
        model,
        train,
        actions=actions,
        max_changes=CHANGES[name],
        plausibility=p2ce.IsolationForest(**arguments),
    )

    def accepts(rows: pd.DataFrame) -> np.ndarray:
        accepted = model.predict_proba(rows)[:, 1] >= 0.5
        if accepted.any():
            accepted[accepted] = theirs.decision_function(rows[accepted].to_numpy(dtype=np.float64)) >= 0.0
        return accepted

    denied = test[model.predict_proba(test)[:, 1] < 0.5].iloc[:3]
    for position, found in enumerate(explainer.explain_many(denied)):
        truth = brute_force_front(
            denied.iloc[position],
            train,
            actions,
            accepts=accepts,
            max_changes=CHANGES[name],
            objectives=found.objectives,
        )
        assert found.certificate.cells == truth.allowed
        assert_is_front(found, truth)


@pytest.mark.parametrize("name", CHANGES)
def test_the_papers_methods_agree_on_real_data(name: str) -> None:
    train, outcome, test, actions = load(name)
    model = fit("LightGBM", train, outcome)
    denied = test[model.predict(test) == 0].iloc[:4]
    answers = []
    for method in ("exact", P2CE(bound="tree"), P2CE(bound="tree", partial_plausibility=False), P2CE()):
        explainer = p2ce.Explainer(
            model,
            train,
            actions=actions,
            max_changes=2,
            plausibility=p2ce.IsolationForest(n_estimators=40),
            method=method,
        )
        found = explainer.explain_many(denied)
        answers.append([sorted(tuple(option.costs.values()) for option in one) for one in found])
    exact, whole, ablation, estimated = answers
    assert whole == ablation == exact
    # The paper's estimate may miss, and finds most.
    assert sum(one == truth for one, truth in zip(estimated, exact, strict=True)) >= 2
