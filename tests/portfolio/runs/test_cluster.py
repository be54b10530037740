"""Workers in separate processes, on a Dask cluster that was started from the command line."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import dask.config
import pyarrow as pa
import pytest
from distributed import Client

from p2ce import portfolio
from p2ce.errors import InvalidArgument, UnfinishedRun
from p2ce.explainer import Explainer
from p2ce.portfolio.runs.cluster import connected
from p2ce.portfolio.runs.explain_shard import Place, misplaced
from p2ce.portfolio.runs.journal import begin
from p2ce.portfolio.runs.manifest import code_hash
from p2ce.portfolio.runs.shard import RowSource, Shard
from tests.apps.command_line import run as run_command
from tests.portfolio.dask_cluster import (
    HERE,
    SECONDS,
    as_settings,
    credentials,
    dask_cluster,
    environment,
    started,
)
from tests.portfolio.runs.test_journal import REQUEST
from tests.portfolio.small import booster, contents, people, source_of, write_people

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module", autouse=True)
def credentials_of_dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Configure Dask as a house with a cluster would, here and in processes that are started."""
    own = credentials(tmp_path_factory.mktemp("credentials"))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in own.items():
            patch.setenv(name, value)
        with dask.config.set(as_settings(own)):
            yield


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Connect to a scheduler with two workers, by which a task is given up when it ends one of them."""
    env = environment(DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0")
    folder = tmp_path_factory.mktemp("cluster")
    with dask_cluster(folder, workers=2, env=env, worker_env=env) as address, connected(address) as found:
        assert address.startswith("tls://")
        found.wait_for_workers(2, timeout=60)
        yield found


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, credit: Explainer) -> RowSource:
    path = write_people(tmp_path_factory.mktemp("source") / "people.parquet", 120, group=20)
    return source_of(path, credit, group=20, id_column="id")


def ends_its_process(_: Shard) -> pa.Table:
    os._exit(7)


def test_a_shard_that_ends_its_worker_fails_alone_and_is_named(
    credit: Explainer, source: RowSource, client: Client, tmp_path: Path
) -> None:
    def shards() -> Iterator[Shard]:
        for shard in source.shards():
            yield replace(shard, read=partial(ends_its_process, shard)) if shard.number == 2 else shard

    run = partial(portfolio.run, credit, client=client)
    with pytest.raises(UnfinishedRun, match=r"1 shard could not be explained. .*rows .*: The process"):
        run(replace(source, shards=shards), tmp_path / "results")
    names = [f"part-0000{number}.parquet" for number in (0, 1, 3, 4, 5)]
    assert sorted(path.name for path in (tmp_path / "results" / "options").iterdir()) == names
    # The workers that were started anew have the explainer, too.
    run(source, tmp_path / "results")
    run(source, tmp_path / "undisturbed")
    assert contents(tmp_path / "results") == contents(tmp_path / "undisturbed")
    # Nothing stays behind in the cluster.
    assert not any(client.run(_plugins).values())


def _plugins(dask_worker: object) -> list[str]:
    return [name for name in dask_worker.plugins if name.startswith("p2ce")]  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, credit: Explainer) -> Path:
    """Write what a command reads: a model, an explainer, 4,000 people in files of 125."""
    folder = tmp_path_factory.mktemp("files")
    booster().save_model(str(folder / "model.txt"))
    credit.save(folder / "credit.p2ce")
    (folder / "people").mkdir()
    for number, start in enumerate(range(0, 4000, 125)):
        people(4000)[start : start + 125].to_parquet(folder / "people" / f"{number:02d}.parquet", index=False)
    return folder


def command(files: Path, out: Path, *more: object) -> list[object]:
    """Write the command that explains these people."""
    read = ("--explainer", "credit.p2ce", "--model", "model.txt", "--data", "people")
    paths = [word if word.startswith("--") else files / word for word in read]
    return ["portfolio", "run", *paths, "--out", out, "--id-column", "id", "--keep", "sex", *more]


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds, and not for ever."""
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


def scheduler_of(client: Client) -> list[object]:
    return ["--scheduler", client.scheduler.address, "--no-progress"]


def test_a_worker_of_another_version_is_named_before_anything_is_written(
    files: Path, client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    installed = tmp_path / "site" / "p2ce-9.9.dist-info"
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: p2ce\nVersion: 9.9\n", encoding="utf-8")
    env = environment()
    env["PYTHONPATH"] = os.pathsep.join([str(installed.parent), env["PYTHONPATH"]])
    words = ("worker", client.scheduler.address, "--host", HERE, "--no-nanny", "--no-dashboard")
    with started(tmp_path / "worker.log", env, *words):
        client.wait_for_workers(3, timeout=SECONDS)
        ran = run_command(capsys, *command(files, tmp_path / "results", *scheduler_of(client)))
    assert ran.code == 2
    assert "has p2ce 9.9, but this process has p2ce 0.1.0. Install the same version" in ran.line
    assert not (tmp_path / "results").exists()
    until(lambda: len(client.nthreads()) == 2)


def test_killed_workers_and_parents_change_no_byte(
    files: Path, client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "results"

    def entries() -> int:
        journal = out / "journal.jsonl"
        return journal.read_bytes().count(b"\n") - 1 if journal.exists() else 0

    def wait_for(more: int, parent: "subprocess.Popen[str]") -> None:
        wanted = entries() + more
        until(lambda: entries() >= wanted or parent.poll() is not None)
        assert parent.poll() is None, parent.communicate()

    def begin_run(*more: object) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "p2ce", *map(str, command(files, out, *more))],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # a terminal sends Ctrl-C to all of them
        )

    # A worker is killed, and then the parent.
    client.wait_for_workers(2, timeout=SECONDS)
    with begin_run(*scheduler_of(client)) as parent:
        wait_for(2, parent)
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        wait_for(3, parent)
        parent.kill()
    assert not (out / "manifest.json").exists()
    # Ctrl-C, with a process on this machine.
    with begin_run("--jobs", 1) as parent:
        wait_for(3, parent)
        # It stands still until the signal is there, so it cannot be over first.
        os.killpg(parent.pid, signal.SIGSTOP)
        assert entries() < 32
        os.killpg(parent.pid, signal.SIGINT)
        os.killpg(parent.pid, signal.SIGCONT)
        printed, said = parent.communicate(timeout=SECONDS)
    assert parent.returncode == 130, (printed, said)
    assert said == "p2ce: Interrupted. Finished work is kept. Run the same command again to resume.\n"
    assert 8 <= entries() < 32
    # The same command resumes the run, by other workers.
    ran = run_command(capsys, *command(files, out, *scheduler_of(client)))
    assert (ran.code, ran.err) == (0, "")
    assert f"{out}: " in ran.out
    assert " for 4,000 people: " in ran.out
    undisturbed = tmp_path / "undisturbed"
    assert run_command(capsys, *command(files, undisturbed, *scheduler_of(client))).code == 0
    assert contents(out) == contents(undisturbed)
    assert not {path.name for path in out.iterdir()} ^ {
        *("people", "options", "explainer.p2ce", "manifest.json", "timings.json")
    }


def test_a_scheduler_that_is_not_there_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("p2ce.portfolio.runs.cluster.CONNECT_SECONDS", 1)
    for address, says in (
        (
            "tls://127.0.0.1:1",
            "'tls://127.0.0.1:1' cannot be reached: no reply with these cred",
        ),
        ("nonsense://here:1", "'nonsense://here:1' cannot be reached"),
        ("nonsense://here", "'nonsense://here' is not the address of a scheduler. Use the address"),
    ):
        with pytest.raises(InvalidArgument, match=says), connected(address):
            pass


def test_credentials_that_are_missing_or_wrong_are_said(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("p2ce.portfolio.runs.cluster.CONNECT_SECONDS", 1)
    address = client.scheduler.address
    others = as_settings(credentials(tmp_path))
    with (
        dask.config.set(others),
        pytest.raises(InvalidArgument, match="no reply with these credentials"),
        connected(address),
    ):
        pass
    none = {f"distributed.comm.tls.{name}": None for name in ("ca-file", "client.cert", "client.key")}
    with (
        dask.config.set(none),
        pytest.raises(InvalidArgument, match=r"needs credentials.* Set distributed\.comm\.tls"),
        connected(address),
    ):
        pass


def test_a_process_that_does_not_fit_the_run_writes_nothing(tmp_path: Path) -> None:
    journal = begin(tmp_path, REQUEST)
    journal.close()
    place = Place(folder=tmp_path, mark=journal.mark, code=code_hash())
    assert misplaced(place) is None
    for other, says in (
        (replace(place, code="other"), "different code of p2ce"),
        (replace(place, mark="other"), "Use a folder on a shared disk that all machines see"),
        (replace(place, folder=tmp_path / "elsewhere"), "does not see the folder"),
    ):
        wrong = misplaced(other)
        assert wrong is not None
        assert wrong.stops_run
        assert says in wrong.message
