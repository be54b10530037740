"""Write a report to a file, as a whole or not at all."""

import os
import secrets
from pathlib import Path

from p2ce.errors import InvalidOption


def write(text: str, path: str | os.PathLike[str]) -> None:
    """Write UTF-8 text to a file; what stood there before stays until the new text is complete."""
    if not isinstance(path, str | os.PathLike):
        raise InvalidOption(
            f"path must be where the report is to be written, got {path!r}. Write path='report.html'."
        )
    content = text.encode("utf-8")
    try:
        # Where a link leads to is what is meant, not the link.
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise InvalidOption(
                f"The report cannot be written to {str(path)!r}: it is a folder. Name a file in it."
            )
        if target.exists() and not target.is_file():
            target.write_bytes(content)  # a pipe or a terminal: there is nothing to be replaced
            return
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError
        _replace(target, content)
    except FileNotFoundError:
        raise InvalidOption(
            f"The report cannot be written to {str(path)!r}: the folder does not exist. "
            "Make it first, or name another."
        ) from None
    except PermissionError:
        raise InvalidOption(
            f"The report cannot be written to {str(path)!r}: writing there is not permitted. "
            "Name a file in a folder of your own."
        ) from None
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
        if isinstance(problem, InvalidOption):
            raise
        raise InvalidOption(
            f"The report cannot be written to {str(path)!r}: {reason}. Name another file."
        ) from None


def _replace(target: Path, content: bytes) -> None:
    # In the same folder, since only within one file system a file takes another's place at once. Its name
    # is of fixed length, so that the longest name allowed stays allowed.
    beside = target.parent / f".p2ce-{secrets.token_hex(6)}.tmp"
    try:
        with beside.open("xb") as file:  # not by `tempfile`, whose files nobody else may read
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            beside.chmod(target.stat().st_mode & 0o777)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
