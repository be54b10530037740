"""Mutate JSON as a tree: values, keys, lists and what is written inside strings."""

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

from tests.hostile.lightgbm_text import mutate_text
from tests.hostile.mutation import WORDS, damaged, edge, edits

MOST_COPIES = 3000
DEEP = 200_000
NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")


class Pairs(list[Any]):
    """An object as a list of [key, value], since a hostile one may say a key twice."""


class Raw(str):
    """A piece of JSON that no value of Python gives."""

    __slots__ = ()


RAW = tuple(map(Raw, ("1e999", "-1e999", "NaN", "Infinity", "-0", "9" * 5000, "[" * DEEP + "]" * DEEP)))


def parse(text: str) -> Any:
    """Read JSON, objects as pairs."""
    return json.loads(text, object_pairs_hook=lambda pairs: Pairs([key, value] for key, value in pairs))


def write(value: Any) -> str:
    """Write what `parse` reads."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Pairs):
        return "{" + ",".join(f"{json.dumps(key)}:{write(one)}" for key, one in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    return json.dumps(value)


def mutate_json(content: bytes, rng: Random) -> bytes:
    """Change a few values, rarely the bytes."""
    if rng.random() < 0.05:
        return damaged(content, rng)
    return mutate_json_text(content.decode("utf-8"), rng).encode("utf-8", "surrogatepass")


def mutate_json_text(text: str, rng: Random) -> str:
    """Change a few values of a JSON text."""
    root = [parse(text)]
    for _ in range(edits(rng)):
        _edit(root, rng)
    return write(root[0]) if root else ""


def _slots(value: Any, shape: str = "") -> Iterator[tuple[str, list[Any], int, list[Any]]]:
    """Give every place of a tree: what leads there (without numbers), where it is held, and the parent."""
    for place, one in enumerate(value):
        key = f"{shape}.{one[0]}" if isinstance(value, Pairs) else f"{shape}[]"
        holder, index = (one, 1) if isinstance(value, Pairs) else (value, place)
        yield key, holder, index, value
        if isinstance(holder[index], list):
            yield from _slots(holder[index], key)


def _edit(root: list[Any], rng: Random) -> None:
    # By shape first, or the long arrays would hide everything else.
    shapes: dict[str, list[tuple[list[Any], int, list[Any]]]] = {}
    for shape, *slot in _slots(root):
        shapes.setdefault(shape, []).append((slot[0], slot[1], slot[2]))
    if not shapes:
        return
    shape = rng.choice(list(shapes))
    holder, index, parent = rng.choice(shapes[shape])
    entry = holder if isinstance(parent, Pairs) else holder[index]
    match rng.randrange(12):
        case 0 if parent is not root:
            parent.remove(entry)
        case 1 if parent is not root:
            copies = [list(entry)] if isinstance(parent, Pairs) else [entry] * rng.choice((1, 2, MOST_COPIES))
            parent.extend(copies)
        case 2 if isinstance(parent, Pairs):
            entry[0] = rng.choice([*WORDS, *(one[0] for one in parent)])
        case 3:  # what stands elsewhere, of any kind
            other, place, _ = rng.choice(shapes[rng.choice(list(shapes))])
            if not isinstance(other[place], list):  # no tree inside itself
                holder[index] = other[place]
        case 4 | 5:  # two of a kind change places, which makes loops of children
            other, place, _ = rng.choice(shapes[shape])
            holder[index], other[place] = other[place], holder[index]
        case 6:
            holder[index] = rng.choice([None, True, "", [], Pairs(), Pairs([["a", 1]]), [[]], -1, *RAW])
        case _:
            holder[index] = _changed(holder[index], rng)


def _changed(value: Any, rng: Random) -> Any:
    if isinstance(value, str) and not isinstance(value, Raw):
        return _changed_text(value, rng)
    if isinstance(value, bool) or value is None:
        return edge(rng)
    if isinstance(value, int | float):
        found = edge(rng, value)
        return int(found) if isinstance(value, int) and float(found).is_integer() else found
    if isinstance(value, list) and value:
        match rng.randrange(4):
            case 0:
                return type(value)(value[: rng.randrange(len(value))])
            case 1:
                return type(value)(value * rng.choice((2, 3, 1 + MOST_COPIES // len(value))))
            case 2:
                return type(value)(rng.sample(value, len(value)))
            case _:
                return type(value)()
    return edge(rng)


def _changed_text(text: str, rng: Random) -> str:
    """Change a number, JSON or a model that is written inside a string, as skops and XGBoost do."""
    if NUMBER.fullmatch(text):
        found = edge(rng, float(text))
        return str(int(found)) if float(found).is_integer() and abs(found) < 1e20 else str(found)
    if text.startswith("tree\n"):
        return mutate_text(text, rng)
    if text[:1] in ('"', "[", "{") or NUMBER.fullmatch(text) or text in ("null", "true", "false"):
        try:
            return mutate_json_text(text, rng)
        except ValueError:
            pass
    if rng.random() < 0.5:
        return rng.choice(WORDS)
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(WORDS) + text[at:]
