"""Mutate a sound file: text by line and number, JSON, UBJ and protobuf as trees, archives part by part.

Everything follows from the random generator, so an input is known by its number.
"""

import gzip
import io
import json
import math
import re
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np

from tests.apps.onnx_files import varint
from tests.hostile import ubj

Parts = dict[str, bytes]
EDGES: tuple[int | float, ...] = (
    *(0, 1, 2, -1, -2, -50, 127, 255, 256, 65_535),
    *(10**8, 10**9, 2**31 - 1, -(2**31), 2**32 - 1, 2**63 - 1, -(2**63)),
    *(0.5, -0.0, 1e-320, 1e308, -1e308, math.nan, math.inf, -math.inf),
)
WORDS = (
    *("", " ", "x", "None", "nan", "-", "1e999", "0x10", "9" * 5000, "é", "\x1b[31m", "../../x", "%s{0}"),
    *(".inf", "~", "[]", "{a: 1}", "!!python/object/apply:os.system [x]", "&a [*a]", "? [a]", "[" * 5000),
    *("1,5", "1 000", "True", "NA", "=1+1", "2020-02-30", "x" * 100_000, "\u202e", "１"),
    # All of these end a line for Python, or a text for C.
    *("\x0b", "\x0c", "\x1c", "\x1e", "\x85", "\u2028", "\r", "\x00", "\t"),
)
DEEP = 200_000
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
RAW = ("1e999", "NaN", "-0", "9" * 5000, "[" * DEEP + "]" * DEEP)


class Raw(str):
    """A piece of JSON that no value of Python gives."""

    __slots__ = ()


def mutate(content: bytes, suffix: str, rng: Random) -> bytes:
    """Change a few things in a file of this kind, now and then its bytes."""
    if rng.random() < 0.08:
        return damaged(content, rng)
    kind = next((kind for kind in KINDS if suffix.endswith(kind)), "")
    try:
        return KINDS[kind](content, rng) if kind else damaged(content, rng)
    except (ValueError, KeyError, RecursionError, OSError):  # an earlier change broke it
        return damaged(content, rng)


def edits(rng: Random) -> range:
    """State how many changes an input gets: mostly one, so the rest of the file stays believable."""
    return range(rng.choices((1, 2, 4), (6, 3, 1))[0])


def edge(rng: Random, near: float | None = None) -> int | float:
    """Return a number at which code breaks: an edge of types and sizes, or a neighbour of what was there."""
    if near is not None and math.isfinite(near) and rng.random() < 0.3:
        return rng.choice((near + 1, near - 1, -near, near * 2))
    return rng.choice(EDGES)


def written(number: int | float) -> str:
    """Write a number as a whole one where it is."""
    return str(int(number)) if float(number).is_integer() and abs(number) < 1e20 else str(number)


def damaged(content: bytes, rng: Random) -> bytes:
    """Change some bytes of a file that no one has parsed."""
    data = bytearray(content)
    for _ in edits(rng):
        if not data:
            break
        at = rng.randrange(len(data))
        piece = slice(at, at + rng.choice((1, 4, 8, 64)))
        match rng.randrange(6):
            case 0:
                data[at] ^= 1 << rng.randrange(8)
            case 1 | 2:  # a length, an offset or an index, as formats of machine words hold them
                number = edge(rng)
                whole = (int(number) if math.isfinite(number) else -1) & 0xFFFFFFFF
                data[at & ~3 : (at & ~3) + 4] = struct.pack(rng.choice("<>") + "I", whole)
            case 3:
                del data[piece]
            case 4:
                data[piece] = bytes(data[piece]) * rng.choice((0, 2, 50))
            case _:
                del data[at:]
    return bytes(data)


def mutate_text(content: bytes, rng: Random) -> bytes:
    """Change lines, words and numbers; the sizes of a LightGBM model stay right, so it is read on."""
    text = content.decode("utf-8")
    lines = text.split("\n")
    for _ in edits(rng):
        names: dict[str, list[int]] = {}  # by name first, or the many trees would hide the header
        for place, line in enumerate(lines):
            names.setdefault(re.split("[=:,]", line)[0], []).append(place)
        place, other = (rng.choice(names[rng.choice(list(names))]) for _ in range(2))
        line = lines[place]
        match rng.randrange(10):
            case 0:
                del lines[place]
            case 1:
                lines.insert(other, line)
            case 2:
                lines[place], lines[other] = lines[other], line
            case 3:
                at = rng.randrange(len(line) + 1)
                lines[place] = line[:at] + rng.choice(WORDS) + line[at:]
            case 4:
                words = re.split(r"([ =:,]+)", line)
                words[rng.randrange(len(words))] = rng.choice(WORDS)
                lines[place] = "".join(words)
            case 5:  # a line that only one of two parsers sees
                lines[place] = line + rng.choice(WORDS[-9:]) + lines[other]
            case _:
                lines[place] = _other_number(line, rng)
        lines = lines or [""]
    changed = "\n".join(lines)
    return (resized(changed) if rng.random() < 0.9 else changed).encode("utf-8")


def _other_number(line: str, rng: Random) -> str:
    found = list(NUMBER.finditer(line))
    if not found:
        return f"{line} {written(edge(rng))}"
    one, other = rng.choice(found), rng.choice(found)
    # Two numbers that become equal make loops of children.
    new = other[0] if rng.random() < 0.2 else written(edge(rng, float(one[0])))
    return line[: one.start()] + new + line[one.end() :]


def resized(text: str) -> str:
    """State the right sizes of the trees of a LightGBM model that were edited."""
    if "Tree=0\n" not in text or "end of trees" not in text:
        return text
    body = text[text.index("Tree=0\n") : text.index("end of trees")]
    sizes = [str(len(tree.encode())) for tree in re.split(r"(?=^Tree=)", body, flags=re.M) if tree]
    return re.sub(r"tree_sizes=.*", f"tree_sizes={' '.join(sizes)}", text, count=1)


def mutate_json(content: bytes, rng: Random) -> bytes:
    """Change values, keys and lists of a tree, and what is written inside strings."""
    root = [json.loads(content)]
    for _ in edits(rng):
        _edit_tree(root, rng)
    return _json(root[0]).encode("utf-8", "surrogatepass")


def mutate_ubj(content: bytes, rng: Random) -> bytes:
    """Change the tree of JSON's binary sister, and keep the kinds of its numbers."""
    tree, kinds = ubj.read(content)
    root = [tree]
    for _ in edits(rng):
        _edit_tree(root, rng)
    return ubj.write(root[0], kinds)


def _json(value: Any) -> str:
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(str(key))}:{_json(one)}" for key, one in value.items()) + "}"
    return "[" + ",".join(map(_json, value)) + "]" if isinstance(value, list) else json.dumps(value)


def _slots(value: Any, shape: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Return every place of a tree: what leads there, without numbers; what holds it; and its key there."""
    for key, one in list(value.items() if isinstance(value, dict) else enumerate(value)):
        name = f"{shape}.{key}" if isinstance(value, dict) else f"{shape}[]"
        yield name, value, key
        if isinstance(one, dict | list):
            yield from _slots(one, name)


def _edit_tree(root: list[Any], rng: Random) -> None:
    shapes: dict[str, list[tuple[Any, Any]]] = {}  # first, or the long arrays would hide everything else
    for shape, holder, key in _slots(root):
        shapes.setdefault(shape, []).append((holder, key))
    shape = rng.choice(list(shapes))
    holder, key = rng.choice(shapes[shape])
    value = holder[key]
    match rng.randrange(8):
        case 0 if holder is not root:
            del holder[key]
        case 1 if isinstance(holder, list) and holder is not root:
            holder.extend([value] * rng.choice((1, 2, 3000)))
        case 1 if isinstance(holder, dict):
            holder[rng.choice([*WORDS, *holder])] = value
        case 2 | 3:  # what stands elsewhere; of the same kind, it makes loops of children
            other, at = rng.choice(shapes[rng.choice((shape, rng.choice(list(shapes))))])
            if not isinstance(other[at], dict | list):  # no tree inside itself
                holder[key] = other[at]
        case 4:
            holder[key] = rng.choice([None, True, "", [], {}, {"a": 1}, [[]], -1, *map(Raw, RAW)])
        case _:
            holder[key] = _changed(value, rng)


def _changed(value: Any, rng: Random) -> Any:
    if isinstance(value, list) and value:
        return rng.choice((value[: rng.randrange(len(value))], value * 3, rng.sample(value, len(value))))
    if isinstance(value, str) and not isinstance(value, Raw):
        if value[:1] in ('"', "[", "{"):  # CatBoost writes JSON inside strings
            return mutate_json(value.encode(), rng).decode("utf-8", "replace")
        return mutate_text(value.encode("utf-8", "replace"), rng).decode("utf-8")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    found = edge(rng, value if is_number else None)
    return int(found) if isinstance(value, int) and float(found).is_integer() else found


def mutate_packed(content: bytes, rng: Random) -> bytes:
    """Change a packed text, and pack it again."""
    return gzip.compress(mutate_text(gzip.decompress(content), rng), mtime=0)


def unzipped(content: bytes) -> Parts:
    """Return the parts of an archive by name, in order."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rezipped(parts: Parts) -> bytes:
    """Write parts as an archive, the same for the same parts."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return stream.getvalue()


def mutate_archive(content: bytes, rng: Random) -> bytes:
    """Change a few parts: half of the time those that describe the rest."""
    parts = unzipped(content)
    for _ in edits(rng):
        described = [name for name in parts if name.endswith((".json", ".yaml"))]
        name = rng.choice(described if described and rng.random() < 0.5 else list(parts))
        match rng.randrange(10):
            case 0 if len(parts) > 1:
                del parts[name]
            case 1:
                parts[rng.choice(("../x", "/x", f"{name}/y", "data.pkl", *parts))] = parts[name]
            case _:
                parts[name] = mutate(parts[name], name, rng)
    return rezipped(parts)


def mutate_array(content: bytes, rng: Random) -> bytes:
    """Change a number of an .npy file, or its length."""
    array = np.load(io.BytesIO(content), allow_pickle=False)
    if rng.random() < 0.2 and array.ndim:
        array = array[: rng.randrange(len(array) + 1)]
    elif array.size:
        array = array.copy()
        column = array[rng.choice(array.dtype.names)] if array.dtype.names else array
        one, other = (np.unravel_index(rng.randrange(column.size), column.shape) for _ in range(2))
        with np.errstate(all="ignore"):
            new = column[other] if rng.random() < 0.3 else np.float64(edge(rng)).astype(column.dtype)
        column[one] = new
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


# Fields of a protobuf message, as ONNX is one: tag and value, which is a number, bytes or fields again.
Fields = list[list[Any]]
FIXED = {1: 8, 5: 4}  # bytes of a value, by the last bits of its tag


def mutate_message(content: bytes, rng: Random) -> bytes:
    """Change numbers, bytes and fields of a protobuf message; lengths stay right, so it is read on."""
    fields = message(content)
    for _ in edits(rng):
        shapes: dict[tuple[int, ...], list[tuple[Fields, int]]] = {}
        for shape, holder, place in _message_slots(fields):
            shapes.setdefault(shape, []).append((holder, place))
        if not shapes:
            break
        alike = shapes[rng.choice(list(shapes))]
        (holder, place), (other, at) = rng.choice(alike), rng.choice(alike)
        if place >= len(holder) or at >= len(other):
            continue
        match rng.randrange(8):
            case 0:
                del holder[place]
            case 1:
                holder[place:place] = [holder[place]] * rng.choice((1, 2, 300))
            case 2:
                holder[place] = other[at]
            case 3:
                holder[place], other[at] = other[at], holder[place]
            case _:
                holder[place] = [holder[place][0], _other_value(holder[place][1], rng)]
    return bytes_of(fields)


def _other_value(value: Any, rng: Random) -> Any:
    number = edge(rng, value if isinstance(value, int) else None)
    whole = (int(number) if math.isfinite(number) else -1) & 0xFFFF_FFFF_FFFF_FFFF
    if isinstance(value, int):
        return whole
    if isinstance(value, list):
        return rng.sample(value, len(value))
    if len(value) % 4 == 0 and value and rng.random() < 0.7:  # numbers in a row
        at = 4 * rng.randrange(len(value) // 4)
        single = np.float32(number) if abs(number) < 3e38 else np.float32(math.copysign(math.inf, number))
        packed = rng.choice((struct.pack("<f", single), struct.pack("<I", whole & 0xFFFF_FFFF)))
        return value[:at] + packed + value[at + 4 :]
    return rng.choice((damaged(value, rng), rng.choice(WORDS).encode("utf-8", "replace")))


def _message_slots(fields: Fields, shape: tuple[int, ...] = ()) -> Iterator[tuple[Any, Fields, int]]:
    for place, (tag, value) in enumerate(fields):
        yield (*shape, tag), fields, place
        if isinstance(value, list):
            yield from _message_slots(value, (*shape, tag))


def message(content: bytes) -> Fields:
    """Read the fields of a protobuf message."""
    fields, at = [], 0
    while at < len(content):
        tag, at = _varint(content, at)
        wire = tag & 7
        value: Any
        if wire == 0:
            value, at = _varint(content, at)
        else:
            size, at = _varint(content, at) if wire == 2 else (FIXED[wire], at)
            value = content[at : at + size]
            if not tag >> 3 or len(value) != size:
                raise ValueError("no field")
            at += size
        if wire == 2 and value:
            with suppress(ValueError, KeyError):  # a text, or numbers in a row
                value = message(value)
        fields.append([tag, value])
    return fields


def _varint(content: bytes, at: int) -> tuple[int, int]:
    number, shift = 0, 0
    while at < len(content) and shift < 64:
        number |= (content[at] & 0x7F) << shift
        shift += 7
        at += 1
        if content[at - 1] < 0x80:
            return number, at
    raise ValueError("not a number")


def bytes_of(fields: Fields) -> bytes:
    """Write the fields of a protobuf message."""
    parts = []
    for tag, value in fields:
        parts.append(varint(tag))
        if isinstance(value, int):
            parts.append(varint(value))
            continue
        data = bytes_of(value) if isinstance(value, list) else value
        parts += [varint(len(data)), data] if tag & 7 == 2 else [data]
    return b"".join(parts)


KINDS: dict[str, Callable[[bytes, Random], bytes]] = {
    ".json": mutate_json,
    ".csv.gz": mutate_packed,
    ".npy": mutate_array,
    ".onnx": mutate_message,
    ".ubj": mutate_ubj,
    **dict.fromkeys((".txt", ".yaml", ".csv"), mutate_text),
    **dict.fromkeys((".pt", ".p2ce"), mutate_archive),
}
