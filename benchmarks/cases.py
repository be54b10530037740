"""Build a case: data, a fitted model, rejected people, the explainer, and brute force over its candidates."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any
from warnings import catch_warnings, simplefilter

import lightgbm
import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, SplineTransformer, StandardScaler
from sklearn.svm import SVC

import p2ce
from benchmarks.brute_force import OBJECTIVES, BruteForce
from benchmarks.splits import choose, split
from p2ce import P2CEError, datasets
from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.datasets.dataset import FACTS
from p2ce.models.detectors.imputed_values import known_codes
from p2ce.policy.features.feature import Kind
from p2ce.tables.codebook import MISSING, Codebook, codebook_of

NAMES = tuple(FACTS)
SEED = 0
THRESHOLD = 0.5
CONTAMINATION = 0.05
MAX_CHANGES = 3
GAPS = 0.1  # the share of cells that "gaps" empties
FEW_ROWS, EPOCHS = 1000, 30  # with fewer rows a network is trained for so many epochs
# Rows per call of a pipeline: the quickest of 5,000 to 200,000. Fewer stay in the cache.
BATCH = {"lightgbm": 50_000, "histogram": 50_000, "logistic": 20_000, "mlp": 20_000, "scorecard": 20_000}


@dataclass(frozen=True, kw_only=True, eq=False)
class DataSet:
    """One data set, split as the authors' code splits it: 45 % train, 5 % validation, 50 % test."""

    name: str
    train: pd.DataFrame
    outcome: "pd.Series[int]"  # of the training rows
    test: pd.DataFrame
    immutable: tuple[str, ...]

    @cached_property
    def codebook(self) -> Codebook:
        return codebook_of(self.train)

    @cached_property
    def maker(self) -> "FrameMaker | None":
        """What makes frames of codes; None where all columns are known numbers, so rows are codes."""
        if self.codebook.is_category.any() or self.train.isna().any(axis=None):
            return FrameMaker.like(self.train, self.codebook)
        return None

    @property
    def policy(self) -> p2ce.Policy:
        """The paper's grid and every label, with the immutable features fixed."""
        return p2ce.Policy.infer(self.train, grid="paper", protect=None, special_values=None).fix(
            *self.immutable
        )

    def fine_actions(self, *, share: float = 0.005) -> p2ce.Policy:
        """The same ranges in steps of 0.5 % of each; whole columns move by at least 1."""
        steps = {}
        for feature in self.policy.features:
            if not feature.fixed and feature.kind is not Kind.BINARY and feature.high > feature.low:
                step = (feature.high - feature.low) * share
                steps[feature.name] = max(1.0, np.ceil(step)) if feature.kind is Kind.WHOLE else step
        return self.policy.step(steps)


def require(names: Iterable[str]) -> None:
    """End the program with advice, before anything is trained, if a data set is not available."""
    for name in names:
        try:
            datasets.load(name)
        except P2CEError as error:
            raise SystemExit(str(error)) from error


@lru_cache
def load(name: str, *, categories: bool = False, gaps: bool = False, seed: int = 0) -> DataSet:
    """Load and split a data set, with its categories or without; ``gaps`` empties a tenth of its cells."""
    loaded = datasets.load(name, categories=categories)
    table = with_gaps(loaded.data, rng=np.random.default_rng(SEED)) if gaps else loaded.data
    parts = split(table, loaded.target, kind="code", seed=seed)
    return DataSet(
        name=name,
        train=parts.train,
        outcome=parts.train_outcome,
        test=parts.test,
        immutable=loaded.immutable,
    )


def with_gaps(table: pd.DataFrame, *, rng: np.random.Generator) -> pd.DataFrame:
    """Empty a tenth of the cells; columns of whole numbers become columns of floats."""
    return table.mask(rng.random(table.shape) < GAPS)


def _network(train: pd.DataFrame) -> Any:
    # A tenth of few rows is too little for early stopping: of German's 45, nearly all were accepted.
    stop: dict[str, Any] = {"early_stopping": True} if len(train) >= FEW_ROWS else {"max_iter": EPOCHS}
    return _prepared(train, MLPClassifier((100, 100), random_state=SEED, **stop))


def _scorecard(train: pd.DataFrame) -> Any:
    from optbinning import BinningProcess, Scorecard  # needs the extra

    labelled = list(train.select_dtypes("category").columns)
    bins = BinningProcess(list(train.columns), categorical_variables=labelled or None)
    return Scorecard(bins, LogisticRegression(max_iter=1000))


def _prepared(train: pd.DataFrame, model: Any, before: Any = None) -> Any:
    """Scale numbers, or do what ``before`` does, and one-hot encode categories before the model."""
    before = StandardScaler() if before is None else before
    labelled = list(train.select_dtypes("category").columns)
    if not labelled:
        return make_pipeline(before, model)
    # Dense, since brute force would otherwise spend its time on making these few columns dense.
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    numbers = [name for name in train.columns if name not in labelled]
    columns = ColumnTransformer([("labels", encoder, labelled), ("numbers", before, numbers)])
    return make_pipeline(columns, model)


def _boosting() -> Any:
    return lightgbm.LGBMClassifier(n_estimators=100, num_leaves=31, n_jobs=1, verbose=-1, random_state=SEED)


def _members(train: pd.DataFrame) -> list[tuple[str, Any]]:
    """Return the members of an ensemble: trees, and a pipeline of a scaler and a sum."""
    return [("boosting", _boosting()), ("logistic", _prepared(train, LogisticRegression(max_iter=1000)))]


def _of_extra(module: str, name: str, **options: Any) -> Any:
    """Make a model of a library that only some cases need."""
    return getattr(import_module(module), name)(**options)


# Training rows → a model to fit.
MODELS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "lightgbm": lambda _: _boosting(),
    "logistic": lambda train: _prepared(train, LogisticRegression(max_iter=1000)),
    "mlp": _network,
    "scorecard": _scorecard,
    "curves": lambda train: _prepared(
        train, RandomForestClassifier(min_samples_leaf=5, random_state=SEED), SplineTransformer(4)
    ),
    "svc": lambda train: _prepared(train, SVC(kernel="rbf")),
    "knn": lambda train: _prepared(train, KNeighborsClassifier(n_jobs=1)),
    "histogram": lambda _: HistGradientBoostingClassifier(
        categorical_features="from_dtype", random_state=SEED
    ),
    "forest": lambda _: RandomForestClassifier(min_samples_leaf=5, n_jobs=1, random_state=SEED),
    "calibrated": lambda _: CalibratedClassifierCV(_boosting(), cv=3, method="isotonic"),
    "voting": lambda train: VotingClassifier(_members(train), voting="soft"),
    "bagging": lambda _: BaggingClassifier(n_estimators=50, random_state=SEED),
    "adaboost": lambda _: AdaBoostClassifier(n_estimators=100, random_state=SEED),
    "stacking": lambda train: StackingClassifier(_members(train), cv=3),
    "boosting machine": lambda _: _of_extra(
        "interpret.glassbox", "ExplainableBoostingClassifier", outer_bags=2, n_jobs=1, random_state=SEED
    ),
    "additive": lambda _: _of_extra("pygam", "LogisticGAM"),
    "lines": lambda _: lightgbm.LGBMClassifier(
        n_estimators=100,
        num_leaves=15,
        linear_tree=True,
        linear_lambda=0.1,
        n_jobs=1,
        verbose=-1,
        random_state=SEED,
    ),
}


@dataclass(frozen=True, slots=True)
class BareCallable:
    """A model of which nothing is known but what it predicts: rows → probabilities."""

    model: Any

    def __call__(self, rows: pd.DataFrame) -> FloatArray:
        return np.asarray(self.model.predict_proba(rows)[:, 1])


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameMaker:
    """Turns codes into frames of a table's own types, without looking at a label."""

    table: pd.DataFrame  # an empty one
    places: tuple[Any, ...]  # per column: rank of a label → its place in the dtype; None for numbers

    @classmethod
    def like(cls, table: pd.DataFrame, codebook: Codebook) -> "FrameMaker":
        def places(name: str) -> Any:
            labels = codebook[name].labels
            if labels is None:
                return None
            # Behind the last rank lies what index −1 finds: a missing label, which pandas calls −1.
            known = table[name].cat.categories.get_indexer(pd.Index(list(labels)))
            return np.append(known, -1).astype(np.int8)

        return cls(table=table.iloc[:0], places=tuple(places(name) for name in table.columns))

    def frame(self, rows: FloatArray) -> pd.DataFrame:
        gaps = rows == MISSING
        any_gap = gaps.any(axis=0)
        columns: dict[Hashable, Any] = {}
        for column, (name, dtype) in enumerate(self.table.dtypes.items()):
            values, places = rows[:, column], self.places[column]
            missing = np.nan if places is None else -1
            held = np.where(gaps[:, column], missing, values) if any_gap[column] else values
            columns[name] = (
                held.astype(dtype)
                if places is None
                else pd.Categorical.from_codes(places[held.astype(np.int64)], dtype=dtype, validate=False)
            )
        return pd.DataFrame(columns, copy=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """scikit-learn's own forest, fitted exactly as p2ce fits its detector: a missing value is one number."""

    forest: IsolationForest
    stand_ins: FloatArray  # (columns,) what stands for a missing value

    @classmethod
    def of(cls, codes: FloatArray, codebook: Codebook) -> "Twin":
        known = known_codes(codes, codebook)
        stand_ins = np.where(codes == MISSING, known, np.inf).min(axis=0)
        forest = IsolationForest(n_estimators=100, contamination=CONTAMINATION, random_state=SEED)
        return cls(forest=forest.fit(known), stand_ins=stand_ins)

    def plausibility(self, rows: FloatArray) -> FloatArray:
        return np.asarray(self.forest.decision_function(np.where(rows == MISSING, self.stand_ins, rows)))

    def is_plausible(self, rows: FloatArray) -> BoolArray:
        return self.plausibility(rows) >= 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """One data set with one fitted model, and the people to explain."""

    data: DataSet
    kind: str  # a key of MODELS, or "callable"
    model: Any
    twin: Twin
    rejected: pd.DataFrame  # every rejected row of the test part
    people: pd.DataFrame  # those chosen

    @property
    def threshold(self) -> float:
        """Where the model accepts; a support vector machine reports its decision function."""
        return 0.0 if self.kind == "svc" else THRESHOLD

    def predict(self, rows: pd.DataFrame) -> FloatArray:
        """Call the user's own object on the user's own frame."""
        if self.kind == "callable":
            return np.asarray(self.model(rows))
        if self.kind == "svc":
            return np.asarray(self.model.decision_function(rows))
        found = np.asarray(self.model.predict_proba(rows))
        return found if found.ndim == 1 else found[:, 1]  # pyGAM only reports class 1

    def scores(self, codes: FloatArray) -> FloatArray:
        """Call the library itself, by its fastest method, on one core."""
        maker = self.data.maker
        if maker is None:
            if self.kind == "lightgbm":
                return np.asarray(self.model.booster_.predict(codes, num_threads=1))
            return self.predict(pd.DataFrame(codes, columns=self.data.train.columns))
        size = BATCH[self.kind]
        batches = (codes[first : first + size] for first in range(0, len(codes), size))
        return np.concatenate([self.predict(maker.frame(batch)) for batch in batches])

    def accepts(self, codes: FloatArray) -> BoolArray:
        return self.scores(codes) >= self.threshold

    def as_callable(self) -> "Case":
        """The same case with the same model as a black box: p2ce sees nothing but a function."""
        return replace(self, kind="callable", model=BareCallable(self.model))

    def explainer(self, *, own_forest: bool = False, **settings: Any) -> p2ce.Explainer:
        """The explainer of the benchmark; ``own_forest`` passes it a custom detector."""
        detector = p2ce.PlausibilityForest(contamination=CONTAMINATION, random_state=SEED)
        usual: dict[str, Any] = {
            "policy": self.data.policy,
            "target": 1,
            "at_least": self.threshold,
            "objectives": OBJECTIVES,
            "max_changes": MAX_CHANGES,
            "plausibility": self.twin.forest if own_forest else detector,
            "plausibility_of_today": "ignore",  # as the paper does, and the bar
            "random_state": SEED,
        }
        return p2ce.Explainer(self.model, self.data.train, **(usual | settings))

    def brute_force(self) -> BruteForce:
        """The bar, over the very candidates that p2ce uses."""
        return BruteForce.over(
            self.data.policy,
            self.data.train,
            max_changes=MAX_CHANGES,
            accepts=self.accepts,
            is_plausible=self.twin.is_plausible,
        )


@lru_cache
def build_case(
    name: str,
    kind: str,
    *,
    people: int,
    rows: int | None = None,
    categories: bool = False,
    gaps: bool = False,
) -> Case:
    """Load, train and choose; the same arguments give the same case, trained once."""
    return case_of(load(name, categories=categories, gaps=gaps), kind, people=people, rows=rows)


def case_of(data: DataSet, kind: str, *, people: int, rows: int | None = None) -> Case:
    """Train on all or only some ``rows`` of the data, and choose among those that the model rejects."""
    train = data.train
    if rows is not None:
        train = choose(train, count=rows, rng=np.random.default_rng(SEED))
    with catch_warnings():
        simplefilter("ignore", ConvergenceWarning)  # a network may stop after EPOCHS
        model = MODELS[kind](train).fit(train, data.outcome.loc[train.index])
    twin = Twin.of(data.codebook.encode(data.train), data.codebook)
    case = Case(data=data, kind=kind, model=model, twin=twin, rejected=data.test, people=data.test)
    rejected = data.test[~case.accepts(data.codebook.encode(data.test))]
    people_chosen = choose(rejected, count=people, rng=np.random.default_rng(SEED))
    return replace(case, rejected=rejected, people=people_chosen)
