"""Run a peer on people: environment, handing over, running, parsing its answers."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.paper.peers.answers import PeerAnswers, read_answers
from benchmarks.paper.peers.environments import (
    Family,
    Missing,
    authors,
    dice_and_nice,
    ocean,
    python_of,
)
from benchmarks.paper.peers.handing_over import NotPortable, Request, write_request
from benchmarks.paper.peers.running import run
from benchmarks.paper.training import probabilities

PROGRAMS = Path(__file__).parent / "programs"
SAME_SCORE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Where a method is found, and how it is set."""

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
    "dice-genetic": Peer(
        family=dice_and_nice, program="run_dice.py", options={"method": "genetic", "ranges": True}
    ),
    # As in the paper, whose DiCE suggests 97 hours of work a week.
    "dice-free": Peer(
        family=dice_and_nice, program="run_dice.py", options={"method": "genetic", "ranges": False}
    ),
    "dice-random": Peer(
        family=dice_and_nice, program="run_dice.py", options={"method": "random", "ranges": True}
    ),
    "dice-code": Peer(
        family=dice_and_nice, program="run_dice.py", options={"method": "random", "ranges": False}
    ),
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

    ``folder`` is emptied first, and what was exchanged stays there for inspection. The peer's environment is
    looked for under ``environments``, and made there if it is missing. Whatever keeps the peer from
    answering at all is said in ``missing``; nothing is raised for it.
    """
    if method not in PEERS:
        raise ValueError(f"No peer is called {method!r}. Take one of {', '.join(PEERS)}.")
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
    """Whether the model was another one over there: the reason, or None if it was the same."""
    with np.load(folder / "scores.npz") as theirs:
        for name, rows in (("people", request.people), ("train", request.train)):
            here, there = probabilities(request.trained, rows[list(request.train.columns)]), theirs[name]
            if ((here >= 0.5) != (there >= 0.5)).any() or np.abs(here - there).max() > SAME_SCORE:
                worst = np.abs(here - there).max()
                return f"the model that was handed over scores otherwise there, by up to {worst:.2g}"
    return None
