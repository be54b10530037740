"""Print notices and errors to stderr, one line each. Only results go to stdout."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from p2ce.base.visible import one_line, stderr_console, visible_code
from p2ce.errors import FAULT_RECORD, in_bounds

if TYPE_CHECKING:
    from rich.console import Console

DEBUG = "P2CE_DEBUG"  # the environment variable that turns tracebacks on


def printable(text: object) -> str:
    """Escape control characters, since names and labels come from untrusted files.

    >>> print(printable("own\\x1b[31m"))
    own\\x1b[31m
    """
    return visible_code(text)


def error_line(message: object) -> None:
    """Print what is wrong and what to do."""
    print(f"p2ce: {one_line(in_bounds(message))}", file=sys.stderr, flush=True)


def stdout_console() -> "Console":
    """Return the console for results; a closed pipe ends the program silently."""
    from rich.console import Console

    class ResultConsole(Console):
        def on_broken_pipe(self) -> None:  # rich would end the program with the exit code of a bug
            raise BrokenPipeError

    return ResultConsole(highlight=False)


def notice(message: object) -> None:
    """Print something worth knowing that is not an error."""
    from rich.text import Text

    stderr_console().print(Text.assemble(("note: ", "bold cyan"), one_line(in_bounds(message))))


@contextmanager
def working(message: str, *, always: bool = False) -> Iterator[None]:
    """Show what is running: a spinner on a terminal, else nothing, or a plain line with ``always``."""
    if not sys.stderr.isatty():
        if always:
            print(message, file=sys.stderr, flush=True)
        yield
        return
    with stderr_console().status(message):
        yield


class _Notices(logging.Handler):
    """Print the library's log records as notices."""

    def emit(self, record: logging.LogRecord) -> None:
        if getattr(record, FAULT_RECORD, False):  # the last line counts such rows
            if os.environ.get(DEBUG):
                print(record.getMessage(), file=sys.stderr, flush=True)
            return
        # The message with options for arguments; empty if the command line reports it itself.
        text = getattr(record, "on_command_line", None)
        if text is None and record.levelno >= logging.WARNING:
            text = record.getMessage()
        if text:
            notice(text)


@contextmanager
def library_notices() -> Iterator[None]:
    """Print the library's warnings, and what it logs for the command line, as notices."""
    log = logging.getLogger("p2ce")
    handler, before = _Notices(), (log.level, log.propagate)
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before[0])
        log.propagate = before[1]


def count_of(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun.

    >>> count_of(1, "row"), count_of(2_000, "person", "people")
    ('1 row', '2,000 people')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
