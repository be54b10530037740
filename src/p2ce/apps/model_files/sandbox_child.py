"""Parse one model file with no files, no network and bounded memory and time: the child process's program.

    python -m p2ce.apps.model_files.sandbox_child MODULE MEMORY SECONDS   < file   > reply

Libraries parse formats of their own in C++ and trust what they read; what a file does to them, it does here.
The reply is a line of JSON, ``{}`` or what is wrong, and behind it what the format's ``parse`` gives.
"""

import contextlib
import importlib
import json
import math
import os
import sys
from collections.abc import Collection
from typing import IO


def main(name: str, memory: int, seconds: float) -> None:
    """Read the file from standard input, and write the reply to what standard output was."""
    reply = _take_stdout()
    _limit_memory_and_time(memory, seconds)
    module = importlib.import_module(name)
    sys.meta_path.insert(0, _Missing(module.UNNEEDED))
    try:
        content = sys.stdin.buffer.read()
        module.prepare(content)
        _close_the_door(getattr(module, "FILES", 0))
        parsed = module.parse(content)
    except Exception as error:  # each library has its own for what it cannot parse
        failure = {"error": type(error).__name__, "message": str(error)[:1000]}
        reply.write(json.dumps(failure).encode() + b"\n")
    else:
        reply.write(b"{}\n" + parsed)
    reply.flush()
    os._exit(0)  # libraries need not clean up after a file that may have confused them


class _Missing:
    """Lets imports of some packages fail, as if they were not installed."""

    def __init__(self, packages: Collection[str]) -> None:
        self._packages = frozenset(packages)

    def find_spec(self, name: str, *_: object) -> None:
        if name in self._packages:
            raise ModuleNotFoundError(f"{name} is not needed here", name=name)


def _take_stdout() -> IO[bytes]:
    """Keep the pipe to the parent, and discard what libraries print."""
    reply = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    return reply


def _limit_memory_and_time(memory: int, seconds: float) -> None:
    try:
        import resource
    except ImportError:  # Windows has none; the parent's clock is all that is left
        return
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_AS, memory)
    _limit(resource.RLIMIT_CPU, math.ceil(seconds))
    _limit(resource.RLIMIT_FSIZE, memory)  # of the reply, the only file that is open for writing


def _close_the_door(files: int) -> None:
    """Let nothing more be opened: a file, a socket and a pipe each need a number below the limit."""
    try:
        import resource
    except ImportError:
        return
    lowest_free = os.dup(0)
    os.close(lowest_free)
    _limit(resource.RLIMIT_NOFILE, lowest_free + files)


def _limit(what: int, most: int) -> None:
    import resource

    _, hard = resource.getrlimit(what)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with contextlib.suppress(OSError, ValueError, OverflowError):  # not every system has every limit
        resource.setrlimit(what, (most, most))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
