"""Ctrl-C is heard, and what threads stumble over afterwards is not told."""

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
    told: list[object] = []
    monkeypatch.setattr(threading, "excepthook", told.append)
    with hearing_interrupts() as interrupts:
        stumble()
        assert len(told) == 1
        signal.raise_signal(signal.SIGINT)
        assert interrupts.pressed
        stumble()
        assert len(told) == 1
    stumble()
    assert len(told) == 2
