"""Write a file as a whole or not at all.

Whenever the program or the machine stops, the name leads to the old content or to the new, both whole. What
may be left behind is a file ``.p2ce-….tmp`` beside it, which nothing reads.
"""

import errno
import os
import secrets
from contextlib import suppress
from pathlib import Path

from p2ce.errors import InvalidArgument
from p2ce.visible import echoed


def write_whole(path: str | os.PathLike[str], content: bytes, *, what: str = "The file") -> None:
    """Write bytes to a file; what stood there before stays until the new content is complete.

    ``what`` begins the sentence that says why it could not be done.
    """
    failed = f"{what} cannot be written to {echoed(os.fsdecode(path))}"
    try:
        # Where a link leads to is what is meant, not the link.
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise InvalidArgument(f"{failed}: it is a folder. Name a file in it.")
        if target.exists() and not target.is_file():
            target.write_bytes(content)  # a pipe or a terminal: there is nothing to be replaced
            return
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError
        _replace(target, content)
    except FileNotFoundError:
        raise InvalidArgument(
            f"{failed}: the folder does not exist. Make it first, or name another."
        ) from None
    except PermissionError:
        raise InvalidArgument(
            f"{failed}: writing there is not permitted. Name a file in a folder of your own."
        ) from None
    except OSError as error:
        is_full = error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
        remedy = "Free some space" if is_full else "Name another file"
        raise InvalidArgument(f"{failed}: {error.strerror or error}. {remedy}.") from None
    except InvalidArgument:
        raise
    except ValueError as error:  # a name that no disk takes
        raise InvalidArgument(f"{failed}: {error}. Name another file.") from None


def _replace(target: Path, content: bytes) -> None:
    # In the same folder, since only within one file system a file takes another's place at once. Its name
    # is of fixed length, so that the longest name allowed stays allowed, and cannot be foreseen.
    beside = target.parent / f".p2ce-{secrets.token_hex(6)}.tmp"
    try:
        with beside.open("xb") as file:  # not by `tempfile`, whose files only their owner may read
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            beside.chmod(target.stat().st_mode & 0o777)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Bring the new name to the disk; where a folder cannot be synced, that is left to the system."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)  # which Windows rejects, for one
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
