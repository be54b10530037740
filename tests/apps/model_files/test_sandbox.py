"""A process that parses a file can do no harm, and whatever ends it is one line."""

import errno
import re
import subprocess
import sys
from pathlib import Path

import pytest

from p2ce.apps.model_files import landlock
from p2ce.apps.model_files.sandbox import Sandbox
from p2ce.base.limits import MIB, Limits
from p2ce.errors import InvalidModel, LimitExceeded
from tests.hostile.seeds import seeds_of
from tests.optional import needs, with_torch

pytest.importorskip("resource", reason="limits of a process are of Unix")
PLAIN, WITH_FILES = "harmful", "harmful_with_files"
MODULES = {
    "lightgbm": "lightgbm_text",
    "xgboost": "xgboost_model",
    "catboost": "catboost_model",
    "onnx": "onnx_model",
    "torch": "torch_weights",
}
ORDINARY = """\
import os
from p2ce.apps.model_files.formats import {module} as own
from tests.apps.model_files.harmful import become_an_ordinary_user

UNNEEDED, FILES, parse_file = own.UNNEEDED, getattr(own, "FILES", 0), own.parse_file

def prepare(content):
    own.prepare(content)
    become_an_ordinary_user()
    if os.path.isdir("/proc/self/task") and len(os.listdir("/proc/self/task")) != 1:
        raise ValueError("threads run already")
"""


def reply(folder: Path, deed: str, limits: Limits | None = None, *, module: str = PLAIN) -> bytes:
    file = folder / "file"
    file.write_text(deed, encoding="utf-8")
    with Sandbox(file, f"tests.apps.model_files.{module}", limits or Limits()) as sandbox:
        return sandbox.content()


def test_the_answer_comes_back(tmp_path: Path) -> None:
    assert reply(tmp_path, "nothing") == b"done"


def test_what_a_library_prints_is_no_answer(tmp_path: Path) -> None:
    assert reply(tmp_path, "print") == b"12"


def test_files_of_its_own_are_in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert reply(tmp_path, "write here", module=WITH_FILES) == b"1"
    assert {path.name for path in tmp_path.iterdir()} == {"file"}
    with pytest.raises(InvalidModel, match="Too many open files"):
        reply(tmp_path, "write here")


@pytest.mark.parametrize("deed", ["read", "write", "connect"])
def test_no_number_of_a_descriptor_can_be_had(tmp_path: Path, deed: str) -> None:
    """On every Unix, also after others were closed, and so without a word of Landlock."""
    with pytest.raises(InvalidModel, match="Too many open files"):
        reply(tmp_path, deed)


@pytest.mark.parametrize("module", [PLAIN, WITH_FILES])
@pytest.mark.parametrize(
    ("deed", "since"),
    [
        *(("read", 1), ("write", 1), ("remove", 1), ("rename", 1), ("execute", 1)),
        *(("connect", 4), ("listen", 4), ("signal", 6)),
    ],
)
def test_landlock_forbids_what_leads_out(tmp_path: Path, module: str, deed: str, since: int) -> None:
    if landlock.landlock_version() < since:
        pytest.skip(f"Landlock {since} is needed, and this kernel has {landlock.landlock_version()}")
    forbidden = "Permission denied|Operation not permitted"
    if module == PLAIN:
        forbidden += "|Too many open files"
    with pytest.raises(InvalidModel, match=forbidden):
        reply(tmp_path, deed, module=module)


@pytest.mark.parametrize("module", [PLAIN, WITH_FILES])
def test_an_ordinary_user_starts_no_process(tmp_path: Path, module: str) -> None:
    with pytest.raises(InvalidModel, match="Resource temporarily unavailable"):
        reply(tmp_path, "fork", module=module)


@pytest.mark.parametrize(
    ("deed", "message"),
    [
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
        reply(tmp_path, deed)
    assert "\n" not in str(caught.value)
    assert {path.name for path in tmp_path.iterdir()} == {"file"}


def test_a_reply_that_cannot_be_written_is_no_fault_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="File too large") as caught:
        reply(tmp_path, "reply too much")
    assert caught.value.errno == errno.EFBIG


@pytest.mark.slow
@pytest.mark.parametrize("format_name", ["lightgbm", "catboost"])
def test_a_full_disk_is_called_by_its_name(tmp_path: Path, format_name: str) -> None:
    """A limit on the size of files stands for the disk: what cannot be written is the same."""
    needs(format_name)
    seed = seeds_of(format_name)[0]
    (tmp_path / f"model{seed.suffix}").write_bytes(seed.content)
    command = f"ulimit -f 1 && exec '{sys.executable}' -m p2ce inspect --model model{seed.suffix}"
    ran = subprocess.run(
        ["/bin/sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert "File too large" in ran.stderr
    assert "harm" not in ran.stderr
    assert "written to the end" not in ran.stderr
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize("format_name", with_torch(MODULES, "torch"))
def test_every_format_is_parsed_by_an_ordinary_user_in_one_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format_name: str
) -> None:
    """Landlock does not hold a thread that runs before, and the limit lets none start afterwards."""
    name = f"ordinary_{format_name}"
    code = ORDINARY.format(module=MODULES[format_name])
    (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    needs({"onnx": "onnxruntime"}.get(format_name, format_name))
    for seed in seeds_of(format_name):
        file = tmp_path / f"model{seed.suffix}"
        file.write_bytes(seed.content)
        with Sandbox(file, name, Limits()) as sandbox:
            assert sandbox.content()


def test_memory_has_a_limit(tmp_path: Path) -> None:
    with pytest.raises(LimitExceeded, match="too much memory: the limit model_memory is 2,147,483,648"):
        reply(tmp_path, "memory", Limits(model_memory=2048 * MIB))


@pytest.mark.parametrize("deed", ["sleep", "spin"])
def test_time_has_a_limit(tmp_path: Path, deed: str) -> None:
    # Without the limit, both would take an hour at least.
    with pytest.raises(LimitExceeded, match="too long: the limit model_seconds is 1"):
        reply(tmp_path, deed, Limits(model_seconds=1))


def test_whoever_does_not_wait_leaves_no_process(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("sleep", encoding="utf-8")
    with Sandbox(tmp_path / "file", "tests.apps.model_files.harmful", Limits()) as sandbox:
        child = sandbox._child
    assert child.poll() is not None


def test_modules_of_the_folder_are_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(9)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert reply(tmp_path, "nothing") == b"done"


def test_a_file_that_is_too_large_is_not_parsed(tmp_path: Path) -> None:
    from p2ce.apps.model_files.load_model import load_model

    for name, begin in (("model.txt", b"tree\n"), ("model.json", b"{"), ("model.skops", b"PK\x03\x04")):
        path = tmp_path / name
        path.write_bytes(begin + b"\n" * (2 * MIB))
        with pytest.raises(LimitExceeded, match=re.escape("--limit model-bytes")):
            load_model(str(path), limits=Limits(model_bytes=MIB))
