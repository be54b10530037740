"""The console on stderr. Bars, spinners and notices share it, so they do not overwrite each other."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


@cache
def stderr_console() -> "Console":
    """Return the one console on stderr; rich is imported by the first call."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True)
