"""Small data sets, models and results of a run for the tests of the paper's experiments."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from p2ce.datasets import Dataset
from reproduction.experiments import PLAN
from reproduction.names import DATA_SETS, ON_THE_GRID, OURS, WITHOUT_PLAUSIBILITY
from reproduction.report.results import Results, read_results
from reproduction.settings import FULL

ROWS = 500
CELL = {"experiment": "one", "data": "german", "model": "lightgbm", "method": "proven", "seed": 0}
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
# Method → seconds, share of outliers, and cost relative to the best.
METHODS = {
    "mapocam": (0.9, 0.14, 1.0),
    "p2ce-ablation": (0.2, 0.03, 1.0),
    "p2ce": (0.1, 0.03, 1.0),
    "proven": (0.002, 0.03, 1.0),
    "authors-mapocam": (30.0, 0.14, 1.0),
    "authors-ablation": (12.0, 0.03, 1.0),
    "authors-p2ce": (9.0, 0.03, 1.0),
    "dice-genetic": (0.5, 0.7, 5.0),
    "dice-free": (0.5, 0.9, 6.0),
    "dice-random": (0.15, 0.8, 6.0),
    "dice-code": (0.15, 0.9, 7.0),
    "nice": (0.012, 0.2, 2.0),
    "ocean": (4.0, 0.03, 1.02),
}
RUN = {
    "settings": {"people": 50, "trials": 50, "rows": None, "seed": 0, "split": "paper"},
    "effort": asdict(FULL),
    "authors": "67fd848",
    "date": "2026-11-01",
    "commit": "0123abc",
    "machine": "Made-up CPU, 2 cores",
    "versions": {"p2ce": "0.1.0", "dice-ml": "0.12"},
    "quick": False,
    "command": "python -m reproduction --data adult",
    "left_out": ["the data sets German Credit and Taiwan, by --data"],
    "reference_point": "Costs are divided by the worst on the grid; the reference point is (1, 1, 1).",
}


@lru_cache
def small_data(name: str) -> Dataset:
    """Build people with binary, whole and fractional columns, some of which determine the outcome."""
    rng = np.random.default_rng(["german", "taiwan", "adult"].index(name))
    features = pd.DataFrame(
        {
            "Age": rng.integers(20, 70, ROWS),
            "Income": rng.gamma(4.0, 500.0, ROWS).round(1),
            "Debts": rng.integers(0, 8, ROWS),
            "Guarantor": rng.integers(0, 2, ROWS),
            "Years": rng.integers(0, 15, ROWS),
        }
    )
    # Savings follow income, so some combinations are rare, and implausible.
    features["Savings"] = (features["Income"] * 3 + rng.normal(0, 400, ROWS)).round(-1)
    pull = features["Income"] / 700 - features["Debts"] / 2 + features["Guarantor"] + features["Years"] / 8
    outcome = pd.Series((pull + rng.normal(0, 0.4, ROWS) > 2.5).astype(int), name="Good")
    return Dataset(name=name, data=features, target=outcome, immutable=("Age",), categories=())


def trained(kind: Any, model: Any, columns: Iterable[str]) -> Any:
    """Wrap a fitted model, if its training does not matter."""
    from reproduction.training import Trained

    nothing = {"balanced_accuracy_validation": 0.0, "balanced_accuracy_test": 0.0, "seconds": 0.0}
    return Trained(kind=kind, model=model, columns=tuple(columns), parameters={}, **nothing)


def person(number: int, **given: Any) -> dict[str, Any]:
    """Build a row of people.csv. By default, nothing is wrong."""
    usual = {"row": 100 + number, "seconds": 0.001, "seconds_alone": 0.002, "status": "OPTIMAL", "answers": 1}
    usual |= {"front_is_true": True, "front_is_plausible_truth": True, "best_cost": 0.1, "error": ""}
    usual |= {"hypervolume": None, "hypervolume_grid": None, "score": 0.3, "pruned": "{}"}
    usual |= {"calls": 1, "cells": 20, "explanations": 0, "nodes": 10}
    return CELL | {"person": number, "values": json.dumps({"age": 30.0, "loan": 4.0})} | usual | given


def answer(number: int, **given: Any) -> dict[str, Any]:
    """Build a row of answers.csv. By default, it is valid, plausible and allowed."""
    usual: dict[str, Any] = {
        "answer": 0,
        "mean_distance": 0.1,
        "max_distance": 0.4,
        "changes": 1,
        "score": 0.52,
    }
    usual |= {"valid": True, "plausible": True, "outlier": False, "outlier_axis_parallel": False}
    usual |= {"allowed": True, "broken": "", "on_grid": True}
    return CELL | {"person": number, "values": json.dumps({"age": 30.0, "loan": 2.5})} | usual | given


def study(data: str, model: str, people: int, **given: Any) -> dict[str, Any]:
    """Build a row of studies.csv."""
    usual: dict[str, Any] = {
        "seed": 0,
        "rows": 1000,
        "features": 2,
        "mutable": 1,
        "denied": 100,
        "seconds_training": 61.5,
    }
    usual |= {"balanced_accuracy_validation": 0.75, "balanced_accuracy_test": 0.72}
    usual |= {"parameters": json.dumps({"learning_rate": 0.0312345, "num_leaves": 31})}
    return {"data": data, "model": model, "people": people} | usual | given


Rows = list[dict[str, Any]]


def tiny(
    folder: Path,
    people: Sequence[dict[str, Any]] = (),
    answers: Sequence[dict[str, Any]] = (),
    *,
    missing: Sequence[dict[str, Any]] = (),
    studies: Rows | None = None,
    run: dict[str, Any] | None = None,
) -> Results:
    """Write these rows as a run does, and load them as the report does; by default of no other people."""
    if studies is None:
        cells = {(each["data"], each["model"]): set[int]() for each in people}
        for each in people:
            cells[each["data"], each["model"]].add(each["person"])
        studies = [study(data, model, len(numbers)) for (data, model), numbers in cells.items()]
    tables = {"people": people, "answers": answers, "missing": missing, "studies": studies}
    (folder / "results").mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        pd.DataFrame(list(rows)).to_csv(folder / "results" / f"{name}.csv", index=False)
    written = json.dumps(RUN if run is None else run)
    (folder / "results" / "run.json").write_text(written, encoding="utf-8")
    return read_results(folder)


def whole_run(*, people: int, seeds: int = 1, data: Iterable[str] = tuple(DATA_SETS)) -> dict[str, Rows]:
    """Build the rows of a run of every method with ``people`` in every cell. OCEAN is missing on Taiwan."""
    made: dict[str, Rows] = {"people": [], "answers": [], "missing": [], "studies": []}
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        for experiment, (models, _, methods) in PLAN.items():
            for model in models:
                for name in data:
                    for number in range(1000 * seed, 1000 * seed + people):
                        best, reachable = float(rng.gamma(2.0, 0.06)) + 0.01, bool(rng.random() > 0.06)
                        own = {feature: float(rng.integers(0, 40)) for feature in FEATURES[name]}
                        for method in methods:
                            key: dict[str, Any] = {"experiment": experiment, "data": name, "model": model}
                            key |= {"method": method, "seed": seed, "person": number}
                            given = _answers(rng, key, best, own, reachable)
                            if (method, name) != ("ocean", "taiwan"):
                                made["answers"] += given
                                made["people"].append(_person(rng, key, best, own, given))
        made["studies"] += [
            study(name, model, people, seed=seed)
            for model in ("logistic", "lightgbm", "mlp", "forest")
            for name in data
        ]
    reason = "needs Python ≥ 3.12, found 3.11"
    missing = {"experiment": "forests", "data": "taiwan", "model": "forest", "method": "ocean"}
    return made | {"missing": [missing | {"seed": 0, "reason": reason}]}


def _answers(
    rng: np.random.Generator, key: dict[str, Any], best: float, own: dict[str, float], reachable: bool
) -> Rows:
    method, (_, outliers, dearer) = key["method"], METHODS[key["method"]]
    peer = method not in ON_THE_GRID
    if not (rng.random() > 0.12 if peer else reachable):
        return []
    rows = []
    for number in range(1 if key["experiment"] != "three" else int(rng.integers(2, 5))):
        cost, broken, values = best * dearer * (1 + 0.4 * number), peer and rng.random() < 0.3, dict(own)
        for name in rng.choice(list(own)[1:], size=2, replace=False):
            values[name] += float(rng.integers(1, 9))
        obeys = method not in WITHOUT_PLAUSIBILITY and not peer
        row: dict[str, Any] = {
            "answer": number,
            "mean_distance": cost,
            "max_distance": cost * 4,
            "changes": 2,
        }
        row |= {"score": 0.5 + 0.1 * rng.random(), "valid": not (peer and rng.random() < 0.05)}
        row |= {"plausible": obeys or bool(rng.random() < 0.6), "outlier": bool(rng.random() < outliers)}
        row |= {"outlier_axis_parallel": bool(rng.random() < outliers), "allowed": not broken}
        row |= {"broken": str(rng.choice(["range: LoanAmount", "immutable: Age; changes: 5 > 3"])) * broken}
        rows.append(key | row | {"on_grid": not peer, "values": json.dumps(values)})
    return rows


def _person(
    rng: np.random.Generator, key: dict[str, Any], best: float, own: dict[str, float], given: Rows
) -> dict[str, Any]:
    method, three = key["method"], key["experiment"] == "three"
    ours, searched = method in OURS, method in ON_THE_GRID
    costs = [each["mean_distance"] for each in given if each["valid"]]
    volume = max(0.0, 0.62 - best * (0.5 if searched else 1.5)) if costs else 0.0
    usual = METHODS[method][0] * (5 if key["model"] == "mlp" else 1)
    alone = usual * float(rng.lognormal(0, 0.8))
    found, none = ("OPTIMAL", "NO_RECOURSE") if ours else ("FOUND", "NOTHING")
    plausible = (method not in WITHOUT_PLAUSIBILITY) if searched else None
    row = {"row": 1000 + 7 * key["person"], "values": json.dumps(own), "score": 0.31, "answers": len(given)}
    row |= {"seconds": usual / 2 if method == "proven" else alone, "seconds_alone": alone if ours else None}
    row |= {"status": found if given else none, "error": "", "pruned": "{}", "calls": 1 if ours else 100}
    row |= {"front_is_true": True if searched else None, "front_is_plausible_truth": plausible}
    row |= {"hypervolume": volume if three else None, "hypervolume_grid": volume * 1.1 if three else None}
    row |= {"best_cost": min(costs, default=None), "cells": int(rng.integers(10, 1000))}
    return key | row | {"explanations": 50 if "p2ce" in method else 0, "nodes": 200 if ours else None}
