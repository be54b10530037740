"""Run the tasks one after the other, or load their results from an earlier run."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

import p2ce
from benchmarks import brute_force
from p2ce import datasets
from p2ce.datasets import Dataset
from reproduction import ours, peers, truth
from reproduction.experiments import Task
from reproduction.findings import Findings
from reproduction.names import AUTHORS
from reproduction.settings import FULL, Effort
from reproduction.store import Answered, Outcome, Store, commit_of, digest_of
from reproduction.study import Study, prepare
from reproduction.truth import Truth, true_fronts

Progress = Callable[[str], None]
PEER_PACKAGES = ("dice-ml", "NICEx", "oceanpy", "ortools")  # the versions of other packages matter little
NOTHING_FOUND = "No counterfactuals found"  # DiCE raises this when it finds nothing

# Results are stored under the code that gave them, so a change of the code runs it again.
OUR_CODE = (Path(p2ce.__file__).parent, Path(ours.__file__))
PEER_CODE = (Path(peers.__file__).parent,)
TRUE_CODE = (Path(brute_force.__file__), Path(truth.__file__))


@dataclass(slots=True, kw_only=True, eq=False)
class Run:
    """The folders and settings of a run, and its findings so far."""

    folder: Path  # of the report
    environments: Path  # of the peers
    effort: Effort = FULL
    authors: Path | None = None  # a checkout of the authors' code
    commit: str = "unknown"
    progress: Progress = lambda _: None
    load: Callable[[str], Dataset] = datasets.load
    findings: Findings = field(default_factory=Findings)
    versions: dict[str, str] = field(default_factory=dict)  # of the peers
    commits: set[str] = field(default_factory=set)  # of the code that gave the results
    _study: Study | None = None
    _truths: list[Truth] = field(default_factory=list)

    @property
    def work(self) -> Path:
        """The folder of everything kept between runs."""
        return self.folder / "work"

    def do(self, task: Task) -> None:
        """Run one task, or load its stored results, and judge them."""
        study = self._study_of(task)
        if study.people.empty:
            self.findings.add_missing(task, "the model rejects no one in the test part")
            return
        store = Store(self.work / "answers")
        limits = self.effort.of(task.seed)[1]
        people = task.people(limits, len(study.people))
        code = digest_of(*(PEER_CODE if task.is_peer else OUR_CODE))
        version = f"-{self._authors_commit[:12]}" if task.method in AUTHORS else ""
        key = f"{study.fingerprint}/{task.experiment}-{task.method}-{limits.seconds:g}s-{code}{version}"
        outcome = store.outcome(key)
        # A missing peer may be available now.
        if outcome is None or outcome.missing or len(outcome.people) < people:
            outcome = replace(self._answer(task, study, people, limits.seconds), commit=self.commit)
            store.keep(key, outcome)
        self.versions |= {
            name: version for name, version in outcome.versions.items() if name in PEER_PACKAGES
        }
        self.commits.add(outcome.commit)
        if outcome.missing:
            self.findings.add_missing(task, outcome.missing)
        self.findings.add(task, study, self._truths, outcome.people)

    def _study_of(self, task: Task) -> Study:
        """Return the study of a task. Tasks are sorted by study, so one study is kept at a time."""
        settings = self.effort.of(task.seed)[0]
        wanted = (settings, task.data, task.model)
        if self._study is None or (self._study.settings, self._study.data, self._study.model) != wanted:
            self.progress("training")
            self._study = prepare(
                self.load(task.data),
                task.model,
                settings,
                cache=self.work / "models",
                progress=self.progress,
            )
            store = Store(self.work / "truths" / digest_of(*TRUE_CODE))
            self._truths = true_fronts(self._study, store, progress=self.progress)
            self.findings.add_study(self._study)
        return self._study

    @property
    def _authors_commit(self) -> str:
        return commit_of(self.authors) if self.authors else "unknown"

    def _answer(self, task: Task, study: Study, people: int, seconds: float) -> Outcome:
        if not task.is_peer:
            return ours.answer(
                study,
                task.method,
                objectives=task.objectives,
                people=people,
                seconds_per_person=seconds,
                progress=self.progress,
            )
        moving = [feature for feature in study.policy.features if not feature.fixed]
        search = None
        if task.method in AUTHORS:
            assert self.authors is not None
            if not study.settings.scaled_maximum:
                return Outcome(missing="it supports c₂ in standard deviations only")
            search = peers.Search(
                checkout=self.authors,
                candidates={feature.name: feature.candidates().tolist() for feature in moving},
                detector=study.detector,
                objectives=task.objectives,
            )
        found = peers.run_peer(
            task.method,
            request=peers.Request(
                trained=study.trained,
                train=study.train,
                train_outcome=study.parts.train_outcome,
                people=study.people[:people],
                mutable=study.mutable,
                ranges={feature.name: (float(feature.low), float(feature.high)) for feature in moving},
                answers=task.answers,
                seed=study.settings.seed,
                seconds_per_person=seconds,
                search=search,
            ),
            folder=self.work / "peers" / study.fingerprint / f"{task.experiment}-{task.method}",
            environments=self.environments,
            progress=self.progress,
        )
        return Outcome(
            people=tuple(map(_answered, found.people)), missing=found.missing, versions=found.versions
        )


def _answered(person: peers.PeerPerson) -> Answered:
    """Convert the result of a peer. One with missing values does not count, since no model could score it."""
    whole = np.isfinite(np.array(person.rows, dtype=float)).all()
    error = person.error if whole else "it returned values that are missing or infinite"
    rows = person.rows if whole else ()
    status = "FOUND" if rows else "NOTHING"
    if error and NOTHING_FOUND not in error:
        status = "TIME_LIMIT" if person.late else "ERROR"
    return Answered(
        seconds=person.seconds,
        status=status,
        rows=rows,
        error=error,
        calls=person.counts.get("calls"),
        cells=person.counts.get("cells"),
        explanations=person.counts.get("explanations"),
    )
