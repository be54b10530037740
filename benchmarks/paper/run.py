"""Do the tasks of a run one after the other, and put everything that came of them into tables."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.paper import ours
from benchmarks.paper.experiments import Task
from benchmarks.paper.hypervolume import hypervolume, worst_costs
from benchmarks.paper.peers import Request, ask
from benchmarks.paper.scoring import COSTS, judge_answers
from benchmarks.paper.settings import MAX_CHANGES, Settings
from benchmarks.paper.store import Answered, Outcome, Store
from benchmarks.paper.study import Study, prepare
from benchmarks.paper.truth import Truth, true_fronts
from p2ce import datasets
from p2ce.arrays import FloatArray
from p2ce.datasets import Dataset

Progress = Callable[[str], None]
SECONDS_PER_PERSON = 60.0  # for a peer; a person who takes longer counts as not answered

PEER_PACKAGES = ("dice-ml", "NICEx", "oceanpy", "ortools")  # what else is installed there matters little
TASK = ("experiment", "data", "model", "method")


@dataclass(slots=True, kw_only=True, eq=False)
class Run:
    """Where a run keeps things, and what it has found so far."""

    settings: Settings
    folder: Path  # of the report
    environments: Path  # of the peers
    commit: str
    progress: Progress
    load: Callable[[str], Dataset]
    people: list[dict[str, Any]]
    answers: list[pd.DataFrame]
    studies: list[dict[str, Any]]
    missing: list[dict[str, Any]]
    versions: dict[str, str]
    commits: set[str]
    _study: Study | None = None
    _truths: list[Truth] | None = None

    @classmethod
    def new(
        cls,
        settings: Settings,
        *,
        folder: Path,
        environments: Path,
        commit: str = "unknown",
        progress: Progress = lambda _: None,
        load: Callable[[str], Dataset] = datasets.load,
    ) -> "Run":
        """A run that has found nothing yet."""
        return cls(
            settings=settings,
            folder=folder,
            environments=environments,
            commit=commit,
            progress=progress,
            load=load,
            people=[],
            answers=[],
            studies=[],
            missing=[],
            versions={},
            commits=set(),
        )

    @property
    def store(self) -> Store:
        return Store(self.folder / "work" / "answers")

    def do(self, task: Task) -> None:
        """Answer one task, or fetch what it answered before, and judge the answers."""
        study, truths = self._study_of(task)
        key = f"{study.fingerprint}/{task.key}"
        outcome = self.store.outcome(key)
        if outcome is None or outcome.missing:  # what was missing may be there now
            outcome = replace(self._answer(task, study), commit=self.commit)
            self.store.keep(key, outcome)
        self.versions |= {name: told for name, told in outcome.versions.items() if name in PEER_PACKAGES}
        self.commits.add(outcome.commit)
        if outcome.missing:
            self.missing.append(_labels(task) | {"reason": outcome.missing})
        self._judge(task, study, truths, outcome.people)

    def _study_of(self, task: Task) -> tuple[Study, list[Truth]]:
        """Tasks come study by study, so that one at a time is kept."""
        known = self._study
        if known is None or (known.data, known.model) != (task.data, task.model):
            self.progress("training")
            known = prepare(
                self.load(task.data),
                task.model,
                self.settings,
                cache=self.folder / "work" / "models",
                progress=self.progress,
            )
            self._study, self._truths = known, true_fronts(known, self.store, progress=self.progress)
            self.studies.append(_describe(known))
        assert self._truths is not None
        return known, self._truths

    def _answer(self, task: Task, study: Study) -> Outcome:
        if not task.is_peer:
            return ours.answer(study, task.method, objectives=task.objectives, progress=self.progress)
        ranges = {
            feature.name: (float(feature.low), float(feature.high))
            for feature in study.actions.features
            if not feature.fixed
        }
        found = ask(
            task.method,
            request=Request(
                trained=study.trained,
                train=study.train,
                train_outcome=study.parts.train_outcome,
                people=study.people,
                mutable=study.mutable,
                ranges=ranges,
                answers=task.answers,
                seed=study.settings.seed,
                seconds_per_person=SECONDS_PER_PERSON,
            ),
            folder=self.folder / "work" / "peers" / study.fingerprint / task.key,
            environments=self.environments,
            progress=self.progress,
        )
        people = tuple(
            Answered(
                seconds=person.seconds,
                status="ERROR" if person.error else "FOUND" if person.rows else "NOTHING",
                rows=person.rows,
                error=person.error,
            )
            for person in found.people
        )
        return Outcome(people=people, missing=found.missing, versions=found.versions)

    def _judge(self, task: Task, study: Study, truths: list[Truth], people: tuple[Answered, ...]) -> None:
        """Judge all answers of a task at once, then say for each person what they amount to."""
        persons = study.people.to_numpy(float)
        owner = np.repeat(np.arange(len(people)), [len(answered.rows) for answered in people])
        rows = np.array([row for answered in people for row in answered.rows], dtype=float)
        judged = judge_answers(study, persons[owner], rows.reshape(-1, persons.shape[1]))
        judged.insert(0, "person", owner)
        judged.insert(1, "answer", judged.groupby("person").cumcount())
        for place, (name, value) in enumerate(_labels(task).items()):
            judged.insert(place, name, value)
        if len(judged):
            self.answers.append(judged)
        # An answer that the model refuses is no answer: it counts neither as cheap nor as volume.
        valid = judged[judged["valid"].astype(bool)]
        scores = study.scores(persons)
        for number, answered in enumerate(people):
            costs = valid.loc[valid["person"] == number, list(COSTS)].to_numpy(float)
            self.people.append(
                _labels(task)
                | {
                    "person": number,
                    "row": study.people.index[number],
                    "seconds": answered.seconds,
                    "seconds_alone": answered.seconds_alone,
                    "status": answered.status,
                    "answers": len(answered.rows),
                    "best_cost": costs[:, 0].min() if len(costs) else None,
                    "error": answered.error,
                    "score": scores[number],
                    "values": json.dumps(
                        dict(zip(study.train.columns, persons[number].tolist(), strict=True))
                    ),
                }
                | _fronts(task, truths[number], costs)
                | _volumes(task, study, persons[number], costs)
            )

    def write(self, facts: dict[str, Any]) -> None:
        """Write every single result as CSV and as JSON."""
        results = self.folder / "results"
        results.mkdir(parents=True, exist_ok=True)
        tables = {
            "people": pd.DataFrame(self.people),
            "answers": pd.concat(self.answers, ignore_index=True) if self.answers else pd.DataFrame(),
            "studies": pd.DataFrame(self.studies),
            "missing": pd.DataFrame(self.missing, columns=[*TASK, "reason"]),
        }
        for name, table in tables.items():
            table.to_csv(results / f"{name}.csv", index=False)
            table.to_json(results / f"{name}.json", orient="records", indent=1, double_precision=15)
        (results / "run.json").write_text(json.dumps(facts, indent=1), encoding="utf-8")


def _fronts(task: Task, truth: Truth, costs: FloatArray) -> dict[str, bool | None]:
    """Whether the answers are the true front: of what the method was asked, and of the plausible question."""
    if task.is_peer:
        return {"front_is_true": None, "front_is_plausible_truth": None}
    of_its_question, of_the_plausible = (
        truth.equals(costs, plausible=plausible, objectives=task.objectives)
        for plausible in (task.method != "mapocam", True)
    )
    return {"front_is_true": of_its_question, "front_is_plausible_truth": of_the_plausible}


def _volumes(task: Task, study: Study, person: FloatArray, costs: FloatArray) -> dict[str, float | None]:
    if task.objectives != len(COSTS):
        return {"hypervolume": None, "hypervolume_wide": None}
    return {
        "hypervolume": hypervolume(costs, worst_costs(study, person)),
        "hypervolume_wide": hypervolume(costs, worst_costs(study, person, wide=True)),
    }


def _labels(task: Task) -> dict[str, Any]:
    return {name: getattr(task, name) for name in TASK}


def _describe(study: Study) -> dict[str, Any]:
    parts = study.parts
    return {
        "data": study.data,
        "model": study.model,
        "rows": len(parts.train) + len(parts.validation) + len(parts.test),
        "features": study.train.shape[1],
        "mutable": len(study.mutable),
        "balanced_accuracy_validation": study.trained.balanced_accuracy_validation,
        "balanced_accuracy_test": study.trained.balanced_accuracy_test,
        "denied": len(study.denied),
        "people": len(study.people),
        "max_changes": MAX_CHANGES,
        "parameters": json.dumps(study.trained.parameters, default=str),
        "seconds_training": study.trained.seconds,
    }
