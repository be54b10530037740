"""Where no usual folder is writable, kernels are cached in a private one, and nobody else's is trusted."""

import json
import logging
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from numba import config

import p2ce
from p2ce.kernel_cache import temporary_folder

SCRIPT = """
import json, logging, os, sys
logging.basicConfig(format="%(message)s", stream=sys.stderr)
from numba import config
given = config.CACHE_DIR
from small_kernel import added
from p2ce.kernel_cache import cache_use

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
from p2ce.jit import entry

@entry
def added(a, b):
    return a + b
"""


@pytest.fixture
def fresh() -> Iterator[None]:
    """Let the folder be chosen anew before and after a test."""
    temporary_folder.cache_clear()
    yield
    temporary_folder.cache_clear()


def run(folder: Path) -> tuple[dict[str, object], list[str]]:
    """Run a small kernel where neither its own folder nor the user's cache can be written to."""
    # Root may write anywhere, so that each of the usual folders is a file here.
    taken = str(folder / "taken")
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(folder / "temporary")}
    environment |= {"NUMBA_CACHE_DIR": taken, "XDG_CACHE_HOME": taken, "HOME": taken}
    paths = (str(folder), *sys.path)
    environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    return json.loads(ran.stdout), ran.stderr.splitlines()


@pytest.mark.skipif(sys.platform != "linux", reason="the user's cache has another place there")
def test_kernels_are_cached_in_a_private_temporary_folder_and_found_by_the_next_process(
    tmp_path: Path,
) -> None:
    (tmp_path / "small_kernel.py").write_text(KERNEL)
    (tmp_path / "taken").touch()
    (tmp_path / "__pycache__").touch()
    (tmp_path / "temporary").mkdir()
    (tmp_path / "temporary").chmod(0o1777)
    first, said = run(tmp_path)
    assert (first["value"], first["compiled"], first["loaded"], first["kept"]) == (5, 1, 0, True)
    (private,) = (tmp_path / "temporary").iterdir()
    assert Path(str(first["folder"])).parent == private
    assert first["folders"] == [first["folder"]]
    assert (private.stat().st_uid, stat.S_IMODE(private.stat().st_mode)) == (os.getuid(), 0o700)
    assert [line for line in said if "compiled kernels" in line] == [
        f"The usual folders for compiled kernels are not writable; {private} is used. "
        "Set NUMBA_CACHE_DIR to choose another."
    ]
    second, _ = run(tmp_path)
    assert (second["value"], second["compiled"], second["loaded"]) == (5, 0, 1)
    assert second["counted"] == [0, 1]


def test_another_numba_compiles_the_usual_way(tmp_path: Path) -> None:
    """Linking goes through internals of the versions that it was tried with."""
    (tmp_path / "small_kernel.py").write_text(
        "from p2ce.jit import entry, kernel\n\n@kernel\ndef twice(a):\n    return 2 * a\n\n"
        "@entry\ndef added(a, b):\n    return twice(a) + b\n",
        encoding="utf-8",
    )
    code = "import numba, sys; numba.__version__ = '99.0'; from small_kernel import added; print(added(2, 3))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    code += "; print('p2ce.linked_kernels' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["7", "False"]


def test_code_that_was_compiled_from_other_sources_is_not_loaded(tmp_path: Path) -> None:
    """Kernels of other files are linked into an entry, and Numba looks at the entry's own file only."""
    shutil.copytree(
        Path(p2ce.__file__).parent, tmp_path / "p2ce", ignore=shutil.ignore_patterns("__pycache__")
    )
    (tmp_path / "small_kernel.py").write_text(KERNEL, encoding="utf-8")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])

    def compiled_and_loaded() -> tuple[int, int]:
        ran = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        use = json.loads(ran.stdout)
        return use["compiled"], use["loaded"]

    assert compiled_and_loaded() == (1, 0)
    assert compiled_and_loaded() == (0, 1)
    with (tmp_path / "p2ce" / "solver" / "box_costs.py").open("a", encoding="utf-8") as source:
        source.write("# another kernel\n")
    assert compiled_and_loaded() == (1, 0)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="the temporary directory is the user's own there")
@pytest.mark.parametrize("spoil", ["open to others", "a link", "a file", "a parent without sticky bit"])
@pytest.mark.usefixtures("fresh")
def test_a_folder_that_others_may_change_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, spoil: str
) -> None:
    tmp_path.chmod(0o777 if spoil.startswith("a parent") else 0o700)
    folder = tmp_path / f"p2ce-kernels-{os.getuid()}"
    if spoil == "open to others":
        folder.mkdir()
        folder.chmod(0o770)
    elif spoil == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "elsewhere")
    elif spoil == "a file":
        folder.touch()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = config.CACHE_DIR
    with caplog.at_level(logging.WARNING, logger="p2ce"):
        assert temporary_folder() is None
        assert temporary_folder() is None
    assert len(caplog.messages) == 1
    assert "Set NUMBA_CACHE_DIR" in caplog.messages[0]
    assert before == config.CACHE_DIR


@pytest.mark.usefixtures("fresh")
def test_a_folder_of_ones_own_is_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = temporary_folder()
    temporary_folder.cache_clear()
    assert folder is not None
    assert folder == temporary_folder()
