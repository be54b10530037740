"""A small table with all kinds of columns, and the transformers that are read in front of a model."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

from p2ce.extend import columnwise

NUMBERS = ["age", "income", "balance"]
LABELS = ["job", "home", "grade"]


def table(rows: int = 400, *, missing: bool = False) -> tuple[pd.DataFrame, np.ndarray]:
    """Make a population with numbers of all kinds, truth values, text and categories, and a label."""
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "income": rng.lognormal(8.0, 0.5, rows),
            "balance": rng.normal(0.0, 1.0, rows).round(1).astype(np.float32),
            "owner": rng.integers(0, 2, rows).astype(bool),
            "cards": rng.integers(1, 5, rows),
            "job": rng.choice(
                ["clerk", "cook", "judge", "smith", "poet"], rows, p=[0.4, 0.3, 0.2, 0.07, 0.03]
            ),
            "home": pd.Categorical(rng.choice(["own", "rent", "free"], rows)),
            "grade": pd.Categorical(rng.choice([1, 2, 3], rows), categories=[1, 2, 3], ordered=True),
        }
    )
    margin = (frame["income"] - 3000.0) / 1500.0 + frame["balance"] ** 2 - 1.0 + (frame["job"] == "cook")
    label = (margin + rng.normal(0.0, 0.7, rows) > 0.0).to_numpy().astype(int)
    if missing:
        for name in ("income", "balance", "job", "home"):
            frame.loc[rng.random(rows) < 0.1, name] = None
    return frame, label


def hot(**options: Any) -> ColumnTransformer:
    """Scale the numbers, and give every label a column."""
    encoder = OneHotEncoder(**{"handle_unknown": "ignore", **options})
    return ColumnTransformer(
        [("numbers", StandardScaler(), NUMBERS), ("labels", encoder, LABELS)], remainder="passthrough"
    )


@columnwise
class Waves(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Several waves for each column."""

    def __init__(self, periods: tuple[float, ...] = (5.0,)) -> None:
        self.periods = periods

    def fit(self, rows: Any, label: Any = None) -> "Waves":
        self.offset_ = np.asarray(rows, dtype=np.float64).mean(axis=0)
        return self

    def transform(self, rows: Any) -> np.ndarray:
        apart = np.asarray(rows, dtype=np.float64) - self.offset_
        waves = [np.sin(apart[:, j] / period) for j in range(apart.shape[1]) for period in self.periods]
        return np.column_stack(waves)


@columnwise
def hundreds(rows: Any) -> Any:
    """Round down to hundreds."""
    return np.floor(np.asarray(rows, dtype=np.float64) / 100.0)


def on(transformer: Any, names: list[str], rest: Any = "drop") -> ColumnTransformer:
    """Use a transformer on some columns, and another on the rest."""
    return ColumnTransformer([("some", transformer, names)], remainder=rest)


UNKNOWN = {"handle_unknown": "use_encoded_value", "unknown_value": -1}
UNIFORM = {"encode": "onehot-dense", "strategy": "uniform"}
# What takes a complete table.
COMPLETE: dict[str, Callable[[], Any]] = {
    "one-hot, sparse": hot,
    "one-hot, dense": lambda: hot(sparse_output=False),
    "one-hot, error": lambda: hot(handle_unknown="error"),
    "one-hot, first dropped": lambda: hot(drop="first"),
    "one-hot, rare together": lambda: hot(min_frequency=0.1),
    "one-hot, of numbers": lambda: on(
        OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=3, drop="if_binary"),
        ["cards", "owner", "job"],
    ),
    "ordinal": lambda: on(OrdinalEncoder(**UNKNOWN), [*LABELS, "cards"], RobustScaler()),
    "ordinal, unknown is missing": lambda: on(
        OrdinalEncoder(**{**UNKNOWN, "unknown_value": np.nan}), ["job", "cards"]
    ),
    "target": lambda: on(TargetEncoder(), [*LABELS, "cards"], "passthrough"),
    "bins": lambda: make_column_transformer(
        (KBinsDiscretizer(5, encode="onehot", quantile_method="averaged_inverted_cdf"), ["income"]),
        (KBinsDiscretizer(3, **UNIFORM), ["age", "balance"]),
        (KBinsDiscretizer(4, encode="ordinal", strategy="uniform"), ["balance"]),
    ),
    "threshold": lambda: on(Binarizer(threshold=0.3), ["balance", "cards"]),
    "scalers": lambda: make_pipeline(
        on(StandardScaler(with_mean=False), NUMBERS), MinMaxScaler(clip=True), MaxAbsScaler(), RobustScaler()
    ),
    "functions": lambda: make_column_transformer(
        (make_pipeline(FunctionTransformer(np.log1p), StandardScaler()), ["income", "age"]),
        (FunctionTransformer(np.absolute), ["balance"]),
        (FunctionTransformer(), ["cards"]),
    ),
    "curves": lambda: make_column_transformer(
        (SplineTransformer(3, degree=2, extrapolation="linear"), ["age", "balance"]),
        (QuantileTransformer(n_quantiles=20, output_distribution="normal"), ["income"]),
        (make_pipeline(PowerTransformer(), StandardScaler()), ["income", "cards"]),
    ),
    "curves of one's own": lambda: make_column_transformer(
        (Waves(periods=(3.0, 7.0)), ["age", "income"]),
        (FunctionTransformer(hundreds), ["income", "balance"]),
        (FunctionTransformer(lambda column: column**3 - column), ["balance"]),
        (FunctionTransformer(lambda column: column == "cook"), ["job"]),
    ),
    "turned": lambda: make_column_transformer(
        (make_pipeline(FunctionTransformer(np.absolute), StandardScaler()), ["balance"]),
        (FunctionTransformer(np.negative), ["income"]),
        (OneHotEncoder(), ["job"]),
    ),
    "union": lambda: make_pipeline(
        on("passthrough", NUMBERS), make_union(StandardScaler(), KBinsDiscretizer(3, **UNIFORM))
    ),
    "frames": lambda: hot(sparse_output=False).set_output(transform="pandas"),
    "nested, by dtype, position and slice": lambda: make_column_transformer(
        (OneHotEncoder(), make_column_selector(dtype_include="category")),
        (on(StandardScaler(), ["income"], "passthrough"), slice(0, 3)),
        (MinMaxScaler(), [4]),
    ),
}
# What takes missing values as well, or makes them go away.
INCOMPLETE: dict[str, Callable[[], Any]] = {
    "imputed": lambda: make_column_transformer(
        (make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), NUMBERS),
        (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()), ["job"]),
        (OneHotEncoder(), ["home", "grade"]),
    ),
    "constants": lambda: make_column_transformer(
        (SimpleImputer(strategy="constant", fill_value=-1.0), ["income", "balance"]),
        (
            make_pipeline(
                SimpleImputer(strategy="constant", fill_value="none", add_indicator=True),
                OrdinalEncoder(**UNKNOWN),
            ),
            ["job", "home"],
        ),
    ),
    "medians, marked by a number": lambda: make_pipeline(
        on(SimpleImputer(strategy="median"), ["income", "balance"]), SimpleImputer(missing_values=0.0)
    ),
    "passed on": lambda: make_column_transformer(
        (StandardScaler(), NUMBERS),
        (OrdinalEncoder(), ["home"]),
        (MissingIndicator(), ["income", "balance"]),
    ),
}
