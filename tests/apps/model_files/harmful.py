"""A format whose files say what harm to do to the process that parses them."""

import ctypes
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from p2ce.errors import InvalidModel

UNNEEDED = ("xmlrpc",)


def prepare(_: bytes) -> None:
    """Need nothing."""


def parse(content: bytes) -> bytes:
    """Do as the file says."""
    deeds[content.decode()]()
    return b"done"


def load(content: bytes) -> Any:
    """Give the reply as it is."""
    return content


def _reads_a_file() -> None:
    Path(__file__).read_bytes()


def _spins() -> None:
    while True:
        pass


def _raises() -> None:
    raise InvalidModel("as it was message")


deeds: dict[str, Any] = {
    "nothing": lambda: None,
    "read": _reads_a_file,
    "write": lambda: Path("written.txt").write_text("x", encoding="utf-8"),
    "network": lambda: socket.create_connection(("127.0.0.1", 9), timeout=1),
    "process": lambda: subprocess.run([sys.executable, "-c", "pass"], check=True),
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
}
