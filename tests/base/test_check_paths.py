"""A program writes only where no other user can lead it elsewhere."""

import os
import sys
from pathlib import Path

import pytest

from p2ce.base.check_paths import require_own
from p2ce.errors import InvalidArgument

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and links as Unix has them")


def test_what_is_our_own_will_do(tmp_path: Path) -> None:
    (tmp_path / "file").touch(mode=0o644)
    for path in (tmp_path, tmp_path / "file", tmp_path / "not there"):
        require_own(path)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for target in ("folder", "nowhere"):
        link = tmp_path / f"link to {target}"
        link.symlink_to(tmp_path / target)
        with pytest.raises(InvalidArgument, match=r"is a link, and links are not followed\. Name the"):
            require_own(link)


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidArgument, match="is a pipe or a device"):
        require_own(tmp_path / "pipe")


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_where_others_may_write_is_said_with_what_to_do(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "my folder"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(InvalidArgument, match=r"Other users may write to .*: chmod go-w '.*my folder'"):
        require_own(folder)


def test_what_belongs_to_another_user_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    with pytest.raises(InvalidArgument, match=r"belongs to another user\. Name a folder that you own"):
        require_own(tmp_path)
