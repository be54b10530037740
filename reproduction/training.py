"""Tune and train the models of the paper's experiments, and store them for the next run."""

import hashlib
import json
import os
import platform
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import joblib
import lightgbm
import optuna
import pandas as pd
from scipy.special import expit
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.splits import Parts
from p2ce.base.arrays import FloatArray
from reproduction import networks
from reproduction.settings import THRESHOLD

# Part of the key of stored models. Increase it when a search space, the training or the fields of `Trained`
# change.
VERSION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """The search space of one kind of model, and its first trial."""

    suggest: Callable[[optuna.Trial], dict[str, Any]]
    first: dict[str, Any]  # common values, so a few trials are enough for a decent model


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Best:
    """The best trial with its model, so nothing is trained twice."""

    model: Any
    parameters: dict[str, Any]
    balanced_accuracy: float


def search(
    fit: Callable[[dict[str, Any]], Any],
    score: Callable[[Any], float],
    *,
    space: Space,
    trials: int,
    seed: int,
    progress: Callable[[str], None] | None = None,
) -> Best:
    """Fit a model in each trial, and return the first one with the highest score."""
    best: Best | None = None

    def run(trial: optuna.Trial) -> float:
        nonlocal best
        parameters = space.suggest(trial)
        model = fit(parameters)
        reached = score(model)
        if best is None or reached > best.balanced_accuracy:
            best = Best(model=model, parameters=parameters, balanced_accuracy=reached)
        if progress is not None:
            progress(f"trial {trial.number + 1} of {trials}, best {best.balanced_accuracy:.2f}")
        return reached

    if trials < 1:
        raise ValueError(f"A search needs at least one trial, got {trials}.")
    with _quiet():
        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
        study.enqueue_trial(space.first)
        study.optimize(run, n_trials=trials)
    assert best is not None
    return best


def balanced_accuracy(outcome: Any, probabilities: FloatArray) -> float:
    """Return the mean recall of both outcomes at a probability of 0.5."""
    return float(balanced_accuracy_score(outcome, probabilities >= THRESHOLD))


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence Optuna's line for each trial, since ``progress`` reports them."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


# The spaces of the authors' notebook (model_training.ipynb), with three differences: the first trial, a
# seeded sampler, and networks that stop early instead of after 100 epochs.
def _logistic(trial: optuna.Trial) -> dict[str, Any]:
    return {"C": trial.suggest_float("C", 1e-5, 1.0, log=True), "class_weight": "balanced"}


def _lightgbm(trial: optuna.Trial) -> dict[str, Any]:
    return {
        "n_estimators": trial.suggest_int("n_estimators", 5, 250),
        "learning_rate": trial.suggest_float("learning_rate", 0.05, 1.0),
        "max_depth": trial.suggest_int("max_depth", 2, 12),
        "colsample_bytree": trial.suggest_float("colsample_bytree", 0.1, 1.0),
        "reg_lambda": trial.suggest_float("reg_lambda", 1e-2, 1e4, log=True),
    }


def _mlp(trial: optuna.Trial) -> dict[str, Any]:
    layers = trial.suggest_categorical("hidden_layer_sizes", ["30", "30 30", "30 30 30", "64", "30 64"])
    return {
        "hidden_layer_sizes": [int(units) for units in layers.split()],
        "learning_rate": trial.suggest_float("learning_rate", 1e-5, 1e-3, log=True),
        "weight_decay": trial.suggest_float("weight_decay", 1e-5, 1e-3, log=True),
        "batch": 128,
        "class_weight": "balanced",
    }


SPACES = {
    "logistic": Space(suggest=_logistic, first={"C": 1.0}),
    "lightgbm": Space(
        suggest=_lightgbm,
        first={
            "n_estimators": 100,
            "learning_rate": 0.1,
            "max_depth": 6,
            "colsample_bytree": 1.0,
            "reg_lambda": 1.0,
        },
    ),
    "mlp": Space(
        suggest=_mlp,
        first={"hidden_layer_sizes": "30 30", "learning_rate": 1e-3, "weight_decay": 1e-4},
    ),
}


ModelKind = Literal["logistic", "lightgbm", "mlp", "forest"]
Progress = Callable[[str], None]

# Not tuned: forests are only compared with OCEAN, whose program grows with every split.
FOREST = {"n_estimators": 50, "max_depth": 5, "class_weight": "balanced"}
LIBRARIES = ("numpy", "pandas", "scikit-learn", "lightgbm", "torch", "optuna", "joblib")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trained:
    """A fitted model, and how it was trained."""

    kind: ModelKind
    model: Any
    columns: tuple[str, ...]  # of the model, in this order
    parameters: dict[str, Any]  # can be written as JSON
    balanced_accuracy_validation: float
    balanced_accuracy_test: float
    seconds: float  # of the search


def train(
    kind: ModelKind,
    parts: Parts,
    *,
    trials: int,
    seed: int,
    cache: Path | None,
    progress: Progress | None = None,
) -> Trained:
    """Search with ``trials`` trials, and return the model that is best on the validation part.

    The same arguments give the same model. With a ``cache`` folder it is trained only once.
    """
    if kind not in FITS:
        raise ValueError(f"Unknown kind of model {kind!r}. Choose one of {', '.join(FITS)}.")
    _require_both_outcomes(parts)
    if cache is None:
        return _train(kind, parts, trials=trials, seed=seed, progress=progress)
    path = cache / f"{kind}-{_key(kind, parts, trials=trials, seed=seed)}.joblib"
    trained = _stored(path)
    if trained is None:
        trained = _train(kind, parts, trials=trials, seed=seed, progress=progress)
        _store(trained, path)
    return trained


def probabilities(trained: Trained, rows: pd.DataFrame) -> FloatArray:  # (n, d) → (n,)
    """Return the model's own probability of the favourable outcome for each row."""
    return _scores(trained.kind, trained.model, rows[list(trained.columns)])


def _scores(kind: ModelKind, model: Any, rows: pd.DataFrame) -> FloatArray:
    if kind == "mlp":
        favourable: FloatArray = expit(networks.logits(model, rows.to_numpy(float)))
    else:
        favourable = model.predict_proba(rows)[:, 1]
    return favourable


def _train(kind: ModelKind, parts: Parts, *, trials: int, seed: int, progress: Progress | None) -> Trained:
    started = perf_counter()

    def fit(parameters: dict[str, Any]) -> Any:
        return FITS[kind](parts, parameters, seed)

    def score(model: Any) -> float:
        return balanced_accuracy(parts.validation_outcome, _scores(kind, model, parts.validation))

    if kind in SPACES:
        found = search(fit, score, space=SPACES[kind], trials=trials, seed=seed, progress=progress)
    else:
        model = fit(FOREST)
        found = Best(model=model, parameters=FOREST, balanced_accuracy=score(model))
    return Trained(
        kind=kind,
        model=found.model,
        columns=tuple(parts.train.columns),
        parameters=dict(found.parameters),
        balanced_accuracy_validation=found.balanced_accuracy,
        balanced_accuracy_test=balanced_accuracy(parts.test_outcome, _scores(kind, found.model, parts.test)),
        seconds=perf_counter() - started,
    )


def _fit_logistic(parts: Parts, parameters: dict[str, Any], seed: int) -> Any:
    del seed  # its optimum is unique
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, **parameters))
    return model.fit(parts.train, parts.train_outcome)


def _fit_lightgbm(parts: Parts, parameters: dict[str, Any], seed: int) -> Any:
    model = lightgbm.LGBMClassifier(
        n_jobs=1, verbose=-1, random_state=seed, deterministic=True, force_row_wise=True, **parameters
    )
    return model.fit(parts.train, parts.train_outcome)


def _fit_mlp(parts: Parts, parameters: dict[str, Any], seed: int) -> Any:
    spec = networks.NetworkSpec(
        hidden=tuple(parameters["hidden_layer_sizes"]),
        learning_rate=parameters["learning_rate"],
        weight_decay=parameters["weight_decay"],
        batch=parameters["batch"],
        balanced=parameters["class_weight"] == "balanced",
    )
    return networks.fit_network(parts, spec, seed=seed)


def _fit_forest(parts: Parts, parameters: dict[str, Any], seed: int) -> Any:
    model = RandomForestClassifier(n_jobs=1, random_state=seed, **parameters)
    return model.fit(parts.train, parts.train_outcome)


FITS: dict[str, Callable[[Parts, dict[str, Any], int], Any]] = {
    "logistic": _fit_logistic,
    "lightgbm": _fit_lightgbm,
    "mlp": _fit_mlp,
    "forest": _fit_forest,
}


def _require_both_outcomes(parts: Parts) -> None:
    for name in ("train", "validation", "test"):
        outcomes = set(getattr(parts, f"{name}_outcome").unique())
        if outcomes != {0, 1}:
            raise ValueError(
                f"The {name} part must hold the outcomes 0 and 1, got {sorted(outcomes)}. "
                "Use more rows or another seed."
            )


def _key(kind: ModelKind, parts: Parts, *, trials: int, seed: int) -> str:
    """Return a digest of everything that the model depends on."""
    described = {
        "kind": kind,
        "trials": trials if kind in SPACES else 0,
        "seed": seed,
        "version": VERSION,
        "libraries": {name: version(name) for name in LIBRARIES},
        "python": platform.python_version(),
    }
    digest = hashlib.sha256(json.dumps(described, sort_keys=True).encode())
    for part in (parts.train, parts.validation, parts.test):
        digest.update(json.dumps([list(part.columns), [str(kind) for kind in part.dtypes]]).encode())
    for held in (
        *(parts.train, parts.train_outcome),
        *(parts.validation, parts.validation_outcome),
        *(parts.test, parts.test_outcome),
    ):
        digest.update(pd.util.hash_pandas_object(held).to_numpy().tobytes())
    return digest.hexdigest()[:20]


def _stored(path: Path) -> Trained | None:
    """Load the model of an earlier run; None if there is no whole file."""
    if not path.is_file():
        return None
    try:
        trained = joblib.load(path)  # runs code from the file, and no other program writes to this folder
    except Exception:  # a damaged pickle may raise anything
        return None
    return trained if isinstance(trained, Trained) else None


def _store(trained: Trained, path: Path) -> None:
    """Write a temporary file and rename it, so an interrupted run leaves no half-written file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            joblib.dump(trained, file)
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
