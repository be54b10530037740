"""Convert plain data to typed entries. An error names the entry, what was expected and what was found."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, TypeVar

import msgspec

from p2ce.base.visible import echoed
from p2ce.errors import InvalidPolicy, nearest, similar

Entry = TypeVar("Entry")
# msgspec's names of types, in words. No type here is a union with a tuple of fixed length, for which msgspec
# 0.22 reads invalid memory.
WORDS = {
    "float": "a number",
    "int": "a whole number",
    "bool": "true or false",
    "str": "text",
    "array": "a list",
    "object": "entries such as 'key: value'",
    "null": "null",
}
SIGNS = {">=": "at least", "<=": "at most", ">": "above", "<": "below"}
PLACE = re.compile(r" - at (`key` in )?`\$(?P<path>(\.\w+|\[\d+\]|\[\.\.\.\])*)`$")
UNKNOWN, MISSING = "Object contains unknown field `", "Object missing required field `"


def about(text: str) -> msgspec.Meta:
    """Describe an entry, for the JSON schema and for messages."""
    return msgspec.Meta(description=text)


class Misfit(InvalidPolicy):
    """Plain data that does not have the expected form."""

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.path = path  # the keys and positions that lead to the entry


def typed(data: Any, kind: type[Entry], what: str) -> Entry:
    """Check data against a type and convert them. ``what`` names the data in messages.

    >>> typed([1, "2"], list[float], "the costs")
    Traceback (most recent call last):
    p2ce.policy.file.typed_entries.Misfit: The costs must be a number, got '2'.
    """
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise _explained(error, data, kind, what) from error


def typed_by(data: Any, tag: str, kinds: Mapping[str, type[Entry]], what: str) -> Entry:
    """Choose the type by the entry ``tag``, as in a tagged union. An error lists the possible tags."""
    top = _capital(what)
    if not isinstance(data, Mapping):
        raise Misfit(f"{top} needs entries such as '{tag}: {next(iter(kinds))}', got {echoed(data)}.")
    if tag not in data:
        known = {tag}.union(*(_schema(kind)["properties"] for kind in list[Any](kinds.values())))
        for key in data:
            if key not in known:  # perhaps a misspelt tag
                raise _unknown(top, key, sorted(known), ())
        raise Misfit(f"{top} needs its {echoed(tag)}: one of {', '.join(kinds)}.")
    given = data[tag]
    if not isinstance(given, str) or given not in kinds:
        raise Misfit(f"{top}: there is no {tag} {echoed(given)}. {nearest(given, kinds)}", (tag,))
    return typed(data, kinds[given], what)


def _unknown(
    where: str, key: str, known: Iterable[str], path: tuple[str | int, ...], why: str = ""
) -> Misfit:
    known = list(known)
    why = "" if similar(key, known) else why
    return Misfit(f"{where} has an unknown entry {echoed(key)}{why}. {nearest(key, known)}", (*path, key))


def _explained(error: msgspec.ValidationError, data: Any, kind: Any, what: str) -> Misfit:
    place = PLACE.search(str(error))
    text = str(error)[: place.start()] if place else str(error)
    schema, value = _schema(kind), data
    path: tuple[str | int, ...] = ()
    for key in re.findall(r"\w+|\.\.\.", place["path"] if place else ""):
        schema = _inside(schema, key, kind)
        step = int(key) if key.isdecimal() and isinstance(value, list) else key
        try:
            value, path = value[step], (*path, step)
        except (LookupError, TypeError):  # msgspec does not name the key of a mapping
            break
    named = [part for part in path if isinstance(part, str)]
    where = " of ".join([*reversed(named), what]) if named else _capital(what)
    if isinstance(error.__cause__, Misfit):  # from a type that checks itself
        return Misfit(f"{where}: {error.__cause__}", (*path, *error.__cause__.path))
    if text.startswith(UNKNOWN):
        config = None if path else getattr(kind, "__struct_config__", None)
        why = f" for {config.tag_field} {config.tag}" if config and config.tag else ""
        return _unknown(where, text.removeprefix(UNKNOWN)[:-1], schema.get("properties", ()), path, why)
    if text.startswith(MISSING):
        key = text.removeprefix(MISSING)[:-1]
        return Misfit(f"{where} needs {echoed(key)}. {_meaning(_inside(schema, key, kind))}".strip(), path)
    if "enum" in schema:
        return Misfit(f"{where} cannot be {echoed(value)}. {nearest(value, schema['enum'])}", path)
    expected = "a number that float64 holds"  # msgspec says "Number out of range"
    if text.startswith("Expected "):
        expected = re.sub(r"`([^`]*)`", _in_words, text.partition(", got")[0].removeprefix("Expected "))
        for sign, words in SIGNS.items():
            expected = expected.replace(sign, words)
    return Misfit(f"{where} must be {expected}, got {echoed(value)}. {_meaning(schema)}".strip(), path)


def _capital(text: str) -> str:
    return f"T{text[1:]}" if text.startswith("the ") else text


def _in_words(types: re.Match[str]) -> str:
    names = types[1].replace("int | float", "float").split(" | ")
    return " or ".join(WORDS.get(name, name) for name in names)


def _meaning(schema: Mapping[str, Any]) -> str:
    return str(schema.get("description", ""))


@cache
def _schema(kind: Any) -> dict[str, Any]:
    """Return the JSON schema of a type, with its names, choices and descriptions."""
    schema = msgspec.json.schema(kind)
    return {**schema, **_resolved(schema, schema)}


def _resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> dict[str, Any]:
    """Follow a reference to a named type. A description next to the reference takes precedence."""
    if "$ref" not in schema:
        return dict(schema)
    named = root["$defs"][schema["$ref"].rpartition("/")[2]]
    return {**named, **{key: value for key, value in schema.items() if key != "$ref"}}


def _inside(schema: Mapping[str, Any], key: str, kind: Any) -> dict[str, Any]:
    """Return the schema of an entry. An item without a description has that of its list."""
    found = schema.get("properties", {}).get(key)
    if key.isdigit() and "description" in schema.get("items", {}):
        found = schema["items"]
    return dict(schema) if found is None else _resolved(found, _schema(kind))
