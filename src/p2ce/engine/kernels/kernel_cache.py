"""Keep compiled kernels on disk, and replace files that are damaged or were compiled for something else."""

import hashlib
import logging
import os
import pickle
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from p2ce.base.files import open_file, replace_file
from p2ce.engine.kernels.kernel_folders import kernel_folders, risk_of
from p2ce.engine.kernels.kernel_stamp import fields_of, stamp_of

logger = logging.getLogger("p2ce")

CHECKSUM_BYTES = hashlib.sha256().digest_size
_kernels: list[Any] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheUse:
    """How this process got its kernels: compiled or loaded from the cache, and the cache's folders."""

    compiled: int
    loaded: int
    folders: tuple[Path, ...]


def keep_compiled(kernel: Any, *, made_by: tuple[str, ...]) -> None:
    """Keep the compiled code of a kernel on disk, if there is a folder for it.

    ``made_by`` are the files that control the compilation.
    """
    kernel._cache = KernelCache(kernel, made_by)
    _kernels.append(kernel)


def cache_use() -> CacheUse:
    """Count the kernels that this process compiled and loaded so far."""
    stats = [kernel.stats for kernel in _kernels]
    return CacheUse(
        compiled=sum(sum(one.cache_misses.values()) for one in stats),
        loaded=sum(sum(one.cache_hits.values()) for one in stats),
        folders=tuple(sorted({Path(one.cache_path) for one in stats if one.cache_path is not None})),
    )


class KernelCache(NullCache):  # type: ignore[misc]
    """The cache of one kernel: one file for each combination of argument types, processor and Python.

    A file holds a checksum and a pickle. The checksum also covers everything the code depends on. So a file
    that was damaged, replaced, or compiled from other sources or by another Numba is never unpickled.
    """

    def __init__(self, kernel: Any, made_by: tuple[str, ...]) -> None:
        self._function = kernel.py_func
        self._way = repr(kernel.targetoptions), kernel._compiler.pipeline_class.__qualname__
        # Hashed when the function is defined, since an installation may replace the files on disk while this
        # process runs the old version.
        self._made_by = tuple(_file_digest(Path(file)) for file in made_by)

    @property
    def cache_path(self) -> str | None:
        """Return the folder to which new kernels are written."""
        folder = kernel_folders().write_to
        return None if folder is None else str(folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load the kernel for these argument types, or return None if it has to be compiled."""
        target_context.refresh()
        name, stamp = self._name_and_stamp(sig, target_context.codegen())
        for folder in kernel_folders().load_from:
            try:
                pickled = _checked(_read(folder / name), stamp)
                types, parts = (None, ()) if pickled is None else pickle.loads(pickled)
                if types == sig:
                    return CompileResult._rebuild(target_context, *parts)
            except FileNotFoundError:
                continue
            except Exception as error:  # compiling again solves any problem with a file
                logger.info(
                    "The compiled kernel %s cannot be loaded (%s), so it is compiled again.", name, error
                )
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write a compiled kernel. If that fails, it stays in memory."""
        folder = kernel_folders().write_to
        if folder is None or data.library.has_dynamic_globals:
            return
        try:
            name, stamp = self._name_and_stamp(sig, data.codegen)
            pickled = dumps((sig, data._reduce()))
            # Other processes may load it meanwhile, and other users may read it but not write it.
            replace_file(folder / name, _checksum(stamp, pickled) + pickled, mode=0o644)
        except Exception as error:  # a full disk must not stop a search that has its kernel
            _log_unwritten(folder, getattr(error, "strerror", None) or type(error).__name__)

    def _name_and_stamp(self, sig: Any, codegen: Any) -> tuple[str, bytes]:
        """Return the file name, which does not depend on the sources, and the stamp, which does."""
        function, file = self._function, Path(self._function.__code__.co_filename)
        made_for = repr((str(file), function.__qualname__, sig, codegen.magic_tuple(), sys.version_info))
        name = f"{file.stem}.{function.__name__}-{hashlib.sha256(made_for.encode()).hexdigest()[:16]}.nbc"
        fields = [fields_of(kind) for kind in sig]
        # Hashed now, since a kernel may be defined after the entry that calls it.
        stamp = repr((made_for, fields, numba.__version__, stamp_of(function), self._way, *self._made_by))
        return name, stamp.encode()


@cache
def _file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _checksum(stamp: bytes, pickled: bytes) -> bytes:
    return hashlib.sha256(len(stamp).to_bytes(8, "little") + stamp + pickled).digest()


def _checked(content: bytes, stamp: bytes) -> bytes | None:
    """Return the pickle of a file if its checksum is right, else None."""
    pickled = content[CHECKSUM_BYTES:]
    return pickled if content[:CHECKSUM_BYTES] == _checksum(stamp, pickled) else None


def _read(path: Path) -> bytes:
    """Read a file, and raise if an untrusted user can have written it."""
    with open_file(path, follow_links=False) as file:
        risk = risk_of(os.fstat(file.fileno()))
        if risk is not None:
            raise PermissionError(f"it {risk}")
        return file.read()


@cache
def _log_unwritten(folder: Path, reason: str) -> None:
    logger.warning(
        "Compiled kernels cannot be kept in %s (%s), so they stay in memory and the next process compiles "
        "them again. Free some space, or set NUMBA_CACHE_DIR to another folder.",
        folder,
        reason,
    )
