"""Find a Python that is new enough for a peer."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

NEWEST = (3, 13)  # later ones have no wheels of what the peers are built on
Version = tuple[int, int]
# What would point another Python at this one's packages.
POINTERS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")


def find_python(*, at_least: Version, search: str | None = None) -> Path | None:
    """This Python itself if it is new enough, then those on the search path, then those of pyenv.

    ``search`` stands for PATH where it is given.
    """
    for candidate in _candidates(at_least, search):
        found = version_of(candidate)
        if found is not None and at_least <= found <= NEWEST:
            return candidate
    return None


def version_of(python: Path) -> Version | None:
    """Run the program itself: a name on the search path may stand for nothing that runs."""
    script = "import sys; print(*sys.version_info[:2])"
    try:
        said = subprocess.run(
            [python, "-c", script],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            env=without_pointers(),
        )
        major, minor = said.stdout.split()
        return int(major), int(minor)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def _candidates(at_least: Version, search: str | None) -> Iterator[Path]:
    if sys.version_info[:2] >= at_least:
        yield Path(sys.executable)
    names = [f"python3.{minor}" for minor in range(NEWEST[1], at_least[1] - 1, -1)]
    for name in names:
        if (found := shutil.which(name, path=search)) is not None:
            yield Path(found)
    if (pyenv := shutil.which("pyenv", path=search)) is not None:
        versions = _pyenv_versions(pyenv)
        for name in names:
            yield from sorted(versions.glob(f"*/bin/{name}"), reverse=True)


def _pyenv_versions(pyenv: str) -> Path:
    try:
        said = subprocess.run([pyenv, "root"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return Path(os.devnull)
    return Path(said.stdout.strip()) / "versions"


def without_pointers() -> dict[str, str]:
    """The environment variables for another Python."""
    return {name: value for name, value in os.environ.items() if name not in POINTERS}
