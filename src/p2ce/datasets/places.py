"""Say in which folders data files lie, and put one there whole or not at all."""

import os
import sys
from pathlib import Path
from uuid import uuid4

DATA, CACHE = "P2CE_DATA", "P2CE_CACHE"  # environment variables


def named_folder() -> Path | None:
    """The folder that the user named, if there is one; it is only read."""
    return _folder_of(DATA)


def cache_folder() -> Path:
    """The folder for what was fetched: as named by P2CE_CACHE, else where the system keeps caches."""
    return _folder_of(CACHE) or _system_caches() / "p2ce"


def _system_caches() -> Path:
    if sys.platform == "win32":
        return _folder_of("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    named = _folder_of("XDG_CACHE_HOME")
    # The standard says to ignore a relative path.
    return named if named is not None and named.is_absolute() else Path.home() / ".cache"


def _folder_of(variable: str) -> Path | None:
    named = os.environ.get(variable)
    return Path(named).expanduser() if named else None  # an empty variable counts as not set


def keep(text: bytes, path: Path) -> None:
    """Write a file in one step: two programs that fetch at once, or one that is stopped, leave it whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        unfinished.write_bytes(text)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)  # nothing is left to remove when all went well
