"""On real tables, categories and gaps included, the answers are those of asking about every point."""

from collections.abc import Sequence
from itertools import combinations, product
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
from tests.properties.whole_grid import quanta_of, reported_quanta
from tests.real_data import require_data

require_data()

CHANGES = {"german": 2, "taiwan": 2, "adult": 3}
BOUNDS = {"LightGBM": "tree leaves", "logistic": "additive", "MLP": "network", "gaps": "tree leaves"}
ROWS, PEOPLE, GAPS = 3000, 3, 0.1
FOREST = {"n_estimators": 40, "contamination": 0.05, "random_state": 0}


def load(name: str, kind: str) -> tuple[p2ce.datasets.Dataset, pd.DataFrame, pd.DataFrame]:
    """Load a table and split it; Adult's labels are plain text where a pipeline encodes them."""
    data = p2ce.datasets.load(name, categories=True)
    frame = data.features
    if name == "adult" and kind in ("logistic", "MLP"):
        frame = frame.astype(dict.fromkeys(data.categories, str))
    if kind == "gaps":
        frame = frame.mask(np.random.default_rng(0).random(frame.shape) < GAPS)
    train, test = train_test_split(frame, test_size=0.5, random_state=0)
    return data, train.iloc[:ROWS], test


def fit(kind: str, train: pd.DataFrame, outcome: pd.Series, categories: Sequence[str]) -> Any:
    if kind == "LightGBM":
        lightgbm = pytest.importorskip("lightgbm")
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


def cells_around(person: pd.DataFrame, actions: p2ce.ActionSet, max_changes: int) -> pd.DataFrame:
    """List every point with few changes, as the user would write it, support after support."""
    choices = []  # of each column: today's value, then all others that it may take
    for feature in actions.features:
        now = person[feature.name].iloc[0]
        choices.append([now, *(value for value in feature.candidates().tolist() if value != now)])
    blocks = []
    for size in range(1, max_changes + 1):
        for support in combinations(range(len(choices)), size):
            taken = list(product(*(range(1, len(choices[column])) for column in support)))
            block = np.zeros((len(taken), len(choices)), dtype=np.int64)
            block[:, list(support)] = np.array(taken, dtype=np.int64).reshape(-1, size)
            blocks.append(block)
    picked = np.concatenate(blocks)
    columns = {}
    for column, name in enumerate(actions.names):
        values = np.empty(len(choices[column]), dtype=object)
        values[:] = choices[column]
        columns[name] = pd.Series(values[picked[:, column]], dtype=person[name].dtype)
    return pd.DataFrame(columns)


class Plausible:
    """What `p2ce.IsolationForest` says it does: labels by rank, commonest first, and gaps below all else."""

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
        return self.forest.decision_function(self.numbers(rows)) >= 0.0


def prices(person: pd.DataFrame, cells: pd.DataFrame, train: pd.DataFrame) -> dict[str, np.ndarray]:
    """Price each column's change (n, d): |Δ|/unit, and 1 for another label and for a gap that is filled."""
    away = np.zeros(cells.shape)
    numbers = 0
    for place, (name, column) in enumerate(train.items()):
        now = person[name].iloc[0]
        if column.dtype.kind not in "biuf" or pd.isna(now):
            stays = cells[name].isna() if pd.isna(now) else cells[name] == now
            away[:, place] = np.where(stays, 0.0, 1.0)
        else:
            known = column.dropna().astype(float)
            bulk = known.clip(known.quantile(0.01), known.quantile(0.99))
            two = known.nunique() <= 2  # which have no tails
            deviation = (0.0 if two else bulk.std(ddof=0)) or known.std(ddof=0) or 1.0
            away[:, place] = np.abs(cells[name].astype(float) - now) / deviation
        numbers += column.dtype.kind in "biuf"
    return {"mean_distance": away / numbers, "max_distance": away, "changes": (away > 0).astype(float)}


def first_of_each_cost(costs: np.ndarray) -> set[tuple[int, ...]]:
    """Give the undominated cost vectors."""
    left = np.unique(costs, axis=0)
    found = set()
    while len(left):
        best = left[0]  # the first in this order is dominated by nothing that is left
        found.add(tuple(best.tolist()))
        left = left[(left < best).any(axis=1)]
    return found


@pytest.mark.parametrize("kind", BOUNDS)
@pytest.mark.parametrize("name", CHANGES)
def test_the_front_is_that_of_asking_the_users_own_pipeline(name: str, kind: str) -> None:
    data, train, test = load(name, kind)
    fixed = list(data.immutable)
    model = fit(kind, train, data.outcome[train.index], data.categories)
    actions = p2ce.ActionSet.infer(train, grid="paper").fix(*fixed)
    explainer = p2ce.Explainer(
        model,
        train,
        actions=actions,
        max_changes=CHANGES[name],
        plausibility=p2ce.IsolationForest(**FOREST),
    )
    is_plausible = Plausible(train)
    test = test.iloc[:400]
    denied = test[model.predict_proba(test)[:, 1] < 0.5].iloc[:PEOPLE]
    assert len(denied) == PEOPLE
    for position, found in enumerate(explainer.explain_many(denied)):
        person = denied.iloc[[position]]
        cells = cells_around(person, actions, CHANGES[name])
        assert (cells.dtypes == train.dtypes).all()
        assert found.certificate.cells == len(cells)
        cells = cells[model.predict_proba(cells)[:, 1] >= 0.5]
        if len(cells):
            cells = cells[is_plausible(cells)]
        assert found.status is (p2ce.Status.OPTIMAL if len(cells) else p2ce.Status.NO_RECOURSE)
        assert found.certificate.proven
        assert found.certificate.bound == BOUNDS[kind]
        priced = prices(person, cells, train)
        costs = np.array([quanta_of(name, priced[name]) for name in found.objectives]).T
        assert set(reported_quanta(found)) == first_of_each_cost(costs)

        rows = found.to_frame()[list(train.columns)]
        assert (rows.dtypes == train.dtypes).all()
        if len(rows):
            assert (model.predict_proba(rows)[:, 1] >= 0.5).all()
            assert is_plausible(rows).all()
        stays = person[fixed].iloc[[0] * len(rows)].reset_index(drop=True)
        pd.testing.assert_frame_equal(rows[fixed].reset_index(drop=True), stays)
