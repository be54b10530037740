"""Folders are those that the variables name, else where the system keeps caches."""

from pathlib import Path

import pytest

from p2ce.datasets.places import cache_folder, named_folder


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
