"""Record what a run has finished, so that running the command again resumes it.

The journal has one JSON object per line: first the request, then an entry for each shard whose files are
written. Only the parent appends to it. After a crash or on a full disk, the last line may be incomplete. It
then counts as not written. A later entry of a shard replaces an earlier one.
"""

import hashlib
import io
import json
import os
import re
import secrets
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from p2ce.base.files import (
    BINARY,
    NO_LINK,
    PRIVATE,
    PRIVATE_FOLDER,
    open_file,
    remedy_of,
    require_owner,
    write_whole,
)
from p2ce.base.limits import DEFAULT, Limits, require_within
from p2ce.base.visible import echoed, listed
from p2ce.errors import InvalidArgument, UnfinishedRun
from p2ce.portfolio.runs.manifest import (
    JOURNAL,
    MANIFEST,
    MARK,
    OPTIONS,
    OTHER_FOLDER,
    PEOPLE,
    TIMINGS,
    Manifest,
    RunRequest,
    ShardEntry,
    part_name,
    to_json,
)
from p2ce.portfolio.runs.result_tables import require_arrow
from p2ce.result.json_data import parse_json, whole_lines
from p2ce.tables.json_values import Number

FORMAT = "p2ce.journal/1"
CHANGED = (
    "Files in {shown} changed during the run. Check that no other program writes there. Finished work is "
    "kept. Run the same command again to resume."
)
PART = re.compile(r"part-\d{5,}\.parquet")
BEGINS = json.dumps({"format": FORMAT})[:-1].encode()
# What msgspec raises on a line of another form, and on half of a surrogate pair.
OTHER_FORM = (msgspec.ValidationError, UnicodeEncodeError)


def damaged_parts(folder: Path, entry: ShardEntry, status: str | None = None) -> list[str]:
    """List the files of a shard that are missing or do not match the entry.

    ``status`` is the name of the status column, if it is known.
    """
    parts = (
        (PEOPLE, entry.people_sha256, entry.rows, status),
        (OPTIONS, entry.options_sha256, entry.options, None),
    )
    damaged = []
    for name, checksum, rows, column in parts:
        part = f"{name}/{part_name(entry.number)}"
        try:
            with open_file(folder / part) as file:
                holds = hashlib.file_digest(file, "sha256").hexdigest() == checksum
                holds = holds and _holds(file, rows, column, entry)
        except OSError:
            holds = False
        if not holds:
            damaged.append(part)
    return damaged


def _holds(file: io.BufferedReader, rows: int, status: str | None, entry: ShardEntry) -> bool:
    """Return whether a Parquet file has these rows, and the entry's number of people with each status."""
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(file) as opened:
            if opened.metadata.num_rows != rows:
                return False
            if status is None:
                return True
            found = opened.read([status])
            return found.num_columns == 1 and Counter(found.column(0).to_pylist()) == entry.statuses
    except require_arrow().ArrowException:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A shard whose files are written, as the journal lists it."""

    shard: ShardEntry
    withdrawn: bool = False  # its proofs were withdrawn because of a contradiction in another shard
    seconds: dict[str, Number] = field(default_factory=dict)  # by step


@dataclass(frozen=True, slots=True, kw_only=True)
class _Header:
    format: str
    request: RunRequest


class Journal:
    """The journal of a run, locked while it is open."""

    def __init__(self, folder: Path, descriptor: int, header: _Header) -> None:
        self.folder = folder
        self.request = header.request
        self.mark = secrets.token_hex(8)  # of this process, so that leftover tasks of others no longer write
        self.finished: dict[int, Finished] = {}
        self._descriptor = descriptor

    def add(self, entry: Finished) -> None:
        """Append a shard. After this returns, the entry survives a crash."""
        try:
            _append(self._descriptor, asdict(entry))
        except OSError as error:
            raise UnfinishedRun(
                f"{echoed(str(self.folder / JOURNAL))} cannot be written: {error.strerror or error}. "
                f"{remedy_of(error)}, then run the same command again to resume."
            ) from None
        self.finished[entry.shard.number] = entry

    def forget_damaged(self, status: str | None = None) -> list[int]:
        """Forget shards whose files do not match their entries, and return their numbers.

        ``status`` is the name of the status column, if it is known.
        """
        damaged = [
            number for number, one in self.finished.items() if damaged_parts(self.folder, one.shard, status)
        ]
        for number in damaged:
            del self.finished[number]
        return damaged

    def end(self, manifest: Manifest, timings: dict[str, Any]) -> None:
        """Write the manifest, which completes the run, and remove the journal."""
        (self.folder / MARK).unlink(missing_ok=True)
        for place in (self.folder / PEOPLE, self.folder / OPTIONS):
            _tidy(place)
            # Other libraries treat every file in the folder as a part.
            _require_parts_only(place, {part_name(number) for number in self.finished})
        if self.forget_damaged():
            raise UnfinishedRun(CHANGED.format(shown=echoed(str(self.folder))))
        contents = {TIMINGS: to_json(timings, indent=1) + "\n", MANIFEST: manifest.to_json()}
        for name, content in contents.items():
            write_whole(self.folder / name, content.encode(), what=f"The file {name}", follow_links=False)
        (self.folder / JOURNAL).unlink(missing_ok=True)

    def close(self) -> None:
        """Unlock the journal."""
        os.close(self._descriptor)


def sees_folder(folder: Path, mark: str) -> bool:
    """Return whether this process, perhaps on another machine, sees the folder of the active run."""
    try:
        with open_file(folder / MARK) as file:
            return file.read(2 * len(mark)) == mark.encode()
    except OSError:
        return False


def check_folder(folder: Path) -> None:
    """Raise if a folder cannot take results, contains anything else, or lets others write to it."""
    shown = echoed(str(folder))
    if not os.path.lexists(folder):
        if not folder.parent.is_dir():
            raise InvalidArgument(
                f"The parent folder of {shown} does not exist. Create it first: mkdir -p {folder.parent}"
            )
        return
    require_owner(folder)
    if not folder.is_dir():
        raise InvalidArgument(f"{shown} is a file. Choose a folder for the results.")
    entries = sorted(folder.iterdir())
    known = {JOURNAL, MANIFEST} & {entry.name for entry in entries}
    others = [entry.name for entry in entries if not _is_temporary(entry)]
    if others and not known:
        raise InvalidArgument(
            f"{shown} contains {listed(others, most=3)}, which no run of p2ce wrote. Choose another folder."
        )
    for entry in entries:
        require_owner(entry)
        if entry.name in (PEOPLE, OPTIONS) and entry.is_dir():
            for part in sorted(entry.iterdir()):
                require_owner(part)


def is_finished(folder: Path, request: RunRequest, limits: Limits = DEFAULT) -> bool:
    """Return whether a folder has all results of a request; raise if it has those of another request."""
    check_folder(folder)
    shown = echoed(str(folder))
    if (folder / MANIFEST).exists():
        manifest = read_manifest(folder, limits)
        _require_same(request, manifest.request, shown)
        if any(damaged_parts(folder, entry) for entry in manifest.shards):
            return False
        (folder / JOURNAL).unlink(missing_ok=True)  # of a run that was interrupted at its very end
        return True
    if (folder / JOURNAL).exists():
        lines, _ = whole_lines(_content(folder / JOURNAL, limits))
        if lines:
            _require_same(request, _header_of(lines[0], shown).request, shown)
    return False


def begin(folder: Path, request: RunRequest, limits: Limits = DEFAULT) -> Journal:
    """Resume the unfinished run of a folder, or begin one there, and lock it."""
    shown = echoed(str(folder))
    journal = None
    try:
        folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        check_folder(folder)
        journal = _opened(folder, request, shown, limits)
        if (folder / MANIFEST).exists():
            _reopen(journal, request, shown, limits)
        _tidy(folder)
        for place in (folder / PEOPLE, folder / OPTIONS):
            place.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
            _tidy(place)
            _require_parts_only(place)
        write_whole(folder / MARK, journal.mark.encode(), what="The mark of the run", follow_links=False)
        journal.forget_damaged()
    except BaseException as error:
        if journal is not None:
            journal.close()
        if isinstance(error, OSError):
            raise InvalidArgument(
                f"{shown} cannot be written to: {error.strerror or error}. {remedy_of(error)}."
            ) from None
        raise
    return journal


def _reopen(journal: Journal, request: RunRequest, shown: str, limits: Limits) -> None:
    """Turn a manifest back into a journal, if some of its files are damaged or missing."""
    manifest = read_manifest(journal.folder, limits)
    _require_same(request, manifest.request, shown)
    shards = manifest.shards
    whole = [entry for entry in shards if not damaged_parts(journal.folder, entry)]
    if len(whole) == len(shards):
        raise InvalidArgument(f"Another run has just finished {shown}. Run the same command again.")
    withdrawn = any(entry.contradiction for entry in shards)
    for entry in whole:
        journal.add(Finished(shard=entry, withdrawn=withdrawn and not entry.contradiction))
    (journal.folder / MANIFEST).unlink()


def read_manifest(folder: Path, limits: Limits) -> Manifest:
    """Read the manifest of a finished run."""
    path = folder / MANIFEST
    who = echoed(str(path))
    content = _content(path, limits)
    try:
        data = parse_json(content, who, limits, limit="manifest_bytes")
    except InvalidArgument:
        raise InvalidArgument(f"{who} is not JSON. {OTHER_FOLDER}") from None
    return Manifest.from_dict(data, who, limits)


def _content(path: Path, limits: Limits) -> bytes:
    """Read a file of the folder. Its content is not trusted."""
    who = echoed(str(path))
    try:
        with open_file(path) as file:
            size = os.fstat(file.fileno()).st_size
            require_within(limits, "manifest_bytes", size, f"{who} has {size:,} bytes")
            return file.read(size)
    except OSError as error:
        raise InvalidArgument(f"{who} cannot be read: {error.strerror or error}. {OTHER_FOLDER}") from None


def _opened(folder: Path, request: RunRequest, shown: str, limits: Limits) -> Journal:
    path = folder / JOURNAL
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | NO_LINK | BINARY, PRIVATE)
        except OSError as error:
            raise InvalidArgument(
                f"{echoed(str(path))} cannot be written: {error.strerror or error}. Choose another folder."
            ) from None
        try:
            _lock(descriptor, shown)
            # A run that has just ended may have removed the file before unlocking it.
            if path.exists() and os.path.samestat(os.fstat(descriptor), path.stat()):
                return _read(folder, descriptor, request, shown, limits)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _read(folder: Path, descriptor: int, request: RunRequest, shown: str, limits: Limits) -> Journal:
    content = _content(folder / JOURNAL, limits)
    lines, whole = whole_lines(content)
    # After a power failure, unwritten bytes may be zeros.
    written = content.rstrip(b"\0")
    if not lines and (written.startswith(BEGINS) or BEGINS.startswith(written)):
        header = _Header(format=FORMAT, request=request)
        try:
            os.ftruncate(descriptor, 0)
            _append(descriptor, asdict(header))
        except OSError as error:
            raise InvalidArgument(
                f"{shown} cannot be written to: {error.strerror or error}. {remedy_of(error)}."
            ) from None
        return Journal(folder, descriptor, header)
    header = _header_of(lines[0] if lines else None, shown)
    _require_same(request, header.request, shown)
    journal = Journal(folder, descriptor, header)
    with suppress(*OTHER_FORM):  # after a damaged line, nothing is trusted
        for line in lines[1:]:
            entry = msgspec.convert(line, Finished)
            journal.finished[entry.shard.number] = entry
    os.ftruncate(descriptor, whole)
    return journal


def _header_of(line: Any, shown: str) -> _Header:
    try:
        header = msgspec.convert(line, _Header)
    except OTHER_FORM:
        header = None
    if header is None or header.format != FORMAT:
        raise InvalidArgument(
            f"{shown} contains a {JOURNAL} that is not from this version of p2ce. {OTHER_FOLDER}"
        )
    return header


def _require_same(request: RunRequest, before: RunRequest, shown: str) -> None:
    if differs := request.differences(before):
        raise InvalidArgument(f"{shown} contains results of another run: {differs}. {OTHER_FOLDER}")


def _lock(descriptor: int, shown: str) -> None:
    """Lock the journal, if the system and its disk support locks."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InvalidArgument(
            f"Another run is writing to {shown}. Wait until it ends, or choose another folder."
        ) from None
    except OSError:  # a network disk without locks
        return


def _tidy(place: Path) -> None:
    """Remove temporary files that killed runs left behind."""
    for entry in place.iterdir():
        if _is_temporary(entry):
            entry.unlink(missing_ok=True)


def _require_parts_only(place: Path, names: Collection[str] | None = None) -> None:
    """Raise if a folder contains anything but parts, or but the parts of these names."""
    for entry in sorted(place.iterdir()):
        if not (PART.fullmatch(entry.name) if names is None else entry.name in names):
            raise InvalidArgument(
                f"{echoed(str(place))} contains {echoed(entry.name)}, which is not part of the results. "
                "Remove it."
            )


def _is_temporary(entry: Path) -> bool:
    """Return whether `write_whole` left this file behind."""
    return entry.name.startswith(".p2ce-") and entry.suffix == ".tmp"


def _append(descriptor: int, record: dict[str, Any]) -> None:
    content = (to_json(record) + "\n").encode()
    while content:
        content = content[os.write(descriptor, content) :]
    os.fsync(descriptor)
