"""Take note of Ctrl-C instead of stopping in the middle, so that what is done can be kept."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def noting_interrupts() -> Iterator[threading.Event]:
    """Return an event that Ctrl-C sets; a second Ctrl-C stops at once. Only the main thread hears of it."""
    noted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield noted
        return
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):  # nobody listens to Ctrl-C here, or it was set outside of Python
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
