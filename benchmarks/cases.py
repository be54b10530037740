"""Build one benchmark case: data, fitted model, detector, denied people, the engine and brute force."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from warnings import catch_warnings, simplefilter

import lightgbm
import numpy as np
import pandas as pd
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import p2ce
from benchmarks.brute_force import OBJECTIVES, BruteForce
from benchmarks.data import DataSet, choose, load
from p2ce.arrays import BoolArray, FloatArray
from p2ce.problem.feature import Kind

SEED = 0
THRESHOLD = 0.5
CONTAMINATION = 0.05
MAX_CHANGES = 3
FEW_ROWS, EPOCHS = 1000, 30  # with fewer rows a network is trained for so many epochs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """One data set with one fitted model, and the people to explain."""

    data: DataSet
    kind: str  # a key of MODELS, or "callable"
    model: Any
    forest: IsolationForest  # scikit-learn's own, fitted exactly as p2ce fits its detector
    denied: pd.DataFrame  # every denied row of the test part
    people: pd.DataFrame  # those chosen

    @property
    def threshold(self) -> float:
        """Where the model accepts; a support vector machine reports its decision function."""
        return 0.0 if self.kind == "svc" else THRESHOLD

    def scores(self, rows: FloatArray) -> FloatArray:
        """Call the library itself, by its fastest method, on one core."""
        if self.kind == "lightgbm":
            return self.model.booster_.predict(rows, num_threads=1)
        frame = pd.DataFrame(rows, columns=self.data.train.columns)
        if self.kind == "callable":
            return self.model(frame)
        if self.kind == "svc":
            return self.model.decision_function(frame)
        return self.model.predict_proba(frame)[:, 1]

    def accepts(self, rows: FloatArray) -> BoolArray:
        return self.scores(rows) >= self.threshold

    def is_plausible(self, rows: FloatArray) -> BoolArray:
        return self.forest.decision_function(rows) >= 0


@dataclass(frozen=True, slots=True)
class BareCallable:
    """A model of which nothing is known but what it answers: rows → probabilities."""

    model: Any

    def __call__(self, rows: pd.DataFrame) -> FloatArray:
        return self.model.predict_proba(rows)[:, 1]


def as_callable(case: Case) -> Case:
    """Pose the same case with the same model as a black box: p2ce sees nothing but a function."""
    return replace(case, kind="callable", model=BareCallable(case.model))


@lru_cache
def build_case(name: str, kind: str, *, people: int, rows: int | None = None) -> Case:
    """Load, train and choose; the same arguments give the same case, trained once."""
    return case_of(load(name), kind, people=people, rows=rows)


def case_of(data: DataSet, kind: str, *, people: int, rows: int | None = None) -> Case:
    """Train on all or only some ``rows`` of the data, and choose among those that the model denies."""
    trained_on = data.train
    if rows is not None:
        trained_on = choose(data.train, count=rows, rng=np.random.default_rng(SEED))
    with catch_warnings():
        simplefilter("ignore", ConvergenceWarning)  # a network may stop after EPOCHS
        model = MODELS[kind](len(trained_on)).fit(trained_on, data.outcome.loc[trained_on.index])
    forest = IsolationForest(n_estimators=100, contamination=CONTAMINATION, random_state=SEED)
    forest.fit(data.train.to_numpy(float))
    case = Case(data=data, kind=kind, model=model, forest=forest, denied=data.test, people=data.test)
    denied = data.test[~case.accepts(data.test.to_numpy(float))]
    return replace(case, denied=denied, people=choose(denied, count=people, rng=np.random.default_rng(SEED)))


def _network(rows: int) -> Any:
    """An MLP that is quickly trained."""
    # A tenth of few rows is too little for early stopping: of German's 45, nearly all were accepted.
    enough = rows >= FEW_ROWS
    stop: dict[str, Any] = {"early_stopping": True} if enough else {"max_iter": EPOCHS}
    return make_pipeline(StandardScaler(), MLPClassifier((100, 100), random_state=SEED, **stop))


# Number of training rows → a model to fit.
MODELS: dict[str, Callable[[int], Any]] = {
    "lightgbm": lambda _: lightgbm.LGBMClassifier(
        n_estimators=100, num_leaves=31, n_jobs=1, verbose=-1, random_state=SEED
    ),
    "logistic": lambda _: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "mlp": _network,
    "svc": lambda _: make_pipeline(StandardScaler(), SVC(kernel="rbf")),
    "knn": lambda _: make_pipeline(StandardScaler(), KNeighborsClassifier(n_jobs=1)),
}


def paper_actions(data: DataSet) -> p2ce.ActionSet:
    """The paper's grid, with the immutable features fixed."""
    return p2ce.ActionSet.infer(data.train, grid="paper").fix(*data.immutable)


def fine_actions(data: DataSet, *, share: float = 0.005) -> p2ce.ActionSet:
    """The same ranges in steps of 0.5 % of each; whole columns move by at least 1."""
    actions = paper_actions(data)
    steps = {}
    for feature in actions.features:
        if feature.fixed or feature.kind is Kind.BINARY or feature.high <= feature.low:
            continue
        step = (feature.high - feature.low) * share
        steps[feature.name] = max(1.0, np.ceil(step)) if feature.kind is Kind.WHOLE else step
    return actions.step(steps)


def explainer(case: Case, *, own_forest: bool = False, **options: Any) -> p2ce.Explainer:
    """The explainer of the benchmark question; ``own_forest`` hands it a detector of the user's own."""
    settings: dict[str, Any] = {
        "actions": paper_actions(case.data),
        "threshold": case.threshold,
        "objectives": OBJECTIVES,
        "max_changes": MAX_CHANGES,
        "plausibility": case.forest
        if own_forest
        else p2ce.IsolationForest(contamination=CONTAMINATION, random_state=SEED),
        "random_state": SEED,
    }
    return p2ce.Explainer(case.model, case.data.train, **(settings | options))


def brute_force(case: Case, *, actions: p2ce.ActionSet | None = None) -> BruteForce:
    """The bar, over the very candidates that p2ce uses."""
    return BruteForce.over(
        actions or paper_actions(case.data),
        case.data.train,
        max_changes=MAX_CHANGES,
        accepts=case.accepts,
        is_plausible=case.is_plausible,
    )
