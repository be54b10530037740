"""The columns that no model uses are found by name, for every library that keeps names."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from p2ce.models.unused_columns import unused_columns
from tests.optional import needs

X = pd.DataFrame(np.random.default_rng(0).normal(0, 1, (60, 3)).round(2), columns=["Income", "Debt", "Years"])
GOOD = (X.sum(axis=1) > 0).astype(int)
WIDE = X.assign(id=range(60), Since=pd.Timestamp("2026-11-18"), default=1 - GOOD)


def lightgbm(booster: bool) -> Any:
    needs("lightgbm")
    import lightgbm

    model = lightgbm.LGBMClassifier(n_estimators=3, verbose=-1).fit(X, GOOD)
    return model.booster_ if booster else model


def xgboost(booster: bool) -> Any:
    needs("xgboost")
    import xgboost

    model = xgboost.XGBClassifier(n_estimators=3).fit(X, GOOD)
    return model.get_booster() if booster else model


def catboost() -> Any:
    needs("catboost")
    import catboost

    return catboost.CatBoostClassifier(iterations=3, verbose=0, allow_writing_files=False).fit(X, GOOD)


NAMED: list[Callable[[], Any]] = [
    lambda: LogisticRegression().fit(X, GOOD),
    lambda: make_pipeline(StandardScaler(), LogisticRegression()).fit(X, GOOD),
    lambda: LogisticRegression().fit(X, GOOD).predict_proba,
    lambda: [LogisticRegression().fit(X, GOOD), LogisticRegression().fit(X[["Income"]], GOOD)],
    lambda: lightgbm(booster=False),
    lambda: lightgbm(booster=True),
    lambda: xgboost(booster=False),
    lambda: xgboost(booster=True),
    catboost,
]


@pytest.mark.parametrize("make", NAMED)
def test_columns_that_the_model_was_not_fitted_on_are_unused(make: Callable[[], Any]) -> None:
    model = make()
    assert unused_columns(model, WIDE) == ("id", "Since", "default")
    assert unused_columns(model, X) == ()


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression().fit(X.to_numpy(), GOOD),
        lambda frame: frame["Income"],
        [LogisticRegression().fit(X, GOOD), lambda frame: frame["Income"]],
        [],
        None,
    ],
)
def test_a_model_without_names_uses_all_columns(model: Any) -> None:
    assert unused_columns(model, WIDE) == ()


def test_a_column_that_may_be_meant_as_another_is_used() -> None:
    model = LogisticRegression().fit(X, GOOD)
    assert unused_columns(model, WIDE.assign(Incmoe=1, debt=1)) == ("id", "Since", "default")
    assert unused_columns(model, WIDE.drop(columns="Debt")) == ()
