"""Make a small sound file of every format, from which hostile ones are made."""

import gzip
import io
import json
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from tests.apps.command_line import people, repaid
from tests.apps.onnx_files import logistic, score
from tests.optional import needs

ROWS = 120
NETWORK = "hostile_networks"  # the module that builds the network of the weights
NETWORK_CODE = """\
import torch


def make_network():
    return torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """A sound file, and what has to be said with it."""

    name: str
    content: bytes
    suffix: str
    table: str = "mixed"  # the people that a model was fitted on: mixed, or numbers alone
    target: str | None = "1"  # the wanted class or range
    threshold: float | None = None  # of a score that is none of a class


def mixed() -> pd.DataFrame:
    """Return people with numbers, a category, a bool and missing values."""
    return people(rows=ROWS)


def numbers() -> pd.DataFrame:
    """Return people with numbers alone."""
    return mixed().drop(columns=["Housing", "Has guarantor"]).fillna(0.0)


def outcome(*, classes: int = 2) -> "pd.Series[Any]":
    """State who repaid, or in which of three classes people are."""
    if classes == 2:
        return repaid(mixed())
    return pd.cut(mixed()["Income"], classes, labels=False)


def outcome_by_label() -> "pd.Series[Any]":
    """State who repaid where it depends on the category, so trees split by it."""
    frame = mixed()
    return ((frame["Housing"] != "rent") ^ (frame["Income"] > 4500)).astype(int)


def write_surroundings(folder: Path) -> None:
    """Write what a command needs besides the file under test: tables, and the code of the network."""
    for name, frame in (("mixed", mixed()), ("numbers", numbers())):
        frame.assign(Repaid=outcome()).to_csv(folder / f"{name}.csv", index=False)
    (folder / f"{NETWORK}.py").write_text(NETWORK_CODE, encoding="utf-8")


@cache
def seeds_of(format_name: str) -> tuple[Seed, ...]:
    """Return the sound files of a format, made on first use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries, about a few rows
        return tuple(MAKERS[format_name]())


def _saved(save: Callable[[str], Any], suffix: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{suffix}"
        save(str(path))
        return path.read_bytes()


def _lightgbm() -> Iterator[Seed]:
    lightgbm = needs("lightgbm")

    def text(frame: pd.DataFrame, label: "pd.Series[Any]", **more: Any) -> bytes:
        settings = {"verbosity": -1, "num_threads": 1, "num_leaves": 4, "min_data_in_leaf": 5, "seed": 0}
        booster = lightgbm.train({**settings, **more}, lightgbm.Dataset(frame, label), 3)
        return str(booster.model_to_string()).encode()

    labelled = mixed().astype({"Housing": "category"})
    by_sets = {"max_cat_to_onehot": 1, "min_data_per_group": 1, "cat_smooth": 1.0}
    binary = text(labelled, outcome_by_label(), objective="binary", **by_sets)
    yield Seed(name="binary", suffix=".txt", content=binary)
    plain = text(numbers(), outcome(), objective="binary")
    yield Seed(name="numbers", table="numbers", suffix=".txt", content=plain)
    three = text(numbers(), outcome(classes=3), objective="multiclass", num_class=3)
    yield Seed(name="multiclass", table="numbers", suffix=".txt", content=three, target="2")
    linear = text(numbers(), outcome(), objective="binary", linear_tree=True)
    yield Seed(name="linear trees", table="numbers", suffix=".txt", content=linear)
    income = text(numbers(), mixed()["Income"] * 1.0, objective="regression")
    yield Seed(name="regression", table="numbers", suffix=".txt", content=income, target="3000:")


def _xgboost() -> Iterator[Seed]:
    xgboost = needs("xgboost")
    labelled = mixed().astype({"Housing": "category"})
    settings = {"n_estimators": 3, "max_depth": 2, "n_jobs": 1, "random_state": 0}
    model = xgboost.XGBClassifier(**settings, enable_categorical=True, max_cat_to_onehot=1)
    model.fit(labelled, outcome_by_label())
    yield Seed(name="JSON", suffix=".json", content=_saved(model.save_model, ".json"))
    yield Seed(name="UBJ", suffix=".ubj", content=_saved(model.save_model, ".ubj"))
    three = xgboost.XGBClassifier(**settings).fit(numbers(), outcome(classes=3))
    yield Seed(
        name="multiclass",
        table="numbers",
        suffix=".json",
        content=_saved(three.save_model, ".json"),
        target="2",
    )
    dart = xgboost.train(
        {"objective": "binary:logistic", "booster": "dart", "max_depth": 2, "rate_drop": 0.5, "nthread": 1},
        xgboost.DMatrix(numbers(), outcome()),
        num_boost_round=3,
    )
    yield Seed(name="dart", table="numbers", suffix=".json", content=_saved(dart.save_model, ".json"))


def _catboost() -> Iterator[Seed]:
    catboost = needs("catboost")
    settings = {"iterations": 3, "depth": 2, "verbose": 0, "allow_writing_files": False, "thread_count": 1}
    settings["random_seed"] = 0
    labelled = mixed().fillna({"Savings": 0.0})
    for name, size in (("one-hot", 5), ("target statistics", 1)):
        model = catboost.CatBoostClassifier(**settings, one_hot_max_size=size)
        model.fit(labelled, outcome_by_label(), cat_features=["Housing"])
        yield Seed(name=name, suffix=".cbm", content=_saved(model.save_model, ".cbm"))
    plain = catboost.CatBoostClassifier(**settings).fit(numbers(), outcome())

    def save_json(path: str) -> None:
        plain.save_model(path, format="json")

    yield Seed(name="JSON", table="numbers", suffix=".json", content=_saved(save_json, ".json"))


def _onnx() -> Iterator[Seed]:
    catboost = needs("catboost")
    weights, start = [0.01, 0.002, -0.3, 0.001], -6.0
    yield Seed(name="tensor", table="numbers", suffix=".onnx", content=logistic(weights, start))
    by_column = logistic(weights, start, columns=list(numbers().columns))
    yield Seed(name="columns", table="numbers", suffix=".onnx", content=by_column)
    one_number = score(weights, start)
    yield Seed(name="score", table="numbers", suffix=".onnx", content=one_number, target=None, threshold=0.0)
    trees = catboost.CatBoostClassifier(
        iterations=3, depth=2, verbose=0, allow_writing_files=False, thread_count=1, random_seed=0
    ).fit(numbers(), outcome())

    def save(path: str) -> None:
        trees.save_model(path, format="onnx")

    yield Seed(name="trees", table="numbers", suffix=".onnx", content=_saved(save, ".onnx"))


def _torch() -> Iterator[Seed]:
    torch = needs("torch")
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    stream = io.BytesIO()
    torch.save(network.state_dict(), stream)
    yield Seed(name="weights", table="numbers", suffix=".pt", content=stream.getvalue())


def problem() -> Any:
    """Return an explainer of people with numbers and a category, a rule and a detector."""
    import p2ce
    from p2ce import rules

    policy = (
        p2ce.Policy.infer(mixed(), protect=None)
        .protect("Age")
        .with_rules(
            rules.change_at_most_one("Rate", "Has guarantor"),
            rules.implies({"Housing": "free"}, {"Has guarantor": True}),
            rules.inequality("Savings <= Income"),
        )
    )
    policy = policy.display(Income={"name": "monthly income", "unit": "EUR"}).increase_only("Income")
    return p2ce.Explainer(
        mixed_model(), mixed(), target=1, policy=policy, plausibility=p2ce.PlausibilityForest(n_estimators=3)
    )


@cache
def mixed_model() -> Any:
    """Return a model of people with numbers, a category and missing values."""
    from sklearn import compose, impute, linear_model, pipeline, preprocessing

    others = [name for name in mixed().columns if name != "Housing"]
    columns = compose.make_column_transformer(
        (preprocessing.OneHotEncoder(), ["Housing"]),
        (pipeline.make_pipeline(impute.SimpleImputer(), preprocessing.StandardScaler()), others),
    )
    return pipeline.make_pipeline(columns, linear_model.LogisticRegression()).fit(mixed(), outcome())


def _archive() -> Iterator[Seed]:
    yield Seed(name="explainer", suffix=".p2ce", content=_saved(problem().save, ".p2ce"))


def _policy() -> Iterator[Seed]:
    yield Seed(name="with a rule", suffix=".yaml", content=_saved(problem().policy.save, ".yaml"))


def _explanation() -> Iterator[Seed]:
    explainer = problem()
    results = explainer.explain_many(mixed().head(4))
    rejected = next(one for one in results if len(one))
    only_rate = explainer.policy.fix("Income", "Savings", "Has guarantor", "Housing")
    stuck = next(
        one
        for row in range(ROWS)
        if (one := explainer.explain(mixed().iloc[row], policy=only_rate)).status.name == "NO_RECOURSE"
    )
    why = explainer.relaxations(stuck)
    for name, explanation in (("one", rejected), ("several", results), ("why none", why)):
        yield Seed(name=name, suffix=".json", content=json.dumps(explanation.to_dict()).encode())


def _table() -> Iterator[Seed]:
    text = mixed().head(20).to_csv(index=False).encode()
    yield Seed(name="CSV", suffix=".csv", content=text)
    yield Seed(name="packed CSV", suffix=".csv.gz", content=gzip.compress(text, mtime=0))


MAKERS: dict[str, Callable[[], Iterator[Seed]]] = {
    "lightgbm": _lightgbm,
    "lightgbm text": lambda: iter(seeds_of("lightgbm")),
    "xgboost": _xgboost,
    "catboost": _catboost,
    "onnx": _onnx,
    "torch": _torch,
    "archive": _archive,
    "policy": _policy,
    "explanation": _explanation,
    "table": _table,
}
