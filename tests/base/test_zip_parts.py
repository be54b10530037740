"""Zip files are read within the size that they claim, and names that lead out of a folder are rejected."""

import io
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import p2ce
from p2ce import evidence
from p2ce.base.limits import Limits
from p2ce.base.zip_parts import Damaged, Parts, zipped
from p2ce.errors import LimitExceeded, P2CEError
from p2ce.evidence import check
from tests.portfolio.evidence.cases import Case, booster
from tests.portfolio.evidence.forging import parts_of

MIB = 1 << 20
REAL, CLAIMED = 400 * MIB, 1_000  # bytes of a part, and what the list of parts says


def lying(parts: dict[str, bytes], name: str, *, wrong_checksum: bool = False) -> bytes:
    """Pack parts; one of them unpacks to 400 MiB of zeros, and claims to be of 1,000 bytes."""
    packer, zeros = zlib.compressobj(9, zlib.DEFLATED, -15), bytes(MIB)
    packed = b"".join([*(packer.compress(zeros) for _ in range(REAL // MIB)), packer.flush()])
    content = zipped({**parts, name: b"@" * CLAIMED})
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        held = archive.infolist()
        plain = {part.filename: archive.read(part) for part in held}
    stream, listed = io.BytesIO(), b""
    for part in held:
        data, crc = plain[part.filename], zlib.crc32(plain[part.filename])
        body, way, size = data, 0, len(data)
        if part.filename == name:
            body, way, size = packed, 8, CLAIMED
            crc = zlib.crc32(bytes(CLAIMED)) if not wrong_checksum else 0x12345678
        offset, title = stream.tell(), part.filename.encode()
        fields = struct.pack("<HHHHHIIIHH", 20, 0, way, 0, 33, crc, len(body), size, len(title), 0)
        stream.write(b"PK\x03\x04" + fields + title + body)
        listed += (
            b"PK\x01\x02" + struct.pack("<H", 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, offset) + title
        )
    start = stream.tell()
    stream.write(listed)
    stream.write(b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, len(held), len(held), len(listed), start, 0))
    return stream.getvalue()


def peak_of(action: Callable[[], Any]) -> int:
    """Return the most bytes that were held at a time while an action fails as it should."""
    tracemalloc.start()
    try:
        with pytest.raises((P2CEError, Damaged)) as caught:
            action()
        assert "\n" not in str(caught.value)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def case() -> Case:
    return booster()


@pytest.mark.parametrize("wrong_checksum", [False, True])
def test_a_part_that_lies_about_its_size_is_not_unpacked(wrong_checksum: bool) -> None:
    content = lying({"a": b"x"}, "b", wrong_checksum=wrong_checksum)

    def take() -> None:
        with Parts(content) as parts:
            parts.take("b")

    assert peak_of(take) < 10 * MIB


def test_no_reader_unpacks_more_than_a_part_claims(case: Case, tmp_path: Path) -> None:
    saved, archive = tmp_path / "case.zip", tmp_path / "credit.p2ce"
    case.saved(saved)
    case.explainer.save(archive)
    inner = lying(parts_of(archive), "reference.json")
    outer = {**parts_of(saved), "explainer.p2ce": inner}
    for name, content in {
        "outer": lying(parts_of(saved), "explanation.json"),
        "inner": zipped(outer),
    }.items():
        (tmp_path / f"{name}.zip").write_bytes(content)
        for attempt in (evidence.replay, check):
            assert peak_of(lambda: attempt(tmp_path / f"{name}.zip", case.model)) < 60 * MIB  # noqa: B023
    archive.write_bytes(inner)
    assert peak_of(lambda: p2ce.Explainer.load(archive, case.model)) < 60 * MIB


@pytest.mark.parametrize(
    "name",
    [
        *("../x", "model/../../x", "/etc/passwd", "C:/x", "C:x", "a\\b", "..\\x", "a//b", "a/", "./a", "a/."),
        *("", " ", "a b", "a\nb", "é", ".hidden", "a/.hidden", "..", "a\x00b", "\x1b[31m"),
    ],
)
def test_names_that_lead_out_of_a_folder_are_rejected(name: str) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("p2ce.json", b"{}")
        info = zipfile.ZipInfo("x" * len(name))
        info.filename = name  # which ZipInfo itself would tidy
        archive.writestr(info, b"x")
    with pytest.raises(Damaged, match="not a valid name of a part"):
        Parts(stream.getvalue())


def repacked(parts: dict[str, bytes], **fields: Any) -> bytes:
    """Pack parts with fields of their headers as given."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in parts.items():
            part = zipfile.ZipInfo(name)
            for field, value in fields.items():
                setattr(part, field, value)
            archive.writestr(part, content)
    return stream.getvalue()


def with_gap(content: bytes, gap: bytes) -> bytes:
    """Put bytes between the parts and their list."""
    end = content.rfind(b"PK\x05\x06")
    (start,) = struct.unpack("<I", content[end + 16 : end + 20])
    moved = struct.pack("<I", start + len(gap))
    return content[:start] + gap + content[start : end + 16] + moved + content[end + 20 :]


def test_no_program_finds_other_contents_in_a_file() -> None:
    """Anything outside the parts, or in their headers, is under no checksum and no signature."""
    held = {"readme.txt": b"what was signed", "b": b"x" * 5_000}
    content = zipped(held)
    assert [*Parts(content)] == [*held]
    assert [*Parts(repacked(held))] == [*held]
    page, other = b"<html>other</html>", zipped({"readme.txt": b"other"})
    hidden = other[: other.rfind(b"PK\x01\x02")]
    forged = {
        "page in front": page + content,
        "part in front": hidden + content,
        "page between": with_gap(content, page),
        "part between": with_gap(content, hidden),
        "date": content[:10] + b"\x01\x02" + content[12:],
        "checksum": content[:14] + b"\x01\x02" + content[16:],
        "size": content[:22] + b"\x01\x00" + content[24:],
        "links": repacked(held, external_attr=0o120777 << 16),
        "extra": repacked(held, extra=b"up\x04\x00evil"),
        "comment": repacked(held, comment=b"signed by the regulator"),
        "over each other": content.replace(struct.pack("<I", content.index(b"PK\x03\x04", 9)), bytes(4)),
    }
    for what, attempt in forged.items():
        with pytest.raises(Damaged):
            pytest.fail(f"{what}: {[*Parts(attempt)]}")


def test_names_that_some_disks_take_for_one_are_rejected() -> None:
    with pytest.raises(Damaged, match="twice"):
        Parts(zipped({"readme.txt": b"a", "README.txt": b"b"}))


def test_what_is_claimed_is_limited() -> None:
    with pytest.raises(LimitExceeded, match="archive_bytes is 1,000"):
        Parts(zipped({"a": bytes(1_001)}), Limits(archive_bytes=1_000))


def test_parts_are_read_back() -> None:
    held = {"a": b"", "b/c.npy": bytes(100_000), "d": b"x" * 3_000_000}
    with Parts(zipped(held)) as parts:
        assert {name: parts.take(name) for name in parts} == held
        parts.require_empty()
