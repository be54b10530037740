"""Read what a run wrote, and reject what lacks a column: all code after this may rely on them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.paper.names import DATA_SETS, EXPERIMENTS, METHODS, MODELS

KEY = ["experiment", "data", "model", "method"]
CELL = ["experiment", "data", "model"]
KNOWN = {
    "experiment": tuple(EXPERIMENTS),
    "data": tuple(DATA_SETS),
    "model": tuple(MODELS),
    "method": tuple(METHODS),
}

PEOPLE = {
    "texts": [*KEY, "row", "status", "error", "values", "pruned"],
    "numbers": [
        "seed",
        "person",
        "seconds",
        "seconds_alone",
        "answers",
        "hypervolume",
        "hypervolume_grid",
        "best_cost",
        "score",
        "calls",
        "cells",
        "explanations",
        "nodes",
    ],
    "truths": ["front_is_true", "front_is_plausible_truth"],
}
ANSWERS = {
    "texts": [*KEY, "broken", "values"],
    "numbers": ["seed", "person", "answer", "mean_distance", "max_distance", "changes", "score"],
    "truths": ["valid", "plausible", "outlier", "outlier_axis_parallel", "allowed", "on_grid"],
}
STUDIES = {
    "texts": ["data", "model", "parameters"],
    "numbers": [
        "seed",
        "rows",
        "features",
        "mutable",
        "balanced_accuracy_validation",
        "balanced_accuracy_test",
        "denied",
        "people",
        "seconds_training",
    ],
    "truths": [],
}
MISSING = {"texts": [*KEY, "reason"], "numbers": ["seed"], "truths": []}


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """The frames of a run, with all columns there: texts are strings, truths are 1.0, 0.0 or NaN."""

    folder: Path  # holds results/ and figures/
    people: pd.DataFrame
    answers: pd.DataFrame
    studies: pd.DataFrame
    missing: pd.DataFrame
    run: Mapping[str, Any]


def read_results(folder: Path) -> Results:
    """Read ``folder``/results; a file that is not there is read as empty, a missing column is an error.

    An answer knows where it belongs by the four columns of `KEY` and the number of its person.
    """
    results = folder / "results"
    if not results.is_dir():
        raise FileNotFoundError(
            f"Expected the results of a run in {results}, found no such folder. "
            "Run `python -m benchmarks.paper --quick` first."
        )
    return Results(
        folder=folder,
        people=_frame(results / "people.csv", PEOPLE),
        answers=_frame(results / "answers.csv", ANSWERS),
        studies=_frame(results / "studies.csv", STUDIES),
        missing=_frame(results / "missing.csv", MISSING),
        run=_object(results / "run.json"),
    )


def in_order(names: pd.Series) -> pd.Series:
    """A key to sort a column of names by: as in names.py, and what is not known there last."""
    known = KNOWN.get(str(names.name), ())
    places = {name: f"{place:03}" for place, name in enumerate(known)}
    return names.map(lambda name: places.get(name, f"999 {name}"))


def sorted_by_names(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    return frame.sort_values(columns, key=in_order, kind="stable", ignore_index=True)


def _frame(path: Path, columns: Mapping[str, list[str]]) -> pd.DataFrame:
    """Everything is read as text first, so that no column changes its type with what happens to be in it."""
    named = [name for names in columns.values() for name in names]
    try:
        read = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (FileNotFoundError, pd.errors.EmptyDataError):
        read = pd.DataFrame(columns=named, dtype=str)
    # Read as empty, a column that was renamed would find nothing wrong with any answer.
    missing = [name for name in named if name not in read]
    if missing:
        raise ValueError(
            f"Expected the column {missing[0]!r} in {path.name}, found only: {', '.join(read.columns)}. "
            "Run `python -m benchmarks.paper` again; what was answered is kept."
        )
    read = read[named]
    for name in columns["numbers"]:
        read[name] = pd.to_numeric(read[name], errors="coerce")
    for name in columns["truths"]:
        read[name] = _truths(read[name])
    return read


def _truths(column: pd.Series) -> pd.Series:
    meaning = {"true": 1.0, "1": 1.0, "1.0": 1.0, "false": 0.0, "0": 0.0, "0.0": 0.0}
    return column.str.strip().str.lower().map(lambda word: meaning.get(word, float("nan"))).astype(float)


def _object(path: Path) -> Mapping[str, Any]:
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
