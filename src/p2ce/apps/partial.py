"""Keep finished people beside the file to be written, so that an interrupted command can go on.

The file has one JSON object per line: first what was asked, then questions and chunks of people as they are
finished. A line that breaks off, as the last one may after a crash, counts as not written.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from p2ce.errors import InvalidOption
from p2ce.result import Explanation
from p2ce.result.question import Question

FORMAT = "p2ce.partial/1"


def partial_path(out: Path) -> Path:
    """Name the file beside ``out`` that holds what is done."""
    return out.with_name(f"{out.name}.partial")


@dataclass(slots=True, eq=False)
class Partial:
    """What is done so far of one question: explanations by the place of their row."""

    path: Path
    header: dict[str, Any] | None = None  # the first line, until it is written
    done: dict[int, Explanation] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)  # by the hash of what they say
    _hashes: dict[int, str] = field(default_factory=dict)  # of Question objects, by identity
    _held: list[Question] = field(default_factory=list)  # so that no identity is used twice

    def add(self, finished: Mapping[int, Explanation]) -> None:
        """Append people to the file; when this returns, they survive a crash."""
        lines: list[dict[str, Any]] = [] if self.header is None else [self.header]
        people = []
        for place, entry in finished.items():
            data = entry.to_dict(question=False)
            if entry.question is not None:
                mark, new = self._mark(entry.question)
                if new:
                    lines.append({"question": mark, "content": entry.question.to_dict()})
                data["asked"] = mark
                entry = replace(entry, question=self.questions[mark])
            people.append([place, data])
            self.done[place] = entry
        lines.append({"people": people})
        try:
            with self.path.open("a", encoding="utf-8", newline="\n") as file:
                file.writelines(json.dumps(line, allow_nan=False) + "\n" for line in lines)
                file.flush()
                os.fsync(file.fileno())
            self.header = None
        except OSError as error:
            raise InvalidOption(
                f"{str(self.path)!r} could not be written: {error.strerror or error}. Choose another --out."
            ) from error

    def _mark(self, question: Question) -> tuple[str, bool]:
        """Give the hash of a question, and whether it is new here."""
        if id(question) not in self._hashes:
            text = json.dumps(question.to_dict(), sort_keys=True)
            self._hashes[id(question)] = hashlib.sha256(text.encode()).hexdigest()
            self._held.append(question)
        mark = self._hashes[id(question)]
        new = mark not in self.questions
        self.questions.setdefault(mark, question)
        return mark, new


def begin(path: Path, asked: Mapping[str, Any], *, fresh: bool) -> Partial:
    """Go on with a file that was begun with the very same question, or start one when somebody is done."""
    if path.exists() and not fresh:
        return _go_on(path, asked)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidOption(
            f"{str(path)!r} could not be removed: {error.strerror or error}. Choose another --out."
        ) from error
    return Partial(path, header={"format": FORMAT, "asked": dict(asked)})


def _go_on(path: Path, asked: Mapping[str, Any]) -> Partial:
    lines, whole = _whole_lines(path)
    header = lines[0] if lines else {}
    if header.get("format") != FORMAT:
        raise InvalidOption(
            f"{str(path)!r} is in the way, and not of this version of p2ce. Remove it, or pass --fresh."
        )
    changed = [name for name in asked if header["asked"].get(name) != asked[name]]
    if changed:
        raise InvalidOption(
            f"{str(path)!r} keeps answers to another question: {_told(changed, header['asked'], asked)}. "
            "Pass --fresh to start over, or choose another --out."
        )
    with path.open("r+b") as file:
        file.truncate(whole)
    found = Partial(path)
    for line in lines[1:]:
        if "question" in line:
            question = Question.from_dict(line["content"])
            found.questions[line["question"]] = question
            found._hashes[id(question)] = line["question"]
        for place, data in line.get("people", ()):
            entry = Explanation.from_dict(data)
            if "asked" in data:
                entry = replace(entry, question=found.questions[data["asked"]])
            found.done[int(place)] = entry
    return found


def _told(changed: list[str], before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    told = []
    for name in changed:
        old, new = before.get(name), now[name]
        # What a file holds is known by a hash, which says nothing to people.
        short = all(len(str(one)) < 40 for one in (old, new))
        told.append(f"{name} was {old!r} and is {new!r}" if short else f"{name} has changed")
    return "; ".join(told)


def _whole_lines(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Read the lines that are there to their end, and say how many bytes they are."""
    found: list[dict[str, Any]] = []
    whole = 0
    try:
        for line in path.read_bytes().splitlines(keepends=True):
            if not line.endswith(b"\n"):
                break
            found.append(json.loads(line))
            whole += len(line)
    except OSError as error:
        raise InvalidOption(
            f"{str(path)!r} cannot be read: {error.strerror or error}. Pass --fresh."
        ) from error
    except ValueError:
        return found, whole  # a damaged line, and nothing behind it is trusted
    return found, whole
