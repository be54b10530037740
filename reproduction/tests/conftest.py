"""Load the settings of the library's tests, and mark every test here as one of the reproduction."""

from pathlib import Path

import pytest

from tests.conftest import no_hidden_faults  # the import also loads the profile of hypothesis

__all__ = ["no_hidden_faults"]
HERE = Path(__file__).parent


ALL_METHODS = "run"  # a fixture that trains all models and runs all methods of this project


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("reproduction")
            if ALL_METHODS in getattr(item, "fixturenames", ()):
                item.add_marker("slow")
                item.add_marker("torch")
