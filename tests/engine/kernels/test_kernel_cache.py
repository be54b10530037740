"""Kernels are kept on disk: what is damaged is compiled again, and nothing of other users is loaded."""

import gc
import json
import logging
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from numba import config
from numba.core import event
from numba.core.caching import NullCache

import p2ce
from p2ce.engine.kernels.jit import entry
from p2ce.engine.kernels.kernel_folders import ROOT, KernelFolders, kernel_folders

SCRIPT = """
import json, logging, os, sys
logging.basicConfig(format="%(message)s", stream=sys.stderr)
from numba import config
given = config.CACHE_DIR
from small_kernel import added
from p2ce.engine.kernels.kernel_cache import cache_use

value = added(2, 3)
use = cache_use()
print(json.dumps({
    "value": value, "kept": config.CACHE_DIR == given,
    "compiled": sum(added.stats.cache_misses.values()), "loaded": sum(added.stats.cache_hits.values()),
    "counted": [use.compiled, use.loaded], "folders": [str(folder) for folder in use.folders],
    "folder": added.stats.cache_path,
}))
"""
KERNEL = """
from p2ce.engine.kernels.jit import entry

@entry
def added(a, b):
    return a + b
"""


@pytest.fixture
def fresh() -> Iterator[None]:
    """Let the folder be chosen anew before and after a test."""
    kernel_folders.cache_clear()
    yield
    kernel_folders.cache_clear()


def run(folder: Path, script: str = SCRIPT, **variables: str) -> tuple[dict[str, object], list[str]]:
    """Run a small kernel in a separate process; return what it prints, and what it logs."""
    (folder / "small_kernel.py").write_text(KERNEL, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env=environment_of(folder, **variables),
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    return json.loads(ran.stdout), ran.stderr.splitlines()


def environment_of(folder: Path, **variables: str) -> dict[str, str]:
    paths = (str(folder), *sys.path)
    path = os.pathsep.join(path for path in paths if path)
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": path, **variables}


def entries(cache: Path) -> list[Path]:
    """List the files of kernels in a cache folder; nothing else may be left there."""
    (kernels,) = cache.iterdir()
    assert all(path.suffix == ".nbc" for path in kernels.iterdir())
    return sorted(kernels.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="the user's cache has another place there")
def test_kernels_are_cached_in_a_private_temporary_folder_and_found_by_the_next_process(
    tmp_path: Path,
) -> None:
    # Root may write anywhere, so each of the usual folders is a file here.
    shutil.copytree(
        Path(p2ce.__file__).parent, tmp_path / "p2ce", ignore=shutil.ignore_patterns("__pycache__")
    )
    (tmp_path / "p2ce" / "__pycache__").touch()
    (tmp_path / "taken").touch()
    (tmp_path / "temporary").mkdir()
    (tmp_path / "temporary").chmod(0o1777)
    taken = str(tmp_path / "taken")
    variables = {"TMPDIR": str(tmp_path / "temporary")}
    variables |= {"NUMBA_CACHE_DIR": taken, "XDG_CACHE_HOME": taken, "HOME": taken}
    first, said = run(tmp_path, **variables)
    assert (first["value"], first["compiled"], first["loaded"], first["kept"]) == (5, 1, 0, True)
    (private,) = (tmp_path / "temporary").iterdir()
    assert first["folder"] == str(private)
    assert first["folders"] == [first["folder"]]
    assert (private.stat().st_uid, stat.S_IMODE(private.stat().st_mode) & 0o022) == (os.getuid(), 0)
    assert [line for line in said if "compiled kernels" in line] == [
        f"The usual folders for compiled kernels are not writable, so {private} is used. "
        "Set NUMBA_CACHE_DIR to a folder that only you may write to."
    ]
    second, _ = run(tmp_path, **variables)
    assert (second["value"], second["compiled"], second["loaded"]) == (5, 0, 1)
    assert second["counted"] == [0, 1]


def test_another_numba_compiles_the_usual_way(tmp_path: Path) -> None:
    """Linking goes through internals of the versions that it was tried with."""
    (tmp_path / "small_kernel.py").write_text(
        "from p2ce.engine.kernels.jit import entry, kernel\n\n@kernel\ndef twice(a):\n    return 2 * a\n\n"
        "@entry\ndef added(a, b):\n    return twice(a) + b\n",
        encoding="utf-8",
    )
    code = "import numba, sys; numba.__version__ = '99.0'; from small_kernel import added; print(added(2, 3))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    code += "; print('p2ce.engine.kernels.linked_kernels' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["7", "False"]


@pytest.mark.slow
def test_code_that_was_compiled_from_other_sources_is_not_loaded(tmp_path: Path) -> None:
    """Kernels and constants of other files are compiled into an entry; Numba looks at its own file only."""
    (tmp_path / "constants.py").write_text("WIDTH = 2", encoding="utf-8")
    (tmp_path / "inner.py").write_text(
        "from constants import WIDTH\nfrom p2ce.engine.kernels.jit import kernel\nTWICE = 2 * WIDTH\n\n"
        "@kernel\ndef inner(a):\n    return later(a)\n\n@kernel\ndef later(a):\n    return a + TWICE - 4\n",
        encoding="utf-8",
    )
    calling = KERNEL.replace("import entry\n", "import entry\nfrom inner import inner\n").replace(
        "a + b", "inner(a) + b"
    )
    (tmp_path / "small_kernel.py").write_text(calling, encoding="utf-8")
    environment = environment_of(tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))

    def run_again() -> tuple[int, int, int]:
        ran = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        use = json.loads(ran.stdout)
        return use["value"], use["compiled"], use["loaded"]

    assert run_again() == (5, 1, 0)
    assert run_again() == (5, 0, 1)
    with (tmp_path / "inner.py").open("a", encoding="utf-8") as source:
        source.write("# The compiler does not see this.\n")
    assert run_again() == (5, 0, 1)
    (tmp_path / "constants.py").write_text("WIDTH = 20", encoding="utf-8")
    assert run_again() == (41, 1, 0)
    assert len(entries(tmp_path / "cache")) == 1  # replaced


class Collecting(event.Listener):
    """Whether garbage was being collected when each compilation ended."""

    def __init__(self) -> None:
        self.seen: list[bool] = []

    def on_start(self, _: event.Event) -> None:
        pass

    def on_end(self, _: event.Event) -> None:
        self.seen.append(gc.isenabled())


def test_no_thread_collects_garbage_while_another_compiles() -> None:
    def compile_some() -> None:
        for _ in range(3):
            added = entry(lambda a, b: a + b)
            added._cache = NullCache()  # type: ignore[attr-defined]
            assert added(2, 3) == 5

    threads = [threading.Thread(target=compile_some) for _ in range(3)]
    listener = Collecting()
    with event.install_listener("numba:compile", listener):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert listener.seen == [False] * 9
    assert gc.isenabled()


def test_garbage_collection_that_was_off_stays_off() -> None:
    added = entry(lambda a, b: a + b)
    added._cache = NullCache()  # type: ignore[attr-defined]
    gc.disable()
    try:
        assert added(2, 3) == 5
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.slow
def test_code_that_is_older_than_its_file_is_not_kept_as_that_of_the_file(tmp_path: Path) -> None:
    """A new version may be installed while a process runs the old one, and has compiled nothing yet."""
    kernel = tmp_path / "small_kernel.py"
    variables = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    newer = KERNEL.replace("a + b", "a * b")
    overtaken = f"import pathlib, small_kernel; pathlib.Path({str(kernel)!r}).write_text({newer!r})\n"
    assert run(tmp_path, overtaken + SCRIPT, **variables)[0]["value"] == 5
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=tmp_path,
        env=environment_of(tmp_path, **variables),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(ran.stdout)["value"] == 6


# Each damage in turn, and then a new dispatcher for the same function: as if another process began. Two kinds
# of arguments, so there are two files.
DAMAGED = """
import json, pickle, sys
from pathlib import Path
import small_kernel
from p2ce.engine.kernels.jit import entry
from p2ce.engine.kernels.kernel_cache import kernel_folders

class Bomb:
    def __reduce__(self):
        return print, ("unpickled",)

def served():
    added = entry(small_kernel.added.py_func)
    values = [added(2, 3), added(0.5, 0.25)]
    return values, sum(added.stats.cache_misses.values()), sum(added.stats.cache_hits.values())

def damage(kind, one, other):
    content = one.read_bytes()
    if kind == "emptied":
        one.write_bytes(b"")
    elif kind == "cut":
        one.write_bytes(content[: len(content) // 2])
    elif kind == "checksum cut":
        one.write_bytes(content[:20])
    elif kind in ("first byte", "middle byte", "last byte"):
        at = {"first byte": 0, "middle byte": len(content) // 2, "last byte": len(content) - 1}[kind]
        one.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    elif kind == "swapped":
        one.write_bytes(other.read_bytes())
        other.write_bytes(content)
    elif kind == "another's":
        one.write_bytes(other.read_bytes())
    elif kind == "a pickle":
        one.write_bytes(pickle.dumps(Bomb()))
    elif kind == "a pickle after the checksum":
        one.write_bytes(content[:32] + pickle.dumps(Bomb()))
    elif kind == "a folder":
        one.unlink()
        one.mkdir()
    elif kind == "open to others":
        one.chmod(0o666)
    else:
        assert kind == "gone"
        one.unlink()

report = {"first": served(), "again": served()}
folder = kernel_folders().write_to
for kind in sys.argv[1:]:
    one, other = sorted(folder.iterdir())
    damage(kind, one, other)
    report[kind] = [served(), served()]
    if one.is_dir():
        one.rmdir()
        served()
print(json.dumps(report))
"""
DAMAGES = {
    "emptied": 1,
    "cut": 1,
    "checksum cut": 1,
    "first byte": 1,
    "middle byte": 1,
    "last byte": 1,
    "swapped": 2,
    "another's": 1,
    "a pickle": 1,
    "a pickle after the checksum": 1,
    "open to others": 1,
    "gone": 1,
}


def test_a_damaged_entry_is_compiled_again_and_replaced(tmp_path: Path) -> None:
    (tmp_path / "small_kernel.py").write_text(KERNEL, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", DAMAGED, *DAMAGES, "a folder"],
        env=environment_of(tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache")),
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    report = json.loads(ran.stdout)  # a pickle that runs would print
    values = [5, 0.75]
    assert report["first"] == [values, 2, 0]
    assert report["again"] == [values, 0, 2]
    for kind, compiled in DAMAGES.items():
        assert report[kind] == [[values, compiled, 2 - compiled], [values, 0, 2]], kind
    assert report["a folder"] == [[values, 1, 1], [values, 1, 1]]  # nothing can replace it
    assert ran.stderr.count("\n") == 1
    assert "so they stay in memory" in ran.stderr
    assert len(entries(tmp_path / "cache")) == 2


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there")
def test_without_room_kernels_stay_in_memory(tmp_path: Path) -> None:
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))\n" + SCRIPT
    cache = tmp_path / "cache"
    for _ in range(2):
        outcome, said = run(tmp_path, limited, NUMBA_CACHE_DIR=str(cache))
        assert (outcome["value"], outcome["compiled"], outcome["loaded"]) == (5, 1, 0)
        (line,) = said
        assert line.startswith(
            f"Compiled kernels cannot be kept in {cache / f'p2ce-kernels-{os.getuid()}'} ("
        )
        assert "so they stay in memory" in line
        assert entries(cache) == []
    assert run(tmp_path, NUMBA_CACHE_DIR=str(cache))[1] == []
    assert run(tmp_path, NUMBA_CACHE_DIR=str(cache))[0]["loaded"] == 1


@pytest.mark.slow
def test_processes_that_race_all_succeed(tmp_path: Path) -> None:
    (tmp_path / "small_kernel.py").write_text(KERNEL, encoding="utf-8")
    variables = environment_of(tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    running = [
        subprocess.Popen([sys.executable, "-c", SCRIPT], env=variables, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    outcomes = [json.loads(process.communicate(timeout=240)[0]) for process in running]
    assert [outcome["value"] for outcome in outcomes] == [5, 5, 5]
    assert len(entries(tmp_path / "cache")) == 1
    assert run(tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))[0]["loaded"] == 1


def chosen(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> tuple[KernelFolders, list[str]]:
    """Choose folders where NUMBA_CACHE_DIR is this one; return them and what is logged."""
    monkeypatch.setattr(config, "CACHE_DIR", str(folder))
    with caplog.at_level(logging.WARNING, logger="p2ce"):
        folders = kernel_folders()
        assert kernel_folders() is folders
    return folders, caplog.messages


SPOILT = {
    "open to all": "other users may write to",
    "our folder open to all": "other users may write to",
    "our folder open to the group": "other users may write to",
    "our folder is a link": "is not a folder",
    "our folder is a file": "is not a folder",
    "another user's": "belongs to another user",
    "our folder is another user's": "belongs to another user",
}


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="caches are the user's own there")
@pytest.mark.parametrize("spoilt", SPOILT)
@pytest.mark.usefixtures("fresh")
def test_a_folder_that_others_may_change_is_rejected_with_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, spoilt: str
) -> None:
    if "another user's" in spoilt and os.getuid() != ROOT:
        pytest.skip("only root gives folders away")
    own = tmp_path / f"p2ce-kernels-{os.getuid()}"
    named = own if "our folder" in spoilt else tmp_path
    if spoilt == "our folder is a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        own.symlink_to(tmp_path / "elsewhere")
    elif spoilt == "our folder is a file":
        own.touch()
    else:
        own.mkdir(mode=0o755)
    if "another user's" in spoilt:
        os.chown(named, 65534, -1)
    elif "open" in spoilt:
        named.chmod(0o775 if "group" in spoilt else 0o777)
    folders, said = chosen(tmp_path, monkeypatch, caplog)
    assert folders.write_to is not None
    assert own not in (*folders.load_from, folders.write_to)
    assert said == [
        f"Compiled kernels are not kept in {named}, which {SPOILT[spoilt]}: {folders.write_to} is used "
        "instead. Set NUMBA_CACHE_DIR to a folder that only you may write to."
    ]


@pytest.mark.usefixtures("fresh")
def test_our_own_folder_is_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tmp_path.chmod(0o1777)  # as the temporary directory is: no one replaces what others own
    first, said = chosen(tmp_path, monkeypatch, caplog)
    kernel_folders.cache_clear()
    assert first == chosen(tmp_path, monkeypatch, caplog)[0]
    assert first.write_to is not None
    assert first.write_to.parent == tmp_path
    assert said == []


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "getuid"), reason="there is no such user there")
def test_what_root_compiled_is_loaded_by_users_who_write_elsewhere(tmp_path: Path) -> None:
    if os.getuid() != ROOT:
        pytest.skip("only root becomes another user")
    with tempfile.TemporaryDirectory() as made:  # the folders of pytest are closed to others
        folder = Path(made)
        folder.chmod(0o755)
        cache = folder / "cache"
        run(folder, NUMBA_CACHE_DIR=str(cache))
        (folder / "home").mkdir()
        os.chown(folder / "home", 65534, 65534)
        home = {"HOME": str(folder / "home"), "XDG_CACHE_HOME": str(folder / "home")}
        # Python may lie where only root reads, so the user changes when all is imported.
        begin, call = SCRIPT.split("value =")
        script = f"{begin}import numba; numba.njit(lambda a: a + 1)(1); os.setuid(65534)\nvalue ={call}"
        outcome, said = run(folder, script, NUMBA_CACHE_DIR=str(cache), **home)
        assert (outcome["value"], outcome["compiled"], outcome["loaded"]) == (5, 0, 1)
        assert outcome["folder"] == str(folder / "home" / "p2ce" / "p2ce-kernels-65534")
        assert [path.name for path in cache.iterdir()] == [f"p2ce-kernels-{ROOT}"]
        assert said == []


def test_a_stamp_covers_what_is_compiled_into_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file keeps its name, and what was compiled from other code or constants is not loaded."""
    from p2ce.engine.scores.flat.score_cells import score_points

    codegen = SimpleNamespace(magic_tuple=tuple)
    name, stamp = score_points._cache._name_and_stamp((), codegen)  # type: ignore[attr-defined]
    monkeypatch.setattr("p2ce.engine.kernels.kernel_cache.stamp_of", lambda kernel: "another constant")
    assert score_points._cache._name_and_stamp((), codegen)[0] == name  # type: ignore[attr-defined]
    assert score_points._cache._name_and_stamp((), codegen)[1] != stamp  # type: ignore[attr-defined]
