"""Try a hostile file here, or in a separate process that may crash, run for ever or fill the memory."""

import hashlib
import multiprocessing
import os
import signal
import traceback
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any, Self

from p2ce.errors import P2CEError
from tests.hostile.entry_points import Inconsistent, take, warm_up
from tests.hostile.mutate import mutate
from tests.hostile.seeds import Seed, seeds_of, write_surroundings

MEMORY = 6 << 30  # of address space
SECONDS = 30.0  # for one file
WARM_UP = 600.0  # for the kernels of a new checkout, which are compiled once
LONGEST_MESSAGE = 1000
OWN_CODE = f"{os.sep}p2ce{os.sep}"
GOOD = ("accepted", "rejected")

# How many inputs of each format the tests try, and `benchmarks.fuzz` in a turn; a model costs a second.
INPUTS = {
    **dict.fromkeys(("lightgbm", "xgboost", "catboost", "onnx", "torch"), 2),
    "lightgbm text": 100,
    "archive": 12,
    "policy": 20,
    "explanation": 80,
    "table": 20,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one file."""

    kind: str  # accepted, rejected; bad message, raw error, inconsistent, memory, timeout, signal, exit
    message: str = ""
    place: str = ""  # in the sources of p2ce, if known
    input: str = ""  # which seed and number made the file
    kept: Path | None = None  # the file, where something failed

    @property
    def failed(self) -> bool:
        """Return whether this must not happen."""
        return self.kind not in GOOD

    def __str__(self) -> str:
        message = " ".join(self.message.split())[:300]
        return f"{self.kind}: {self.input}: {message} [{self.place}] {self.kept or ''}"


def hostile_input(format_name: str, seed: int, number: int) -> tuple[Seed, bytes]:
    """Make the input of this number: the same on every machine that makes the same sound files."""
    sound = seeds_of(format_name)
    chosen = sound[number % len(sound)]
    return chosen, mutate(chosen.content, chosen.suffix, Random(f"{seed}/{format_name}/{number}"))


def try_here(format_name: str, sound: Seed, content: bytes) -> Outcome:
    """Return a file in the current folder to the function of its format, and classify what happens."""
    path = Path(f"input{sound.suffix}")
    path.write_bytes(content)
    try:
        take(format_name, path, sound)
    except P2CEError as error:
        message = str(error)
        fits = "\n" not in message and 0 < len(message) <= LONGEST_MESSAGE
        return Outcome(
            kind="rejected" if fits else "bad message", message=message[:2000], place=_place(error)
        )
    except MemoryError as error:
        return Outcome(kind="memory", message=repr(error), place=_place(error))
    except Inconsistent as error:
        return Outcome(kind="inconsistent", message=str(error))
    except Exception as error:
        message = f"{type(error).__name__}: {error}"[:2000]
        return Outcome(kind="raw error", message=message, place=_place(error))
    return Outcome(kind="accepted")


def _place(error: BaseException) -> str:
    """Return file and line of the innermost frame of p2ce."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if OWN_CODE in one.filename]
    return f"{frames[-1].filename.rpartition(OWN_CODE)[2]}:{frames[-1].lineno}" if frames else ""


class Runner:
    """A worker process that is started again when it dies, and a folder for what it died of."""

    def __init__(self, folder: Path, *, seconds: float = SECONDS, is_warm: bool = False) -> None:
        self._folder, self._work = folder, folder / "work"
        self._work.mkdir(parents=True, exist_ok=True)
        write_surroundings(self._work)
        self._seconds, self._is_warm = seconds, is_warm
        self._connection: Connection | None = None
        self.process: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def run(self, format_name: str, *, seed: int, numbers: Iterator[int] | range) -> Iterator[Outcome]:
        """Try the inputs of these numbers, one by one."""
        for number in numbers:
            sound, content = hostile_input(format_name, seed, number)
            label = f"--format {format_name} --seed {seed}, input {number} (from {sound.name!r})"
            yield self.try_file(format_name, sound, content, label)

    def try_file(self, format_name: str, sound: Seed, content: bytes, label: str) -> Outcome:
        """Return one file to the worker; keep it if something fails."""
        outcome = replace(self._ask((format_name, sound, content), seconds=self._seconds), input=label)
        if not outcome.failed:
            return outcome
        kept = self._folder / f"{format_name}-{hashlib.sha256(content).hexdigest()[:12]}{sound.suffix}"
        kept.write_bytes(content)
        return replace(outcome, kept=kept)

    def stop(self) -> None:
        """End the worker and what it started."""
        if self.process is None:
            return
        process, self.process = self.process, None
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.join()

    def _ask(self, request: tuple[str, Seed, bytes] | None, *, seconds: float) -> Outcome:
        if self.process is None:
            context = multiprocessing.get_context("spawn")
            self._connection, theirs = context.Pipe()
            self.process = context.Process(target=_serve, args=(theirs, self._work), daemon=False)
            self.process.start()
            theirs.close()
            if not self._is_warm:
                self._is_warm = True
                self._ask(None, seconds=WARM_UP)
        assert self._connection is not None
        with suppress(BrokenPipeError):  # it has died meanwhile, which the end of its results shows
            self._connection.send(request)
        try:
            if self._connection.poll(seconds):
                outcome: Outcome = self._connection.recv()
                return outcome
        except (EOFError, ConnectionResetError):
            self.process.join()
            code = self.process.exitcode
            self.stop()
            last_words = (self._work / "worker.log").read_text(encoding="utf-8", errors="replace")[-300:]
            ended = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            return Outcome(kind="signal" if code < 0 else "exit", message=f"{ended} {last_words}")
        self.stop()
        return Outcome(kind="timeout", message=f"no reply in {seconds:g} s")


def _serve(connection: Connection, folder: Path) -> None:
    """Answer requests in a separate process, until the other end is closed."""
    import resource  # of Unix only

    os.setsid()  # so that what it starts ends with it
    os.chdir(folder)
    # Only what is allowed, not what may be allowed: a process that p2ce starts sets its own limits.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    log = os.open("worker.log", os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_TRUNC, 0o644)
    for stream in (1, 2):  # libraries print, from C too
        os.dup2(log, stream)
    warnings.simplefilter("ignore")
    with suppress(EOFError):
        while True:
            request = connection.recv()
            os.ftruncate(log, 0)
            if request is None:
                warm_up()
            connection.send(try_here(*request) if request else Outcome(kind="accepted"))
