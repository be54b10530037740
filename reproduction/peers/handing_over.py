"""Write the people and the model to files that a program without this project can load."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd

from reproduction.peers.programs.portable_model import ACTIVATIONS
from reproduction.training import Trained

OUTCOME = "outcome"
SKIPPED = ("Dropout", "Flatten")  # layers that do nothing after training


class NotPortable(Exception):
    """A part of a model has no portable form."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Request:
    """Everything a peer gets: the people, the model and the constraints."""

    trained: Trained
    train: pd.DataFrame
    train_outcome: pd.Series
    people: pd.DataFrame
    mutable: tuple[str, ...]
    ranges: dict[str, tuple[float, float]]  # of the mutable columns
    answers: int  # per person, for peers that return several
    seed: int
    seconds_per_person: float | None  # None for no limit
    search: "Search | None" = None  # for the authors' code only


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Search:
    """Everything else that the authors' code needs to search the same grid."""

    checkout: Path
    candidates: dict[str, list[float]]  # of the mutable columns
    detector: Any  # scikit-learn's isolation forest
    objectives: int


def write_request(request: Request, folder: Path, *, options: dict[str, Any]) -> None:
    """Write the request to an empty ``folder``. ``options`` go to the program unchanged."""
    columns = list(request.train.columns)
    outcome = OUTCOME
    while outcome in columns:
        outcome += "_"
    train = request.train.astype(float).assign(**{outcome: request.train_outcome.to_numpy(int)})
    # pandas writes the shortest text that parses to the same number.
    train.to_csv(folder / "train.csv", index=False)
    request.people[columns].astype(float).to_csv(folder / "people.csv", index=False)
    written = {
        "outcome": outcome,
        "mutable": list(request.mutable),
        "ranges": {name: list(request.ranges[name]) for name in request.mutable},
        "answers": request.answers,
        "seed": request.seed,
        "seconds_per_person": request.seconds_per_person,
        "options": options,
    }
    if request.search is not None:
        written["options"] = options | {
            "checkout": str(request.search.checkout),
            "candidates": request.search.candidates,
            "objectives": request.search.objectives,
        }
        joblib.dump(request.search.detector, folder / "detector.joblib")
    (folder / "request.json").write_text(json.dumps(written, indent=1), encoding="utf-8")
    write_model(request.trained, folder)


def write_model(trained: Trained, folder: Path) -> None:
    """Write ``model.json``, which describes the model, and a file with its numbers."""
    written = {"kind": trained.kind, **WRITERS[trained.kind](trained.model, folder)}
    (folder / "model.json").write_text(json.dumps(written, indent=1), encoding="utf-8")


def _write_network(model: Any, folder: Path) -> dict[str, Any]:
    numbers: dict[str, np.ndarray] = {}
    activations: list[str] = []
    for layer in model:
        name = type(layer).__name__
        if name == "Linear":
            place = len(activations)
            numbers[f"weights{place}"] = layer.weight.detach().numpy().astype(float)
            bias = np.zeros(layer.out_features) if layer.bias is None else layer.bias.detach().numpy()
            numbers[f"bias{place}"] = bias.astype(float)
            activations.append("Identity")
        elif name in ACTIVATIONS and activations and activations[-1] == "Identity":
            activations[-1] = name
        elif name not in SKIPPED:
            known = ", ".join(["Linear", *ACTIVATIONS, *SKIPPED])
            raise NotPortable(f"a layer {name} has no portable form here; supported: {known}")
    np.savez(folder / "model.npz", **numbers)
    return {"activations": activations}


def _write_object(model: Any, folder: Path) -> dict[str, Any]:
    joblib.dump(model, folder / "model.joblib")
    return {}


WRITERS: dict[str, Callable[[Any, Path], dict[str, Any]]] = {
    "logistic": _write_object,
    "lightgbm": _write_object,
    "mlp": _write_network,
    "forest": _write_object,
}
