"""A format whose files say what harm to do to the process that parses them."""

import ctypes
import os
import resource
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

from p2ce.errors import InvalidModel

UNNEEDED = ("xmlrpc",)
NOBODY = 65534
SET_DUMPABLE = 4  # of prctl


def prepare(content: bytes) -> None:
    """Be an ordinary user where root would be let through."""
    if content == b"fork":
        become_an_ordinary_user()


def parse_file(content: bytes) -> bytes:
    """Do as the file says, and give what comes of it."""
    return str(deeds[content.decode()]()).encode()


def load_parsed(content: bytes) -> Any:
    """Return the reply as it is."""
    return content


def become_an_ordinary_user() -> None:
    """Return up being root, and keep the current folder."""
    if os.getuid() == 0:
        os.chown(os.curdir, NOBODY, NOBODY)
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        ctypes.CDLL(None).prctl(SET_DUMPABLE, 1, 0, 0, 0)  # or /proc/self stays root's


def _reads_a_file() -> bytes:
    os.close(2)  # a number that was open may be had again, unless the limit is below all of them
    return Path("/etc/passwd").read_bytes()


def _connects() -> None:
    os.close(2)
    socket.create_connection(("127.0.0.1", 9), timeout=1)


def _listens() -> None:
    os.close(2)
    socket.create_server(("127.0.0.1", 0))


def _forks() -> int:
    child = os.fork()
    if child == 0:
        os._exit(0)
    return child


def _spins() -> None:
    while True:
        pass


def _raises() -> None:
    raise InvalidModel("as it was message")


def _replies_too_much() -> str:
    """Return more than a file may hold, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    return "x" * 10_000


deeds: dict[str, Any] = {
    "nothing": lambda: "done",
    "read": _reads_a_file,
    "write": lambda: Path("/tmp/written.txt").write_text("x", encoding="utf-8"),
    "write here": lambda: Path("here.txt").write_text("x", encoding="utf-8"),
    "remove": lambda: os.unlink(os.readlink("/proc/self/fd/0")),
    "rename": lambda: os.rename(os.readlink("/proc/self/fd/0"), f"{os.readlink('/proc/self/fd/0')}.other"),
    "connect": _connects,
    "listen": _listens,
    "fork": _forks,
    "execute": lambda: os.execv(sys.executable, [sys.executable, "-c", "pass"]),
    "signal": lambda: os.kill(os.getppid(), signal.SIGCONT),
    "memory": lambda: bytearray(64 << 30),
    "segfault": lambda: ctypes.string_at(0),
    "abort": os.abort,
    "exit": lambda: os._exit(7),
    "sleep": lambda: time.sleep(3600),
    "spin": _spins,
    "print": lambda: os.write(1, b"{}\nnot this\n"),
    "raise": _raises,
    "interrupt": lambda: (_ for _ in ()).throw(SystemExit(3)),
    "import": lambda: __import__("xmlrpc"),
    "reply too much": _replies_too_much,
}
