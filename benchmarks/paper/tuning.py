"""Search for the parameters whose model has the best balanced accuracy on the validation part."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import optuna
from sklearn.metrics import balanced_accuracy_score

from benchmarks.paper.settings import THRESHOLD
from p2ce.arrays import FloatArray

# Part of the key of stored models: count up whenever a search space, the training or the fields of
# `Trained` change.
VERSION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """What may be chosen for one kind of model, and what is tried first."""

    suggest: Callable[[optuna.Trial], dict[str, Any]]
    first: dict[str, Any]  # sensible, so that a search of few trials ends with a decent model as well


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fronts:
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
) -> Fronts:
    """Fit a model in each trial and keep the one of the highest score, the earliest of equals."""
    best: Fronts | None = None

    def run(trial: optuna.Trial) -> float:
        nonlocal best
        parameters = space.suggest(trial)
        model = fit(parameters)
        reached = score(model)
        if best is None or reached > best.balanced_accuracy:
            best = Fronts(model=model, parameters=parameters, balanced_accuracy=reached)
        if progress is not None:
            progress(f"trial {trial.number + 1} of {trials}, best {best.balanced_accuracy:.2f}")
        return reached

    if trials < 1:
        raise ValueError(f"A search needs at least one trial, got {trials}. Give 1 or more.")
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


# The spaces of the authors' notebook (model_training.ipynb). Three things are ours: the first trial, a seeded
# sampler, and that a network stops early instead of after 100 epochs.
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
