"""Ctrl-C is handled, and later errors of threads are not reported."""

import signal
import sys
import threading

import pytest

from p2ce.apps.ctrl_c import hearing_interrupts

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="signals reach a process in another way there"
)


def stumble() -> None:
    def fail() -> None:
        raise KeyError(26)

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()


def test_threads_are_silent_after_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[object] = []
    monkeypatch.setattr(threading, "excepthook", reported.append)
    with hearing_interrupts() as interrupts:
        stumble()
        assert len(reported) == 1
        signal.raise_signal(signal.SIGINT)
        assert interrupts.pressed
        stumble()
        assert len(reported) == 1
    stumble()
    assert len(reported) == 2
