"""On the paper's data the answers are those of asking the models about every point."""

from itertools import combinations, product
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
from tests.properties.whole_grid import as_frame, price_changes, quanta_of, reported_quanta
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


def cells_around(person: np.ndarray, actions: p2ce.ActionSet, max_changes: int) -> np.ndarray:
    """List every point with few changes, support after support: the whole product would be too large."""
    others = [
        [
            value
            for value in feature.candidates().tolist()
            if value != now and (value - now) * feature.direction >= 0
        ]
        for feature, now in zip(actions.features, person.tolist(), strict=True)
    ]
    blocks = []
    for size in range(1, max_changes + 1):
        for support in combinations(range(len(others)), size):
            values = np.array(list(product(*(others[axis] for axis in support)))).reshape(-1, size)
            block = np.repeat(person[None, :], len(values), axis=0)
            block[:, list(support)] = values
            blocks.append(block)
    return np.concatenate(blocks)


def first_of_each_cost(costs: np.ndarray) -> set[tuple[int, ...]]:
    """Give the undominated cost vectors."""
    left = np.unique(costs, axis=0)
    found = set()
    while len(left):
        best = left[0]  # the first in this order is dominated by nothing that is left
        found.add(tuple(best.tolist()))
        left = left[(left < best).any(axis=1)]
    return found


@pytest.mark.parametrize("kind", ["LightGBM", "logistic regression"])
@pytest.mark.parametrize("name", CHANGES)
def test_the_front_is_that_of_asking_about_every_point(name: str, kind: str) -> None:
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
    scores = model.predict_proba(test)[:, 1]
    denied = test[scores < 0.5].iloc[:3]
    many = explainer.explain_many(denied)
    reference = train.to_numpy(dtype=np.float64)
    for position in range(len(denied)):
        found = many[position]
        person = denied.iloc[position].to_numpy(dtype=np.float64)
        cells = cells_around(person, actions, CHANGES[name])
        assert found.certificate.cells == len(cells)
        cells = cells[model.predict_proba(as_frame(cells, train))[:, 1] >= 0.5]
        if len(cells):
            cells = cells[theirs.decision_function(cells) >= 0.0]
        assert found.status is (p2ce.Status.OPTIMAL if len(cells) else p2ce.Status.NO_RECOURSE)
        assert found.certificate.proven
        before = np.broadcast_to(person, cells.shape)
        costs = np.array(
            [
                quanta_of(objective, price_changes(objective, before, cells, reference))
                for objective in found.objectives
            ]
        ).T
        assert set(reported_quanta(found)) == first_of_each_cost(costs)


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
