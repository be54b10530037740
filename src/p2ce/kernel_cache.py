"""Choose the folder of compiled kernels: one that Numba finds writable, else a private temporary one."""

import hashlib
import logging
import os
import stat
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from numba import config

logger = logging.getLogger("p2ce")

OTHERS = stat.S_IRWXG | stat.S_IRWXO
# The folders in which kernels are.
KERNEL_ROOMS = ("grid", "scores", "solver")
_kernels: list[Any] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheUse:
    """How this process got its kernels: compiled, or loaded from the cache, and where that lies."""

    compiled: int
    loaded: int
    folders: tuple[Path, ...]


def keep_compiled(kernel: Any) -> None:
    """Keep what a kernel compiles to on disk, wherever there is a writable folder."""
    try:
        kernel.enable_caching()
    except RuntimeError:
        # Numba may write neither beside the sources nor into the user's cache: a read-only container.
        _keep_in(temporary_folder(), kernel)
    if kernel._cache.cache_path is not None:
        # Numba knows the file of an entry, and not the files of the kernels that are compiled into it.
        file: Any = getattr(kernel._cache, "_cache_file", None)
        if hasattr(file, "_source_stamp"):
            file._source_stamp = (file._source_stamp, sources_digest())
        else:  # another Numba: nothing is kept rather than old code
            kernel._cache.disable()
    _kernels.append(kernel)


@cache
def sources_digest() -> str:
    """Hash the sources of all kernels: code that was compiled from others is not loaded."""
    package = Path(__file__).parent
    files = [
        package / "jit.py",
        package / "linked_kernels.py",
        *(path for room in KERNEL_ROOMS for path in (package / room).rglob("*.py")),
    ]
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def cache_use() -> CacheUse:
    """Count the kernels that this process compiled and loaded so far."""
    stats = [kernel.stats for kernel in _kernels if hasattr(kernel, "stats")]
    return CacheUse(
        compiled=sum(sum(one.cache_misses.values()) for one in stats),
        loaded=sum(sum(one.cache_hits.values()) for one in stats),
        folders=tuple(sorted({Path(one.cache_path) for one in stats if one.cache_path is not None})),
    )


@cache
def temporary_folder() -> Path | None:
    """Make the user's own folder in the temporary directory; log once which one, or that there is none.

    Numba unpickles what it finds there, which can run code. So the folder must belong to this user, and no
    other user may write to it or replace it.
    """
    try:
        folder = Path(tempfile.gettempdir()) / f"p2ce-kernels-{_user()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        private = _is_private(folder)
    except OSError:
        private = False
    if not private:
        logger.warning(
            "There is no writable folder for compiled kernels, so each process compiles them again. "
            "Set NUMBA_CACHE_DIR to a writable folder."
        )
        return None
    logger.warning(
        "The usual folders for compiled kernels are not writable; %s is used. Set NUMBA_CACHE_DIR to choose "
        "another.",
        folder,
    )
    return folder


def _keep_in(folder: Path | None, kernel: Any) -> None:
    if folder is None:
        return
    # Only for this kernel: other libraries of the process keep their own cache folders.
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        kernel.enable_caching()
    finally:
        config.CACHE_DIR = before


def _is_private(folder: Path) -> bool:
    if not hasattr(os, "getuid"):  # the temporary directory of Windows is the user's own
        return folder.is_dir()
    own, parent = folder.lstat(), folder.parent.stat()
    sticky = not parent.st_mode & stat.S_IWOTH or bool(parent.st_mode & stat.S_ISVTX)
    is_mine = stat.S_ISDIR(own.st_mode) and own.st_uid == os.getuid() and not own.st_mode & OTHERS
    return is_mine and sticky and os.access(folder, os.W_OK | os.X_OK)


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"
