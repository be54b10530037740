"""Drop access to files, programs, TCP and signals for good, with Linux's Landlock.

The kernel decides what can be given up: files and programs since Linux 5.13, TCP since 6.7, signals to other
processes and abstract sockets since 6.12. Without Landlock, nothing is given up; see `landlock_version`.
"""

import ctypes
import os
import sys
from collections.abc import Sequence
from typing import Any

CREATE, ADD_RULE, RESTRICT = 444, 445, 446  # system calls, the same numbers on every processor
ASK_VERSION, PATH_BENEATH = 1, 1
NO_NEW_PRIVILEGES = 38  # of prctl
# The number of rights that each version of Landlock knows, in the order of their bits.
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
TCP_RIGHTS = {4: 2}
SCOPES = {6: 2}
READ_FILE = 1 << 2
# For files in a folder: write, read, list, remove, make files and folders, truncate. Not: execute.
USE_FOLDER = sum(1 << bit for bit in (1, 2, 3, 4, 5, 7, 8, 14))


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("tcp", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("descriptor", ctypes.c_int32))


def landlock_version() -> int:
    """Return the version of Landlock in this kernel, or 0 if there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_libc().syscall(CREATE, None, 0, ASK_VERSION)))


def give_up_files(*, readable: Sequence[str] = (), folder: str | None = None) -> None:
    """Take all rights that Landlock knows from this thread, except to read some files and to use a folder.

    No later call can undo this, not even as root. Running threads are not restricted, so there must be none.
    """
    known = landlock_version()
    if not known:
        return
    rights = _mask(FILE_RIGHTS, known)
    held = _Ruleset(rights, _mask(TCP_RIGHTS, known), _mask(SCOPES, known))
    rules = _call("create", CREATE, ctypes.byref(held), ctypes.sizeof(held), 0)
    for path in readable:
        _allow(rules, path, READ_FILE)
    if folder is not None:
        _allow(rules, folder, USE_FOLDER & rights)
    _check("prctl", _libc().prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))  # RESTRICT requires it
    _call("restrict", RESTRICT, rules, 0)
    os.close(rules)


def _mask(rights: dict[int, int], known: int) -> int:
    count = max((count for version, count in rights.items() if version <= known), default=0)
    return (1 << count) - 1


def _allow(rules: int, path: str, rights: int) -> None:
    opened = os.open(path, os.O_RDONLY)
    _call("allow", ADD_RULE, rules, PATH_BENEATH, ctypes.byref(_Beneath(rights, opened)), 0)
    os.close(opened)


def _call(what: str, number: int, *arguments: Any) -> int:
    return _check(what, int(_libc().syscall(number, *arguments)))


def _check(what: str, returned: int) -> int:
    if returned < 0:
        raise OSError(ctypes.get_errno(), f"Landlock failed to {what}: {os.strerror(ctypes.get_errno())}")
    return returned


def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)
