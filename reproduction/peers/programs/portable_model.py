"""Score rows with a model that was written to plain files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Scorer = Callable[[np.ndarray], np.ndarray]  # rows (n, d) → chance of class 1 (n,)

ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "Identity": lambda values: values,
    "ReLU": lambda values: np.maximum(values, 0.0),
    "LeakyReLU": lambda values: np.where(values > 0.0, values, 0.01 * values),
    "ELU": lambda values: np.where(values > 0.0, values, np.expm1(np.minimum(values, 0.0))),
    "Tanh": np.tanh,
    "Sigmoid": lambda values: sigmoid(values),
}


class PortableModel:
    """The interface of a classifier that DiCE and NICE need, for frames and arrays."""

    classes_ = np.array([0, 1])

    def __init__(self, score: Scorer) -> None:
        self.score = score
        self.calls = self.rows = 0  # since the last person

    def predict_proba(self, rows: Any) -> np.ndarray:  # (n, d) → (n, 2)
        chance = self._counted(rows)
        return np.column_stack([1.0 - chance, chance])

    def predict(self, rows: Any) -> np.ndarray:  # (n, d) → (n,)
        return (self._counted(rows) >= 0.5).astype(int)

    def _counted(self, rows: Any) -> np.ndarray:
        values = np.asarray(rows, dtype=float)
        self.calls += 1
        self.rows += len(values)
        return self.score(values)


def read_scorer(folder: Path) -> Scorer:
    """Load ``model.json`` and the other files of the model.

    The model is called through its own class, as users do, if this environment has that class.
    """
    described = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    return READERS[described["kind"]](folder, described)


def sigmoid(values: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # e^800 is infinite, and 1 / (1 + ∞) is 0 as intended
        return 1.0 / (1.0 + np.exp(-values))


def _network(folder: Path, described: dict[str, Any]) -> Scorer:
    with np.load(folder / "model.npz") as numbers:
        layers = [
            (numbers[f"weights{place}"], numbers[f"bias{place}"], ACTIVATIONS[name])
            for place, name in enumerate(described["activations"])
        ]

    def score(rows: np.ndarray) -> np.ndarray:
        for weights, bias, activation in layers:
            rows = activation(rows @ weights.T + bias)
        return sigmoid(rows[:, 0])

    return score


def read_object(folder: Path) -> Any:
    """Load the model itself, which the same versions of its library wrote."""
    import joblib

    model = joblib.load(folder / "model.joblib")
    return model.set_params(n_jobs=1) if "n_jobs" in model.get_params(deep=False) else model


def _object(folder: Path, _: dict[str, Any]) -> Scorer:
    model = read_object(folder)
    return lambda rows: model.predict_proba(rows)[:, 1]


READERS: dict[str, Callable[[Path, dict[str, Any]], Scorer]] = {
    "logistic": _object,
    "lightgbm": _object,
    "mlp": _network,  # this environment has no PyTorch, and NumPy is faster for a few rows
    "forest": _object,
}
