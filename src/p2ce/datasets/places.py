"""Return the folders of the data files."""

import os
from pathlib import Path

from platformdirs import user_cache_path

DATA, CACHE = "P2CE_DATA", "P2CE_CACHE"  # environment variables


def named_folder() -> Path | None:
    """Return the folder that the user named, or None. It is only read."""
    return _folder_of(DATA)


def cache_folder() -> Path:
    """Return the folder for downloads: the one that P2CE_CACHE names, else the user's cache."""
    return _folder_of(CACHE) or user_cache_path("p2ce", appauthor=False)


def _folder_of(variable: str) -> Path | None:
    named = os.environ.get(variable)
    return Path(named).expanduser() if named else None  # an empty variable counts as not set
