"""Set up what all tests share: how hypothesis searches, and no hidden faults."""

import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import p2ce
from p2ce.errors import FAULT_RECORD

pytest.register_assert_rewrite("tests.oracle")  # its laws fail with what they compared

# The workers share the cores: OpenMP threads waiting for each other made histogram boosting 30 times slower.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# The first example of a test may compile a kernel, so no example has a deadline. Everybody, CI included, gets
# the same examples on every run; other profiles look elsewhere each time, or where --hypothesis-seed says.
slow_start = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("same", deadline=None, suppress_health_check=slow_start, derandomize=True)
settings.register_profile("random", deadline=None, suppress_health_check=slow_start, derandomize=False)
settings.register_profile("thorough", settings.get_profile("random"), max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

# A package of its own, which a test installs; importing it here would want the library that it is for.
collect_ignore = ["models/scorecards"]


def pytest_configure(config: pytest.Config) -> None:
    """Name the markers of these tests."""
    config.addinivalue_line("markers", "makes_faults: rows fail by a mistake of p2ce, which the test makes")


# In a new checkout the kernels of trees take 18 s to compile, and those of networks 13 s.
COMPILED_BY = {"gw0": "trees", "gw1": "network"}
PATIENCE = 180.0  # seconds


@pytest.fixture(scope="session", autouse=True)
def compiled_kernels(worker_id: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let two workers compile one half of the kernels each, and load the other, where none is cached."""
    part = COMPILED_BY.get(worker_id)
    is_alone = os.environ.get("PYTEST_XDIST_WORKER_COUNT") == "1"
    if part is None or is_alone or any(Path(p2ce.__file__).parent.rglob("*.nbc")):
        return
    from sklearn.neural_network import MLPClassifier

    from tests.populations import loans

    network = MLPClassifier((4,), solver="lbfgs", max_iter=2000, random_state=0)
    model = loans.forest() if part == "trees" else network.fit(loans.people(), loans.label())
    loans.explainer(model=model).warm_up()
    done = tmp_path_factory.getbasetemp().parent / "compiled"  # which all workers share
    done.mkdir(exist_ok=True)
    (done / part).touch()
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and len(list(done.iterdir())) < len(COMPILED_BY):
        time.sleep(0.1)


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
