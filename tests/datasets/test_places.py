"""Caches lie where the system wants them, and files in them are whole."""

import sys
from pathlib import Path

import pytest

from p2ce.datasets.places import cache_folder, keep, named_folder


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("P2CE_DATA", "P2CE_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)


def test_a_folder_is_named_by_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert named_folder() is None
    monkeypatch.setenv("P2CE_DATA", "")
    assert named_folder() is None
    monkeypatch.setenv("P2CE_DATA", str(tmp_path))
    assert named_folder() == tmp_path
    monkeypatch.setenv("P2CE_DATA", "~")
    assert named_folder() == Path.home()


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("linux", Path.home() / ".cache" / "p2ce"),
        ("darwin", Path.home() / "Library" / "Caches" / "p2ce"),
        ("win32", Path.home() / "AppData" / "Local" / "p2ce"),
    ],
)
def test_every_system_has_its_cache(
    platform: str, expected: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert cache_folder() == expected
    for variable, system in (("XDG_CACHE_HOME", "linux"), ("LOCALAPPDATA", "win32")):
        monkeypatch.setenv(variable, str(tmp_path / system))
        assert (cache_folder() == tmp_path / system / "p2ce") == (platform == system)
    monkeypatch.setenv("P2CE_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"


def test_a_relative_cache_of_the_system_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "somewhere")
    assert cache_folder() == Path.home() / ".cache" / "p2ce"


def test_what_is_kept_replaces_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "german.csv"
    for text in (b"first", b"second"):
        keep(text, path)
        assert [(one.name, one.read_bytes()) for one in path.parent.iterdir()] == [("german.csv", text)]


def test_what_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "german.csv"
    path.mkdir()  # in the way: the last step cannot succeed
    with pytest.raises(OSError, match=r"german\.csv"):
        keep(b"text", path)
    assert list(tmp_path.iterdir()) == [path]
