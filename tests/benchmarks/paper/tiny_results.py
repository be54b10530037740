"""Results of a few people, written by hand, so that every figure of a report can be checked by hand."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

pytest.importorskip("benchmarks")  # not in a packed source

from benchmarks.paper.report.results import Results, read_results
from tests.benchmarks.paper.made_up_results import write_results

CELL = {"experiment": "one", "data": "german", "model": "lightgbm", "method": "proven", "seed": 0}


def person(number: int, **given: Any) -> dict[str, Any]:
    """A row of people.csv: everything is in order unless given otherwise."""
    usual = {
        **CELL,
        "person": number,
        "row": 100 + number,
        "seconds": 0.001,
        "seconds_alone": 0.002,
        "status": "OPTIMAL",
        "answers": 1,
        "front_is_true": True,
        "front_is_plausible_truth": True,
        "hypervolume": None,
        "hypervolume_grid": None,
        "best_cost": 0.1,
        "error": "",
        "values": json.dumps({"age": 30.0, "loan": 4.0}),
        "score": 0.3,
        "calls": 1,
        "cells": 20,
        "explanations": 0,
        "nodes": 10,
        "pruned": "{}",
    }
    return {**usual, **given}


def answer(number: int, **given: Any) -> dict[str, Any]:
    """A row of answers.csv: a valid, plausible and allowed answer unless given otherwise."""
    usual = {
        **CELL,
        "person": number,
        "answer": 0,
        "mean_distance": 0.1,
        "max_distance": 0.4,
        "changes": 1,
        "score": 0.52,
        "valid": True,
        "plausible": True,
        "outlier": False,
        "outlier_axis_parallel": False,
        "allowed": True,
        "broken": "",
        "on_grid": True,
        "values": json.dumps({"age": 30.0, "loan": 2.5}),
    }
    return {**usual, **given}


def study(data: str, model: str, people: int, **given: Any) -> dict[str, Any]:
    """A row of studies.csv."""
    usual = {
        "seed": 0,
        "rows": 1000,
        "features": 2,
        "mutable": 1,
        "balanced_accuracy_validation": 0.7,
        "balanced_accuracy_test": 0.7,
        "denied": 100,
        "parameters": "{}",
        "seconds_training": 1.0,
    }
    return {"data": data, "model": model, "people": people, **usual, **given}


def tiny(
    folder: Path,
    people: list[dict[str, Any]] | None = None,
    answers: list[dict[str, Any]] | None = None,
    *,
    missing: list[dict[str, Any]] | None = None,
    studies: list[dict[str, Any]] | None = None,
    run: dict[str, Any] | None = None,
) -> Results:
    """Write these rows and read them as the report does; by default there are no other people."""
    if studies is None:
        persons: dict[tuple[str, str], set[int]] = {}
        for each in people or []:
            persons.setdefault((each["data"], each["model"]), set()).add(each["person"])
        studies = [study(data, model, len(numbers)) for (data, model), numbers in persons.items()]
    rows = {"people": people, "answers": answers, "missing": missing, "studies": studies}
    write_results(folder, {name: pd.DataFrame(these or []) for name, these in rows.items()}, run)
    return read_results(folder)
