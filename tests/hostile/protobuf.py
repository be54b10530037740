"""Mutate a protobuf, as which ONNX is written, field by field: lengths around a change stay right."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tests.apps.onnx_files import varint
from tests.hostile.mutation import WORDS, damaged, edge, edits, whole

VARINT, FIXED_64, BYTES, FIXED_32 = 0, 1, 2, 5


@dataclass(slots=True)
class Field:
    """A field: its number, how it is written, and a number, bytes or the fields of a message."""

    number: int
    wire: int
    value: "int | bytes | list[Field]"


def parse(content: bytes) -> list[Field]:
    """Read a message; what could be a message inside it is taken for one."""
    found, at = [], 0
    while at < len(content):
        key, at = _varint(content, at)
        number, wire = key >> 3, key & 7
        if not number:
            raise ValueError("a field without a number")
        value: int | bytes | list[Field]
        if wire == VARINT:
            value, at = _varint(content, at)
        elif wire in (FIXED_32, FIXED_64):
            size = 4 if wire == FIXED_32 else 8
            value, at = content[at : at + size], at + size
        elif wire == BYTES:
            size, at = _varint(content, at)
            piece, at = content[at : at + size], at + size
            value = _message_or_bytes(piece)
        else:
            raise ValueError(f"wire type {wire}")
        if at > len(content):
            raise ValueError("a field beyond the end")
        found.append(Field(number, wire, value))
    return found


def write(fields: list[Field]) -> bytes:
    """Write what `parse` reads."""
    return b"".join(map(_written, fields))


def mutate_protobuf(content: bytes, rng: Random) -> bytes:
    """Change a few fields, rarely the bytes."""
    if rng.random() < 0.15:
        return damaged(content, rng)
    root = parse(content)
    for _ in range(edits(rng)):
        _edit(root, rng)
    return write(root)


def _message_or_bytes(piece: bytes) -> "bytes | list[Field]":
    if len(piece) < 2 or (piece.isascii() and piece.decode().isprintable()):
        return piece
    try:
        fields = parse(piece)
    except (ValueError, IndexError):
        return piece
    return fields if write(fields) == piece else piece


def _varint(content: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = content[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at
        if shift > 63:
            raise ValueError("a number that does not end")


def _written(field: Field) -> bytes:
    key = varint(field.number << 3 | field.wire)
    if isinstance(field.value, int):
        return key + varint(field.value & 2**64 - 1)
    content = write(field.value) if isinstance(field.value, list) else field.value
    return key + (varint(len(content)) if field.wire == BYTES else b"") + content


def _slots(fields: list[Field]) -> Iterator[tuple[list[Field], Field]]:
    for field in fields:
        yield fields, field
        if isinstance(field.value, list):
            yield from _slots(field.value)


def _edit(root: list[Field], rng: Random) -> None:
    slots = list(_slots(root))
    if not slots:
        return
    parent, field = rng.choice(slots)
    match rng.randrange(9):
        case 0:
            parent[:] = [one for one in parent if one is not field]
        case 1:
            parent += [field] * rng.choice((1, 2, 300))
        case 2:
            field.number = rng.randrange(1, 25)
        case 3:
            other = rng.choice(slots)[1]
            if other.wire == field.wire and not isinstance(other.value, list):
                field.value = other.value
        case 4:
            rng.shuffle(parent)
        case _:
            field.value = _changed(field, rng)


def _changed(field: Field, rng: Random) -> "int | bytes | list[Field]":
    if isinstance(field.value, int):
        return whole(rng, field.value)
    if isinstance(field.value, list):
        return rng.sample(field.value, rng.randrange(len(field.value) + 1))
    if field.wire == FIXED_32 or (field.wire == BYTES and len(field.value) % 4 == 0 and rng.random() < 0.5):
        numbers = bytearray(field.value)
        if numbers:
            number = edge(rng)
            place = 4 * rng.randrange(len(numbers) // 4)
            limited = number if number != number else max(-3e38, min(3e38, number))
            struct.pack_into("<f", numbers, place, limited)
        return bytes(numbers)
    return rng.choice(WORDS).encode() if rng.random() < 0.4 else damaged(field.value, rng)
