"""Put the question about a whole table together: categories, gaps, a fitted pipeline, denied people."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from warnings import catch_warnings, simplefilter

import lightgbm
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import p2ce
from benchmarks.brute_force import OBJECTIVES
from benchmarks.cases import CONTAMINATION, EPOCHS, FEW_ROWS, MAX_CHANGES, SEED, THRESHOLD
from benchmarks.data import DataSet, choose, split
from p2ce import datasets
from p2ce.arrays import FloatArray

GAPS = 0.1  # the share of cells that kind d empties


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A model as people have it, and how many times faster than brute force we are to be."""

    title: str
    required: float
    gaps: bool
    make: Callable[[pd.DataFrame], Any]  # training table → an estimator to fit


def _lightgbm(_: pd.DataFrame) -> Any:
    return lightgbm.LGBMClassifier(n_estimators=100, num_leaves=31, n_jobs=1, verbose=-1, random_state=SEED)


def _histogram(_: pd.DataFrame) -> Any:
    return HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=SEED)


def _logistic(table: pd.DataFrame) -> Any:
    return _prepared(table, LogisticRegression(max_iter=1000))


def _network(table: pd.DataFrame) -> Any:
    # As in the benchmark about any model: a tenth of few rows is too little for early stopping.
    stop: dict[str, Any] = {"early_stopping": True} if len(table) >= FEW_ROWS else {"max_iter": EPOCHS}
    return _prepared(table, MLPClassifier((100, 100), random_state=SEED, **stop))


def _prepared(table: pd.DataFrame, last: Any) -> Pipeline:
    labelled = [name for name, dtype in table.dtypes.items() if isinstance(dtype, pd.CategoricalDtype)]
    # Dense, since brute force would otherwise spend its time on making these few columns dense.
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    numbers = [name for name in table.columns if name not in labelled]
    columns = ColumnTransformer([("labels", encoder, labelled), ("numbers", StandardScaler(), numbers)])
    return Pipeline([("columns", columns), ("model", last)])


KINDS = {
    "a": Kind(title="LightGBM, its own categories", required=50, gaps=False, make=_lightgbm),
    "b": Kind(title="one-hot, scaled, logistic", required=50, gaps=False, make=_logistic),
    "c": Kind(title="one-hot, scaled, MLP (100, 100)", required=10, gaps=False, make=_network),
    "d": Kind(title="histogram boosting, 10 % missing", required=50, gaps=True, make=_histogram),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableCase:
    """One table with one fitted model, and the people to explain."""

    data: DataSet
    kind: str  # a key of KINDS
    model: Any
    people: pd.DataFrame

    def scores(self, rows: pd.DataFrame) -> FloatArray:
        """Call the user's own object on the user's own frame."""
        return np.asarray(self.model.predict_proba(rows)[:, 1])


@lru_cache
def load_table(name: str, *, gaps: bool) -> DataSet:
    """Read a data set with its categories, and empty a tenth of the cells if there are to be gaps."""
    loaded = datasets.load(name, categories=True)
    features = with_gaps(loaded.features, rng=np.random.default_rng(SEED)) if gaps else loaded.features
    return split(name, features, loaded.outcome, immutable=loaded.immutable)


def with_gaps(table: pd.DataFrame, *, rng: np.random.Generator) -> pd.DataFrame:
    """Empty a tenth of the cells; columns of whole numbers become columns of floats."""
    return table.mask(rng.random(table.shape) < GAPS)


def build_table_case(name: str, kind: str, *, people: int) -> TableCase:
    """Load, train and choose among those that the model denies."""
    return table_case_of(load_table(name, gaps=KINDS[kind].gaps), kind, people=people)


def table_case_of(data: DataSet, kind: str, *, people: int) -> TableCase:
    """Train on the data, and choose among those that the model denies."""
    with catch_warnings():
        simplefilter("ignore", ConvergenceWarning)  # a network may stop after EPOCHS
        model = KINDS[kind].make(data.train).fit(data.train, data.outcome)
    case = TableCase(data=data, kind=kind, model=model, people=data.test)
    denied = data.test[case.scores(data.test) < THRESHOLD]
    chosen = choose(denied, count=people, rng=np.random.default_rng(SEED))
    return TableCase(data=data, kind=kind, model=model, people=chosen)


def table_actions(data: DataSet) -> p2ce.ActionSet:
    """The paper's grid and every label, with the immutable features fixed."""
    return p2ce.ActionSet.infer(data.train, grid="paper").fix(*data.immutable)


def table_explainer(case: TableCase, **options: Any) -> p2ce.Explainer:
    """The explainer of the benchmark question."""
    settings: dict[str, Any] = {
        "actions": table_actions(case.data),
        "threshold": THRESHOLD,
        "objectives": OBJECTIVES,
        "max_changes": MAX_CHANGES,
        "plausibility": p2ce.IsolationForest(contamination=CONTAMINATION, random_state=SEED),
        "random_state": SEED,
    }
    return p2ce.Explainer(case.model, case.data.train, **(settings | options))
