"""Collect the results of a run in tables: a row per person and method, and one per counterfactual."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from reproduction.experiments import Task
from reproduction.names import ON_THE_GRID, WITHOUT_PLAUSIBILITY
from reproduction.scoring import COSTS, hypervolume, judge_answers, worst_on_grid
from reproduction.store import Answered
from reproduction.study import Study
from reproduction.truth import Truth

CELL = ["experiment", "data", "model"]
TASK = [*CELL, "method", "seed"]
SEED = 1000  # person 12 of seed 3 has number 3012 in all tables
UNFINISHED = ("TIME_LIMIT", "ERROR")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Findings:
    """The rows of each table."""

    people: list[dict[str, Any]] = field(default_factory=list)
    answers: list[pd.DataFrame] = field(default_factory=list)
    studies: list[dict[str, Any]] = field(default_factory=list)
    missing: list[dict[str, Any]] = field(default_factory=list)

    def add(self, task: Task, study: Study, truths: list[Truth], people: tuple[Answered, ...]) -> None:
        """Judge all counterfactuals of a task, then add a row for each person."""
        assert len(people) <= len(study.people)
        persons = study.people.to_numpy(float)
        owner = np.repeat(np.arange(len(people)), [len(answered.rows) for answered in people])
        rows = np.array([row for answered in people for row in answered.rows], dtype=float)
        judged = judge_answers(study, persons[owner], rows.reshape(-1, persons.shape[1]))
        judged.insert(0, "person", SEED * task.seed + owner)
        judged.insert(1, "answer", judged.groupby("person").cumcount())
        for place, (name, value) in enumerate(_labels(task).items()):
            judged.insert(place, name, value)
        if len(judged):
            self.answers.append(judged)
        scores = study.scores(persons)
        for number, answered in enumerate(people):
            costs = _valid_costs(judged[judged["person"] == SEED * task.seed + number])
            values = dict(zip(study.train.columns, persons[number].tolist(), strict=True))
            self.people.append(
                _labels(task)
                | {
                    "person": SEED * task.seed + number,
                    "row": study.people.index[number],
                    "seconds": answered.seconds,
                    "seconds_alone": answered.seconds_alone,
                    "status": answered.status,
                    "answers": len(answered.rows),
                    "best_cost": costs[:, 0].min() if len(costs) else None,
                    "hypervolume_grid": hypervolume(costs, worst_on_grid(study, persons[number]))
                    if task.objectives == len(COSTS)
                    else None,
                    "error": answered.error,
                    "score": scores[number],
                    "values": json.dumps(values),
                    "calls": answered.calls,
                    "cells": answered.cells,
                    "explanations": answered.explanations,
                    "nodes": answered.nodes,
                    "pruned": json.dumps(dict(answered.pruned)),
                }
                | _fronts(task, truths[number], costs, finished=answered.status not in UNFINISHED)
            )

    def add_study(self, study: Study) -> None:
        parts = study.parts
        self.studies.append(
            {
                "data": study.data,
                "model": study.model,
                "seed": study.settings.seed,
                "rows": len(parts.train) + len(parts.validation) + len(parts.test),
                "features": study.train.shape[1],
                "mutable": len(study.mutable),
                "balanced_accuracy_validation": study.trained.balanced_accuracy_validation,
                "balanced_accuracy_test": study.trained.balanced_accuracy_test,
                "denied": len(study.denied),
                "people": len(study.people),
                "parameters": json.dumps(study.trained.parameters, default=str),
                "seconds_training": study.trained.seconds,
            }
        )

    def add_missing(self, task: Task, reason: str) -> None:
        self.missing.append(_labels(task) | {"reason": reason})

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return all tables, with hypervolumes relative to the largest costs of all methods."""
        people = pd.DataFrame(self.people)
        answers = pd.concat(self.answers, ignore_index=True) if self.answers else pd.DataFrame()
        if len(people):
            people.insert(
                people.columns.get_loc("hypervolume_grid"), "hypervolume", _volumes(people, answers)
            )
        return {
            "people": people,
            "answers": answers,
            "studies": pd.DataFrame(self.studies),
            "missing": pd.DataFrame(self.missing, columns=[*TASK, "reason"]),
        }

    def write(self, folder: Path, facts: dict[str, Any]) -> None:
        """Write every table as CSV and as JSON."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in self.tables().items():
            table.to_csv(folder / f"{name}.csv", index=False)
            table.to_json(folder / f"{name}.json", orient="records", indent=1, double_precision=15)
        (folder / "run.json").write_text(json.dumps(facts, indent=1), encoding="utf-8")


def _labels(task: Task) -> dict[str, Any]:
    return {name: getattr(task, name) for name in TASK}


def _valid_costs(judged: pd.DataFrame) -> FloatArray:
    """Return the costs of valid counterfactuals. Those that the model rejects have no cost or volume."""
    return judged.loc[judged["valid"].astype(bool), list(COSTS)].to_numpy(float)


def _fronts(task: Task, truth: Truth, costs: FloatArray, *, finished: bool) -> dict[str, bool | None]:
    """Check whether the costs are the true front of the method's own problem, and of the plausible one."""
    if task.method not in ON_THE_GRID or not finished:
        return {"front_is_true": None, "front_is_plausible_truth": None}
    of_its_problem, of_the_plausible = (
        truth.equals(costs, plausible=plausible, objectives=task.objectives)
        for plausible in (task.method not in WITHOUT_PLAUSIBILITY, True)
    )
    return {"front_is_true": of_its_problem, "front_is_plausible_truth": of_the_plausible}


def _volumes(people: pd.DataFrame, answers: pd.DataFrame) -> "pd.Series[float]":
    """Return the hypervolume of each row relative to the largest costs of its cell, for three objectives."""
    found = pd.Series(np.nan, index=people.index)
    models = [*CELL, "seed"]
    for cell, lines in people[people["hypervolume_grid"].notna()].groupby(models):
        given = answers[(answers[models] == list(cell)).all(axis=1)] if len(answers) else answers
        if not len(given):
            found[lines.index] = 0.0
            continue
        worst = np.vstack([_valid_costs(given), np.zeros(len(COSTS))]).max(axis=0)
        costs = {key: _valid_costs(own) for key, own in given.groupby(["method", "person"])}
        for place, line in lines.iterrows():
            own = costs.get((line["method"], line["person"]))
            found[place] = 0.0 if own is None else hypervolume(own, worst)
    return found
