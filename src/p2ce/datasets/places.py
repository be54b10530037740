"""State in which folders data files lie."""

import os
from pathlib import Path

from platformdirs import user_cache_path

DATA, CACHE = "P2CE_DATA", "P2CE_CACHE"  # environment variables


def named_folder() -> Path | None:
    """The folder that the user named, if there is one; it is only read."""
    return _folder_of(DATA)


def cache_folder() -> Path:
    """The folder for what was fetched: as named by P2CE_CACHE, else where the system keeps caches."""
    return _folder_of(CACHE) or user_cache_path("p2ce", appauthor=False)


def _folder_of(variable: str) -> Path | None:
    named = os.environ.get(variable)
    return Path(named).expanduser() if named else None  # an empty variable counts as not set
