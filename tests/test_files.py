"""A file is written as a whole or not at all, and what is in the way is said in one line."""

import os
import sys
from pathlib import Path

import pytest

from p2ce.errors import InvalidOption
from p2ce.files import write_whole


def test_a_path_may_be_text(tmp_path: Path) -> None:
    write_whole(str(tmp_path / "a.txt"), b"new")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "new"


def test_an_old_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old and much longer", encoding="utf-8")
    path.chmod(0o640)
    write_whole(path, b"new")
    assert path.read_text(encoding="utf-8") == "new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_an_old_file_survives_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old", encoding="utf-8")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InvalidOption, match="No space left on device"):
        write_whole(path, b"new")
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_new_file_may_be_read_by_others(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        write_whole(tmp_path / "a.txt", b"new")
    finally:
        os.umask(old)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o644


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write_whole(tmp_path / "link.txt", b"new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text(encoding="utf-8") == "new"


def test_a_missing_folder_is_named_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match=r"the folder does not exist\. Make it first") as raised:
        write_whole(tmp_path / "none" / "a.txt", b"new")
    assert "\n" not in str(raised.value)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match=r"it is a folder\. Name a file in it"):
        write_whole(tmp_path, b"new")


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old", encoding="utf-8")
    with pytest.raises(InvalidOption, match="Name another"):
        write_whole(tmp_path / "file" / "a.txt", b"new")


@pytest.mark.parametrize("name", ["x" * 400, "a\x00b"])
def test_a_name_that_no_disk_takes_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="cannot be written"):
        write_whole(tmp_path / name, b"new")


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0,
    reason="not as root, who may do all",
)
def test_a_forbidden_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(InvalidOption, match="not permitted"):
        write_whole(tmp_path / "closed" / "a.txt", b"new")


def test_a_forbidden_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o400)
    monkeypatch.setattr(os, "access", lambda *_: False)  # as for anybody but an administrator
    with pytest.raises(InvalidOption, match="not permitted"):
        write_whole(path, b"new")
    assert path.read_text(encoding="utf-8") == "old"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    write_whole(os.devnull, b"new")
    assert Path(os.devnull).exists()


def test_a_link_in_the_way_is_not_followed(tmp_path: Path) -> None:
    """Nobody can foresee what the unfinished file is called, and lead it elsewhere."""
    victim = tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    for name in (".a.txt.writing", ".a.txt.tmp"):
        (tmp_path / name).symlink_to(victim)
    write_whole(tmp_path / "a.txt", b"new")
    assert victim.read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "a.txt").is_symlink()
