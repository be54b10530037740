"""Mutate bytes and numbers to break a parser; everything follows from a seed."""

import math
import struct
from collections.abc import Callable
from random import Random

Mutator = Callable[[bytes, Random], bytes]

EDGES: tuple[int | float, ...] = (
    *(0, 1, 2, -1, -2, -50, 127, 255, 256, 65_535),
    *(10**8, 10**9, 2**31 - 1, -(2**31), 2**32 - 1, 2**63 - 1, -(2**63)),
    *(0.5, -0.0, 1e-320, 1e308, -1e308, math.nan, math.inf, -math.inf),
)
WORDS = (
    "",
    " ",
    "x",
    "None",
    "nan",
    "-",
    "1e999",
    "0x10",
    "9" * 400,
    "é",
    "\x00",
    "\x1b[31m",
    "../../x",
    "%s{0}",
)


def edits(rng: Random) -> int:
    """Say how many changes an input gets: mostly one, so that the rest of the file stays believable."""
    return rng.choices((1, 2, 4), (6, 3, 1))[0]


def edge(rng: Random, near: float | None = None) -> int | float:
    """Give a number at which code breaks: an edge of types and sizes, or a neighbour of what stood there."""
    if near is not None and math.isfinite(near) and rng.random() < 0.3:
        return rng.choice((near + 1, near - 1, -near, near * 2))
    return rng.choice(EDGES)


def whole(rng: Random, near: int = 0, *, bits: int = 64, signed: bool = True) -> int:
    """Give such a number that fits a field of so many bits."""
    found = edge(rng, near)
    number = int(found) if math.isfinite(found) else 2**bits - 1
    number &= 2**bits - 1
    return number - 2**bits if signed and number >= 2 ** (bits - 1) else number


def damaged(content: bytes, rng: Random) -> bytes:
    """Change some bytes of a file that nobody has parsed."""
    data = bytearray(content)
    for _ in range(edits(rng)):
        if not data:
            return bytes(data)
        at = rng.randrange(len(data))
        piece = slice(at, at + rng.choice((1, 4, 8, 64)))
        match rng.randrange(7):
            case 0:
                data[at] = rng.randrange(256)
            case 1:
                data[at] ^= 1 << rng.randrange(8)
            case 2 | 3:  # a length, an offset or an index, as formats of machine words hold them
                aligned = at & ~3
                data[aligned : aligned + 4] = struct.pack("<i", whole(rng, bits=32))
            case 4:
                del data[piece]
            case 5:
                data[piece] = bytes(data[piece]) * rng.choice((0, 2, 50))
            case _:
                del data[at:]
    return bytes(data)
