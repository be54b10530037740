"""A process that parses a file can do no harm, and whatever ends it is one line."""

import re
import time
from pathlib import Path

import pytest

from p2ce.apps.model_files.sandbox import Sandbox
from p2ce.errors import InvalidModel, LimitExceeded
from p2ce.limits import MIB, Limits


def answer(folder: Path, deed: str, limits: Limits | None = None) -> bytes:
    file = folder / "file"
    file.write_text(deed, encoding="utf-8")
    with Sandbox(file, "tests.apps.model_files.harmful", limits or Limits()) as sandbox:
        return sandbox.content()


def test_the_answer_comes_back(tmp_path: Path) -> None:
    assert answer(tmp_path, "nothing") == b"done"


def test_what_a_library_prints_is_no_answer(tmp_path: Path) -> None:
    assert answer(tmp_path, "print") == b"done"


@pytest.mark.parametrize(
    ("deed", "message"),
    [
        ("read", "Too many open files"),
        ("write", "Too many open files"),
        ("network", "Too many open files"),
        ("process", "Too many open files"),
        ("segfault", "SIGSEGV"),
        ("abort", "SIGABRT"),
        ("exit", "exit code 7"),
        ("interrupt", "exit code 3"),
        ("raise", "^as it was message$"),
        ("import", "xmlrpc is not needed here"),
    ],
)
def test_harm_ends_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deed: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidModel, match=message) as caught:
        answer(tmp_path, deed)
    assert "\n" not in str(caught.value)
    assert {path.name for path in tmp_path.iterdir()} == {"file"}


def test_memory_has_a_limit(tmp_path: Path) -> None:
    with pytest.raises(LimitExceeded, match="too much memory: the limit model_memory is 2,147,483,648"):
        answer(tmp_path, "memory", Limits(model_memory=2048 * MIB))


@pytest.mark.parametrize("deed", ["sleep", "spin"])
def test_time_has_a_limit(tmp_path: Path, deed: str) -> None:
    begun = time.monotonic()
    with pytest.raises(LimitExceeded, match="too long: the limit model_seconds is 2"):
        answer(tmp_path, deed, Limits(model_seconds=2))
    assert time.monotonic() - begun < 8


def test_whoever_does_not_wait_leaves_no_process(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("sleep", encoding="utf-8")
    with Sandbox(tmp_path / "file", "tests.apps.model_files.harmful", Limits()) as sandbox:
        child = sandbox._child
    assert child.poll() is not None


def test_modules_of_the_folder_are_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(9)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert answer(tmp_path, "nothing") == b"done"


def test_a_file_that_is_too_large_is_not_parsed(tmp_path: Path) -> None:
    from p2ce.apps.model_files.load_model import load_model

    for name, begin in (("model.txt", b"tree\n"), ("model.json", b"{"), ("model.skops", b"PK\x03\x04")):
        path = tmp_path / name
        path.write_bytes(begin + b"\n" * (2 * MIB))
        with pytest.raises(LimitExceeded, match=re.escape("--limit model-bytes")):
            load_model(str(path), limits=Limits(model_bytes=MIB))
