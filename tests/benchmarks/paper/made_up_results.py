"""What might a run have written? Made-up results of the right shape, to look at reports without a run."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("benchmarks")  # not in a packed source

from benchmarks.paper.experiments import PLAN
from benchmarks.paper.names import DATA_SETS, ON_THE_GRID, OURS, WITHOUT_PLAUSIBILITY
from benchmarks.paper.settings import FULL

FEATURES = {
    "german": ("Age", "LoanAmount", "LoanDuration", "HasTelephone"),
    "taiwan": (
        "Age",
        "MostRecentPaymentAmount",
        "TotalMonthsOverdue",
        "MonthsWithZeroBalanceOverLast6Months",
    ),
    "adult": ("age", "capital_gain", "capital_loss", "hours_per_week", "has_degree", "is_married"),
}
SECONDS = {
    "mapocam": 0.9,
    "p2ce-ablation": 0.2,
    "p2ce": 0.1,
    "proven": 0.002,
    "dice-genetic": 0.5,
    "dice-free": 0.5,
    "dice-random": 0.15,
    "dice-code": 0.15,
    "nice": 0.012,
    "ocean": 4.0,
    "authors-mapocam": 30.0,
    "authors-ablation": 12.0,
    "authors-p2ce": 9.0,
}
OUTLIERS = {
    "mapocam": 0.14,
    "authors-mapocam": 0.14,
    "dice-genetic": 0.7,
    "dice-free": 0.9,
    "dice-random": 0.8,
    "dice-code": 0.9,
    "nice": 0.2,
}
COSTS = {
    "dice-genetic": 5.0,
    "dice-free": 6.0,
    "dice-random": 6.0,
    "dice-code": 7.0,
    "nice": 2.0,
    "ocean": 1.02,
}


def frames(*, people: int = 50, seeds: int = 1) -> dict[str, pd.DataFrame]:
    """The four frames of a run with ``people`` in every cell, for each of so many seeds."""
    made = [_frames(people, seed) for seed in range(seeds)]
    joined = {name: pd.concat([frames[name] for frames in made], ignore_index=True) for name in made[0]}
    return joined | {"missing": made[0]["missing"]}


def _frames(people: int, seed: int) -> dict[str, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    people_rows: list[dict[str, Any]] = []
    answers: list[dict[str, Any]] = []
    for experiment, (models, _, methods) in PLAN.items():
        for model in models:
            for data in DATA_SETS:
                for person in range(1000 * seed, 1000 * seed + people):
                    best = float(rng.gamma(2.0, 0.06)) + 0.01
                    reachable = bool(rng.random() > 0.06)
                    own = {name: float(rng.integers(0, 40)) for name in FEATURES[data]}
                    for method in methods:
                        key = {"experiment": experiment, "data": data, "model": model, "method": method}
                        key |= {"seed": seed}
                        given = _answers(rng, key, person, best, own, reachable)
                        answers += given
                        people_rows.append(_person(rng, key, person, best, own, given))
    studies = [
        {
            "data": data,
            "model": model,
            "seed": seed,
            "rows": 1000,
            "features": len(FEATURES[data]),
            "mutable": len(FEATURES[data]) - 1,
            "balanced_accuracy_validation": 0.75,
            "balanced_accuracy_test": 0.72,
            "denied": 140,
            "people": people,
            "parameters": json.dumps({"learning_rate": 0.0312345, "num_leaves": 31}),
            "seconds_training": 61.5,
        }
        for model in ("logistic", "lightgbm", "mlp", "forest")
        for data in DATA_SETS
    ]
    missing = [
        {
            "experiment": "forests",
            "data": "taiwan",
            "model": "forest",
            "method": "ocean",
            "seed": 0,
            "reason": "needs Python ≥ 3.12, found 3.11",
        }
    ]
    return {
        "people": _without_the_missing(people_rows),
        "answers": _without_the_missing(answers),
        "studies": pd.DataFrame(studies),
        "missing": pd.DataFrame(missing),
    }


def _without_the_missing(rows: list[dict[str, Any]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows)
    return frame[~((frame["method"] == "ocean") & (frame["data"] == "taiwan"))]


RUN = {
    "settings": {"people": 50, "trials": 50, "rows": None, "seed": 0, "split": "paper"},
    "effort": asdict(FULL),
    "authors": "67fd848",
    "date": "2026-11-01",
    "commit": "0123abc",
    "machine": "Made-up CPU, 2 cores",
    "versions": {"p2ce": "0.1.0", "dice-ml": "0.12"},
    "quick": False,
    "command": "python -m benchmarks.paper --data adult",
    "left_out": ["the data sets German Credit and Taiwan, by --data"],
    "reference_point": "Costs are divided by the worst on the grid; the reference point is (1, 1, 1).",
}


def write_results(folder: Path, frames: dict[str, pd.DataFrame], run: dict[str, Any] | None = None) -> Path:
    """Write frames as a run does; returns ``folder``."""
    results = folder / "results"
    results.mkdir(parents=True, exist_ok=True)
    for name, frame in frames.items():
        frame.to_csv(results / f"{name}.csv", index=False)
    (results / "run.json").write_text(json.dumps(RUN if run is None else run), encoding="utf-8")
    return folder


def _answers(
    rng: np.random.Generator,
    key: dict[str, Any],
    person: int,
    best: float,
    own: dict[str, float],
    reachable: bool,
) -> list[dict[str, Any]]:
    method = key["method"]
    if not (reachable if method in ON_THE_GRID else rng.random() > 0.12):
        return []
    count = 1 if key["experiment"] != "three" else int(rng.integers(2, 5))
    peer = method not in ON_THE_GRID
    rows = []
    for answer in range(count):
        cost = best * COSTS.get(method, 1.0) * (1 + 0.4 * answer)
        broken = peer and rng.random() < 0.3
        values = dict(own)
        for name in rng.choice(list(own)[1:], size=2, replace=False):
            values[name] += float(rng.integers(1, 9))
        rows.append(
            {
                **key,
                "person": person,
                "answer": answer,
                "mean_distance": cost,
                "max_distance": cost * 4,
                "changes": 2,
                "score": 0.5 + 0.1 * rng.random(),
                "valid": not (peer and rng.random() < 0.05),
                "plausible": method not in (*WITHOUT_PLAUSIBILITY, *COSTS) or bool(rng.random() < 0.6),
                "outlier": bool(rng.random() < OUTLIERS.get(method, 0.03)),
                "outlier_axis_parallel": bool(rng.random() < OUTLIERS.get(method, 0.02)),
                "allowed": not broken,
                "broken": str(rng.choice(["range: LoanAmount", "immutable: Age; changes: 5 > 3"])) * broken,
                "on_grid": not peer,
                "values": json.dumps(values),
            }
        )
    return rows


def _person(
    rng: np.random.Generator,
    key: dict[str, Any],
    person: int,
    best: float,
    own: dict[str, float],
    given: list[dict[str, Any]],
) -> dict[str, Any]:
    method, three = key["method"], key["experiment"] == "three"
    ours, searched = method in OURS, method in ON_THE_GRID
    costs = [answer["mean_distance"] for answer in given if answer["valid"]]
    volume = max(0.0, 0.62 - best * (0.5 if searched else 1.5)) if costs else 0.0
    slow = 5 if key["model"] == "mlp" else 1
    alone = SECONDS[method] * float(rng.lognormal(0, 0.8)) * slow
    seconds = SECONDS[method] / 2 * slow if method == "proven" else alone  # everybody's share of a batch
    return {
        **key,
        "person": person,
        "row": 1000 + 7 * person,
        "values": json.dumps(own),
        "score": 0.31,
        "seconds": seconds,
        "seconds_alone": alone if ours else np.nan,
        "status": ("OPTIMAL" if given else "NO_RECOURSE") if ours else ("FOUND" if given else "NOTHING"),
        "answers": len(given),
        "front_is_true": True if searched else np.nan,
        "front_is_plausible_truth": (method not in WITHOUT_PLAUSIBILITY) if searched else np.nan,
        "hypervolume": volume if three else np.nan,
        "hypervolume_grid": volume * 1.1 if three else np.nan,
        "best_cost": min(costs) if costs else np.nan,
        "error": "",
        "calls": 1 if ours else 100,
        "cells": int(rng.integers(10, 1000)),
        "explanations": 50 if "p2ce" in method else 0,
        "nodes": 200 if ours else np.nan,
        "pruned": "{}",
    }
