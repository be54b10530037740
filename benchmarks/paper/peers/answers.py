"""What a peer answered, exactly as it said it: nothing here is checked or scored."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FILE = "answers.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerPerson:
    """The answer about one person."""

    seconds: float | None  # of the peer's own call; None if its program ended in it
    rows: tuple[tuple[float, ...], ...]  # in the order of the training columns
    error: str | None = None  # what the peer said instead of an answer
    counts: Mapping[str, int] = field(default_factory=dict)  # calls of the model, rows, SHAP explanations


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerAnswers:
    """The answers about all people, or the reason why there are none at all."""

    people: tuple[PeerPerson, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    missing: str | None = None


def read_answers(folder: Path) -> dict[int, PeerPerson]:
    """Read one line per person; a line that was cut off when the program was stopped is not there yet."""
    path = folder / FILE
    if not path.is_file():
        return {}
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.endswith("\n") and line.strip():
            entry = json.loads(line)
            found[entry["person"]] = _person(entry)
    return found


def note(folder: Path, number: int, *, seconds: float | None, error: str) -> None:
    """Write down for a program that cannot do so any more that a person got no answer."""
    entry = {"person": number, "seconds": seconds, "rows": [], "error": error}
    with (folder / FILE).open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps(entry) + "\n")  # on a line of its own, whatever was cut off before


def _person(entry: dict[str, Any]) -> PeerPerson:
    rows = tuple(tuple(float(value) for value in row) for row in entry["rows"])
    return PeerPerson(
        seconds=entry["seconds"], rows=rows, error=entry["error"], counts=entry.get("counts", {})
    )
