"""Remember which tests passed, so that ``pytest --remaining`` runs the others."""

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

PASSED = "p2ce/passed"  # in pytest's cache
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "default")

# These import matplotlib on their top level, or draw in the example of a docstring. Everything else imports
# optional libraries when it needs them.
DRAWS = ["src/p2ce/present/charts/matplotlib/*", "src/p2ce/present/charts/__init__.py"]
collect_ignore_glob = [] if find_spec("matplotlib") else DRAWS


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option; a law that passed in one profile of hypothesis remains to be tried in the others."""
    parser.addoption("--remaining", action="store_true", help="deselect tests that passed in the last runs")


def pytest_configure(config: pytest.Config) -> None:
    """Remember what passes where all results arrive, which is not in the workers."""
    if config.getoption("--remaining"):
        config.pluginmanager.register(Remaining(config), "p2ce-remaining")
    if not hasattr(config, "workerinput") and hasattr(config, "cache"):
        config.pluginmanager.register(Remember(config), "p2ce-remember")


def passed_before(config: pytest.Config) -> set[str]:
    """Return the names of the tests that passed, of laws with the profile."""
    return set(config.cache.get(PASSED, []))


def name_of(test: pytest.Item | pytest.TestReport) -> str:
    """Return the name under which a test that passed is remembered."""
    return f"{test.nodeid} ({PROFILE})" if "hypothesis" in test.keywords else test.nodeid


class Remaining:
    """Deselects what passed before."""

    def __init__(self, config: pytest.Config) -> None:
        self._passed = passed_before(config)

    # After hypothesis has marked the laws.
    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        done = [item for item in items if name_of(item) in self._passed]
        if done:
            items[:] = [item for item in items if name_of(item) not in self._passed]
            config.hook.pytest_deselected(items=done)


class Remember:
    """Writes down what passes."""

    def __init__(self, config: pytest.Config) -> None:
        self._config, self._failed = config, set[str]()
        self._passed = passed_before(config) if config.getoption("--remaining") else set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self._passed.add(name_of(report))
        elif report.failed:
            self._failed.add(name_of(report))

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self) -> Iterator[None]:
        yield
        if self._passed and not self._config.getoption("collectonly"):
            self._config.cache.set(PASSED, sorted(self._passed - self._failed))
