"""A file is written as a whole or not at all, and what is in the way is said in one line."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from p2ce.base.files import open_file, replace_file, require_owner, write_whole
from p2ce.errors import InvalidArgument
from tests.full_disks import largest_file

UNIX = pytest.mark.skipif(sys.platform == "win32", reason="modes, links and pipes as Unix has them")


def test_an_old_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old and much longer", encoding="utf-8")
    path.chmod(0o640)
    write_whole(str(path), b"new")
    assert path.read_text(encoding="utf-8") == "new"
    assert path.stat().st_mode & 0o777 == 0o640
    write_whole(os.devnull, b"new")  # which is not a file, and stays what it is
    assert Path(os.devnull).exists()


def test_an_old_file_survives_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old", encoding="utf-8")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InvalidArgument, match="No space left on device"):
        write_whole(path, b"new")
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.fixture
def no_umask() -> Iterator[None]:
    """Let files have all modes that they are created with."""
    old = os.umask(0)
    yield
    os.umask(old)


def modes_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


@UNIX
@pytest.mark.usefixtures("no_umask")
@pytest.mark.parametrize("old", [None, 0o644, 0o640, 0o600])
def test_a_file_is_its_owners_alone_while_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: int | None
) -> None:
    path = tmp_path / "people.csv"
    if old is not None:
        path.touch(mode=old)
    open_, sync, seen = os.open, os.fsync, []

    def noting(name: Any, flags: int, *mode: int, **given: Any) -> int:
        descriptor = open_(name, flags, *mode, **given)
        if flags & os.O_CREAT:
            seen.append(("made", os.fstat(descriptor).st_mode & 0o777))
        return descriptor

    def syncing(descriptor: int) -> None:
        state = os.fstat(descriptor)
        if stat.S_ISREG(state.st_mode):
            seen.append((f"with {state.st_size} bytes", state.st_mode & 0o777))
        sync(descriptor)

    monkeypatch.setattr(os, "open", noting)
    monkeypatch.setattr(os, "fsync", syncing)
    write_whole(path, b"name,income")
    assert seen == [("made", 0o600), ("with 11 bytes", 0o600)]
    # A mode that its owner chose is kept.
    assert modes_of(path) == (old or 0o600)


@UNIX
def test_the_mode_that_another_user_chose_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "people.csv"
    path.touch()
    path.chmod(0o666)
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    write_whole(path, b"name,income")
    assert modes_of(path) == 0o600


@UNIX
@pytest.mark.skipif(os.chmod not in os.supports_fd, reason="modes of open files as Unix has them")
def test_no_mode_is_changed_by_name(tmp_path: Path) -> None:
    """Where others may write to the folder, they could put a link to another file in its place."""
    target, changed, hear = tmp_path / "file", list[object](), True

    def noting(event: str, given: tuple[object, ...]) -> None:
        if hear and event == "os.chmod":
            changed.append(given[0])

    target.touch(mode=0o640)
    sys.addaudithook(noting)
    try:
        write_whole(target, b"new")
        replace_file(tmp_path / "kernel", b"code", mode=0o644)
    finally:
        hear = False
    assert [type(what) for what in changed] == [int, int]
    assert target.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "kernel").stat().st_mode & 0o777 == 0o644


def test_a_link_that_the_user_did_not_name_is_replaced(tmp_path: Path) -> None:
    victim, elsewhere = tmp_path / "victim", tmp_path / "elsewhere"
    victim.write_text("mine", encoding="utf-8")
    for name in ("file", "nothing", "pipe"):
        target = tmp_path / name
        if name == "pipe":
            os.mkfifo(target)
        else:
            target.symlink_to(victim if name == "file" else elsewhere)
        write_whole(target, b"new", follow_links=False)
        assert not target.is_symlink()
        assert target.read_bytes() == b"new"
        assert modes_of(target) == 0o600
    assert victim.read_text(encoding="utf-8") == "mine"
    assert not elsewhere.exists()


@UNIX
def test_only_a_file_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # opening it would wait for ever
    (tmp_path / "zeros").symlink_to("/dev/zero")
    for name in ("pipe", "zeros", "."):
        with pytest.raises(OSError, match="It is not a regular file"):
            open_file(tmp_path / name)
    (tmp_path / "file").write_bytes(b"content")
    with open_file(tmp_path / "file") as file:
        assert file.read() == b"content"


@UNIX
def test_a_limit_on_the_size_of_files_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with largest_file(1000), pytest.raises(InvalidArgument, match=r"File too large\. .*\(ulimit -f\)"):
        write_whole(path, b"new" * 1000)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write_whole(tmp_path / "link.txt", b"new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text(encoding="utf-8") == "new"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none/a.txt", r"the folder does not exist\. Create it first"),
        (".", r"it is a folder\. Name a file in it"),
        ("file/a.txt", "Name another"),
        ("x" * 400, "cannot be written"),
        ("a\x00b", "cannot be written"),
    ],
)
def test_what_is_in_the_way_is_named_in_one_line(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "file").write_text("old", encoding="utf-8")
    with pytest.raises(InvalidArgument, match=message) as raised:
        write_whole(tmp_path / name, b"new")
    assert "\n" not in str(raised.value)


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0,
    reason="not as root, who may do all",
)
def test_a_forbidden_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(InvalidArgument, match="permission denied"):
        write_whole(tmp_path / "closed" / "a.txt", b"new")


def test_a_forbidden_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o400)
    monkeypatch.setattr(os, "access", lambda *_: False)  # as for all but an administrator
    with pytest.raises(InvalidArgument, match="permission denied"):
        write_whole(path, b"new")
    assert path.read_text(encoding="utf-8") == "old"


def test_a_link_in_the_way_is_not_followed(tmp_path: Path) -> None:
    """No one can foresee what the unfinished file is called, and lead it elsewhere."""
    victim = tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    for name in (".a.txt.writing", ".a.txt.tmp"):
        (tmp_path / name).symlink_to(victim)
    write_whole(tmp_path / "a.txt", b"new")
    assert victim.read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "a.txt").is_symlink()


KILLED = """
import os, signal, sys
from pathlib import Path
from p2ce.base.files import replace_file, write_whole

step, path = sys.argv[1], Path(sys.argv[2])
count = 0


def dying(original, at, after):
    def call(*given, **named):
        global count
        count += 1
        if count == at and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        found = original(*given, **named)
        if count == at and after:
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    return call


name, at, after = step.split()
if name == "write":  # half of the content reaches the file
    def written(self, content):
        self.buffer.write(content[: len(content) // 2])
        self.buffer.flush()
        os.kill(os.getpid(), signal.SIGKILL)

    class Half:
        def __init__(self, file): self.buffer = file
        def __enter__(self): return self
        def __exit__(self, *_): pass
        write = written

    opened = os.fdopen
    os.fdopen = lambda *given: Half(opened(*given))
elif name == "fsync":
    os.fsync = dying(os.fsync, int(at), after == "after")
elif name == "replace":
    Path.replace = dying(Path.replace, int(at), after == "after")
elif name == "unlink":
    Path.unlink = dying(Path.unlink, int(at), after == "after")
write_whole(path, b"new" * 100_000)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals as Unix has them")
@pytest.mark.parametrize("old", [None, b"old" * 1000], ids=["no old file", "an old file"])
@pytest.mark.parametrize(
    ("step", "replaced"),
    [
        ("write 1 before", False),
        ("fsync 1 before", False),
        ("fsync 1 after", False),
        ("replace 1 before", False),
        ("replace 1 after", True),
        ("unlink 1 before", True),
        ("fsync 2 before", True),
        ("fsync 2 after", True),
    ],
)
def test_a_program_that_is_killed_leaves_the_old_or_the_new_file(
    tmp_path: Path, step: str, replaced: bool, old: bytes | None
) -> None:
    """Killed at every step of a write: never a part, never nothing where something was."""
    path = tmp_path / "out.json"
    if old is not None:
        path.write_bytes(old)
    ended = subprocess.run([sys.executable, "-c", KILLED, step, str(path)], check=False, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    new = b"new" * 100_000
    found = path.read_bytes() if path.exists() else None
    assert found == (new if replaced else old)
    # What was left behind is in no one's way.
    assert [name for name in os.listdir(tmp_path) if not name.startswith(".p2ce-")] in ([], ["out.json"])
    write_whole(path, b"newer")
    assert path.read_bytes() == b"newer"


@pytest.mark.skipif(sys.platform == "win32", reason="which cannot sync a folder")
def test_the_new_name_is_brought_to_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    sync = os.fsync

    def noting(descriptor: int) -> None:
        synced.append("folder" if os.path.isdir(f"/proc/self/fd/{descriptor}") else "file")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noting)
    write_whole(tmp_path / "a.txt", b"new")
    if os.path.isdir("/proc/self/fd"):
        assert synced == ["file", "folder"]


def test_a_folder_that_cannot_be_synced_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = os.open

    def rejecting(path: object, *given: int, **named: int) -> int:
        if path == tmp_path:
            raise PermissionError(13, "Permission denied")
        return opened(path, *given, **named)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(os, "open", rejecting)
    write_whole(tmp_path / "a.txt", b"new")
    assert (tmp_path / "a.txt").read_bytes() == b"new"


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and links as Unix has them")


def test_what_is_our_own_will_do(tmp_path: Path) -> None:
    (tmp_path / "file").touch(mode=0o644)
    for path in (tmp_path, tmp_path / "file", tmp_path / "not there"):
        require_owner(path)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for target in ("folder", "nowhere"):
        link = tmp_path / f"link to {target}"
        link.symlink_to(tmp_path / target)
        with pytest.raises(InvalidArgument, match=r"is a link, and links are not followed\. Name the"):
            require_owner(link)


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidArgument, match="is a pipe or a device"):
        require_owner(tmp_path / "pipe")


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_where_others_may_write_is_said_with_what_to_do(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "my folder"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(InvalidArgument, match=r"Other users may write to .*: chmod go-w '.*my folder'"):
        require_owner(folder)


def test_what_belongs_to_another_user_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    with pytest.raises(InvalidArgument, match=r"belongs to another user\. Name a folder that you own"):
        require_owner(tmp_path)
