"""Build result records from JSON-ready data that need not be trusted."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

import msgspec

from p2ce.base.limits import Limits, limit_exceeded, require_within
from p2ce.base.visible import echoed, shortened
from p2ce.errors import InvalidArgument
from p2ce.tables.json_values import decoded

_Record = TypeVar("_Record")
_Held = TypeVar("_Held")
LONGEST_ERROR = 300
TO_DICT = "Pass what to_dict() returned."
CONTAINERS = (dict, list, tuple, Mapping)
SCALARS = frozenset([str, int, float, bool, type(None)])  # most data are of these types


def parse_json(
    text: str | bytes, who: str, limits: Limits, *, limit: str = "explanation_bytes", unique: bool = False
) -> Any:
    """Parse JSON within the limits, and reject NaN and infinities, which JSON does not have.

    ``unique`` rejects an object that names an entry twice, since programs differ in which one they read.
    """
    if not isinstance(text, str | bytes):
        raise InvalidArgument(f"{who} expects the text of a JSON file, got {echoed(text)}.")
    require_within(limits, limit, len(text), f"{who}: the text has {len(text):,} bytes")
    try:
        return json.loads(
            text, parse_constant=_reject_constant, object_pairs_hook=_named_once if unique else None
        )
    except RecursionError:
        raise limit_exceeded(limits, "explanation_depth", f"{who}: the data are nested too deeply") from None
    except ValueError as error:  # also for bytes that are not text, and numbers with thousands of digits
        raise InvalidArgument(
            f"{who} expects the text of a JSON file, got text that is not JSON: {error}. "
            "Was the file written completely?"
        ) from None


def _reject_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON number")


def _named_once(entries: list[tuple[str, Any]]) -> dict[str, Any]:
    named = dict(entries)
    if len(named) < len(entries):
        twice = next(name for place, (name, _) in enumerate(entries) if name in dict(entries[:place]))
        raise ValueError(f"an object names {echoed(twice, most=60)} twice")
    return named


def whole_lines(content: bytes) -> tuple[list[Any], int]:
    """Parse the complete lines of JSON, and return them with their length in bytes.

    Nothing after a damaged line is trusted.

    >>> whole_lines(b'{"a": 1}\\n{"b"')
    ([{'a': 1}], 9)
    """
    found: list[Any] = []
    whole = 0
    for line in content.splitlines(keepends=True):
        if not line.endswith(b"\n"):
            break
        try:
            found.append(json.loads(line, parse_constant=_reject_constant))
        except (ValueError, RecursionError):
            break
        whole += len(line)
    return found, whole


def to_record(
    data: Any, kind: type[_Record], who: str, limits: Limits, *, form: str = "", todo: str = TO_DICT
) -> _Record:
    """Check data against the types of a record, and build the record.

    ``form`` is the expected value of the entry `format`. ``todo`` is the last sentence of a message.
    """
    if form:
        given = data.get("format", "no format") if isinstance(data, Mapping) else type(data).__name__
        if not isinstance(given, str) or given != form:
            raise InvalidArgument(
                f"{who} expects a dict with format {echoed(form)}, got {echoed(given)}. {todo}"
            )
    _check_depth(data, who, limits)
    try:
        return msgspec.convert(data, kind, dec_hook=decoded)
    except msgspec.ValidationError as error:
        raise InvalidArgument(f"{who}: {shortened(error, LONGEST_ERROR)}. {todo}") from None
    except UnicodeEncodeError as error:  # msgspec writes text as UTF-8, which cannot hold a lone surrogate
        raise InvalidArgument(
            f"{who}: {echoed(error.object, most=60)} holds half a surrogate pair, which is not text. {todo}"
        ) from None


def _check_depth(data: Any, who: str, limits: Limits) -> None:
    """Reject data that are nested too deeply. An object that occurs several times on a level is seen once."""
    level = {id(data): data} if isinstance(data, CONTAINERS) else {}
    for _ in range(limits.explanation_depth):
        level = {
            id(part): part
            for held in level.values()
            for part in (held.values() if isinstance(held, Mapping) else held)
            if type(part) not in SCALARS and isinstance(part, CONTAINERS)
        }
        if not level:
            return
    raise limit_exceeded(limits, "explanation_depth", f"{who}: the data are nested too deeply")


def in_order(held: dict[str, _Held], names: Iterable[str], place: str) -> dict[str, _Held]:
    """Put the named entries first, in the order of the names, and raise if one is missing.

    JSON objects have no order (some databases sort their keys), but the columns of a table do.
    """
    for name in names:
        if name not in held:
            raise InvalidArgument(f"{place} has no entry {echoed(name, most=60)}. {TO_DICT}")
    return {name: held[name] for name in dict.fromkeys([*names, *held])}


def opened(stored: Any, kind: type[_Record], place: str, **changed: Any) -> _Record:
    """Build the record that a stored one holds, with its columns in order. ``changed`` replaces fields."""
    for what in ("columns", "objectives"):
        names = getattr(stored, what)
        if len(set(names)) < len(names):
            raise InvalidArgument(f"{place}{what} must be a list of different names, got {echoed(names)}.")
    if set(stored.dtypes) - set(stored.columns):
        raise InvalidArgument(f"{place}dtypes has other columns than {echoed(stored.columns)}.")
    known = [name for name in stored.columns if name in stored.person]
    ordered = {
        "dtypes": in_order(stored.dtypes, stored.columns, f"{place}dtypes"),
        "person": in_order(stored.person, known, f"{place}person"),
    }
    stated = {one.name: getattr(stored, one.name) for one in fields(kind)}  # type: ignore[arg-type]
    return kind(**(stated | ordered | changed))
