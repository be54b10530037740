"""Send shards to the workers of a Dask cluster, and collect the results as they finish."""

import asyncio
import importlib.metadata
import logging
import platform
import re
import secrets
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

from p2ce.base.visible import echoed, shortened
from p2ce.errors import InvalidArgument, UnfinishedRun, not_installed, what_happened
from p2ce.portfolio.runs.explain_shard import Done, Failed, Place, RunContext, explain_shard, misplaced
from p2ce.portfolio.runs.manifest import code_hash
from p2ce.portfolio.runs.shard import Shard
from p2ce.run.many.processes import receive, send

if TYPE_CHECKING:
    from distributed import Client, Future

log = logging.getLogger("p2ce")
ADDRESS = re.compile(r"([a-z]+://)?[^\s/]+:\d+(/\S*)?")  # with a port
OPEN_PROTOCOLS = ("tcp://", "ws://", "ucx://", "ucxx://")  # without authentication
CONNECT_SECONDS = 5
WORKER_SECONDS = 15  # to wait for the first worker of a cluster
# Shards in progress per thread of the cluster: enough that no thread waits, few enough for memory.
SHARDS_PER_THREAD = 3
COUNT_SECONDS = 10  # workers may come and go
ENDS_WORKERS = (
    "The process that explains it ended every time. It ran out of memory, or was killed, or the model "
    "crashes on one of its people."
)
ONE_PROCESS = "Use explain_many(), which needs no other processes."
receiving = threading.Lock()


def require_dask() -> Any:
    """Import Dask's scheduler, which portfolios need."""
    try:
        import distributed
    except ImportError as error:
        raise not_installed("Explaining a portfolio", "dask") from error
    return distributed


@contextmanager
def connected(address: str) -> "Iterator[Client]":
    """Yield a client of the scheduler at an address, such as ``tls://10.0.0.5:8786``, and close it.

    The credentials for TLS come from Dask's configuration.
    """
    distributed = require_dask()
    if not ADDRESS.fullmatch(address):
        raise InvalidArgument(
            f"{echoed(address)} is not the address of a scheduler. Use the address that `dask scheduler` "
            "prints, such as tls://127.0.0.1:8786."
        )
    with quiet():
        try:
            # A client that fails to connect can hang the next one, when its garbage is collected. So a
            # client is made only if the scheduler replies.
            asyncio.run(_knock(address))
            client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except TypeError:  # Dask raises it without credentials
            raise InvalidArgument(
                f"The scheduler {echoed(address)} needs credentials, but Dask's configuration has none. Set "
                "distributed.comm.tls: ca-file, client.cert and client.key."
            ) from None
        except (OSError, ValueError, TimeoutError, ImportError) as error:
            cause = shortened(error, 150) if isinstance(error, ValueError) else "no reply"
            secured = " with these credentials" * address.startswith("tls://")
            raise InvalidArgument(
                f"The scheduler {echoed(address)} cannot be reached: {cause}{secured}. Start one with "
                "`dask scheduler`, and use the address that it prints, such as tls://127.0.0.1:8786."
            ) from None
        with client:
            yield client


async def _knock(address: str) -> None:
    """Raise as a client would if no scheduler replies at an address, or if the credentials differ."""
    from distributed import Security
    from distributed.comm import connect

    given = Security().get_connection_args("client")
    comm = await connect(address, timeout=CONNECT_SECONDS, **given)
    await comm.close()


def warn_if_open(client: "Client") -> None:
    """Warn about a cluster that runs the code of anyone who can connect."""
    address = client.scheduler.address
    if address.startswith(OPEN_PROTOCOLS):
        log.warning(
            "The scheduler %s has no authentication. Anyone who can connect to it can run code on its "
            "workers and in this process. Use a scheduler with TLS (tls://…).",
            address,
        )


@contextmanager
def local_client(n_jobs: int) -> "Iterator[Client]":
    """Start processes on this machine, and end them afterwards. No one else can connect to them.

    All connections are encrypted, and both sides must have a key that exists only in these processes. Dask
    always starts HTTP servers, but here they have no pages.
    """
    distributed = require_dask()
    import dask

    with _scratch_folder() as scratch:
        closed = {
            "temporary-directory": scratch,
            "distributed.scheduler.http.routes": [],
            "distributed.worker.http.routes": [],
        }
        try:
            with dask.config.set(closed):
                cluster = distributed.LocalCluster(
                    n_workers=n_jobs,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    security=True,  # TLS with new credentials that no other process has
                    dashboard_address="127.0.0.1:0",  # a free port
                    scheduler_kwargs={"dashboard": False},
                    memory_limit=None,  # workers keep none of our data, and the system has its own limits
                    silence_logs=logging.CRITICAL,
                )
        except ImportError as error:
            raise not_installed("Encrypting the connections of the processes", "dask") from error
        except (RuntimeError, OSError, TimeoutError) as error:
            raise InvalidArgument(
                f"Processes could not be started ({shortened(error, 150)}). Check that the script calls the "
                'run inside its main guard, if __name__ == "__main__":. Without it, each process starts the '
                "run again."
            ) from error
        with cluster, distributed.Client(cluster, set_as_default=False) as client:
            client.register_plugin(_plugin(setup=_ignore_interrupts), name="p2ce-ignore-interrupts")
            yield client


@contextmanager
def _scratch_folder() -> Iterator[str]:
    """Make a folder for Dask's temporary files, and remove it.

    Dask imports from this folder, in this process too. Dask's default folder has a fixed name in the system's
    temporary folder, where another user may have created it first.
    """
    with tempfile.TemporaryDirectory(prefix="p2ce-") as scratch:
        try:
            yield scratch
        finally:
            sys.path[:] = [entry for entry in sys.path if not entry.startswith(scratch)]


def _ignore_interrupts(worker: Any) -> None:  # noqa: ARG001 - Dask calls it so
    """Ignore Ctrl-C, which a terminal sends to all processes: only the parent handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def check_workers(client: "Client") -> None:
    """Raise unless every worker has exactly this version of the package. Nothing is sent before."""
    try:
        client.wait_for_workers(1, timeout=WORKER_SECONDS)
    except TimeoutError:
        address = client.scheduler.address
        raise InvalidArgument(
            f"The scheduler {echoed(address)} has no workers. Start a worker with `dask worker {address}`."
        ) from None
    # The standard library first, since a worker may not have p2ce at all.
    own = importlib.metadata.version("p2ce")
    for worker, found in client.run(importlib.metadata.version, "p2ce", on_error="return").items():
        if found != own:
            _reject(worker, "no p2ce" if isinstance(found, Exception) else f"p2ce {found}", f"p2ce {own}")
    for worker, found in client.run(platform.python_version).items():
        if _minor(found) != _minor(platform.python_version()):
            _reject(worker, f"Python {found}", f"Python {platform.python_version()}")
    for worker, found in client.run(code_hash, on_error="return").items():
        if found != code_hash():
            _reject(worker, f"other code of p2ce {own}", "its own")


def _minor(python: str) -> str:
    return python.rpartition(".")[0]


def _reject(worker: str, there: str, here: str) -> NoReturn:
    raise InvalidArgument(
        f"The worker {worker} has {there}, but this process has {here}. Install the same version on all "
        "machines, and restart the workers."
    )


class Workers:
    """The workers of a cluster, which have received the explainer of a run."""

    def __init__(self, client: "Client", context: RunContext, request: str) -> None:
        """Send what all shards need. ``request`` is the hash that names the tasks."""
        self._client = client
        # Another call with the same request may run, or may have failed, on this cluster.
        self._name = f"p2ce-{request[:16]}-{secrets.token_hex(4)}"
        payload, self._key = send(context, instead=ONE_PROCESS)
        # Workers that join later get it, too.
        client.register_plugin(_plugin(payload=payload), name=self._name)
        self._counted, self._threads = -float("inf"), 1

    def explain(
        self, shards: Iterator[Shard], place: Place
    ) -> Generator[tuple[Shard, Done | Failed], None, None]:
        """Explain shards, and yield each when it is finished.

        If a worker is lost, other workers explain its shards again. Shards that were in progress each time
        that workers ended are tried once more at the end, one by one, so that only the guilty shard is named.
        """
        distributed = require_dask()
        suspects: list[Shard] = []
        under_way: dict[str, tuple[Shard, Future]] = {}
        finished = distributed.as_completed([], loop=self._client.loop, raise_errors=False)
        try:
            while True:
                for shard in islice(shards, max(0, self._room() - len(under_way))):
                    future = self._submit(shard, place)
                    under_way[future.key] = shard, future
                    finished.add(future)
                if not under_way:
                    break
                shard, future = under_way.pop(next(finished).key)
                outcome = _outcome(future)
                if outcome is None:
                    suspects.append(shard)
                else:
                    yield shard, outcome
            for shard in suspects:
                future = self._submit(shard, place, again=True)
                under_way[future.key] = shard, future
                yield shard, _outcome(future) or Failed(message=ENDS_WORKERS)
                del under_way[future.key]
        finally:
            with suppress(Exception):  # the scheduler may be gone
                self._client.cancel([future for _, future in under_way.values()])

    def dismiss(self) -> None:
        """Remove what was sent to the workers."""
        with suppress(Exception):  # the scheduler may be gone
            self._client.unregister_worker_plugin(self._name)

    def _submit(self, shard: Shard, place: Place, *, again: bool = False) -> "Future":
        return self._client.submit(
            _explain,
            *(self._name, self._key, shard, place),
            key=f"{self._name}-{shard.number}{'-again' * again}",
        )

    def _room(self) -> int:
        """Return how many shards may be in progress."""
        if time.monotonic() - self._counted > COUNT_SECONDS:
            self._threads = max(1, sum(self._client.nthreads().values()))
            self._counted = time.monotonic()
        return SHARDS_PER_THREAD * self._threads


def _outcome(future: "Future") -> Done | Failed | None:
    """Wait for the outcome of a shard; None if workers ended while it was in progress."""
    distributed = require_dask()
    try:
        result: Done | Failed = future.result()
    except distributed.KilledWorker:
        return None
    except distributed.client.FutureCancelledError:
        raise UnfinishedRun(
            "The scheduler was lost. Finished work is kept. Restart it, then run the same command again."
        ) from None
    except Exception as error:  # a bug in this library, or too little memory
        return Failed(message=f"Explaining it {what_happened(error, shortened(error, 300))}.")
    return result


def _explain(name: str, key: str, shard: Shard, place: Place) -> Done | Failed:
    """Explain a shard in a worker."""
    distributed = require_dask()
    if (wrong := misplaced(place)) is not None:
        return wrong
    with receiving:  # a worker may have several threads
        try:
            context: RunContext = receive(
                distributed.get_worker().plugins[name].payload, key, instead=ONE_PROCESS
            )
        except InvalidArgument as error:
            return Failed(message=str(error), stops_run=True)
    return explain_shard(context, shard, place)


def _plugin(**members: Any) -> Any:
    """Build a plugin for every worker of a cluster, including workers that join later.

    The class is created here and sent with the plugin, since its base class is in an optional package.
    """
    plugin = type("Plugin", (require_dask().WorkerPlugin,), {})()
    for name, member in members.items():
        setattr(plugin, name, member)
    return plugin


@contextmanager
def quiet() -> Iterator[None]:
    """Silence Dask's log about workers that join and leave. The run reports what matters."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
