"""Try hostile files in a worker process, where a signal, an endless loop or a flood of memory is noticed."""

import hashlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self

from tests.hostile.archives import mutate_archive
from tests.hostile.json_tree import mutate_json
from tests.hostile.lightgbm_text import mutate_lightgbm
from tests.hostile.mutation import Mutator, damaged
from tests.hostile.policies import mutate_policy
from tests.hostile.protobuf import mutate_protobuf
from tests.hostile.seeds import Seed, seeds_of, write_surroundings
from tests.hostile.tables import mutate_table
from tests.hostile.ubjson import mutate_ubjson

ROOT = Path(__file__).parent.parent.parent
MEMORY = 6 << 30  # of address space
SECONDS = 30.0  # for one file
WARM_UP = 600.0  # for the kernels of a new checkout, which are compiled once
GOOD = ("accepted", "rejected")

# How many inputs of each format a run in CI tries; a model costs a second, anything else some milliseconds.
INPUTS = {
    "lightgbm": 30,
    "xgboost": 24,
    "catboost": 18,
    "skops": 8,
    "onnx": 6,
    "torch": 4,
    "lightgbm text": 1500,
    "archive": 120,
    "policy": 120,
    "explanation": 1000,
    "table": 120,
}

BY_SUFFIX: dict[str, Mutator] = {
    ".txt": mutate_lightgbm,
    ".json": mutate_json,
    ".ubj": mutate_ubjson,
    ".cbm": damaged,
    ".skops": mutate_archive,
    ".onnx": mutate_protobuf,
    ".pt": mutate_archive,
    ".p2ce": mutate_archive,
    ".yaml": mutate_policy,
    ".csv": mutate_table,
    ".csv.gz": mutate_table,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one file."""

    kind: str  # accepted, rejected; bad message, raw error, inconsistent, memory, timeout, signal, exit
    message: str
    place: str  # in the sources of p2ce, if known
    input: str  # which seed and number made the file
    kept: Path | None = None  # the file, where something failed

    @property
    def failed(self) -> bool:
        """Return whether this must not happen."""
        return self.kind not in GOOD

    def __str__(self) -> str:
        message = " ".join(self.message.split())[:300]
        return f"{self.kind}: {self.input}: {message} [{self.place}] {self.kept or ''}"


def mutate(seed: Seed, rng: Random) -> bytes:
    """Mutate a valid file with the mutator of its format."""
    return BY_SUFFIX[seed.suffix](seed.content, rng)


def hostile_input(format_name: str, seed: int, number: int) -> tuple[Seed, bytes]:
    """Make the input of this number: the same on every machine that makes the same sound files."""
    sound = seeds_of(format_name)
    chosen = sound[number % len(sound)]
    return chosen, mutate(chosen, Random(f"{seed}/{format_name}/{number}"))


class Runner:
    """A worker process that is started again when it dies, and a folder for what it died of."""

    def __init__(self, folder: Path, *, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self._folder = folder
        self._work = folder / "work"
        self._work.mkdir(parents=True, exist_ok=True)
        write_surroundings(self._work)
        self._seconds, self._memory = seconds, memory
        self._is_warm = False
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def run(self, format_name: str, *, seed: int, numbers: Iterator[int] | range) -> Iterator[Outcome]:
        """Try the inputs of these numbers, one by one."""
        for number in numbers:
            sound, content = hostile_input(format_name, seed, number)
            label = f"--format {format_name} --seed {seed}, input {number} (from {sound.name!r})"
            yield self.try_file(format_name, sound, content, label)

    def try_file(self, format_name: str, sound: Seed, content: bytes, label: str) -> Outcome:
        """Give one file to the worker; keep it if something fails."""
        path = self._work / f"input{sound.suffix}"
        path.write_bytes(content)
        request = {"format": format_name, "path": path.name, "table": sound.table, "target": sound.target}
        found = self._ask(request, seconds=self._seconds)
        outcome = Outcome(input=label, **found)
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
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    @property
    def _log(self) -> Path:
        return self._work / "worker.log"

    def _started(self) -> "subprocess.Popen[bytes]":
        if self.process is None:
            paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
            self._log.unlink(missing_ok=True)
            with self._log.open("ab") as log:  # to be appended to, since the worker empties it for each file
                self.process = subprocess.Popen(
                    [sys.executable, "-m", "tests.hostile.worker", str(self._memory)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    cwd=self._work,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
                    start_new_session=True,  # so that what it starts ends with it
                )
            if not self._is_warm:
                self._is_warm = True
                self._ask({"format": "warm up"}, seconds=WARM_UP)
        return self.process

    def _ask(self, request: dict[str, Any], *, seconds: float) -> dict[str, Any]:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):  # it has died meanwhile, which the end of its answers shows
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], seconds)
        if not ready:
            self.stop()
            return {"kind": "timeout", "message": f"no answer in {seconds:g} s", "place": ""}
        line = process.stdout.readline()
        if line.endswith(b"\n"):
            answer: dict[str, Any] = json.loads(line)
            return answer
        code = process.wait()
        self.stop()
        last_words = self._log.read_text(encoding="utf-8", errors="replace")[-300:]
        if code < 0:
            return {"kind": "signal", "message": f"{signal.Signals(-code).name} {last_words}", "place": ""}
        return {"kind": "exit", "message": f"exit code {code} {last_words}", "place": ""}
