"""Set up what all tests share: how hypothesis searches, and no hidden faults."""

import logging
import os
import signal
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TextIO

import pytest
from hypothesis import HealthCheck, settings

from p2ce.base.calls import retries
from p2ce.errors import FAULT_RECORD
from tests.clock import Clock

pytest.register_assert_rewrite("tests.oracle")  # its laws fail with what they compared

# The workers share the cores: OpenMP threads waiting for each other made histogram boosting 30 times slower.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A shell lets what it starts in the background ignore Ctrl-C, and so would every process of the tests.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The first example of a test may compile a kernel, so no example has a deadline. `default` and `thorough`
# draw the same examples on every run and machine; `random` draws others each time, or those of
# --hypothesis-seed. Tests that state a number of examples do so in proportion (tests/properties/amount.py).
common = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], derandomize=True
)
settings.register_profile("default", common, max_examples=20)
settings.register_profile("thorough", common, max_examples=100)
settings.register_profile("random", common, max_examples=100, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# A separate package, which a test installs; importing it here would want the library that it is for.
collect_ignore = ["models/scorecards"]
if not (find_spec("distributed") and find_spec("pyarrow")):
    # Parquet files, explained on a Dask cluster; and a table of inputs, some of which are Arrow's.
    collect_ignore += ["portfolio", "bad_inputs.py", "test_bad_inputs.py"]


@pytest.fixture(scope="session", autouse=True)
def compiled_kernels(worker_id: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let the workers share the compilation of the kernels: each part is compiled once, and then loaded.

    A worker that waits does so for another that compiles: the system frees the lock of a worker that ends.
    """
    if worker_id == "master":  # a single process compiles what its tests need
        return
    folder = tmp_path_factory.getbasetemp().parent / "compiled"  # which all workers share
    folder.mkdir(exist_ok=True)
    first = int(worker_id.removeprefix("gw")) % len(KERNELS)
    for part, compile_kernels in [*KERNELS.items()][first:] + [*KERNELS.items()][:first]:
        with (folder / part).open("a") as file:
            lock(file)
            if os.fstat(file.fileno()).st_size == 0:
                compile_kernels()
                file.write("compiled")


def compile_trees() -> None:
    """Compile the kernels of trees, which takes about 18 s; loading them takes less than one."""
    from tests.populations import loans

    loans.explainer(model=loans.forest()).warm_up()


def compile_networks() -> None:
    """Compile the kernels of networks, which takes about 13 s."""
    from sklearn.neural_network import MLPClassifier

    from tests.populations import loans

    network = MLPClassifier((4,), solver="lbfgs", max_iter=2000, random_state=0)
    loans.explainer(model=network.fit(loans.people(), loans.label())).warm_up()


KERNELS = {"trees": compile_trees, "networks": compile_networks}


def lock(file: TextIO) -> None:
    """Wait until no other worker has the file; without such locks, as on Windows, each compiles by itself."""
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)


@pytest.fixture(scope="session", autouse=True)
def no_pauses() -> Iterator[None]:
    """Repeat calls of models that fail at once: what is tested does not depend on the pauses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(retries, "PAUSES", (0.0,) * len(retries.PAUSES))
        yield


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Replace the clock of all time limits by one that the test moves."""
    made = Clock()
    monkeypatch.setattr(time, "perf_counter", made)
    return made


@pytest.fixture(autouse=True)
def no_hidden_faults(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test in which rows became errors by a mistake of p2ce, whatever else it looks at."""
    faults: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if getattr(record, FAULT_RECORD, False):
                faults.append(record.getMessage())

    listener = Listener()
    logging.getLogger("p2ce").addHandler(listener)
    yield
    logging.getLogger("p2ce").removeHandler(listener)
    if faults and request.node.get_closest_marker("makes_faults") is None:
        pytest.fail(faults[0])
