"""Load the request, search for one person after the other, and write each result at once."""

import json
import os
import platform
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from portable_model import PortableModel, read_scorer

Rows = list[list[float]]
Search = Callable[[], Any]  # the peer's own call and nothing else, which is what is timed
Read = Callable[[Any], Rows]  # result of the call → rows in the order of the columns
Peer = Callable[[np.ndarray, int], tuple[Search, Read]]  # a person (d,) and a seed → the call for them


@dataclass(frozen=True)
class Question:
    """Everything a peer gets."""

    folder: Path
    train: pd.DataFrame  # floats
    outcome: np.ndarray  # of the training rows, 0 or 1
    people: np.ndarray  # (people, d)
    mutable: list[str]
    ranges: dict[str, tuple[float, float]]  # of the mutable columns
    answers: int
    seed: int
    seconds_per_person: float | None
    options: dict[str, Any]
    kind: str  # of the model
    model: PortableModel
    # For the current person, if the program calls the model itself.
    counts: dict[str, int] = field(default_factory=Counter)
    seen: set[bytes] = field(default_factory=set)

    @property
    def columns(self) -> list[str]:
        return list(self.train.columns)

    @property
    def whole(self) -> list[str]:
        """The columns of whole numbers."""
        values = np.vstack([self.train.to_numpy(), self.people])
        return [name for name, column in zip(self.columns, values.T, strict=True) if (column % 1 == 0).all()]


def answer(prepare: Callable[[Question], Peer], *, packages: tuple[str, ...], warms_up: bool = True) -> None:
    """Run the request in the folder of the command line, from the person given there."""
    folder, first = Path(sys.argv[1]), int(sys.argv[2])
    question = read(folder)
    write_scores(question)
    versions = {"python": platform.python_version()} | {name: version(name) for name in packages}
    (folder / "versions.json").write_text(json.dumps(versions), encoding="utf-8")
    peer = prepare(question)
    if warms_up:
        warm_up(peer, question)
    (folder / "ready").touch()
    for number in range(first, len(question.people)):
        call = peer(question.people[number], question.seed + number)
        question.model.calls = question.model.rows = 0
        question.counts.clear()
        question.seen.clear()
        answered = timed(*call)
        write_down(folder, answered | {"person": number, "counts": counts_of(question)})


def read(folder: Path) -> Question:
    """Load the request and its tables."""
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    train = pd.read_csv(folder / "train.csv", float_precision="round_trip", dtype=float)
    outcome = train.pop(request["outcome"])
    people = pd.read_csv(folder / "people.csv", float_precision="round_trip", dtype=float)
    return Question(
        folder=folder,
        train=train,
        outcome=outcome.to_numpy(int),
        people=people[list(train.columns)].to_numpy(),
        mutable=request["mutable"],
        ranges={name: (low, high) for name, (low, high) in request["ranges"].items()},
        answers=request["answers"],
        seed=request["seed"],
        seconds_per_person=request["seconds_per_person"],
        options=request["options"],
        kind=json.loads((folder / "model.json").read_text(encoding="utf-8"))["kind"],
        model=PortableModel(read_scorer(folder)),
    )


def write_scores(question: Question) -> None:
    """Write the scores of this copy of the model, which the other side compares."""
    unfinished = question.folder / "scores.part.npz"
    score = question.model.score
    np.savez(unfinished, people=score(question.people), train=score(question.train.to_numpy()))
    os.replace(unfinished, question.folder / "scores.npz")


def warm_up(peer: Peer, question: Question) -> None:
    """Search once for a rejected training row, so the timed calls have no start-up costs."""
    rows = question.train.to_numpy()
    denied = rows[question.model.score(rows) < 0.5]
    timed(*peer(denied[0] if len(denied) else rows[0], question.seed))


def timed(search: Search, read_rows: Read) -> dict[str, Any]:
    """Time one call. An exception is a result as well."""
    start = perf_counter()
    try:
        given = search()
        seconds = perf_counter() - start
        return {"seconds": seconds, "rows": read_rows(given), "error": None}
    except Exception as error:
        seconds = perf_counter() - start
        said = " ".join(str(error).split())
        late = isinstance(error, TimeoutError)
        return {
            "seconds": seconds,
            "rows": [],
            "error": f"{type(error).__name__}: {said}"[:300],
            "late": late,
        }


def counts_of(question: Question) -> dict[str, int]:
    """Return the calls of the model for this person, the evaluated rows, and other counts of the program."""
    usual = {"calls": question.model.calls, "cells": question.model.rows, "explanations": 0}
    return usual | dict(question.counts)


def write_down(folder: Path, answered: dict[str, Any]) -> None:
    """Append one line, so an interruption loses nothing."""
    with (folder / "answers.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(answered) + "\n")
