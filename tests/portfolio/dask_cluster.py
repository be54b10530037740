"""Start a Dask cluster from the command line, as a user would, with TLS or without."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.optional import needs

Security = needs("distributed").Security


ROOT = Path(__file__).parent.parent.parent
HERE = "127.0.0.1"
SECONDS = 60


def environment(**more: str) -> dict[str, str]:
    """Return processes the sources of this checkout, and its tests."""
    paths = [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **more}


def credentials(folder: Path) -> dict[str, str]:
    """Write a key and its certificate, and give Dask's settings of them as variables of the environment."""
    made, files = Security.temporary(), {}
    for name in ("ca_file", "client_cert", "client_key"):
        files[name] = folder / f"{name}.pem"
        files[name].write_text(getattr(made, f"tls_{name}"), encoding="ascii")
        files[name].chmod(0o600)
    settings = {"REQUIRE_ENCRYPTION": "1", "DEFAULT_SCHEME": "tls", "TLS__CA_FILE": str(files["ca_file"])}
    for role in ("SCHEDULER", "WORKER", "CLIENT"):
        settings[f"TLS__{role}__CERT"] = str(files["client_cert"])
        settings[f"TLS__{role}__KEY"] = str(files["client_key"])
    return {f"DASK_DISTRIBUTED__COMM__{name}": value for name, value in settings.items()}


def as_settings(variables: Mapping[str, str]) -> dict[str, str]:
    """Return what variables of the environment set, by the names of Dask's configuration."""
    return {
        name.removeprefix("DASK_").lower().replace("__", ".").replace("_", "-"): value
        for name, value in variables.items()
    }


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
    """Return the address of a scheduler with so many worker processes."""
    file = folder / "scheduler.json"
    with ExitStack() as stack:
        stack.enter_context(
            started(
                folder / "scheduler.log",
                env,
                *("scheduler", "--host", HERE, "--port", 0, "--scheduler-file", file),
                *(
                    "--no-dashboard",
                    "--dashboard-address",
                    f"{HERE}:0",
                ),  # its HTTP server, which starts anyway
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
