"""Fit small models of every family on small tables, and call them as their users do."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from tests.optional import needs
from tests.oracle import plain
from tests.populations.random_tables import CATEGORIES, COMPLETE, NUMBERS, TEXTS

Score = Callable[[pd.DataFrame], np.ndarray]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """How a model is fitted on a frame, its labels and a seed, and which columns it takes."""

    fit: Callable[[pd.DataFrame, np.ndarray, int], Any]
    columns: tuple[str, ...] = COMPLETE
    is_parsed: bool = True  # always; others are black boxes now and then


def score_of(model: Any) -> Score:
    """Return the number that a user compares with the threshold: a probability where there is one."""
    if hasattr(model, "predict_proba"):
        return lambda rows: np.asarray(model.predict_proba(rows)[:, 1], dtype=np.float64)
    if hasattr(model, "decision_function"):
        return model.decision_function
    return lambda rows: _torch_score(model, rows) if hasattr(model, "parameters") else model(rows)


def threshold_of(model: Any) -> float:
    """Return where such a number is accepted."""
    return 0.0 if hasattr(model, "decision_function") and not hasattr(model, "predict_proba") else 0.5


def proven_bound(name: str, frame: pd.DataFrame) -> str | None:
    """Name the bound of the paper's algorithms that proves what it prunes for a family; there may be none."""
    if name in ("function", *EXTERNAL) or "network" in name:
        return None
    if "regression" not in name:
        return "tree"
    # What adds in single precision is a black box; an encoder gives double precision.
    is_double = "encoder" in name or np.result_type(*frame.dtypes) == np.float64
    return "monotone" if is_double else None


def fit_network(encoder: Any, frame: pd.DataFrame, label: np.ndarray, seed: int) -> Any:
    """Fit a small network behind an encoder; it need not converge."""
    network = MLPClassifier((6,), alpha=0.1, solver="lbfgs", max_iter=2000, random_state=seed)
    return _fitted(make_pipeline(encoder, network), frame, label)


def _fitted(model: Any, frame: pd.DataFrame, label: np.ndarray) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(frame, label)


def _lightgbm(frame: pd.DataFrame, label: np.ndarray, seed: int) -> Any:
    lightgbm = needs("lightgbm")
    model = lightgbm.LGBMClassifier(
        n_estimators=6,
        num_leaves=6,
        min_child_samples=3,
        min_data_per_group=2,
        cat_smooth=1.0,
        n_jobs=1,
        verbose=-1,
        random_state=seed,
    )
    return model.fit(frame, label)


def _xgboost(frame: pd.DataFrame, label: np.ndarray, seed: int) -> Any:
    xgboost = needs("xgboost")
    return xgboost.XGBClassifier(n_estimators=8, max_depth=3, n_jobs=1, random_state=seed).fit(frame, label)


def _catboost(frame: pd.DataFrame, label: np.ndarray, seed: int) -> Any:
    catboost = needs("catboost")
    model = catboost.CatBoostClassifier(
        iterations=8, depth=3, verbose=0, allow_writing_files=False, thread_count=1, random_seed=seed
    )
    return model.fit(frame, label)


def _network(activation: str, hidden: tuple[int, ...]) -> Family:
    def fit(frame: pd.DataFrame, label: np.ndarray, seed: int) -> Any:
        network = MLPClassifier(hidden, activation=activation, max_iter=40, random_state=seed)
        return _fitted(make_pipeline(StandardScaler(), network), frame, label)

    return Family(fit=fit)


def _torch(outputs: int) -> Family:
    def fit(frame: pd.DataFrame, label: np.ndarray, seed: int) -> Any:
        torch = needs("torch")
        layers = torch.nn
        columns = frame.shape[1]
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            model = layers.Sequential(
                layers.BatchNorm1d(columns),
                layers.Linear(columns, 8),
                layers.LeakyReLU(),
                layers.Dropout(0.2),
                layers.Linear(8, 6),
                layers.Tanh(),
                layers.Linear(6, outputs),
            ).double()
        values = torch.tensor(frame.to_numpy(dtype=np.float64))
        with torch.no_grad():
            model.train()(values[: len(values) // 2])  # what batch normalisation remembers
            model.eval()
            first = model(values)
            middle = (first[:, -1] - first[:, 0] if outputs > 1 else first[:, 0]).median()
            model[-1].bias[-1] -= middle  # half of the applicants are rejected
        return model

    return Family(fit=fit)


def _torch_score(model: Any, rows: pd.DataFrame) -> np.ndarray:
    import torch

    with torch.no_grad():
        logits = model(torch.tensor(rows.to_numpy(dtype=np.float64)))
        chance = torch.sigmoid(logits[:, 0]) if logits.shape[1] == 1 else torch.softmax(logits, dim=1)[:, 1]
        return chance.numpy()


def _function(frame: pd.DataFrame, label: np.ndarray, seed: int) -> Any:
    """Make a function of the user's: every value is worth something; a fifth of the applicants pass 0.5."""
    draw = np.random.default_rng(seed)
    worth = {
        name: {None: draw.normal(), **{plain(value): draw.normal() for value in frame[name].unique()}}
        for name in frame
    }

    def total(rows: pd.DataFrame) -> np.ndarray:
        gains = [[values.get(plain(cell), -1.0) for cell in rows[name]] for name, values in worth.items()]
        return np.sum(gains, axis=0)

    shift = 0.5 - float(np.quantile(total(frame), 0.8))
    return lambda rows: total(rows) + shift


def _encoded(frame: pd.DataFrame, encoder: Any, numbers: Any) -> Any:
    named = [name for name in frame if name in (*CATEGORIES, *TEXTS)]
    return make_column_transformer((encoder, named), (numbers, [name for name in frame if name not in named]))


def _one_hot(frame: pd.DataFrame) -> Any:
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    return _encoded(frame, OneHotEncoder(handle_unknown="ignore"), numbers)


def _ordinal(frame: pd.DataFrame) -> Any:
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)
    return _encoded(frame, encoder, SimpleImputer(strategy="median"))


def _of(make: Callable[[int], Any], *, is_parsed: bool = True) -> Family:
    """Fit what a seed makes."""
    return Family(fit=lambda frame, label, seed: make(seed).fit(frame, label), is_parsed=is_parsed)


ALL_COLUMNS = (*NUMBERS, *CATEGORIES, *TEXTS)
# Trees and sums, which the solver evaluates itself.
COMPILED: dict[str, Family] = {
    "LightGBM": Family(fit=_lightgbm),
    "XGBoost": Family(fit=_xgboost),
    "CatBoost": Family(fit=_catboost),
    "decision tree": _of(lambda seed: DecisionTreeClassifier(max_depth=5, random_state=seed)),
    "random forest": _of(lambda seed: RandomForestClassifier(8, max_depth=4, random_state=seed)),
    "extra trees": _of(lambda seed: ExtraTreesClassifier(8, max_depth=4, random_state=seed)),
    "gradient boosting": _of(lambda seed: GradientBoostingClassifier(n_estimators=8, random_state=seed)),
    "histogram boosting": _of(
        lambda seed: HistGradientBoostingClassifier(max_iter=8, min_samples_leaf=3, random_state=seed)
    ),
    "logistic regression": _of(lambda _: LogisticRegression()),
    "scaled logistic regression": _of(lambda _: make_pipeline(StandardScaler(), LogisticRegression())),
    "scaled forest": _of(
        lambda seed: make_pipeline(MinMaxScaler(), RandomForestClassifier(6, max_depth=4, random_state=seed))
    ),
}
# Networks and black boxes, which are evaluated outside of the solver's kernels.
EXTERNAL: dict[str, Family] = {
    "relu network": _network("relu", (8, 6)),
    "tanh network": _network("tanh", (8,)),
    "logistic network": _network("logistic", (6, 6)),
    "identity network": _network("identity", (5,)),
    "torch, one logit": _torch(1),
    "torch, two logits": _torch(2),
    "neighbours": _of(lambda seed: KNeighborsClassifier(3 + seed % 3), is_parsed=False),
    "rbf machine": _of(lambda _: SVC(kernel="rbf", C=2.0), is_parsed=False),
    "naive Bayes": _of(lambda _: GaussianNB(var_smoothing=1e-2), is_parsed=False),
}
# Models of tables with categories and missing values; text needs an encoder.
OF_TABLES: dict[str, Family] = {
    "LightGBM": Family(fit=_lightgbm, columns=(*NUMBERS, *CATEGORIES)),
    "histogram boosting": Family(
        fit=lambda frame, label, seed: HistGradientBoostingClassifier(
            max_iter=6, min_samples_leaf=3, categorical_features="from_dtype", random_state=seed
        ).fit(frame, label),
        columns=(*NUMBERS, *CATEGORIES),
    ),
    "forest behind an ordinal encoder": Family(
        fit=lambda frame, label, seed: make_pipeline(
            _ordinal(frame), RandomForestClassifier(6, max_depth=4, random_state=seed)
        ).fit(frame, label),
        columns=ALL_COLUMNS,
    ),
    "logistic regression behind a one-hot encoder": Family(
        fit=lambda frame, label, _: make_pipeline(_one_hot(frame), LogisticRegression()).fit(frame, label),
        columns=ALL_COLUMNS,
    ),
    "network behind a one-hot encoder": Family(
        fit=lambda frame, label, seed: fit_network(_one_hot(frame), frame, label, seed), columns=ALL_COLUMNS
    ),
    "function": Family(fit=_function, columns=ALL_COLUMNS, is_parsed=False),
}
