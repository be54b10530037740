"""Share the settings of the library's tests, and mark every test here as one of the reproduction."""

from pathlib import Path

import pytest

from tests.conftest import no_hidden_faults  # the import also loads the profile of hypothesis

__all__ = ["no_hidden_faults"]
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("reproduction")
