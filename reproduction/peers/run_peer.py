"""Run a peer: its environment, the request, the program until every person has a result, the results."""

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np

from reproduction import ONE_THREAD
from reproduction.peers.environments import (
    Family,
    Missing,
    authors,
    dice_and_nice,
    last_line,
    ocean,
    python_of,
    without_pointers,
)
from reproduction.peers.handing_over import NotPortable, Request, write_request
from reproduction.training import probabilities

FILE = "answers.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerPerson:
    """The result for one person."""

    seconds: float | None  # of the peer's own call; None if its program died
    rows: tuple[tuple[float, ...], ...]  # in the order of the training columns
    error: str | None = None  # the peer's message if it has no result
    late: bool = False  # whether it reached the time limit
    counts: Mapping[str, int] = field(default_factory=dict)  # calls of the model, rows, SHAP explanations


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerAnswers:
    """The results for all people, or the reason why there are none."""

    people: tuple[PeerPerson, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    missing: str | None = None


def read_answers(folder: Path) -> dict[int, PeerPerson]:
    """Load one line per person, without a line that an interruption cut off."""
    path = folder / FILE
    if not path.is_file():
        return {}
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.endswith("\n") and line.strip():
            entry = json.loads(line)
            found[entry["person"]] = _person(entry)
    return found


def note(folder: Path, number: int, *, seconds: float | None, error: str, late: bool = False) -> None:
    """Write that a person has no result, for a program that died or was stopped."""
    entry: dict[str, Any] = {"person": number, "seconds": seconds, "rows": [], "error": error, "late": late}
    with (folder / FILE).open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps(entry) + "\n")  # starts a new line, even after one that was cut off


def _person(entry: dict[str, Any]) -> PeerPerson:
    rows = tuple(tuple(float(value) for value in row) for row in entry["rows"])
    return PeerPerson(
        seconds=entry["seconds"],
        rows=rows,
        error=entry["error"],
        late=entry.get("late", False),
        counts=entry.get("counts", {}),
    )


READY, LOG = "ready", "log.txt"
SECONDS_TO_START = 600.0  # imports, fitting, and one call to warm up
LOOK_EVERY = 0.1
GRACE = 1.0  # seconds above a person's limit, for writing the result


def run(
    program: Path,
    *,
    python: Path,
    folder: Path,
    people: int,
    seconds_per_person: float | None,
    progress: Callable[[str], None] | None = None,
) -> None:
    """Run the program until the folder has a line for every person.

    A program that reaches the time limit or dies starts again at the next person. One that never gets ready
    raises `Missing`.
    """
    while (first := _first_open(folder, people)) is not None:
        (folder / READY).unlink(missing_ok=True)
        with (folder / LOG).open("a", encoding="utf-8") as log:
            process = subprocess.Popen(
                [python, "-W", "ignore", program, folder, str(first)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=_environment(),
            )
            try:
                late = _watch(process, folder, people, seconds_per_person, progress)
            finally:
                process.kill()
                process.wait()
        stopped_at = _first_open(folder, people)
        if stopped_at is None:
            return
        if not (folder / READY).exists():
            raise Missing(f"the program did not start: {late or _last_words(folder)}")
        if late is not None:
            note(folder, stopped_at, seconds=seconds_per_person or 0.0, error="time limit", late=True)
        else:
            note(folder, stopped_at, seconds=None, error=f"the program ended: {_last_words(folder)}")


def _watch(
    process: "subprocess.Popen[bytes]",
    folder: Path,
    people: int,
    seconds_per_person: float | None,
    progress: Callable[[str], None] | None,
) -> str | None:
    """Wait for the end of the program, and return what took too long, if anything did."""
    since, size, is_ready = monotonic(), -1, False
    while True:
        ended = process.poll() is not None
        if not is_ready and (folder / READY).exists():
            is_ready, since = True, monotonic()
        if (now := _size(folder)) != size:
            size, since = now, monotonic()
            if progress and is_ready:
                progress(f"{len(read_answers(folder))} of {people} people")
        if ended:
            return None
        waited = monotonic() - since
        if not is_ready and waited > SECONDS_TO_START:
            return f"it was not ready after {SECONDS_TO_START:.0f} seconds"
        if is_ready and seconds_per_person is not None and waited > seconds_per_person + GRACE:
            return "time limit"
        sleep(LOOK_EVERY)


def _first_open(folder: Path, people: int) -> int | None:
    known = read_answers(folder)
    return next((number for number in range(people) if number not in known), None)


def _size(folder: Path) -> int:
    path = folder / FILE
    return path.stat().st_size if path.exists() else 0


def _last_words(folder: Path) -> str:
    return last_line((folder / LOG).read_text(encoding="utf-8", errors="replace"))


def _environment() -> dict[str, str]:
    # One thread for linear algebra, as for this project, and no progress bars.
    return (
        without_pointers() | dict.fromkeys(ONE_THREAD, "1") | {"PYTHONNOUSERSITE": "1", "TQDM_DISABLE": "1"}
    )


PROGRAMS = Path(__file__).parent / "programs"
SAME_SCORE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """The program and the settings of a method."""

    family: Callable[[], Family]
    program: str
    models: tuple[str, ...] = ("logistic", "lightgbm", "mlp", "forest")
    options: dict[str, Any]


SEARCHED = ("logistic", "lightgbm", "mlp")
PEERS = {
    **{
        f"authors-{method}": Peer(
            family=authors, program="run_authors.py", models=SEARCHED, options={"method": method}
        )
        for method in ("mapocam", "ablation", "p2ce")
    },
    # Without ranges as in the paper, whose DiCE suggests 97 hours of work a week.
    **{
        f"dice-{name}": Peer(
            family=dice_and_nice, program="run_dice.py", options={"method": method, "ranges": ranges}
        )
        for name, method, ranges in (
            ("genetic", "genetic", True),
            ("free", "genetic", False),
            ("random", "random", True),
            ("code", "random", False),
        )
    },
    "nice": Peer(family=dice_and_nice, program="run_nice.py", options={"optimization": "proximity"}),
    "ocean": Peer(family=ocean, program="run_ocean.py", models=("forest",), options={}),
}


def run_peer(
    method: str,
    *,
    request: Request,
    folder: Path,
    environments: Path,
    progress: Callable[[str], None] | None = None,
) -> PeerAnswers:
    """Run ``method`` (a key of `PEERS`) on all people of the request.

    ``folder`` is emptied first, and keeps the exchanged files for inspection. The peer's environment is in
    ``environments``, and built there if necessary. If the peer cannot run at all, ``missing`` has the reason,
    and nothing is raised.
    """
    if method not in PEERS:
        raise ValueError(f"Unknown peer {method!r}. Choose one of {', '.join(PEERS)}.")
    try:
        return _run_peer(PEERS[method], request, folder.resolve(), environments.resolve(), progress)
    except (Missing, NotPortable) as reason:
        return PeerAnswers(missing=str(reason))


def _run_peer(
    peer: Peer,
    request: Request,
    folder: Path,
    environments: Path,
    progress: Callable[[str], None] | None,
) -> PeerAnswers:
    if request.trained.kind not in peer.models:
        raise Missing(f"it supports {', '.join(peer.models)} only, and this model is {request.trained.kind}")
    python = python_of(peer.family(), environments=environments, progress=progress)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_request(request, folder, options=peer.options)
    if progress:
        progress("starting")
    run(
        PROGRAMS / peer.program,
        python=python,
        folder=folder,
        people=len(request.people),
        seconds_per_person=request.seconds_per_person,
        progress=progress,
    )
    if (difference := scores_differ(request, folder)) is not None:
        raise Missing(difference)
    found = read_answers(folder)
    versions = json.loads((folder / "versions.json").read_text(encoding="utf-8"))
    return PeerAnswers(people=tuple(found[number] for number in sorted(found)), versions=versions)


def scores_differ(request: Request, folder: Path) -> str | None:
    """Return a message if the peer's copy of the model scores differently, or None."""
    with np.load(folder / "scores.npz") as theirs:
        for name, rows in (("people", request.people), ("train", request.train)):
            here, there = probabilities(request.trained, rows[list(request.train.columns)]), theirs[name]
            if ((here >= 0.5) != (there >= 0.5)).any() or np.abs(here - there).max() > SAME_SCORE:
                worst = np.abs(here - there).max()
                return f"the peer's copy of the model scores differently, by up to {worst:.2g}"
    return None
