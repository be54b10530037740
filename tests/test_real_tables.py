"""On real tables, with categories and missing values, fronts are those of evaluating every row."""

from collections.abc import Sequence
from functools import partial
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.ensemble import IsolationForest as SklearnForest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import p2ce
from tests.optional import needs
from tests.oracle import assert_is_front, brute_force_front
from tests.real_data import require_data

require_data()

CHANGES = {"german": 2, "taiwan": 2, "adult": 3}
BOUNDS = {"LightGBM": "tree leaves", "logistic": "additive", "MLP": "network", "gaps": "tree leaves"}
ROWS, PEOPLE, GAPS = 3000, 3, 0.1
FOREST = {"n_estimators": 40, "contamination": 0.05, "random_state": 0}


def load(name: str, kind: str) -> tuple[p2ce.datasets.Dataset, pd.DataFrame, pd.DataFrame]:
    """Load a table and split it; Adult's labels are plain text where a pipeline encodes them."""
    data = p2ce.datasets.load(name, categories=True)
    frame = data.data
    if name == "adult" and kind in ("logistic", "MLP"):
        frame = frame.astype(dict.fromkeys(data.categories, str))
    if kind == "gaps":
        frame = frame.mask(np.random.default_rng(0).random(frame.shape) < GAPS)
    train, test = train_test_split(frame, test_size=0.5, random_state=0)
    return data, train.iloc[:ROWS], test


def fit(kind: str, train: pd.DataFrame, outcome: pd.Series, categories: Sequence[str]) -> Any:
    if kind == "LightGBM":
        lightgbm = needs("lightgbm")
        model = lightgbm.LGBMClassifier(n_estimators=50, n_jobs=1, verbose=-1, random_state=0)
        return model.fit(train, outcome)
    if kind == "gaps":
        model = HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0)
        return model.fit(train, outcome)
    numbers = [name for name in train.columns if name not in categories]
    last = (
        LogisticRegression(max_iter=1000)
        if kind == "logistic"
        else MLPClassifier((100, 100), max_iter=15, random_state=0)
    )
    columns = ColumnTransformer(
        [
            ("labels", OneHotEncoder(handle_unknown="ignore"), list(categories)),
            ("rest", StandardScaler(), numbers),
        ]
    )
    with catch_warnings():
        simplefilter("ignore", ConvergenceWarning)
        return make_pipeline(columns, last).fit(train, outcome)


class Plausible:
    """What `PlausibilityForest` says it does: labels by rank, commonest first, and gaps below all else."""

    def __init__(self, train: pd.DataFrame) -> None:
        self.ranks: dict[str, dict[Any, int]] = {}
        self.gaps: dict[str, float] = {}
        for name, column in train.items():
            if column.dtype.kind in "biuf":
                known = column.dropna()
                self.gaps[name] = known.min() - known.std(ddof=0)
                continue
            counts = column.value_counts(sort=False)  # in declared order, or as they appear
            labels = sorted(counts.index, key=lambda label, counts=counts: -counts[label])
            self.ranks[name] = {label: rank for rank, label in enumerate(labels)}
        self.forest = SklearnForest(**FOREST).fit(self.numbers(train))

    def numbers(self, rows: pd.DataFrame) -> np.ndarray:
        ranked = [
            column.astype(object).map(self.ranks[name]).astype(float).fillna(-1.0)
            if name in self.ranks
            else column.astype(float).fillna(self.gaps[name])
            for name, column in rows.items()
        ]
        return np.column_stack(ranked)

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        return self.forest.decision_function(self.numbers(rows))


@pytest.mark.parametrize("kind", BOUNDS)
@pytest.mark.parametrize("name", CHANGES)
def test_the_front_is_that_of_evaluating_the_users_own_pipeline(name: str, kind: str) -> None:
    data, train, test = load(name, kind)
    fixed = list(data.immutable)
    model = fit(kind, train, data.target[train.index], data.categories)
    policy = p2ce.Policy.infer(train, grid="paper", protect=None, special_values=None).fix(*fixed)
    explainer = p2ce.Explainer(
        model,
        train,
        target=1,
        policy=policy,
        max_changes=CHANGES[name],
        plausibility=p2ce.PlausibilityForest(**FOREST),
    )
    plausibility = Plausible(train)

    def accepts(rows: pd.DataFrame, least: float) -> np.ndarray:
        assert (rows.dtypes == train.dtypes).all()
        accepted = model.predict_proba(rows)[:, 1] >= 0.5
        if accepted.any():
            accepted[accepted] = plausibility(rows[accepted]) >= least
        return accepted

    test = test.iloc[:400]
    denied = test[model.predict_proba(test)[:, 1] < 0.5].iloc[:PEOPLE]
    assert len(denied) == PEOPLE
    for position, found in enumerate(explainer.explain_many(denied)):
        person = denied.iloc[[position]]
        truth = brute_force_front(
            person.iloc[0],
            train,
            policy,
            accepts=partial(accepts, least=min(0.0, float(plausibility(person)[0]))),
            max_changes=CHANGES[name],
            objectives=found.objectives,
        )
        assert found.certificate.cells == truth.allowed
        assert found.certificate.bound == BOUNDS[kind]
        assert_is_front(found, truth)

        rows = found.to_frame()[list(train.columns)]
        assert (rows.dtypes == train.dtypes).all()
        stays = person[fixed].iloc[[0] * len(rows)].reset_index(drop=True)
        pd.testing.assert_frame_equal(rows[fixed].reset_index(drop=True), stays)
