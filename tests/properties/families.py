"""Fit small models of every family on small random people."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

Fit = Callable[[pd.DataFrame, np.ndarray, int], Any]


def random_people(seed: int, *, rows: int = 60, columns: int = 4) -> tuple[pd.DataFrame, np.ndarray]:
    """Make coarse people of mixed column types, and a label that depends on most columns."""
    rng = np.random.default_rng(seed)
    makers: list[tuple[str, Callable[[], np.ndarray]]] = [
        ("age", lambda: rng.integers(20, 26, rows)),
        ("debt", lambda: rng.integers(0, 9, rows) / 4.0),
        ("owns", lambda: rng.random(rows) < 0.4),
        ("rate", lambda: (rng.integers(0, 8, rows) / 10.0).astype(np.float32)),
        ("years", lambda: rng.integers(-2, 4, rows).astype(np.int16)),
        ("wealth", lambda: np.round(rng.normal(0.0, 2.0, rows), 1)),
    ]
    chosen = [makers[i] for i in rng.permutation(len(makers))[:columns]]
    frame = pd.DataFrame({name: make() for name, make in chosen})
    values = frame.to_numpy(dtype=np.float64)
    values = (values - values.mean(axis=0)) / np.maximum(values.std(axis=0), 1e-9)
    margin = values @ rng.normal(size=columns) + 0.8 * np.abs(values[:, 0]) + rng.normal(0.0, 0.5, rows)
    label = (margin > np.quantile(margin, rng.uniform(0.4, 0.8))).astype(int)
    return frame, label


def _lightgbm(frame: pd.DataFrame, label: np.ndarray, seed: int) -> Any:
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMClassifier(
        n_estimators=8, num_leaves=6, min_child_samples=3, n_jobs=1, verbose=-1, random_state=seed
    )
    return model.fit(frame, label)


def _xgboost(frame: pd.DataFrame, label: np.ndarray, seed: int) -> Any:
    xgboost = pytest.importorskip("xgboost")
    return xgboost.XGBClassifier(n_estimators=8, max_depth=3, n_jobs=1, random_state=seed).fit(frame, label)


def _catboost(frame: pd.DataFrame, label: np.ndarray, seed: int) -> Any:
    catboost = pytest.importorskip("catboost")
    model = catboost.CatBoostClassifier(
        iterations=8, depth=3, verbose=0, allow_writing_files=False, thread_count=1, random_seed=seed
    )
    return model.fit(frame, label)


FAMILIES: dict[str, Fit] = {
    "LightGBM": _lightgbm,
    "XGBoost": _xgboost,
    "CatBoost": _catboost,
    "decision tree": lambda frame, label, seed: DecisionTreeClassifier(max_depth=5, random_state=seed).fit(
        frame, label
    ),
    "random forest": lambda frame, label, seed: RandomForestClassifier(8, max_depth=4, random_state=seed).fit(
        frame, label
    ),
    "extra trees": lambda frame, label, seed: ExtraTreesClassifier(8, max_depth=4, random_state=seed).fit(
        frame, label
    ),
    "gradient boosting": lambda frame, label, seed: GradientBoostingClassifier(
        n_estimators=8, random_state=seed
    ).fit(frame, label),
    "histogram boosting": lambda frame, label, seed: HistGradientBoostingClassifier(
        max_iter=8, min_samples_leaf=3, random_state=seed
    ).fit(frame, label),
    "logistic regression": lambda frame, label, _: LogisticRegression().fit(frame, label),
    "scaled logistic regression": lambda frame, label, _: make_pipeline(
        StandardScaler(), LogisticRegression()
    ).fit(frame, label),
    "scaled forest": lambda frame, label, seed: make_pipeline(
        MinMaxScaler(), RandomForestClassifier(6, max_depth=4, random_state=seed)
    ).fit(frame, label),
}
