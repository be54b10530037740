"""Record Ctrl-C instead of stopping at once, so that finished work can be kept."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def noting_interrupts() -> Iterator[threading.Event]:
    """Return an event that Ctrl-C sets; a second Ctrl-C stops at once. It only works in the main thread."""
    noted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield noted
        return
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):  # Ctrl-C is ignored here, or was set outside of Python
        yield noted
        return

    def note(number: int, _: object) -> None:
        noted.set()
        signal.signal(number, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)
