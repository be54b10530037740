"""Write files completely or not at all, readable by their owner only. Check paths before any work is done.

If the program or the machine stops while a file is written, the name still points to the complete old content
or the complete new one. At worst a file ``.p2ce-….tmp`` remains next to it, which nothing reads. Most files
hold people's data, so a new file is readable by its owner only, from the first byte. A file that is replaced
keeps its mode. Only regular files are opened.
"""

import errno
import io
import os
import secrets
import shlex
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument, nearest, similar

PRIVATE, PRIVATE_FOLDER = 0o600, 0o700  # the modes of files and folders with people's data
BINARY = getattr(os, "O_BINARY", 0)  # Windows would change line ends
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
NO_ROOM = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG)


def write_whole(
    path: str | os.PathLike[str], content: bytes, *, what: str = "The file", follow_links: bool = True
) -> None:
    """Write bytes to a file. The old content stays until the new content is complete.

    ``what`` begins the message if writing fails. A link that the user names is followed. Where the program
    itself names the file, ``follow_links=False`` replaces the link.
    """
    failed = f"{what} cannot be written to {echoed(os.fsdecode(path))}"
    try:
        target = Path(os.path.realpath(path)) if follow_links else Path(path)
        if target.is_dir() and not target.is_symlink():
            raise InvalidArgument(f"{failed}: it is a folder. Name a file in it.")
        if follow_links and target.exists() and not target.is_file():
            target.write_bytes(content)  # a pipe or a terminal: there is nothing to replace
            return
        if follow_links and target.exists() and not os.access(target, os.W_OK):
            raise PermissionError
        replace_file(target, content)
    except FileNotFoundError:
        raise InvalidArgument(
            f"{failed}: the folder does not exist. Create it first, or name another."
        ) from None
    except PermissionError:
        raise InvalidArgument(
            f"{failed}: permission denied. Name a file in a folder that you may write to."
        ) from None
    except OSError as error:
        raise InvalidArgument(f"{failed}: {error.strerror or error}. {remedy_of(error)}.") from None
    except InvalidArgument:
        raise
    except ValueError as error:  # a name that is not allowed on any disk
        raise InvalidArgument(f"{failed}: {error}. Name another file.") from None


def remedy_of(error: OSError) -> str:
    """State what to do about a file that cannot be written."""
    if error.errno == errno.EFBIG:
        return "Raise the limit on the size of files (ulimit -f)"
    return "Free some space" if error.errno in NO_ROOM else "Name another place"


def open_file(path: str | os.PathLike[str], *, follow_links: bool = True) -> io.BufferedReader:
    """Open a file for reading. Raise OSError for a pipe or a device, which may block or never end."""
    flags = os.O_RDONLY | BINARY | getattr(os, "O_NONBLOCK", 0) | (0 if follow_links else NO_LINK)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "It is not a regular file")
    return os.fdopen(descriptor, "rb")


def change_mode(descriptor: int, path: str | os.PathLike[str], mode: int) -> None:
    """Change the mode of an open file, by its descriptor: other users may have replaced the path."""
    os.chmod(descriptor if os.chmod in os.supports_fd else path, mode)


def replace_file(target: Path, content: bytes, *, mode: int | None = None) -> None:
    """Replace a file. Without a mode, keep that of the old file, or make a new file private."""
    # In the same folder, since a file can only be replaced atomically within one file system. The name has a
    # fixed length, so the longest allowed name still works, and cannot be guessed.
    temporary = target.parent / f".p2ce-{secrets.token_hex(6)}.tmp"
    try:
        with os.fdopen(
            os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, PRIVATE), "wb"
        ) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if (chosen := _mode_to_keep(target) if mode is None else mode) is not None:
                change_mode(file.fileno(), temporary, chosen)
        temporary.replace(target)  # a link is replaced, not followed
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(target.parent)


def _mode_to_keep(target: Path) -> int | None:
    """Return the mode of an old file, or None if there is none or if another user owns it."""
    try:
        state = target.lstat()
    except FileNotFoundError:
        return None
    own = not hasattr(os, "geteuid") or state.st_uid == os.geteuid()
    return state.st_mode & 0o777 if own and stat.S_ISREG(state.st_mode) else None


def _sync_folder(folder: Path) -> None:
    """Flush the new name to the disk, if the system allows it for folders."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)  # Windows rejects this
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def named(option: str, path: Path) -> str:
    """Return a file's option and path, as messages name it."""
    return f"{option} {echoed(str(path))}"


def require_file(path: Path, option: str) -> Path:
    """Raise if a path is not a readable file; the message suggests the nearest names of its folder."""
    what = named(option, path)
    try:
        if path.is_dir():
            raise InvalidArgument(f"{what} is a folder. Name a file in it.")
        if not path.exists():
            raise InvalidArgument(f"{what} does not exist. {_instead(path)}")
        if not path.is_file():
            raise InvalidArgument(f"{what} is a pipe or a device. Write it to a file first.")
        with path.open("rb") as file:
            begins = file.read(1)
    except OSError as error:
        raise InvalidArgument(f"{what} cannot be read: {error.strerror or error}.") from error
    if not begins:
        raise InvalidArgument(f"{what} is empty. Was it written completely?")
    return path


def _instead(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"There is no folder {echoed(str(folder))} either."
    try:
        names = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    except OSError:
        names = []
    where = "this folder" if str(folder) == "." else echoed(str(folder))
    if not names:
        return f"There are no files in {where}."
    if similar(path.name, names):
        return nearest(path.name, names)
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return f"Files in {where}: {', '.join(echoed(one, most=50) for one in names[:12])}{more}."


def require_place(path: Path, *, force: bool, option: str = "--out") -> None:
    """Raise if a path cannot be written to, before the work starts."""
    what, folder = named(option, path), path.parent
    where = echoed(str(folder))
    if path.is_dir():
        raise InvalidArgument(f"{what} is a folder. Name a file in it.")
    if folder.exists() and not folder.is_dir():
        raise InvalidArgument(f"{what} is in {where}, which is a file, not a folder. Name another folder.")
    if not folder.is_dir():
        raise InvalidArgument(
            f"{what} is in the folder {where}, which does not exist. Create it first: mkdir -p {folder}"
        )
    if path.exists() and not force:
        raise InvalidArgument(f"{what} already exists. Choose another name, or pass --force.")
    # The new file is written next to the old one, then replaces it.
    for place, owner in ((folder, f"the folder {where}"), (path, "the file")):
        if place.exists() and not os.access(place, os.W_OK):
            raise InvalidArgument(
                f"{what} cannot be written: no permission for {owner}. Choose another place."
            )


def require_owner(path: Path) -> None:
    """Raise unless this user owns a file or folder and is the only one who may write to it.

    Links are not followed: a link of another user could make the program write where that user cannot. A path
    that does not exist passes.
    """
    try:
        state, shown = path.lstat(), echoed(str(path))
    except FileNotFoundError:
        return
    if stat.S_ISLNK(state.st_mode):
        raise InvalidArgument(f"{shown} is a link, and links are not followed. Name the folder it points to.")
    if not stat.S_ISDIR(state.st_mode) and not stat.S_ISREG(state.st_mode):
        raise InvalidArgument(f"{shown} is a pipe or a device. Remove it, or name another folder.")
    if not hasattr(os, "geteuid"):  # Windows, whose modes say nothing about other users
        return
    if state.st_uid != os.geteuid():
        raise InvalidArgument(f"{shown} belongs to another user. Name a folder that you own.")
    if state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise InvalidArgument(
            f"Other users may write to {shown}. Remove their permission: chmod go-w {shlex.quote(str(path))}"
        )


def require_other(path: Path, inputs: Mapping[str, Path | None], *, option: str = "--out") -> None:
    """Raise if an output would overwrite an input, even with --force."""
    for name, read in inputs.items():
        if read is not None and read.exists() and path.exists() and os.path.samefile(path, read):
            raise InvalidArgument(
                f"{option} would overwrite {echoed(str(read))}, which {name} reads. Choose another name."
            )
