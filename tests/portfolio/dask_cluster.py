"""Start a Dask cluster from the command line, as a user would."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
HERE = "127.0.0.1"
SECONDS = 60


def environment(**more: str) -> dict[str, str]:
    """Give processes the sources of this checkout, and its tests."""
    paths = [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **more}


@contextmanager
def started(log: Path, env: Mapping[str, str], *words: object) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command of Dask until it is no longer needed."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *map(str, words)],
            cwd=log.parent,
            env=dict(env),
            stdout=file,
            stderr=file,
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def dask_cluster(
    folder: Path, *, workers: int, env: Mapping[str, str], worker_env: Mapping[str, str]
) -> Iterator[str]:
    """Give the address of a scheduler with so many worker processes."""
    file = folder / "scheduler.json"
    with ExitStack() as stack:
        stack.enter_context(
            started(
                folder / "scheduler.log",
                env,
                *("scheduler", "--host", HERE, "--port", 0, "--no-dashboard", "--scheduler-file", file),
            )
        )
        address = _address(file)
        stack.enter_context(
            started(
                folder / "worker.log",
                worker_env,
                *(
                    "worker",
                    address,
                    "--host",
                    HERE,
                    "--nworkers",
                    workers,
                    "--nthreads",
                    1,
                    "--no-dashboard",
                ),
            )
        )
        yield address


def _address(file: Path) -> str:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        if file.exists() and (content := file.read_text(encoding="utf-8")).rstrip().endswith("}"):
            address: str = json.loads(content)["address"]
            return address
        time.sleep(0.02)
    raise TimeoutError("the scheduler did not start")
