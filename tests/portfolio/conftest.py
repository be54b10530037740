"""An explainer, and a cluster of one thread of this process, which most tests of portfolios use."""

from collections.abc import Iterator

import pytest
from distributed import Client

from p2ce import Explainer
from tests.portfolio.small import explainer


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Client(
        processes=False,
        n_workers=1,
        threads_per_worker=1,
        dashboard_address="127.0.0.1:0",  # None means a port that may be in use
        set_as_default=False,
    ) as found:
        yield found


@pytest.fixture(scope="module")
def credit() -> Explainer:
    return explainer()
