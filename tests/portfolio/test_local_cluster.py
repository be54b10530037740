"""No one else gets into the processes that a run starts on this machine."""

import json
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

from p2ce.portfolio.runs.cluster import local_client
from tests.portfolio.dask_cluster import environment

pytestmark = pytest.mark.cluster

PAGES = ("/", "/status", "/health", "/metrics", "/info/main/workers.html", "/json/counts.json", "/api/v1")


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with local_client(1) as found:
        found.wait_for_workers(1, timeout=240)
        yield found


def addresses(client: Client) -> dict[str, str]:
    """Name all ports on which these processes take messages."""
    ((worker, known),) = client.scheduler_info()["workers"].items()
    return {"scheduler": client.scheduler.address, "worker": worker, "nanny": known["nanny"]}


def intrude(client: Client, path: Path, security: dict[str, Any] | None) -> dict[str, str]:
    """Try to get in from another process, without credentials unless some are given."""
    given = {"addresses": addresses(client), "path": str(path), "security": security}
    ended = subprocess.run(
        [sys.executable, "-m", "tests.portfolio.intruder"],
        input=json.dumps(given),
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    found: dict[str, str] = json.loads(ended.stdout)
    return found


def test_a_process_without_the_credentials_is_refused(client: Client, tmp_path: Path) -> None:
    results = intrude(client, tmp_path / "planted", None)
    assert len(results) == 15
    assert not [what for what, result in results.items() if "got in" in result], results
    assert all("Error" in result or result == "closed" for result in results.values()), results
    assert not (tmp_path / "planted").exists()
    # The cluster does not care.
    assert client.submit(os.getpid, pure=False).result() != os.getpid()


def test_the_same_process_with_the_credentials_gets_in(client: Client, tmp_path: Path) -> None:
    """So that the other attempts do not fail for other reasons."""
    names = [f"tls_{name}" for name in ("ca_file", "client_cert", "client_key", "worker_cert", "worker_key")]
    security = {"require_encryption": True, **{name: getattr(client.security, name) for name in names}}
    results = intrude(client, tmp_path / "planted", security)
    assert "got in" in results["scheduler, client, own"], results
    assert "got in" in results["worker, message, own"], results
    assert (tmp_path / "planted").exists()


def test_all_ports_are_on_this_machine_alone_and_have_no_pages(client: Client) -> None:
    for address in addresses(client).values():
        assert address.startswith("tls://127.0.0.1:")
    info = client.scheduler_info()
    ports = [
        info["services"]["dashboard"],
        *(one["services"]["dashboard"] for one in info["workers"].values()),
    ]
    for port in ports:
        for page in PAGES:
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"http://127.0.0.1:{port}{page}", timeout=60)


def _imports_from() -> list[str]:
    return sys.path


def test_nothing_is_imported_from_a_folder_that_anybody_could_have_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = tmp_path / "dask-scratch-space"
    planted.mkdir()
    planted.chmod(0o777)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    before = list(sys.path)
    with local_client(1) as client:
        client.wait_for_workers(1, timeout=240)
        for entries in (*client.run(_imports_from).values(), list(sys.path)):
            inside = [Path(entry) for entry in entries if entry.startswith(str(tmp_path))]
            assert inside  # Dask imports from its own folder
            for entry in inside:
                assert planted not in (entry, *entry.parents)
                private = tmp_path / entry.relative_to(tmp_path).parts[0]
                assert private.stat().st_mode & 0o777 == 0o700
    assert sys.path == before
    assert [path.name for path in tmp_path.iterdir()] == ["dask-scratch-space"]
    assert not list(planted.iterdir())
