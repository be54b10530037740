"""One worker process for all hostile files of a test process."""

from collections.abc import Iterator

import pytest

from tests.hostile.runner import Runner


@pytest.fixture(scope="session")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    with Runner(tmp_path_factory.mktemp("hostile")) as made:
        yield made
