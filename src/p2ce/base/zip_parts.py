"""Pack parts into a zip file, byte for byte the same each time, and read them as untrusted data."""

import copy
import io
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import TracebackType
from typing import IO

from p2ce.base.limits import DEFAULT, Limits, require_within, zip_list_bytes
from p2ce.base.visible import echoed
from p2ce.errors import LimitExceeded

FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest zip date, for all parts: equal parts give equal files
LEVEL = 4  # on numbers, 6 takes a third longer and saves one percent
# Parts that shrink by more than this ratio are stored uncompressed, so a reader can reject larger ratios. A
# file then never unpacks to much more than 200 times its size.
LARGEST_RATIO = 200
SMALL = 65_536  # bytes; a part up to this size may have any ratio
WAYS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
LONGEST_LIST = 64 << 20  # bytes of the list of parts, which takes about a hundred for each
PIECE = 1 << 20  # bytes that are unpacked at a time
NAME = re.compile(r"[A-Za-z0-9_-][\w.-]*(?:/[A-Za-z0-9_-][\w.-]*)*", re.ASCII)  # cannot leave the folder
NO_ZIP = "it is not a zip file, or was not written completely"


class Damaged(Exception):
    """A part of a file that `save` cannot have written."""


def zipped(parts: Mapping[str, bytes]) -> bytes:
    """Return the bytes of a zip file with these parts."""
    as_is = [name for name, content in parts.items() if _shrinks_too_far(content)]
    content, shrunk = _zipped(parts, as_is=as_is)
    return _zipped(parts, as_is=[*as_is, *shrunk])[0] if shrunk else content


def _shrinks_too_far(content: bytes) -> bool:
    """Predict most of the parts to be stored uncompressed, so packing twice is rare."""
    middle = len(content) // 2
    sample = content[middle : middle + SMALL]
    if len(content) <= SMALL or len(zlib.compress(sample, 1)) * LARGEST_RATIO > 5 * len(sample):
        return False
    return len(zlib.compress(content, LEVEL)) * LARGEST_RATIO < len(content)


def _zipped(parts: Mapping[str, bytes], *, as_is: Collection[str]) -> tuple[bytes, list[str]]:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in parts.items():
            part = zipfile.ZipInfo(name, date_time=FIRST_DATE)
            part.compress_type = zipfile.ZIP_STORED if name in as_is else zipfile.ZIP_DEFLATED
            part.create_system = 3  # the same on every machine
            part.external_attr = 0o644 << 16
            archive.writestr(part, content, compresslevel=LEVEL)
        shrunk = [part.filename for part in archive.infolist() if _unfolds_too_far(part)]
    return stream.getvalue(), shrunk


def _unfolds_too_far(part: zipfile.ZipInfo) -> bool:
    return part.file_size > max(SMALL, LARGEST_RATIO * part.compress_size)


class Parts:
    """The parts of a zip file, each read at most once. A file not written by `zipped` raises `Damaged`."""

    def __init__(self, source: "str | os.PathLike[str] | bytes", limits: Limits = DEFAULT) -> None:
        self._stream = io.BytesIO(source) if isinstance(source, bytes) else open(source, "rb")  # noqa: SIM115
        try:
            # Python reads the whole list. The end of the file says how long it is.
            length = zip_list_bytes(self._stream)
            if length is None or length > LONGEST_LIST:
                raise Damaged(NO_ZIP)
            self._archive = zipfile.ZipFile(self._stream)
            held = self._archive.infolist()
            _check(held, limits)
            _check_places(self._stream, held, self._archive.start_dir)
        except BaseException as error:
            self._stream.close()
            if not isinstance(error, Exception) or isinstance(error, OSError | Damaged | LimitExceeded):
                raise
            raise Damaged(NO_ZIP) from error  # zipfile raises many kinds of errors for forged files
        self._parts = {part.filename: part for part in held}

    def __enter__(self) -> "Parts":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._archive.close()
        self._stream.close()

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def __iter__(self) -> Iterator[str]:
        return iter([*self._parts])

    def take(self, name: str) -> bytes:
        """Return a part's bytes, and remove it from the parts left to read."""
        part = self._parts.pop(name, None)
        if part is None:
            raise Damaged(f"it lacks the part {echoed(name, most=60)}")
        try:
            content = self._unpacked(part)
        except OSError:
            raise
        except Exception as error:
            raise Damaged(f"its part {echoed(name, most=60)} cannot be unpacked") from error
        if len(content) != part.file_size:
            raise Damaged(f"its part {echoed(name, most=60)} does not have the size that it claims")
        return content

    def _unpacked(self, part: zipfile.ZipInfo) -> bytes:
        """Unpack in pieces, up to one byte beyond the size in the list, to detect a longer part."""
        longer = copy.copy(part)
        longer.file_size += 1
        content = bytearray()
        with self._archive.open(longer) as stream:
            while piece := stream.read(PIECE):
                content += piece
        return bytes(content)

    def require_empty(self) -> None:
        """Reject parts that p2ce never writes."""
        if self._parts:
            raise Damaged(f"it has a part {echoed(next(iter(self._parts)), most=60)} that p2ce never writes")


def _check(held: Sequence[zipfile.ZipInfo], limits: Limits) -> None:
    """Check what the list of parts says, before any is unpacked."""
    unpacked = sum(part.file_size for part in held)
    require_within(limits, "archive_bytes", unpacked, f"It unpacks to {unpacked:,} bytes")
    for part in held:
        # zipfile cuts names at a NUL, other programs do not.
        if not NAME.fullmatch(part.filename) or part.orig_filename != part.filename:
            raise Damaged(
                f"it has a part {echoed(part.orig_filename, most=60)}, which is not a valid name of a part"
            )
        kind = stat.S_IFMT(part.external_attr >> 16)
        if (
            part.flag_bits
            or part.compress_type not in WAYS
            or part.comment
            or (part.extra and not _is_huge(part))
            or kind not in (0, stat.S_IFREG)  # a link, once it is unpacked
            or _unfolds_too_far(part)
        ):
            raise Damaged(f"its part {echoed(part.filename, most=60)} is not packed as p2ce packs parts")
    if len({part.filename.lower() for part in held}) != len(held):  # some disks ignore capitals
        raise Damaged("it has a part twice")


def _check_places(stream: IO[bytes], held: Sequence[zipfile.ZipInfo], end: int) -> None:
    """Check that the parts fill the file up to their list, and that each header agrees with the list.

    Otherwise a program that reads the headers could find contents that differ from ours.
    """
    at = 0
    for part in sorted(held, key=lambda one: one.header_offset):
        bare = copy.copy(part)
        bare.extra = b""
        header = bare.FileHeader(_is_huge(part))
        stream.seek(at)
        if part.header_offset != at or stream.read(len(header)) != header:
            raise Damaged(f"its part {echoed(part.filename, most=60)} is not packed as p2ce packs parts")
        at += len(header) + part.compress_size
    if at != end:
        raise Damaged("it has other bytes between its parts")


def _is_huge(part: zipfile.ZipInfo) -> bool:
    """Return whether `zipfile` writes the sizes of a part into an extra field."""
    return part.file_size * 1.05 > zipfile.ZIP64_LIMIT
