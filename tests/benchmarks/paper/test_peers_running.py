"""Every person gets a line, whatever a peer's program does: answers, raises, hangs or dies."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("benchmarks")  # not in a packed source
pytest.importorskip("lightgbm")
pytest.importorskip("torch")
pytest.importorskip("optuna")

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.paper.peers import Request, run_peer
from benchmarks.paper.peers.answers import PeerPerson, read_answers
from benchmarks.paper.peers.environments import Missing
from benchmarks.paper.peers.handing_over import write_request
from benchmarks.paper.peers.run_peer import PROGRAMS, scores_differ
from benchmarks.paper.peers.running import run
from benchmarks.paper.training import Trained, probabilities
from tests.benchmarks.paper.made_up_models import trained

# A peer that gives the person back, and misbehaves about those whose first value is negative.
PROGRAM = """
import os, sys, time
sys.path.insert(0, {programs!r})
from question import answer

def prepare(question):
    assert question.options["kept"] == "as it is"
    def peer(person, seed):
        def search():
            if person[0] == -1: raise LookupError("nothing\\n  here")
            if person[0] == -2: time.sleep(60)
            if person[0] == -3: sys.stderr.write("out of luck\\n"); sys.stderr.flush(); os._exit(3)
            question.model.predict_proba([person, person])
            return person
        return search, lambda given: [given.tolist(), [seed] * len(given)]
    return peer

answer(prepare, packages=("numpy",))
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "peer.py"
    path.write_text(PROGRAM.format(programs=str(PROGRAMS)), encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "exchanged"
    path.mkdir()
    return path


def request_for(people: np.ndarray, *, seconds: float | None = None, columns: str = "abc") -> Request:
    rng = np.random.default_rng(0)
    train = pd.DataFrame(rng.normal(size=(50, 3)) / 3, columns=list(columns))
    outcome = (train.sum(axis=1) > 0).astype(int)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(train, outcome)
    return Request(
        trained=trained("logistic", model, columns),
        train=train,
        train_outcome=outcome,
        people=pd.DataFrame(people, columns=list(columns)),
        mutable=("a", "b"),
        ranges={"a": (-1.0, 1.0), "b": (-0.1, 1 / 3)},
        answers=1,
        seed=7,
        seconds_per_person=seconds,
    )


def run_here(program: Path, request: Request, folder: Path, **more: Any) -> dict[int, PeerPerson]:
    write_request(request, folder, options={"kept": "as it is"})
    run(
        program,
        python=Path(sys.executable),
        folder=folder,
        people=len(request.people),
        seconds_per_person=request.seconds_per_person,
        **more,
    )
    return read_answers(folder)


def test_rows_go_there_and_come_back_to_the_last_bit(program: Path, folder: Path) -> None:
    people = np.random.default_rng(1).normal(size=(40, 3)) ** 2 * 10.0 ** np.arange(-5, 35)[:, None] / 3
    request = request_for(people)
    progress_lines: list[str] = []
    found = run_here(program, request, folder, progress=progress_lines.append)
    assert sorted(found) == list(range(40))
    assert np.array([found[number].rows[0] for number in range(40)]).tobytes() == people.tobytes()
    assert [found[number].rows[1][0] for number in range(40)] == [7.0 + number for number in range(40)]
    assert all(person.error is None and person.seconds > 0 for person in found.values())
    assert {tuple(person.counts.items()) for person in found.values()} == {
        (("calls", 1), ("cells", 2), ("explanations", 0))
    }
    assert scores_differ(request, folder) is None
    assert all(said.endswith("of 40 people") for said in progress_lines)


def test_what_a_call_raises_hangs_on_or_dies_of_is_the_answer_for_that_person_alone(
    program: Path, folder: Path
) -> None:
    firsts = [1.0, -1.0, -2.0, 2.0, -3.0, 3.0]
    found = run_here(program, request_for(np.column_stack([firsts, firsts, firsts]), seconds=0.5), folder)
    errors = [found[number].error for number in range(6)]
    assert errors == [
        *(None, "LookupError: nothing here", "time limit"),
        *(None, "the program ended: out of luck", None),
    ]
    assert [len(found[number].rows) for number in range(6)] == [2, 0, 0, 2, 0, 2]
    assert found[2].seconds == 0.5
    assert found[5].rows[0] == (3.0, 3.0, 3.0)


def test_a_program_that_cannot_start_gives_its_last_words(tmp_path: Path, folder: Path) -> None:
    program = tmp_path / "broken.py"
    program.write_text("import no_such_package_anywhere", encoding="utf-8")
    with pytest.raises(Missing, match=r"did not start: ModuleNotFoundError.*no_such_package_anywhere"):
        run_here(program, request_for(np.ones((2, 3))), folder)


def test_a_model_that_scores_otherwise_over_there_is_found_out(program: Path, folder: Path) -> None:
    request = request_for(np.ones((2, 3)))
    run_here(program, request, folder)
    scores = {"people": probabilities(request.trained, request.people)}
    scores["train"] = probabilities(request.trained, request.train) + 1e-6
    np.savez(folder / "scores.npz", **scores)
    assert "scores otherwise there, by up to 1e-06" in (scores_differ(request, folder) or "")


def test_a_column_may_be_called_like_the_outcome(program: Path, folder: Path) -> None:
    request = request_for(np.ones((1, 3)))
    names = {"c": "outcome"}
    model = make_pipeline(StandardScaler(), LogisticRegression())
    renamed = Request(
        **{name: getattr(request, name) for name in Request.__slots__}
        | {"train": request.train.rename(columns=names), "people": request.people.rename(columns=names)}
        | {"trained": _refitted(request, model, names)}
    )
    assert run_here(program, renamed, folder)[0].rows[0] == (1.0, 1.0, 1.0)
    assert scores_differ(renamed, folder) is None


def _refitted(request: Request, model: Any, names: dict[str, str]) -> Trained:
    train = request.train.rename(columns=names)
    fields = {name: getattr(request.trained, name) for name in Trained.__slots__}
    return Trained(
        **fields | {"model": model.fit(train, request.train_outcome), "columns": tuple(train.columns)}
    )


def test_a_model_that_a_peer_does_not_support_is_a_reason(tmp_path: Path) -> None:
    answers = run_peer("ocean", request=request_for(np.ones((1, 3))), folder=tmp_path, environments=tmp_path)
    assert (answers.people, answers.missing) == ((), "it supports forest only, and this model is logistic")


def test_an_unknown_peer_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="authors-p2ce, dice-genetic, dice-free, dice-random, dice-code, nice, ocean"
    ):
        run_peer("alibi", request=request_for(np.ones((1, 3))), folder=tmp_path, environments=tmp_path)
