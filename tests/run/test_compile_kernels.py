"""A pause is explained by what happens in it: compiling is not said of what is only loaded."""

import logging
import threading
from dataclasses import replace

import pytest

from p2ce.engine.kernels.kernel_cache import cache_use
from p2ce.run import compile_kernels
from p2ce.run.compile_kernels import preparing_text, warn_if_slow
from tests.populations import loans


def test_compiling_is_said_only_while_something_compiles() -> None:
    loans.explainer().warm_up()
    use = cache_use()
    assert preparing_text(use) == "Loading the compiled solver takes longer than usual."
    assert preparing_text(replace(use, compiled=use.compiled - 1)).startswith("Compiling the solver: ")


def test_a_kernel_counts_as_compiled_from_when_its_compilation_begins() -> None:
    from numba import types
    from numba.core import event
    from numba.core.caching import NullCache

    from p2ce.engine.kernels.jit import entry

    said = []

    class Listener(event.Listener):
        def on_start(self, _: event.Event) -> None:
            said.append(preparing_text(before))

        def on_end(self, _: event.Event) -> None:
            pass

    added = entry(lambda number: number + 1)
    added._cache = NullCache()  # or it would be compiled in the first run of the tests alone
    before = cache_use()
    with event.install_listener("numba:compile", Listener()):
        added.compile((types.int64,))
    assert said[0].startswith("Compiling the solver: ")


def test_the_text_is_that_of_the_moment(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile_kernels, "PATIENCE", 0.0)
    looked = threading.Event()

    def text() -> str:
        looked.set()
        return "now"

    with caplog.at_level(logging.WARNING, logger="p2ce"), warn_if_slow(text):
        assert looked.wait(60)
        for thread in threading.enumerate():
            if isinstance(thread, threading.Timer):
                thread.join()
    assert [record.getMessage() for record in caplog.records] == ["now"]
