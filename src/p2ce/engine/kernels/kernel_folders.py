"""Choose the folders for compiled kernels. Loaded kernels run, so only trusted users may write there.

The trusted users are the current user and root. Each has a separate folder in every place where kernels may
be kept: ``NUMBA_CACHE_DIR``, the package's folder, the user's cache, and the temporary directory.
"""

import logging
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from numba import config
from platformdirs import user_cache_path

logger = logging.getLogger("p2ce")

ROOT = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelFolders:
    """The folders to load kernels from, in order, and the folder for new ones, if any."""

    load_from: tuple[Path, ...]
    write_to: Path | None


@cache
def kernel_folders() -> KernelFolders:
    """Choose the folders once per process, and log which are rejected and what is used instead."""
    load_from: list[Path] = []
    rejected: list[str] = []
    for parent in _parents():
        with suppress(OSError):
            parent.mkdir(parents=True, exist_ok=True)
        if not parent.is_dir():
            continue
        risk = _risk_of_parent(parent.stat())
        if risk is not None:
            if os.access(parent, os.W_OK):  # otherwise it could not be used anyway
                rejected.append(f"{parent}, which {risk}")
            continue
        own = _folder_in(parent, _user())
        with suppress(OSError):
            own.mkdir(mode=0o755, exist_ok=True)
        for folder in dict.fromkeys((own, _folder_in(parent, ROOT))):
            if not os.path.lexists(folder):
                continue
            risk = risk_of(folder.lstat()) if stat.S_ISDIR(folder.lstat().st_mode) else "is not a folder"
            if risk is not None:
                rejected.append(f"{folder}, which {risk}")
                continue
            load_from.append(folder)
            if folder == own and os.access(own, os.W_OK | os.X_OK):
                _log(rejected, own)
                return KernelFolders(load_from=tuple(load_from), write_to=own)
    _log(rejected, None)
    return KernelFolders(load_from=tuple(load_from), write_to=None)


def risk_of(found: os.stat_result) -> str | None:
    """Return why another user may have written a file or folder, or None."""
    if found.st_uid not in (_user(), ROOT):
        return "belongs to another user"
    if _has_users() and found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "other users may write to"
    return None


def _risk_of_parent(found: os.stat_result) -> str | None:
    """Return why others could replace our folder inside this one, or None.

    In a sticky folder such as ``/tmp`` they cannot. A group that may write to the package's folder could also
    change its code, so rejecting that folder would gain nothing.
    """
    if found.st_uid not in (_user(), ROOT):
        return "belongs to another user"
    if _has_users() and found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
        return "other users may write to"
    return None


def _parents() -> Iterator[Path]:
    if config.CACHE_DIR:
        yield Path(config.CACHE_DIR).absolute()
    yield Path(__file__).parents[2] / "__pycache__"
    cached = user_cache_path("p2ce", appauthor=False)
    if cached.is_absolute():  # it is not if there is no home folder
        yield cached
    temporary = _temporary()
    if temporary is not None:
        yield temporary


def _temporary() -> Path | None:
    try:
        return Path(tempfile.gettempdir())
    except OSError:
        return None


def _folder_in(parent: Path, user: int) -> Path:
    return parent / f"p2ce-kernels-{user}"


def _log(rejected: list[str], used: Path | None) -> None:
    remedy = "Set NUMBA_CACHE_DIR to a folder that only you may write to."
    if rejected:
        instead = "each process compiles them again" if used is None else f"{used} is used instead"
        logger.warning("Compiled kernels are not kept in %s: %s. %s", "; ".join(rejected), instead, remedy)
    elif used is None:
        logger.warning(
            "There is no writable folder for compiled kernels, so each process compiles them again. %s",
            remedy,
        )
    elif used.parent == _temporary() and used.parent != Path(config.CACHE_DIR).absolute():
        logger.warning(
            "The usual folders for compiled kernels are not writable, so %s is used. %s", used, remedy
        )


def _has_users() -> bool:
    """Return whether the system has user ids and modes. Windows has none, and its caches are private."""
    return hasattr(os, "geteuid")


def _user() -> int:
    return os.geteuid() if _has_users() else ROOT
