"""Mutate UBJSON, the binary sister of JSON in which XGBoost writes: numbers, sizes and values in place."""

import struct
from dataclasses import dataclass, field
from random import Random

from tests.hostile.mutation import damaged, edge, edits, whole

WIDTHS = {b"i": ">b", b"U": ">B", b"I": ">h", b"l": ">i", b"L": ">q", b"d": ">f", b"D": ">d"}


@dataclass(slots=True)
class Places:
    """Where a file's numbers, sizes and whole values lie."""

    numbers: list[tuple[int, str]] = field(default_factory=list)  # offset and struct format
    sizes: list[tuple[int, str]] = field(default_factory=list)
    values: list[tuple[int, int]] = field(default_factory=list)


def places(content: bytes) -> Places:
    """Find them; raises ValueError where the content is no UBJSON of this kind."""
    found = Places()
    end = _value(content, 0, found)
    if end != len(content):
        raise ValueError(f"{len(content) - end} bytes behind the end")
    return found


def mutate_ubjson(content: bytes, rng: Random) -> bytes:
    """Change a few numbers, sizes or values."""
    for _ in range(edits(rng)):
        try:
            found = places(content)
        except (ValueError, struct.error, KeyError):
            return damaged(content, rng)
        content = _edit(content, found, rng)
    return content


def _edit(content: bytes, found: Places, rng: Random) -> bytes:
    data = bytearray(content)
    match rng.randrange(6):
        case 0:
            start, end = rng.choice(found.values)
            del data[start:end]
        case 1:
            (start, end), (first, last) = rng.choice(found.values), rng.choice(found.values)
            data[start:end] = content[first:last]
        case 2 if found.sizes:
            _put(data, *rng.choice(found.sizes), rng)
        case 3:
            return damaged(content, rng)
        case _ if found.numbers:
            _put(data, *rng.choice(found.numbers), rng)
    return bytes(data)


def _put(data: bytearray, at: int, form: str, rng: Random) -> None:
    (old,) = struct.unpack_from(form, data, at)
    if form in (">f", ">d"):
        number = edge(rng, old)
        limit = 3e38 if form == ">f" else 1e308
        struct.pack_into(form, data, at, number if number != number else max(-limit, min(limit, number)))
        return
    struct.pack_into(form, data, at, whole(rng, old, bits=8 * struct.calcsize(form), signed=form != ">B"))


def _value(content: bytes, at: int, found: Places) -> int:
    """Note what begins at ``at``; give where it ends."""
    start, kind = at, content[at : at + 1]
    at += 1
    if kind in WIDTHS:
        found.numbers.append((at, WIDTHS[kind]))
        at += struct.calcsize(WIDTHS[kind])
    elif kind == b"S":
        at = _text(content, at, found)
    elif kind == b"{":
        while content[at : at + 1] != b"}":
            at = _value(content, _text(content, at, found), found)
        at += 1
    elif kind == b"[":
        at = _array(content, at, found)
    elif kind not in (b"T", b"F", b"Z", b"N"):
        raise ValueError(f"{kind!r} at {start} begins no value")
    found.values.append((start, at))
    return at


def _size(content: bytes, at: int, found: Places) -> tuple[int, int]:
    form = WIDTHS[content[at : at + 1]]
    (size,) = struct.unpack_from(form, content, at + 1)
    found.sizes.append((at + 1, form))
    return int(size), at + 1 + struct.calcsize(form)


def _text(content: bytes, at: int, found: Places) -> int:
    size, at = _size(content, at, found)
    if not 0 <= size <= len(content) - at:
        raise ValueError(f"a text of {size} bytes at {at}")
    return at + size


def _array(content: bytes, at: int, found: Places) -> int:
    if content[at : at + 1] == b"$":
        form = WIDTHS[content[at + 1 : at + 2]]
        size, at = _size(content, at + 3, found)  # behind the type and '#'
        step = struct.calcsize(form)
        if not 0 <= size * step <= len(content) - at:
            raise ValueError(f"an array of {size} numbers at {at}")
        found.numbers += ((place, form) for place in range(at, at + size * step, step))
        return at + size * step
    if content[at : at + 1] == b"#":
        size, at = _size(content, at + 1, found)
        for _ in range(size):
            at = _value(content, at, found)
        return at
    while content[at : at + 1] != b"]":
        at = _value(content, at, found)
    return at + 1
