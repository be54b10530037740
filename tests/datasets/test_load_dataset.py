"""The folder comes before the cache, the cache before OpenML, and only the published bytes pass."""

import dataclasses
import hashlib
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pandas as pd
import pytest

from p2ce import datasets
from p2ce.datasets.dataset import FACTS, GERMAN, Facts
from p2ce.datasets.load_dataset import cache_folder, find, named_folder
from p2ce.datasets.preparing import as_csv, prepare_table
from p2ce.errors import DamagedData, InvalidArgument, MissingData
from tests.datasets.raw_tables import RAW


def small(name: str) -> tuple[Facts, bytes]:
    """The facts as if the people made up for the tests were the published ones, and their file."""
    text = as_csv(prepare_table(name, RAW[name]))
    return dataclasses.replace(FACTS[name], sha256=hashlib.sha256(text).hexdigest()), text


SMALL, TEXT = small("german")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("P2CE_DATA", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("P2CE_DATA", raising=False)
    monkeypatch.setenv("P2CE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    return tmp_path / "cache"


def never(facts: Facts) -> pd.DataFrame:
    raise AssertionError(f"OpenML was called for {facts.name}")


def offline(_: Facts) -> pd.DataFrame:
    raise URLError("no route to host")


def giving(raw: pd.DataFrame) -> Callable[[Facts], pd.DataFrame]:
    return lambda _: raw


def test_the_folder_comes_first(cache: Path, folder: Path) -> None:
    (folder / "german.csv").write_bytes(TEXT)
    (cache / "german.csv").write_bytes(b"damaged, but nobody looks")
    assert find(SMALL, fetch=never) == TEXT


def test_a_folder_without_the_file_is_passed_over(cache: Path, folder: Path) -> None:
    find(SMALL, fetch=giving(RAW["german"]))
    assert list(folder.iterdir()) == []  # a folder is only read
    (cache / "german.csv").write_bytes(TEXT)
    assert find(SMALL, fetch=never) == TEXT


@pytest.mark.parametrize("name", FACTS)
def test_what_openml_gives_is_prepared_and_kept(name: str, cache: Path) -> None:
    facts, text = small(name)
    assert find(facts, fetch=giving(RAW[name])) == text
    assert [(path.name, path.read_bytes()) for path in cache.iterdir()] == [(facts.file, text)]
    assert find(facts, fetch=never) == text


def test_a_damaged_file_in_the_folder_is_an_error(cache: Path, folder: Path) -> None:
    (cache / "german.csv").write_bytes(TEXT)
    (folder / "german.csv").write_bytes(TEXT[:-1])
    with pytest.raises(DamagedData) as caught:
        find(SMALL, fetch=never)
    message = str(caught.value)
    assert f"expected the SHA-256 checksum {SMALL.sha256}" in message
    assert f"got {hashlib.sha256(TEXT[:-1]).hexdigest()}" in message
    assert str(folder / "german.csv") in message
    assert "unset P2CE_DATA" in message


def test_a_damaged_file_in_the_cache_is_an_error_and_stays(cache: Path) -> None:
    (cache / "german.csv").write_bytes(b"half of it")
    with pytest.raises(DamagedData, match="Delete it to download it"):
        find(SMALL, fetch=never)
    assert (cache / "german.csv").read_bytes() == b"half of it"


def test_another_table_at_openml_is_an_error_and_is_not_kept(cache: Path) -> None:
    changed = RAW["german"].assign(age=RAW["german"]["age"] + 1)
    with pytest.raises(
        DamagedData, match="The file prepared from OpenML's table 31 is not the data set 'german'"
    ):
        find(SMALL, fetch=giving(changed))
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("german", RAW["german"].drop(columns="housing")),
        ("taiwan", RAW["taiwan"].rename(columns=str.upper)),
        ("taiwan", RAW["taiwan"].assign(x3="university")),
    ],
)
def test_a_table_of_another_form_is_an_error_of_ours(name: str, changed: pd.DataFrame, cache: Path) -> None:
    with pytest.raises(DamagedData, match=r"no longer has the form.*Set P2CE_DATA"):
        find(FACTS[name], fetch=giving(changed))
    assert list(cache.iterdir()) == []


def test_without_any_place_the_message_says_what_to_set(cache: Path) -> None:
    with pytest.raises(MissingData) as caught:
        find(GERMAN, fetch=offline)
    message = str(caught.value)
    assert "P2CE_DATA is not set" in message
    assert str(cache) in message
    assert (
        "table 31 could not be downloaded from OpenML (URLError: <urlopen error no route to host>)" in message
    )
    assert "Set P2CE_DATA to a folder that holds german.csv" in message


def test_a_cache_that_cannot_be_written_costs_only_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("P2CE_CACHE", str(tmp_path / "file" / "below"))
    with caplog.at_level(logging.WARNING, logger="p2ce"):
        assert find(SMALL, fetch=giving(RAW["german"])) == TEXT
    assert "Set P2CE_CACHE to another folder" in caplog.text


def test_a_folder_is_named_by_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for named, expected in (("", None), (str(tmp_path), tmp_path), ("~", Path.home())):
        monkeypatch.setenv("P2CE_DATA", named)
        assert named_folder() == expected
    monkeypatch.delenv("P2CE_DATA")
    assert named_folder() is None


def test_the_cache_is_the_systems_unless_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("P2CE_CACHE", "")
    assert "p2ce" in cache_folder().parts
    assert cache_folder().is_absolute()
    monkeypatch.setenv("P2CE_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"


@pytest.mark.parametrize("name", ["German", "titanic", None, ["german"]])
def test_an_unknown_name_is_reported_the_known_ones(name: Any) -> None:
    with pytest.raises(InvalidArgument, match="'german'"):
        datasets.load(name)
