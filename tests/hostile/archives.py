"""Mutate zip archives (skops, .p2ce, PyTorch weights) part by part, and the arrays inside."""

import ast
import io
import zipfile
from random import Random
from typing import Any

import numpy as np
import yaml

from tests.hostile.json_tree import mutate_json
from tests.hostile.lightgbm_text import mutate_lightgbm
from tests.hostile.mutation import EDGES, damaged, edge, edits
from tests.hostile.policies import mutate_policy
from tests.hostile.ubjson import mutate_ubjson

Parts = dict[str, bytes]
MAGIC = b"\x93NUMPY"
SHAPES = (
    "()",
    "(0,)",
    "(-1,)",
    "(1000000000,)",
    "(4294967295, 4294967295)",
    "(2,)",
    "(1, 1, 1)",
    "('a',)",
    "(1.5,)",
)
TYPES = (
    "'<f8'",
    "'<i4'",
    "'|O'",
    "'<f2'",
    "'|V0'",
    "'|b1'",
    "'<M8[ns]'",
    "'<U9'",
    "[('left_child', '<i8')]",
    "7",
)


def unzipped(content: bytes) -> Parts:
    """Give the parts of an archive by name, in order."""
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
    """Change a few parts, rarely the bytes of the archive itself."""
    if rng.random() < 0.05:
        return damaged(content, rng)
    parts = unzipped(content)
    for _ in range(edits(rng)):
        if parts:
            _edit(parts, rng)
    return rezipped(parts)


def mutate_array(content: bytes, rng: Random) -> bytes:
    """Change a number of an .npy file, or what its header says about it."""
    if not content.startswith(MAGIC) or rng.random() < 0.1:
        return damaged(content, rng)
    if rng.random() < 0.3:
        return _other_header(content, rng)
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except (ValueError, OSError, EOFError):
        return damaged(content, rng)
    return _saved(_other_numbers(array, rng))


def _edit(parts: Parts, rng: Random) -> None:
    names = list(parts)
    described = [name for name in names if name.endswith((".json", ".yaml"))]
    # Half of the time what describes the rest: schema.json, p2ce.json, the policy.
    name = rng.choice(described) if described and rng.random() < 0.5 else rng.choice(names)
    match rng.randrange(12):
        case 0:
            del parts[name]
        case 1:
            other = rng.choice(names)
            parts[name], parts[other] = parts[other], parts[name]
        case 2:
            parts[rng.choice(("../x", "/x", "x" * 300, f"{name}/y", "data.pkl", ""))] = parts[name]
        case _:
            parts[name] = _changed(name, parts[name], rng)


def _changed(name: str, content: bytes, rng: Random) -> bytes:
    try:
        if name.endswith(".json"):
            return mutate_json(content, rng)
        if name.endswith(".yaml"):
            return mutate_policy(content, rng)
        if content.startswith(MAGIC):
            return mutate_array(content, rng)
        if content.startswith(b"tree\n"):
            return mutate_lightgbm(content, rng)
        if content.startswith(b"{"):
            return mutate_ubjson(content, rng)
    except (ValueError, RecursionError, yaml.YAMLError):  # an earlier change broke it
        pass
    return damaged(content, rng)


def _other_header(content: bytes, rng: Random) -> bytes:
    size = int.from_bytes(content[8:10], "little")
    header = dict(ast.literal_eval(content[10 : 10 + size].decode("latin1")))
    says = {key: repr(value) for key, value in header.items()}
    match rng.randrange(4):
        case 0:
            says["shape"] = rng.choice(SHAPES)
        case 1:
            says["descr"] = rng.choice(TYPES)
        case 2:
            says["fortran_order"] = rng.choice(("True", "None"))
        case _:
            del says[rng.choice(list(says))]
    text = "{" + ", ".join(f"{key!r}: {value}" for key, value in says.items()) + "}\n"
    return content[:8] + len(text).to_bytes(2, "little") + text.encode("latin1") + content[10 + size :]


def _other_numbers(array: "np.ndarray[Any, Any]", rng: Random) -> "np.ndarray[Any, Any]":
    if not array.size or rng.random() < 0.2:
        cut = rng.randrange(len(array) + 1) if array.ndim and len(array) else 0
        return array[:cut] if array.ndim else array.reshape(1)
    array = array.copy()
    column = array[rng.choice(array.dtype.names)] if array.dtype.names else array
    places = [np.unravel_index(rng.randrange(column.size), column.shape) for _ in range(2)]
    if rng.random() < 0.3:  # two children that change places make a loop
        first, second = column[places[0]].copy(), column[places[1]].copy()
        column[places[0]], column[places[1]] = second, first
        return array
    kind = column.dtype.kind
    if kind in "iu":
        limits = np.iinfo(column.dtype)
        fitting = [one for one in EDGES if isinstance(one, int) and limits.min <= one <= limits.max]
        column[places[0]] = rng.choice(fitting)
    elif kind == "f":
        with np.errstate(over="ignore"):
            column[places[0]] = edge(rng)
    elif kind == "b":
        column[places[0]] = not column[places[0]]
    return array


def _saved(array: "np.ndarray[Any, Any]") -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()
