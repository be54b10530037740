"""A report is written as a whole or not at all, and what is in the way is said in one line."""

import os
import sys
from pathlib import Path

import pytest

from p2ce.errors import InvalidOption
from p2ce.present.report import to_html
from p2ce.present.report.write import write
from tests.present.report.examples import answer


def test_what_is_returned_is_what_is_written(tmp_path: Path) -> None:
    text = to_html(answer(), tmp_path / "report.html", title="Ação – ✓")
    assert (tmp_path / "report.html").read_bytes() == text.encode("utf-8")
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_path_may_be_text(tmp_path: Path) -> None:
    write("new", str(tmp_path / "report.html"))
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "new"


def test_an_old_report_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old and much longer", encoding="utf-8")
    path.chmod(0o640)
    write("new", path)
    assert path.read_text(encoding="utf-8") == "new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_an_old_report_survives_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.html"
    path.write_text("old", encoding="utf-8")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InvalidOption, match="No space left on device"):
        write("new", path)
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_new_report_may_be_read_by_others(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        write("new", tmp_path / "report.html")
    finally:
        os.umask(old)
    assert (tmp_path / "report.html").stat().st_mode & 0o777 == 0o644


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.html").write_text("old", encoding="utf-8")
    (tmp_path / "link.html").symlink_to(tmp_path / "real.html")
    write("new", tmp_path / "link.html")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "real.html").read_text(encoding="utf-8") == "new"


def test_a_missing_folder_is_named_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match=r"the folder does not exist\. Make it first") as raised:
        write("new", tmp_path / "none" / "report.html")
    assert "\n" not in str(raised.value)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match=r"it is a folder\. Name a file in it"):
        write("new", tmp_path)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old", encoding="utf-8")
    with pytest.raises(InvalidOption, match="Name another"):
        write("new", tmp_path / "file" / "report.html")


@pytest.mark.parametrize("name", ["x" * 400, "a\x00b"])
def test_a_name_that_no_disk_takes_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="cannot be written"):
        write("new", tmp_path / name)


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="nothing is forbidden to an administrator"
)
def test_a_forbidden_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(InvalidOption, match="not permitted"):
        write("new", tmp_path / "closed" / "report.html")


def test_a_forbidden_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.html"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o400)
    monkeypatch.setattr(os, "access", lambda *_: False)  # as for anybody but an administrator
    with pytest.raises(InvalidOption, match="not permitted"):
        write("new", path)
    assert path.read_text(encoding="utf-8") == "old"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    write("new", os.devnull)
    assert Path(os.devnull).exists()
