"""List the models of every family on which the laws are tried: family × what it predicts × kind of table."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import discriminant_analysis, ensemble, linear_model, neural_network, svm, tree
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from tests.models.laws import numbers, table

TWO, SEVERAL, NUMBER = "two classes", "several classes", "a number"
GAPS = ("income", "balance")
LABELS = np.array(["low", "middle", "high"])


@dataclass(frozen=True, kw_only=True)
class Case:
    """One model of a family: how it is made, what it predicts, and on which table."""

    family: str
    name: str
    make: Callable[[], Any]
    predicts: str = TWO
    table: str = "numbers"
    undecided: float = 0.0  # share of hard rows that may be left to the model
    nullable: tuple[str, ...] = ()  # columns in which values may be missing beyond those of the reference
    named: bool = True  # fitted on a frame, and not on an array
    front: bool = False  # whether its fronts are compared with brute force
    edge: bool = False  # whether rows are placed where the decision turns, by bisection
    positive: bool = False  # the number to be predicted has to be positive

    def __str__(self) -> str:
        shown = f"{self.family}: {self.name}, {self.predicts}, {self.table}"
        return shown if self.named else f"{shown}, array"

    def given(self, frame: pd.DataFrame) -> Any:
        """Give rows to the model as it was fitted."""
        return frame if self.named else frame.to_numpy()

    def fitted(self) -> tuple[Any, pd.DataFrame, np.ndarray]:
        """Fit the model: model, reference, what it was to predict."""
        frame, number = TABLES[self.table]()
        wanted: np.ndarray = np.abs(number) + 0.1 if self.positive else number
        if self.predicts == TWO:
            wanted = (number > np.median(number)).astype(int)
        elif self.predicts == SEVERAL:
            wanted = LABELS[np.digitize(number, np.quantile(number, [0.33, 0.67]))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nothing need converge, and releases rename arguments
            model = self.make().fit(self.given(frame), wanted)
        return model, frame, wanted


def _filled(frame: pd.DataFrame) -> pd.DataFrame:
    text = ("job", "grade", "town")
    return frame.assign(**{name: frame[name].astype(object).fillna("none").astype(str) for name in text})


def _declared(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(job=frame["job"].astype("category"), owner=frame["owner"].astype(int))


def _scaled(frame: pd.DataFrame) -> pd.DataFrame:
    plain = numbers(frame)
    return (plain - plain.mean()) / plain.std()


def _made(change: Callable[[pd.DataFrame], pd.DataFrame], missing: float) -> Callable[[], Any]:
    @cache
    def made() -> tuple[pd.DataFrame, np.ndarray]:
        frame, number = table(missing=missing, rows=300)
        return change(frame), number

    return made


TABLES: dict[str, Callable[[], tuple[pd.DataFrame, np.ndarray]]] = {
    "numbers": _made(numbers, 0.0),
    "gaps": _made(numbers, 0.15),
    "scaled": _made(_scaled, 0.0),
    "float32": _made(lambda frame: _scaled(frame).astype(np.float32), 0.0),
    "mixed": _made(lambda frame: frame, 0.1),
    "categories": _made(_declared, 0.1),
    "text": _made(_filled, 0.1),
}


def _sklearn() -> Iterator[Case]:
    trees = "scikit-learn trees"
    depth = {"max_depth": 5, "random_state": 0}
    for kind in (tree.DecisionTreeClassifier, tree.ExtraTreeClassifier):
        yield Case(
            family=trees, name=kind.__name__, make=lambda k=kind: k(**depth), table="gaps", nullable=GAPS
        )
    for kind in (ensemble.RandomForestClassifier, ensemble.ExtraTreesClassifier):
        make = lambda k=kind: k(9, **depth)  # noqa: E731
        yield Case(family=trees, name=kind.__name__, make=make, named=False, front=True)
        yield Case(family=trees, name=kind.__name__, make=make, predicts=SEVERAL, undecided=0.01, front=True)
    threads = lambda: ensemble.RandomForestClassifier(9, n_jobs=2, **depth)  # noqa: E731
    yield Case(family=trees, name="threads", make=threads, undecided=0.02)
    weighted = lambda: ensemble.RandomForestClassifier(  # noqa: E731
        7, max_leaf_nodes=12, class_weight={0: 1.0, 1: 0.3}, random_state=0
    )
    yield Case(family=trees, name="weighted", make=weighted, table="gaps", nullable=(*GAPS, "region"))
    for kind in (tree.DecisionTreeRegressor, ensemble.RandomForestRegressor):
        make = lambda k=kind: k(**depth, **({} if "Tree" in k.__name__ else {"n_estimators": 9}))  # noqa: E731
        yield Case(family=trees, name=kind.__name__, make=make, predicts=NUMBER, table="gaps", front=True)

    boosting = "scikit-learn gradient boosting"
    few = {"n_estimators": 8, "subsample": 0.7, "random_state": 0}
    for name, options in {
        "plain": {},
        "exponential": {"loss": "exponential"},
        "zero": {"init": "zero"},
    }.items():
        make = lambda o=options: ensemble.GradientBoostingClassifier(**few, **o)  # noqa: E731
        yield Case(family=boosting, name=name, make=make, named=name != "plain", front=name == "plain")
        if name != "exponential":
            yield Case(family=boosting, name=name, make=make, predicts=SEVERAL, undecided=0.01, front=True)
    for loss in ("squared_error", "huber"):
        make = lambda o=loss: ensemble.GradientBoostingRegressor(loss=o, **few)  # noqa: E731
        yield Case(family=boosting, name=loss, make=make, predicts=NUMBER, front=loss == "huber")

    histogram = "scikit-learn histogram boosting"
    iterations = {"max_iter": 8, "min_samples_leaf": 5, "random_state": 0}
    marked = {"categorical_features": ["job", "grade", "town", "owner", "region"]}
    gaps = ("income", "job", "grade", "town", "balance")
    for predicts in (TWO, SEVERAL):
        make = lambda: ensemble.HistGradientBoostingClassifier(**iterations, **marked)  # noqa: E731
        yield Case(
            family=histogram, name="categories", make=make, predicts=predicts, table="mixed", nullable=gaps
        )
        make = lambda: ensemble.HistGradientBoostingClassifier(**iterations)  # noqa: E731
        yield Case(
            family=histogram,
            name="numbers",
            make=make,
            predicts=predicts,
            table="gaps",
            front=True,
            named=False,
        )
    for loss in ("squared_error", "quantile", "poisson", "gamma"):
        make = lambda o=loss: ensemble.HistGradientBoostingRegressor(  # noqa: E731
            loss=o, quantile=0.4 if o == "quantile" else None, **iterations, **marked
        )
        curved = loss in ("poisson", "gamma")
        yield Case(
            family=histogram,
            name=loss,
            make=make,
            predicts=NUMBER,
            table="mixed",
            positive=True,
            undecided=0.05 if curved else 0.0,
            front=loss == "quantile",
        )

    linear = "scikit-learn linear models"
    classifiers = {
        "logistic": lambda: linear_model.LogisticRegression(),
        "without intercept": lambda: linear_model.LogisticRegression(fit_intercept=False),
        "discriminant": lambda: discriminant_analysis.LinearDiscriminantAnalysis(),
        "hinge": lambda: linear_model.SGDClassifier(loss="hinge", random_state=0),
        "log loss": lambda: linear_model.SGDClassifier(loss="log_loss", random_state=0),
        "modified Huber": lambda: linear_model.SGDClassifier(loss="modified_huber", random_state=0),
        "ridge": lambda: linear_model.RidgeClassifier(),
        "vectors": lambda: svm.LinearSVC(random_state=0),
        "perceptron": lambda: linear_model.Perceptron(random_state=0),
    }
    for name, make in classifiers.items():
        for predicts in (TWO, SEVERAL):
            yield Case(
                family=linear,
                name=name,
                make=make,
                predicts=predicts,
                table="scaled",
                undecided=0.02,
                edge=True,
                named=name != "ridge",
                front=name in ("logistic", "vectors"),
            )
    for predicts in (TWO, SEVERAL):
        make = classifiers["logistic"]
        yield Case(
            family=linear,
            name="logistic",
            make=make,
            predicts=predicts,
            table="float32",
            undecided=0.02,
            edge=True,
        )
    for kind in (linear_model.LinearRegression, linear_model.Lasso, linear_model.HuberRegressor):
        yield Case(
            family=linear,
            name=kind.__name__,
            make=kind,
            predicts=NUMBER,
            table="scaled",
            undecided=0.02,
            edge=True,
            front=kind is linear_model.Lasso,
        )

    networks = "scikit-learn networks"
    for activation in ("relu", "tanh", "logistic", "identity"):
        options = {"hidden_layer_sizes": (9, 5), "activation": activation, "max_iter": 40, "random_state": 0}
        for predicts in (TWO, SEVERAL, NUMBER):
            kind = neural_network.MLPRegressor if predicts == NUMBER else neural_network.MLPClassifier
            single = (activation == "relu") != (predicts == SEVERAL)
            yield Case(
                family=networks,
                name=activation,
                make=lambda k=kind, o=options: k(**o),
                predicts=predicts,
                table="float32" if single else "scaled",
                undecided=0.05,
                edge=True,
                front=activation == "relu",
            )

    behind = "behind preprocessing"
    inner = {
        "forest": lambda: ensemble.RandomForestClassifier(6, max_depth=4, random_state=0),
        "boosting": lambda: ensemble.HistGradientBoostingClassifier(**iterations),
        "logistic": lambda: linear_model.LogisticRegression(max_iter=500),
        "network": lambda: neural_network.MLPClassifier((6,), max_iter=30, random_state=0),
    }
    for name, make in inner.items():
        yield Case(
            family=behind,
            name=name,
            make=lambda m=make: make_pipeline(_preprocessing(), m()),
            table="text",
            undecided=0.02,
            front=name == "forest",
        )
    scaled = lambda: make_pipeline(  # noqa: E731
        MinMaxScaler(), ensemble.RandomForestRegressor(6, max_depth=4, random_state=0)
    )
    yield Case(family=behind, name="forest", make=scaled, predicts=NUMBER, front=True)


def _preprocessing() -> Any:
    filled = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    labels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer(
        (filled, ["age", "income", "region", "balance"]), (labels, ["job", "grade", "town", "owner"])
    )


def _lightgbm() -> Iterator[Case]:
    def make(kind: str, **options: Any) -> Callable[[], Any]:
        quiet = {"verbose": -1, "n_jobs": 1, "random_state": 0, "min_child_samples": 5, "n_estimators": 8}
        return lambda: getattr(pytest.importorskip("lightgbm"), kind)(**{**quiet, "num_leaves": 8, **options})

    by_group = {"min_data_per_group": 5, "cat_smooth": 1.0, "max_cat_to_onehot": 2}
    forest = {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}
    gaps = ("income", "job", "grade", "town", "balance")
    several = {
        "plain": by_group,
        "one against the rest": {"max_cat_to_onehot": 50},
        "zero as missing": {"zero_as_missing": True},
        "missing as zero": {"use_missing": False},
        "random forest": forest,
    }
    for name, options in several.items():
        yield Case(
            family="LightGBM",
            name=name,
            make=make("LGBMClassifier", **options),
            table="categories",
            nullable=gaps,
            undecided=0.001,
        )
    for name, options in {
        "plain": {},
        "dart": {"boosting_type": "dart"},
        "steep link": {"sigmoid": 2.5},
        "cross entropy": {"objective": "cross_entropy"},
        "single leaves": {"min_child_samples": 10_000},
    }.items():
        yield Case(
            family="LightGBM",
            name=name,
            make=make("LGBMClassifier", **options),
            named=name != "dart",
            undecided=1.0 if name == "single leaves" else 0.0,
            front=name == "plain",
        )
    for objective in ("multiclass", "multiclassova"):
        for name, options in {"boosted": {}, "random forest": forest}.items():
            yield Case(
                family="LightGBM",
                name=f"{name} {objective}",
                make=make("LGBMClassifier", objective=objective, **options),
                predicts=SEVERAL,
                table="gaps",
                undecided=0.01,
                front=name == "boosted",
            )
    for objective in ("regression", "l1", "mape", "poisson", "tweedie"):
        yield Case(
            family="LightGBM",
            name=objective,
            make=make("LGBMRegressor", objective=objective, **(forest if objective == "l1" else {})),
            predicts=NUMBER,
            table="categories",
            positive=True,
            undecided=0.05,
            front=objective == "poisson",
        )
    root = make("LGBMRegressor", objective="regression", reg_sqrt=True)
    yield Case(family="LightGBM", name="square root", make=root, predicts=NUMBER, positive=True)


def _xgboost() -> Iterator[Case]:
    def make(kind: str, **options: Any) -> Callable[[], Any]:
        quiet = {
            "n_jobs": 1,
            "random_state": 0,
            "n_estimators": 8,
            "max_depth": 4,
            "enable_categorical": True,
        }
        return lambda: getattr(pytest.importorskip("xgboost"), kind)(**{**quiet, **options})

    gaps = ("income", "job", "grade", "town", "balance")
    several = {
        "by sets": {"max_cat_to_onehot": 1},
        "one against the rest": {"max_cat_to_onehot": 50},
        "dart": {"booster": "dart", "rate_drop": 0.4},
        "parallel trees": {"n_estimators": 3, "num_parallel_tree": 3, "subsample": 0.6},
    }
    for name, options in several.items():
        yield Case(
            family="XGBoost",
            name=name,
            make=make("XGBClassifier", **options),
            table="categories",
            nullable=gaps,
            undecided=0.03,
        )
    for name, options in {
        "plain": {},
        "base score": {"base_score": 0.03},
        "lossguide": {"grow_policy": "lossguide", "max_leaves": 7, "tree_method": "hist"},
        "pruned": {"gamma": 3.0, "tree_method": "exact", "enable_categorical": False},
    }.items():
        yield Case(
            family="XGBoost",
            name=name,
            make=make("XGBClassifier", **options),
            named=name != "pruned",
            undecided=0.03,
            front=name == "plain",
        )
    rest = make("XGBRFClassifier")
    yield Case(family="XGBoost", name="random forest", make=rest, undecided=0.03)
    coded = {"feature_types": ["q", "q", "c", "q"], "max_cat_to_onehot": 1}
    numbered = make("XGBClassifier", **coded)
    yield Case(
        family="XGBoost",
        name="numbers as categories",
        make=numbered,
        named=False,
        nullable=("region",),
        undecided=0.03,
    )
    for objective in ("reg:squarederror", "reg:absoluteerror", "reg:logistic", "count:poisson", "reg:gamma"):
        yield Case(
            family="XGBoost",
            name=objective,
            make=_Shares(make("XGBRegressor", objective=objective), objective == "reg:logistic"),
            predicts=NUMBER,
            table="categories",
            positive=True,
            undecided=0.1,
            front=objective == "count:poisson",
        )
    yield from (
        Case(
            family="XGBoost",
            name=f"{objective} {name}",
            make=_Numbered(make("XGBClassifier", objective=objective, **options)),
            predicts=SEVERAL,
            table="gaps",
            undecided=0.03,
            front=name == "plain",
        )
        for objective in ("multi:softprob", "multi:softmax")
        for name, options in {"plain": {}, "dart": several["dart"]}.items()
    )


@dataclass(frozen=True)
class _Numbered:
    """XGBoost takes no names of classes: number them."""

    make: Callable[[], Any]

    def __call__(self) -> "_Numbered":
        return self

    def fit(self, frame: Any, label: np.ndarray) -> Any:
        return self.make().fit(frame, np.unique(label, return_inverse=True)[1])


@dataclass(frozen=True)
class _Shares:
    """Some objectives take numbers from 0 to 1 only."""

    make: Callable[[], Any]
    scaled: bool

    def __call__(self) -> "_Shares":
        return self

    def fit(self, frame: Any, number: np.ndarray) -> Any:
        return self.make().fit(frame, number / number.max() if self.scaled else number)


def _catboost() -> Iterator[Case]:
    def make(kind: str, **options: Any) -> Callable[[], Any]:
        quiet = {"verbose": 0, "allow_writing_files": False, "thread_count": 1, "random_seed": 0}
        few = {"iterations": 8, "depth": 3, "nan_mode": "Max"}
        if "max_leaves" in options:
            few = {"iterations": 8}
        return lambda: getattr(pytest.importorskip("catboost"), kind)(**{**quiet, **few, **options})

    cats = {"one_hot_max_size": 20, "cat_features": ["job", "grade", "town", "owner", "region"]}
    for name, options in {
        "symmetric": {},
        "lossguide": {"grow_policy": "Lossguide", "max_leaves": 9},
        "smallest": {"nan_mode": "Min"},
        "cross entropy": {"loss_function": "CrossEntropy", "boost_from_average": True},
    }.items():
        yield Case(
            family="CatBoost",
            name=name,
            make=make("CatBoostClassifier", **options),
            table="numbers" if name == "lossguide" else "gaps",
            nullable=(*GAPS, "region"),
            named=name != "smallest",
            undecided=0.02,
            front=name == "symmetric",
        )
    one_hot = make("CatBoostClassifier", **cats)
    yield Case(family="CatBoost", name="categories", make=one_hot, table="text", undecided=0.02)
    for name, options in {
        "softmax": {},
        "each alone": {"loss_function": "MultiClassOneVsAll"},
        "depthwise": {"grow_policy": "Depthwise"},
    }.items():
        yield Case(
            family="CatBoost",
            name=name,
            make=make("CatBoostClassifier", **options),
            predicts=SEVERAL,
            table="gaps",
            undecided=0.05,
            front=name == "softmax",
        )
    for loss in ("RMSE", "MAE", "Huber:delta=1.0"):
        number = make("CatBoostRegressor", loss_function=loss)
        yield Case(
            family="CatBoost",
            name=loss,
            make=number,
            predicts=NUMBER,
            table="gaps",
            undecided=0.1,
            front=loss == "RMSE",
        )


CASES = [*_sklearn(), *_lightgbm(), *_xgboost(), *_catboost()]
