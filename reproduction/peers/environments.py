"""Find a Python and build the virtual environment of a peer once, or return why that failed."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

NEWEST = (3, 13)  # later ones have no wheels of the peers' requirements
Version = tuple[int, int]
# Variables that would make another Python use the packages of this one.
POINTERS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")


def find_python(*, at_least: Version, search: str | None = None) -> Path | None:
    """Return this Python if it is new enough, else one on the search path, else one of pyenv.

    ``search`` replaces PATH.
    """
    for candidate in _candidates(at_least, search):
        found = version_of(candidate)
        if found is not None and at_least <= found <= NEWEST:
            return candidate
    return None


def version_of(python: Path) -> Version | None:
    """Return the version of a Python by running it; None if it does not run."""
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
    """Return the environment variables for another Python."""
    return {name: value for name, value in os.environ.items() if name not in POINTERS}


STAMP = "made-from.txt"
SECONDS_FOR_PIP = 1800.0
REASON_LENGTH = 300


class Missing(Exception):
    """A peer cannot run. The message is the reason for the report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Peers that share an environment."""

    name: str  # for readers
    folder: str
    python: Version  # at least
    requirements: tuple[str, ...]
    # Installed without their requirements, which are large and unused here, or out of date.
    alone: tuple[str, ...] = ()


def _as_here(package: str) -> str:
    """Require the version of this environment, so the library that wrote a model loads it."""
    return f"{package}=={version(package).partition('+')[0]}"  # such as +cpu: any build of that version


def dice_and_nice() -> Family:
    return Family(
        name="DiCE and NICE",
        folder="dice-nice",
        python=(3, 11),
        requirements=(
            "pandas==2.3.3",  # DiCE 0.12 is older than pandas 3
            "numpy==2.4.6",
            _as_here("scikit-learn"),
            _as_here("lightgbm"),
            "jsonschema==4.26.0",
            "requests==2.34.2",
            "tqdm==4.70.1",
        ),
        # dice-ml requires xgboost, hundreds of megabytes of GPU code that these models do not use. NICEx
        # requires old versions of NumPy and pandas, and works with new ones.
        alone=("dice-ml==0.12", "raiutils==0.4.2", "NICEx==0.2.3"),
    )


def ocean() -> Family:
    return Family(
        name="OCEAN",
        folder="ocean",
        python=(3, 12),
        requirements=(
            "pandas==3.1.1",
            "numpy==2.5.4",
            _as_here("scikit-learn"),
            "anytree==2.13.0",
            "gurobipy==13.0.3",  # imported by OCEAN, but its constraint programming needs no licence
            "ortools==9.14.6206",
            "pydantic==2.14.3",
            "python-sat==1.9.dev17",
            "xgboost-cpu==3.4.1",  # the same package without the GPU code
        ),
        alone=("oceanpy==2.0.7",),
    )


def authors() -> Family:
    """Return the family of the authors' code, whose published requirements do not install.

    It does not include isotree, a source build of many minutes: both sides call the same detector.
    """
    return Family(
        name="the authors' code",
        folder="authors",
        python=(3, 11),
        requirements=(
            "pandas==2.3.3",
            *map(_as_here, ("numpy", "scikit-learn", "lightgbm", "shap", "torch")),
            "prettytable==3.16.0",
            "sortedcontainers==2.4.0",
            "xxhash==3.5.0",
        ),
    )


FAMILIES = (dice_and_nice, ocean)  # installed ahead of time; the authors' code also needs a checkout


def python_of(
    family: Family,
    *,
    environments: Path,
    pip_options: tuple[str, ...] = (),
    progress: Callable[[str], None] | None = None,
) -> Path:
    """Return the Python of the family's environment under ``environments``, and build it if necessary.

    Raises `Missing` with the reason if that fails.
    """
    place, stamp = environments / family.folder, stamp_of(family)
    if is_made(place, stamp):
        return python_in(place)
    base = find_python(at_least=family.python)
    if base is None:
        wanted = ".".join(map(str, family.python))
        raise Missing(f"{family.name} requires Python {wanted} or later, and none was found")
    if progress:
        progress(f"installing {family.name}")
    try:
        environments.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=f".{family.folder}-", dir=environments, ignore_cleanup_errors=True
        ) as beside:
            made = Path(beside) / "made"
            _make(made, family, base=base, pip_options=pip_options)
            (made / STAMP).write_text(stamp, encoding="utf-8")
            _put(made, place, stamp=stamp, aside=Path(beside) / "old")
    except OSError as error:
        raise Missing(f"cannot write the environment of {family.name}: {error}") from error
    return python_in(place)


def stamp_of(family: Family) -> str:
    """Return a digest of everything to install."""
    listed = "\n".join([".".join(map(str, family.python)), *family.requirements, "alone:", *family.alone])
    return hashlib.sha256(listed.encode()).hexdigest()


def is_made(place: Path, stamp: str) -> bool:
    """Check for a complete environment with these requirements, whose base Python still exists."""
    path = place / STAMP
    return path.is_file() and path.read_text(encoding="utf-8") == stamp and python_in(place).is_file()


def python_in(place: Path) -> Path:
    return place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def _make(place: Path, family: Family, *, base: Path, pip_options: tuple[str, ...]) -> None:
    _run([str(base), "-m", "venv", str(place)], doing=f"making the environment of {family.name}")
    pip = [str(python_in(place)), "-m", "pip", "install", "--quiet", "--no-input", *pip_options]
    doing = f"installing {family.name}"
    for options, packages in (((), family.requirements), (("--no-deps",), family.alone)):
        if packages:
            _run([*pip, *options, *packages], doing=doing)


def _put(made: Path, place: Path, *, stamp: str, aside: Path) -> None:
    """Move the new environment into its place. It can be moved because its scripts are not used."""
    if place.exists():
        if is_made(place, stamp):  # another process was faster
            return
        place.rename(aside)  # deleted with that folder
    try:
        made.rename(place)
    except OSError:
        if not is_made(place, stamp):
            raise


def _run(command: list[str], *, doing: str) -> None:
    environment = without_pointers() | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_USER": "0"}
    try:
        said = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=SECONDS_FOR_PIP,
            env=environment,
        )
    except subprocess.TimeoutExpired as error:
        raise Missing(f"{doing} took longer than {SECONDS_FOR_PIP:.0f} seconds") from error
    if said.returncode:
        raise Missing(f"{doing} failed: {last_line(said.stdout)}")


def last_line(text: str) -> str:
    """Return the last line of a program's output, which has the error."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[-1] if lines else "no output")[:REASON_LENGTH]
