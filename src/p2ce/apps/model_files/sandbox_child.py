"""Parse one model file without files or network, and with bounded memory and time.

    python -m p2ce.apps.model_files.sandbox_child MODULE MEMORY SECONDS   < file   > reply

This is the program of the child process. Libraries parse their formats in C++ and trust what they read, so a
malicious file does its harm here. The reply is a line of JSON, ``{}`` or what is wrong, followed by what the
format's ``parse_file`` returns. If the reply cannot be written, the exit code is ``UNWRITTEN`` plus the
number of the system's error.
"""

import contextlib
import importlib
import json
import math
import os
import sys
import tempfile
from collections.abc import Collection
from typing import IO

from p2ce.apps.model_files.landlock import give_up_files

NEEDED = ("/dev/stdin", "/proc/self/statm")  # CatBoost opens them
UNWRITTEN = 100  # plus an errno: the exit code if the reply cannot be written


def parse_stdin(name: str, memory: int, seconds: float) -> None:
    """Read the file from standard input, and write the reply to the original standard output."""
    reply = _take_stdout()
    _limit_memory_and_time(memory, seconds)
    module = importlib.import_module(name)
    sys.meta_path.insert(0, _Missing(module.UNNEEDED))
    try:
        content = sys.stdin.buffer.read()
        module.prepare(content)
        _close_the_door(getattr(module, "FILES", 0))
        parsed = module.parse_file(content)
    except Exception as error:  # each library raises its own errors
        failure = {"error": type(error).__name__, "message": str(error)[:1000]}
        content = json.dumps(failure).encode() + b"\n"
    else:
        content = b"{}\n" + parsed
    # `_exit` skips the libraries' cleanup, since the file may have corrupted their state.
    try:
        reply.write(content)
        reply.flush()
    except OSError as error:  # the disk is full, or the file size is limited
        os._exit(UNWRITTEN + (error.errno or 0))
    os._exit(0)


class _Missing:
    """Make imports of some packages fail, as if they were not installed."""

    def __init__(self, packages: Collection[str]) -> None:
        self._packages = frozenset(packages)

    def find_spec(self, name: str, *_: object) -> None:
        if name in self._packages:
            raise ModuleNotFoundError(f"{name} is not needed here", name=name)


def _take_stdout() -> IO[bytes]:
    """Keep the pipe to the parent, and discard the output of libraries."""
    reply = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    return reply


def _limit_memory_and_time(memory: int, seconds: float) -> None:
    try:
        import resource
    except ImportError:  # Windows does not have it; only the parent's time limit remains
        return
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_AS, memory)
    _limit(resource.RLIMIT_CPU, math.ceil(seconds))
    _limit(resource.RLIMIT_FSIZE, memory)  # for the reply, the only file that is open for writing


def _close_the_door(files: int) -> None:
    """Prevent this process from opening or starting anything else.

    A file, a socket and a pipe each need a descriptor below a limit, and the limit is 0. A library that needs
    files gets some descriptors. With Landlock, it can then open only the model, files that it makes in the
    child's own empty folder, and the system's figures on the memory of this process.
    """
    give_up_files(readable=NEEDED if files else (), folder=os.curdir if files else None)
    tempfile.tempdir = os.getcwd()
    try:
        import resource
    except ImportError:
        return
    lowest_free = os.dup(0)
    os.close(lowest_free)
    _limit(resource.RLIMIT_NOFILE, lowest_free + files if files else 0)
    _limit(resource.RLIMIT_NPROC, 0)  # for threads and processes; it does not restrict root


def _limit(what: int, most: int) -> None:
    import resource

    _, hard = resource.getrlimit(what)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with contextlib.suppress(OSError, ValueError, OverflowError):  # some systems lack some limits
        resource.setrlimit(what, (most, most))


if __name__ == "__main__":
    parse_stdin(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
