"""Store the results of each method and the code that gave them, so an interrupted run can resume."""

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
    """The result of one method for one person."""

    seconds: float | None  # the person's share of a batch, or their own call; None if it did not end
    status: str
    rows: tuple[tuple[float, ...], ...]  # full rows in the order of the model's columns
    seconds_alone: float | None = None  # of a call for this person only
    error: str | None = None
    calls: int | None = None  # of the model itself, whatever number of rows each had
    cells: int | None = None  # rows evaluated, by the model or by what was parsed from it
    explanations: int | None = None  # points at which SHAP values were computed
    nodes: int | None = None  # of the search tree
    pruned: Mapping[str, int] = field(default_factory=dict)  # reason → number of nodes


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The results of one method for all people of a study."""

    people: tuple[Answered, ...] = ()
    missing: str | None = None  # why there is no result
    versions: Mapping[str, str] = field(default_factory=dict)
    commit: str = ""  # of the code that gave the results


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of JSON files, one per problem and method."""

    folder: Path

    def read(self, key: str) -> Any:
        """Load what was stored under ``key``; None if there is no whole file."""
        try:
            return json.loads(self._path(key).read_text("utf-8"))
        except (OSError, ValueError):
            return None

    def write(self, key: str, content: Any) -> None:
        """Store the content atomically, so an interruption leaves no half-written file."""
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
    """Return a digest of these files, and of all Python files in these folders."""
    digest = hashlib.sha256()
    for place in places:
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            digest.update(path.relative_to(place.parent).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _tuples(rows: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(value) for value in row) for row in rows)


UNKNOWN, CHANGED = "unknown", " with changes"  # marks of a commit that does not identify the code


def commit_of(root: Path, *folders: str) -> str:
    """Return the commit of ``folders`` in a checkout, with a mark if they have changes."""
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
