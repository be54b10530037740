"""Search for the parameters whose model has the best balanced accuracy on the validation part."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import optuna
from sklearn.metrics import balanced_accuracy_score

from benchmarks.paper.settings import THRESHOLD
from p2ce.arrays import FloatArray

# Part of the key of stored models: count up whenever a search space, a way of training or the fields of
# `Trained` change.
VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """What may be chosen for one kind of model, and what is tried first."""

    suggest: Callable[[optuna.Trial], dict[str, Any]]
    first: dict[str, Any]  # sensible, so that a search of few trials ends with a decent model as well


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """The best of all trials: its model as it was trained then, so that nothing is trained twice."""

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
) -> Found:
    """Fit a model in each trial and keep the one of the highest score, the earliest of equals."""
    best: Found | None = None

    def run(trial: optuna.Trial) -> float:
        nonlocal best
        parameters = space.suggest(trial)
        model = fit(parameters)
        reached = score(model)
        if best is None or reached > best.balanced_accuracy:
            best = Found(model=model, parameters=parameters, balanced_accuracy=reached)
        if progress is not None:
            progress(f"trial {trial.number + 1} of {trials}, best {best.balanced_accuracy:.2f}")
        return reached

    if trials < 1:
        raise ValueError(f"A search needs at least one trial, got {trials}. Ask for 1 or more.")
    with _quiet():
        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
        study.enqueue_trial(space.first)
        study.optimize(run, n_trials=trials)
    assert best is not None
    return best


def balanced_accuracy(outcome: Any, probabilities: FloatArray) -> float:
    """The mean of both outcomes' recall, where a probability of 0.5 is enough."""
    return float(balanced_accuracy_score(outcome, probabilities >= THRESHOLD))


@contextmanager
def _quiet() -> Iterator[None]:
    """Optuna prints a line for each trial; what is said here goes through ``progress`` instead."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


def _class_weight(trial: optuna.Trial) -> str | None:
    # Balanced accuracy at a threshold of 0.5 is lost without weights where one outcome is rare.
    return trial.suggest_categorical("class_weight", [None, "balanced"])


def _logistic(trial: optuna.Trial) -> dict[str, Any]:
    return {"C": trial.suggest_float("C", 1e-4, 1e2, log=True), "class_weight": _class_weight(trial)}


def _lightgbm(trial: optuna.Trial) -> dict[str, Any]:
    return {
        "n_estimators": trial.suggest_int("n_estimators", 20, 300),
        "learning_rate": trial.suggest_float("learning_rate", 0.01, 0.3, log=True),
        "num_leaves": trial.suggest_int("num_leaves", 4, 63),
        "min_child_samples": trial.suggest_int("min_child_samples", 5, 100),
        "colsample_bytree": trial.suggest_float("colsample_bytree", 0.5, 1.0),
        "reg_lambda": trial.suggest_float("reg_lambda", 1e-3, 10.0, log=True),
        "class_weight": _class_weight(trial),
    }


def _mlp(trial: optuna.Trial) -> dict[str, Any]:
    layers = trial.suggest_int("layers", 1, 2)
    return {
        "layers": layers,
        **{f"units_{layer}": trial.suggest_int(f"units_{layer}", 10, 100) for layer in range(1, layers + 1)},
        "learning_rate": trial.suggest_float("learning_rate", 1e-3, 2e-2, log=True),
        "weight_decay": trial.suggest_float("weight_decay", 1e-6, 1e-2, log=True),
        "batch": trial.suggest_categorical("batch", [64, 128, 256]),
        "class_weight": _class_weight(trial),
    }


SPACES = {
    "logistic": Space(suggest=_logistic, first={"C": 1.0, "class_weight": "balanced"}),
    "lightgbm": Space(
        suggest=_lightgbm,
        first={
            "n_estimators": 100,
            "learning_rate": 0.05,
            "num_leaves": 15,
            "min_child_samples": 20,
            "colsample_bytree": 1.0,
            "reg_lambda": 1.0,
            "class_weight": "balanced",
        },
    ),
    "mlp": Space(
        suggest=_mlp,
        first={
            "layers": 2,
            "units_1": 50,
            "units_2": 50,
            "learning_rate": 5e-3,
            "weight_decay": 1e-4,
            "batch": 128,
            "class_weight": "balanced",
        },
    ),
}
