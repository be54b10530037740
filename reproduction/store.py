"""Keep what each method answered, and by which code, so that an interrupted run goes on where it stopped."""

import hashlib
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What one method answered for one person."""

    seconds: float | None  # of the person's share of a batch, or of their own call; None if that broke off
    status: str
    rows: tuple[tuple[float, ...], ...]  # full rows in the order of the model's columns
    seconds_alone: float | None = None  # of a call for this person only
    error: str | None = None
    calls: int | None = None  # of the model itself, whatever number of rows each had
    cells: int | None = None  # rows evaluated, by the model or by what was parsed from it
    explanations: int | None = None  # points at which SHAP values were computed
    nodes: int | None = None  # of the search tree
    pruned: Mapping[str, int] = field(default_factory=dict)  # why nodes were


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one method answered for all people of a study."""

    people: tuple[Answered, ...] = ()
    missing: str | None = None  # why there is nothing
    versions: Mapping[str, str] = field(default_factory=dict)
    commit: str = ""  # of the code that answered


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of JSON files, one per problem and method."""

    folder: Path

    def read(self, key: str) -> Any:
        """What was stored under ``key``, or None: nothing there, or a file that was cut off."""
        try:
            return json.loads(self._path(key).read_text("utf-8"))
        except (OSError, ValueError):
            return None

    def write(self, key: str, content: Any) -> None:
        """Store at once or not at all: an interruption leaves no half of a file."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.part")
        draft.write_text(json.dumps(content, indent=1), encoding="utf-8")
        draft.replace(path)

    def outcome(self, key: str) -> Outcome | None:
        content = self.read(key)
        if content is None:
            return None
        try:
            people = tuple(
                Answered(**{**person, "rows": _tuples(person["rows"])}) for person in content["people"]
            )
            return Outcome(**{**content, "people": people})
        except (KeyError, TypeError):  # written by other code
            return None

    def keep(self, key: str, outcome: Outcome) -> None:
        self.write(key, asdict(outcome))

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.json"


def digest_of(*places: Path) -> str:
    """Changes with the code in these files, and in all Python files of these folders."""
    digest = hashlib.sha256()
    for place in places:
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            digest.update(path.relative_to(place.parent).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _tuples(rows: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(value) for value in row) for row in rows)


UNKNOWN, CHANGED = "unknown", " with changes"  # what a commit is called, or ends in, where it says too little


def commit_of(root: Path, *folders: str) -> str:
    """The commit of the code in ``folders`` of a checkout, marked if they were changed since."""
    said = []
    for command in (
        ["rev-parse", "--short=12", "HEAD"],
        ["status", "--porcelain", "--", *(folders or ["."])],
    ):
        done = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, check=False)
        if done.returncode:
            return UNKNOWN
        said.append(done.stdout.strip())
    return f"{said[0]}{CHANGED}" if said[1] else said[0]
