"""Run a peer's program until every person has an answer, whatever the program does meanwhile."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

from benchmarks.one_thread import VARIABLES
from benchmarks.paper.peers.answers import FILE, note, read_answers
from benchmarks.paper.peers.environments import Missing, last_line
from benchmarks.paper.peers.pythons import without_pointers

READY, LOG = "ready", "log.txt"
SECONDS_TO_START = 600.0  # imports, fitting, and one call that does not count
LOOK_EVERY = 0.1
GRACE = 1.0  # seconds above a person's limit, for writing the answer down


def run(
    program: Path,
    *,
    python: Path,
    folder: Path,
    people: int,
    seconds_per_person: float | None,
    progress: Callable[[str], None] | None = None,
) -> None:
    """Leave a line in the folder's answers for each of the people.

    A program that takes too long over a person, or that dies, is started again at the next person. One that
    does not even get ready raises `Missing`.
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
            note(folder, stopped_at, seconds=seconds_per_person or 0.0, error="time limit")
        else:
            note(folder, stopped_at, seconds=None, error=f"the program ended: {_last_words(folder)}")


def _watch(
    process: "subprocess.Popen[bytes]",
    folder: Path,
    people: int,
    seconds_per_person: float | None,
    progress: Callable[[str], None] | None,
) -> str | None:
    """Wait for the program's end; what comes back says what took too long, if anything did."""
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
    # One thread for linear algebra, as on this side of the comparison, and no progress bars.
    return without_pointers() | dict.fromkeys(VARIABLES, "1") | {"PYTHONNOUSERSITE": "1", "TQDM_DISABLE": "1"}
