"""Set up what all tests share: how hypothesis searches, and no hidden faults."""

import logging
import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

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
