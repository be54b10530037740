"""Write files completely or not at all, readable by their owner only; open regular files only.

If the program or the machine stops while a file is written, the name still points to the complete old content
or the complete new one. At worst a file ``.p2ce-….tmp`` remains next to it, which nothing reads. Most files
hold people's data, so a new file is readable by its owner only, from the first byte. A file that is replaced
keeps its mode.
"""

import errno
import io
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument

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
    beside = target.parent / f".p2ce-{secrets.token_hex(6)}.tmp"
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, PRIVATE), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if (chosen := _mode_to_keep(target) if mode is None else mode) is not None:
                change_mode(file.fileno(), beside, chosen)
        beside.replace(target)  # a link is replaced, not followed
    finally:
        beside.unlink(missing_ok=True)
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
