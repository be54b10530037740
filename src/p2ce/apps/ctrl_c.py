"""Handle Ctrl-C where it does no harm: while people are explained, never while results are written."""

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Interrupts:
    """Whether Ctrl-C was pressed, also while the library handles it itself.

    On Ctrl-C, `explain_many` returns what is done and raises nothing. The interpreter writes
    the number of every signal into a socket all the same.
    """

    def __init__(self, signals: socket.socket | None) -> None:
        self._signals = signals
        self._pressed = False
        self._raises = False

    def hear(self, *_: object) -> None:
        """Handle the signal."""
        self._pressed = True
        if self._raises:
            raise KeyboardInterrupt

    @property
    def pressed(self) -> bool:
        """Whether Ctrl-C was pressed since."""
        if self._signals is not None:
            with suppress(BlockingIOError):  # nothing was written
                self._pressed = self._pressed or signal.SIGINT in self._signals.recv(4096)
        return self._pressed

    @contextmanager
    def raising(self) -> Iterator[None]:
        """Let Ctrl-C interrupt what is done here."""
        self._raises = True
        try:
            if self.pressed:
                raise KeyboardInterrupt
            yield
        finally:
            self._raises = False


@contextmanager
def hearing_interrupts() -> Iterator[Interrupts]:
    """Return what hears of Ctrl-C; only the main thread does."""
    if threading.current_thread() is not threading.main_thread():
        yield Interrupts(None)
        return
    here, there = socket.socketpair()
    for end in (here, there):
        end.setblocking(False)
    heard = Interrupts(here)
    before = signal.signal(signal.SIGINT, heard.hear)
    descriptor = signal.set_wakeup_fd(there.fileno(), warn_on_full_buffer=False)
    hook = threading.excepthook

    def report(problem: threading.ExceptHookArgs) -> None:
        if not heard.pressed:  # afterwards, threads stumble over processes that are gone
            hook(problem)

    threading.excepthook = report
    try:
        yield heard
    finally:
        threading.excepthook = hook
        signal.set_wakeup_fd(descriptor)
        signal.signal(signal.SIGINT, before)
        here.close()
        there.close()
