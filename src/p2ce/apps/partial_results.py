"""Keep finished people beside the file to be written, so that an interrupted command can go on.

The file has one JSON object per line: first the request, then questions and chunks of people as they are
finished, each marked with the hash of the request. An incomplete line, as the last one may be after a crash
or on a full disk, counts as not written, and so does a line of a command with another request. A file whose
first line is incomplete counts as none.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from p2ce.check_paths import require_own
from p2ce.errors import InvalidArgument, P2CEError
from p2ce.files import BINARY, NO_LINK, PRIVATE, remedy_of
from p2ce.result import Explanation
from p2ce.result.json_data import whole_lines
from p2ce.result.problem_record import ProblemRecord
from p2ce.visible import echoed

FORMAT = "p2ce.partial/3"
Line = dict[str, Any]


def partial_path(out: Path) -> Path:
    """Name the file beside ``out`` that holds what is done."""
    return out.with_name(f"{out.name}.partial")


def begin(path: Path, request: Mapping[str, Any], *, fresh: bool) -> "Partial":
    """Go on with a file of the same request, or start one when the first person is done."""
    header = {"format": FORMAT, "request": dict(request)}
    if not fresh and path.exists():
        require_own(path)  # before it is opened: a pipe may never begin, and a device never end
        if not _is_unbegun(path):
            return _go_on(path, header)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidArgument(
            f"{echoed(str(path))} could not be removed: {error.strerror or error}. Choose another --out."
        ) from error
    return Partial(path, header)


class Partial:
    """The finished people of one request: explanations by the position of their row."""

    def __init__(self, path: Path, header: Line) -> None:
        self.path = path
        self.done: dict[int, Explanation] = {}
        self.questions: dict[str, ProblemRecord] = {}  # by the hash of what they say
        self._header = header
        self._mark = _hash(header)
        self._is_begun = False
        self._hashes: dict[int, str] = {}  # of ProblemRecord objects, by identity
        self._held: list[ProblemRecord] = []  # so that no identity is used twice

    def add(self, finished: Mapping[int, Explanation]) -> None:
        """Append people to the file; when this returns, they survive a crash."""
        lines: list[Line] = []
        people = []
        for place, entry in finished.items():
            data = entry.to_dict(problem=False)
            if entry.problem is not None:
                name, new = self._named(entry.problem)
                if new:
                    lines.append({"problem": name, "content": entry.problem.to_dict()})
                data["problem"] = name
                entry = replace(entry, problem=self.questions[name])
            people.append([place, data])
            self.done[place] = entry
        lines.append({"people": people})
        self._write([{"of": self._mark, **line} for line in lines])

    def read(self, lines: list[Line]) -> None:
        """Take in what lines of the file say, but for those of other commands."""
        self._is_begun = True
        for line in lines:
            if line["of"] != self._mark:
                continue
            if "problem" in line:
                problem = ProblemRecord.from_dict(line["content"])
                self.questions[line["problem"]] = problem
                self._hashes[id(problem)] = line["problem"]
            for place, data in line.get("people", ()):
                name = data.pop("problem", None)
                entry = Explanation.from_dict(data)
                if name is not None:
                    entry = replace(entry, problem=self.questions[name])
                self.done[int(place)] = entry

    def _write(self, lines: list[Line]) -> None:
        # The first command creates the file; no other command writes into it meanwhile.
        mode = os.O_APPEND if self._is_begun else os.O_CREAT | os.O_EXCL
        written = lines if self._is_begun else [self._header, *lines]
        content = "".join(json.dumps(line, allow_nan=False) + "\n" for line in written).encode()
        try:
            flags = os.O_WRONLY | mode | NO_LINK | BINARY
            with os.fdopen(os.open(self.path, flags, PRIVATE), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except (FileExistsError, FileNotFoundError) as error:
            raise InvalidArgument(
                f"Another command with the same --out has begun or removed {echoed(str(self.path))} "
                "meanwhile. Let it end, or choose another --out."
            ) from error
        except OSError as error:
            raise InvalidArgument(
                f"{echoed(str(self.path))} could not be written: {error.strerror or error}. "
                f"{remedy_of(error)}."
            ) from error
        self._is_begun = True

    def _named(self, problem: ProblemRecord) -> tuple[str, bool]:
        """Return the hash of a problem, and whether it is new here."""
        if id(problem) not in self._hashes:
            self._hashes[id(problem)] = _hash(problem.to_dict())
            self._held.append(problem)
        name = self._hashes[id(problem)]
        new = name not in self.questions
        self.questions.setdefault(name, problem)
        return name, new


def _hash(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _is_unbegun(path: Path) -> bool:
    """Return whether the first line is incomplete: a command was stopped, or the disk was full."""
    begin = json.dumps({"format": FORMAT})[:-1].encode()
    try:
        with path.open("rb") as file:
            line = file.readline()
    except OSError:
        return False  # _go_on() reports it
    # After a power cut, what was never written may be zeros.
    written = line.rstrip(b"\0")
    return not line.endswith(b"\n") and (written.startswith(begin) or begin.startswith(written))


def _go_on(path: Path, header: Line) -> Partial:
    try:
        lines, whole = whole_lines(path.read_bytes())
    except OSError as error:
        raise InvalidArgument(
            f"{echoed(str(path))} cannot be read: {error.strerror or error}. Pass --fresh."
        ) from error
    before = lines[0] if lines and isinstance(lines[0], dict) else {}
    if before.get("format") != FORMAT or not isinstance(before.get("request"), dict):
        raise InvalidArgument(
            f"{echoed(str(path))} exists and is not of this version of p2ce. Remove it, or pass --fresh."
        )
    changed = _changes(before["request"], header["request"])
    if changed:
        raise InvalidArgument(
            f"{echoed(str(path))} holds results of another request: {changed}. "
            "Pass --fresh to start over, or choose another --out."
        )
    found = Partial(path, header)
    try:
        found.read(lines[1:])
    except (KeyError, TypeError, ValueError, AttributeError, P2CEError) as error:
        raise InvalidArgument(f"{echoed(str(path))} is damaged. Remove it, or pass --fresh.") from error
    with path.open("r+b") as file:
        file.truncate(whole)
    return found


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """List what differs from the request before; nothing if all is the same."""
    changed = []
    for name in dict.fromkeys([*now, *before]):
        old, new = before.get(name), now.get(name)
        if old == new:
            continue
        # What a file holds is known by a hash, which says nothing to people.
        short = all(len(str(one)) < 40 for one in (old, new))
        changed.append(f"{name} was {echoed(old)} and is {echoed(new)}" if short else f"{name} has changed")
    return "; ".join(changed)
