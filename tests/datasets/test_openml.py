"""scikit-learn's own fetcher, with our arguments, gives tables that can be prepared, or an error of ours."""

import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import ProxyHandler, build_opener, install_opener

import pytest

from p2ce import datasets
from p2ce.datasets.dataset import FACTS
from p2ce.datasets.load_dataset import fetch_raw
from p2ce.datasets.preparing import prepare_table
from p2ce.errors import MissingData
from tests.datasets.raw_tables import PREPARED, RAW, TARGETS
from tests.datasets.small_openml import SmallOpenML


@pytest.fixture
def no_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("P2CE_DATA", raising=False)
    monkeypatch.setenv("P2CE_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture(autouse=True)
def usual_network() -> Iterator[None]:
    yield
    install_opener(None)


def serve(name: str, *, number: int, broken: bool = False) -> None:
    server = SmallOpenML(number, RAW[name], target=TARGETS[name], broken=broken)
    install_opener(build_opener(ProxyHandler({}), server))


@pytest.mark.parametrize("name", FACTS)
def test_a_fetched_table_can_be_prepared(name: str) -> None:
    serve(name, number=FACTS[name].openml)
    made = prepare_table(name, fetch_raw(FACTS[name]))
    assert {column: values.tolist() for column, values in made.items()} == PREPARED[name]


def test_a_number_that_openml_does_not_know_is_an_error_of_ours(no_folders: Path) -> None:
    serve("german", number=1)
    with pytest.raises(MissingData, match="table 31 could not be downloaded from OpenML"):
        datasets.load("german")


def test_without_a_network_the_message_says_what_to_set(
    no_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)  # scikit-learn waits before it tries again
    serve("german", number=31, broken=True)
    with pytest.raises(MissingData, match="no route to host") as caught:
        datasets.load("german")
    assert "Set P2CE_DATA to a folder that holds german.csv" in str(caught.value)
    assert list(no_folders.iterdir()) == []
