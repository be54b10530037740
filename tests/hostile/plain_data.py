"""Make hostile data and text for tests."""

import copy
import math
from collections.abc import Iterator
from typing import Any

import pytest

from p2ce import P2CEError
from p2ce.base.visible import UNSEEN

HUGE_TEXT = "x" * 10**6
ESCAPES = "\x1b[31m\x00\x07\r\x85\x9b\u202e\u2066\u2028own"
# Numbers beyond float64 or beyond what Python writes, and what is not a number where one is expected.
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 10**30, 10**400, -(10**400), 10**5000),
    *(math.nan, math.inf, -math.inf, "", "nan", HUGE_TEXT, ESCAPES, [], {}, [[]], {"": {}}),
    *({"float": "x"}, {"int": "zz"}, {"int": "0x" + "f" * 5000}, {"tuple": 3}, {"tuple": [1, 2]}),
    *([None, None], object(), b"bytes"),
)


def nested(depth: int) -> list[Any]:
    """Make a list in a list in a list."""
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


def mutations(data: Any, values: tuple[Any, ...] = (*VALUES, nested(10**5))) -> Iterator[tuple[str, Any]]:
    """Return data with one thing wrong, for every place: another value, an entry less, an entry more."""
    for path in _places(data):
        where = ".".join(map(str, path)) or "all"
        for number, value in enumerate(values):
            yield f"{where} = value {number}", _with(data, path, lambda _, value=value: value)
        held = _at(data, path)
        if isinstance(held, dict):
            for key in held:
                yield (
                    f"{where} without {key}",
                    _with(data, path, lambda old, key=key: {k: old[k] for k in old if k != key}),
                )
            for strange in (HUGE_TEXT, ESCAPES, "", 3, None):
                yield f"{where} with a key more", _with(data, path, lambda old, s=strange: {**old, s: 1})
        if isinstance(held, list):
            yield f"{where} and one more", _with(data, path, lambda old: [*old, None])
            yield f"{where} twice", _with(data, path, lambda old: [*old, *old])
            if held:
                yield f"{where} and one less", _with(data, path, lambda old: old[1:])


def _places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in entries:
        yield from _places(value, (*path, key))


def _at(data: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


def _with(data: Any, path: tuple[Any, ...], change: Any) -> Any:
    if not path:
        return change(data)
    found = copy.copy(data)
    found[path[0]] = _with(data[path[0]], path[1:], change)
    return found


def tame(message: str) -> bool:
    """Return whether a text can be shown anywhere: short, and nothing in it that is not seen."""
    return len(message) <= 1000 and not UNSEEN.search(message.replace("\n", ""))


def rejected_or(do: Any) -> Any:
    """Do something with hostile data: give what it gives, or None if it is rejected as it should be."""
    try:
        return do()
    except P2CEError as error:
        if not tame(str(error)):
            pytest.fail(f"{len(str(error))} characters: {str(error)[:300]!r}")
        return None
    except Exception as error:
        pytest.fail(f"{type(error).__name__}: {str(error)[:200]}")
