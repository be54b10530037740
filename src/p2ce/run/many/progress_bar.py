"""Show how many rows are done, the elapsed time and the remaining time.

A terminal shows a bar. A notebook shows one line, which is rewritten in place. A log has a line from time to
time.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from p2ce.base.visible import stderr_console

if TYPE_CHECKING:
    from rich.console import Console

NOTEBOOK_SECONDS = 0.2  # the least seconds between two lines
LOG_SECONDS = 30.0
NOTEBOOK_WIDTH = 80  # of a line, which overwrites the one before
BAR_WIDTH, NARROWEST = 30, 8


class ProgressBar:
    """Counts the people that are done, and redraws itself when that changes."""

    def __init__(self, total: int, *, doing: str, done: int = 0) -> None:
        self.total, self.doing, self.done, self.before = total, doing, done, done
        self.began = time.monotonic()
        self.draw: Callable[[], None] = lambda: None

    def update(self, count: int = 1) -> None:
        """Add people that are done."""
        self.done += count
        self.draw()

    @property
    def share(self) -> str:
        """The share that is done, in percent."""
        return f"{100 * self.done // self.total if self.total else 100:3d}%"

    @property
    def counts(self) -> str:
        """How many people are done, with both times."""
        elapsed = time.monotonic() - self.began
        fresh = self.done - self.before  # rows of an earlier call took none of this time
        left = _clock(elapsed / fresh * (self.total - self.done)) if fresh > 0 else "?"
        return f"{self.done:,}/{self.total:,} people, {_clock(elapsed)} elapsed · {left} left"

    @property
    def line(self) -> str:
        """Everything in one line."""
        return f"{self.doing}: {self.share} {self.counts}"


@contextmanager
def progress_bar(total: int, *, doing: str, shown: bool, done: int = 0) -> Iterator[ProgressBar]:
    """Show a progress bar on stderr while the block runs; `done` people were done before."""
    bar = ProgressBar(total, doing=doing, done=done)
    with _showing(bar) if shown else nullcontext():
        yield bar


def _showing(bar: ProgressBar) -> AbstractContextManager[None]:
    console = stderr_console()
    if console.is_jupyter:
        return _in_notebook(bar)
    return _in_terminal(bar, console) if console.is_terminal else _in_log(bar)


@contextmanager
def _in_terminal(bar: ProgressBar, console: "Console") -> Iterator[None]:
    """Draw a bar. Its clock also runs while no person is finished."""
    from rich.live import Live
    from rich.progress_bar import ProgressBar as Strip
    from rich.table import Table
    from rich.text import Text

    def drawn() -> Table | Text:
        width = min(console.width - len(bar.line) - 2, BAR_WIDTH)
        if width < NARROWEST:
            return Text(bar.line, no_wrap=True, overflow="ellipsis")
        row = Table.grid(padding=(0, 1))
        strip = Strip(total=bar.total, completed=bar.done, width=width)
        row.add_row(f"{bar.doing}: {bar.share}", strip, bar.counts)
        return row

    with Live(get_renderable=drawn, console=console, refresh_per_second=5):
        yield


@contextmanager
def _in_notebook(bar: ProgressBar) -> Iterator[None]:
    """Overwrite one line, which needs no widgets."""

    def write() -> None:
        _to_stderr(f"\r{bar.line:<{NOTEBOOK_WIDTH}}")

    write()
    bar.draw = _at_most_every(NOTEBOOK_SECONDS, write)
    try:
        yield
    finally:
        write()
        _to_stderr("\n")


@contextmanager
def _in_log(bar: ProgressBar) -> Iterator[None]:
    """Write only a few lines, since a log keeps all of them."""

    def write() -> None:
        _to_stderr(f"{bar.line}\n")

    bar.draw = _at_most_every(LOG_SECONDS, write)
    try:
        yield
    finally:
        write()


def _to_stderr(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _at_most_every(seconds: float, write: Callable[[], None]) -> Callable[[], None]:
    """Return a function that writes at most once in so many seconds, counted from the start."""
    last = time.monotonic()

    def draw() -> None:
        nonlocal last
        if time.monotonic() - last >= seconds:
            write()
            last = time.monotonic()

    return draw


def _clock(seconds: float) -> str:
    """Write a duration as on a clock.

    >>> _clock(75), _clock(3_675)
    ('01:15', '1:01:15')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"
