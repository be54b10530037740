"""Read JSON-ready data without trust: every entry knows its place, and says what it should be."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from p2ce.errors import InvalidArgument
from p2ce.limits import DEFAULT, Limits
from p2ce.result.plain import LONG_INT, LONGEST_INT, NOT_FINITE, TUPLE
from p2ce.visible import echoed

Read = TypeVar("Read")
SIMPLE = (str, float, bool, type(None))
WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
LEFT_OUT: Any = object()


class Entry:
    """A value in plain data, and where it stands: ``counterfactuals[3].costs.changes``."""

    __slots__ = ("_inside_of", "_key", "data", "depth", "limits", "who")
    depth: int

    def __init__(
        self,
        data: Any,
        who: str,
        limits: Limits = DEFAULT,
        *,
        inside_of: "Entry | None" = None,
        key: str | int = "",
    ) -> None:
        self.data, self.who, self.limits, self._inside_of, self._key = data, who, limits, inside_of, key
        self.depth = 1 if inside_of is None else inside_of.depth + 1
        if self.depth > limits.explanation_depth:
            raise limits.exceeded("explanation_depth", f"{who}: the data are nested too deeply")

    @property
    def place(self) -> str:
        """Where it stands; computed on demand, since most data are as they should be."""
        if self._inside_of is None:
            return ""
        before, key = self._inside_of.place, self._key
        if isinstance(key, str) and key.isidentifier() and len(key) < 60:
            return f"{before}.{key}" if before else key
        return f"{before}[{echoed(key, most=60)}]"

    def mismatch(self, expected: str) -> InvalidArgument:
        """Make the error that says what should stand here."""
        return InvalidArgument(
            f"{self.who}: {self.place or 'the data'} must be {expected}, got {echoed(self.data)}. "
            "Give it what to_dict() returned."
        )

    def __getitem__(self, key: str) -> "Entry":
        entry = self.get(key)
        if entry.data is LEFT_OUT:
            raise InvalidArgument(
                f"{self.who}: {self.place or 'the data'} has no entry {echoed(key, most=60)}. Give it what "
                "to_dict() returned."
            )
        return entry

    def get(self, key: str, usual: Any = LEFT_OUT) -> "Entry":
        """Give an entry of a mapping, or one with the usual value."""
        return self._inside(self.mapping().get(key, usual), key)

    def items(self) -> Iterator[tuple[str, "Entry"]]:
        """Give the entries of a mapping by their keys, which are text."""
        for key in self.keys():
            yield key, self.get(key)

    def keys(self) -> list[str]:
        """Give the keys of a mapping, which are text."""
        found = list(self.mapping())
        if not all(isinstance(key, str) for key in found):
            raise self.mismatch("an object whose keys are text")
        return found

    def each(self) -> list["Entry"]:
        """Give the entries of a list."""
        if not isinstance(self.data, list | tuple):
            raise self.mismatch("a list")
        return [self._inside(value, place) for place, value in enumerate(self.data)]

    def _inside(self, value: Any, key: str | int) -> "Entry":
        return Entry(value, self.who, self.limits, inside_of=self, key=key)

    def mapping(self) -> Mapping[Any, Any]:
        """Take it for an object with named entries."""
        if not isinstance(self.data, Mapping):
            raise self.mismatch("an object with named entries")
        return self.data

    def text(self) -> str:
        """Take it for text."""
        if not isinstance(self.data, str):
            raise self.mismatch("text")
        return self.data

    def word(self, known: Iterable[str]) -> str:
        """Take it for one of a few words."""
        words = [str(one) for one in known]
        if not isinstance(self.data, str) or self.data not in words:
            raise self.mismatch(f"one of {', '.join(words)}")
        return self.data

    def texts(self) -> tuple[str, ...]:
        """Take it for a list of texts."""
        return tuple(entry.text() for entry in self.each())

    def names(self) -> tuple[str, ...]:
        """Take it for a list of texts, each of them there once."""
        found = self.texts()
        if len(set(found)) < len(found):
            raise self.mismatch("a list of different names")
        return found

    def flag(self) -> bool:
        """Take it for yes or no."""
        if not isinstance(self.data, bool):
            raise self.mismatch("true or false")
        return self.data

    def whole(self, least: int = 0, most: int | None = 2**63) -> int:
        """Take it for a whole number; ``most`` None lets it be of any length."""
        value = self._any_value()
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise self.mismatch(f"a whole number of at least {least}")
        if most is not None and value > most:
            raise self.mismatch(f"a whole number of at most {most}")
        return value

    def number(self) -> float:
        """Take it for a number of float64, as it is: 1 stays whole."""
        value = self.value()
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.mismatch("a number")
        try:
            float(value)
        except OverflowError:
            raise self.mismatch("a number that float64 holds") from None
        return value

    def finite(self) -> float:
        """Take it for a finite number."""
        value = self.number()
        if not math.isfinite(value):
            raise self.mismatch("a finite number")
        return value

    def value(self) -> Any:
        """Take it for what `to_plain` writes: text, a number, yes or no, nothing, or a tuple of those."""
        value = self._any_value()
        if type(value) is int and abs(value) >= LONGEST_INT:
            raise self.mismatch("a number that can be written")
        return value

    def _any_value(self) -> Any:
        data = self.data
        if data is None or isinstance(data, str | bool | int | float):
            return data
        if isinstance(data, Mapping) and len(data) == 1:
            if TUPLE in data:
                return tuple(part.value() for part in self.get(TUPLE).each())
            if isinstance(held := data.get(NOT_FINITE), str) and held in WORDS:
                return WORDS[held]
            if isinstance(held := data.get(LONG_INT), str):
                try:
                    return int(held, 16)
                except ValueError:
                    pass
        raise self.mismatch("text, a number, true, false or null")

    def values(self, order: Iterable[str] = ()) -> dict[str, Any]:
        """Take it for values by their names, with the names of ``order`` first.

        JSON objects have no order (some databases sort their keys), but columns of a table do.
        """
        held = self.mapping()
        names = dict.fromkeys([*(name for name in order if name in held), *self.keys()])
        return {name: held[name] if type(held[name]) in SIMPLE else self.get(name).value() for name in names}

    def read_all(self, read: "Callable[[Entry], Read]", order: Iterable[str] = ()) -> dict[str, Read]:
        """Read each entry of a mapping, with the names of ``order`` first."""
        entries = dict(self.items())
        names = dict.fromkeys([*(name for name in order if name in entries), *entries])
        return {name: read(entries[name]) for name in names}

    def optional(self, read: "Callable[[Entry], Read]") -> Read | None:
        """Read what may be null."""
        return None if self.data is None else read(self)


def entry_of(data: Any, cls: type, limits: Limits) -> Entry:
    """Take what was given to ``from_dict`` of a class."""
    return Entry(data, f"{cls.__name__}.from_dict()", limits)


def require_format(entry: Entry, cls: type, expected: str) -> None:
    """Reject data that another class or another version wrote."""
    given = entry.data.get("format", "no format") if isinstance(entry.data, Mapping) else entry.data
    if not isinstance(given, str) or given != expected:
        got = given if isinstance(entry.data, Mapping) else type(given).__name__
        raise InvalidArgument(
            f"{entry.who} expects a dict with format {echoed(expected)}, got {echoed(got)}. "
            f"Give it what {cls.__name__}.to_dict() returned."
        )


def read_json(text: str | bytes, cls: type, limits: Limits) -> Any:
    """Read JSON within the limits; NaN and the like, which JSON does not have, are rejected."""
    who = f"{cls.__name__}.from_json()"
    if not isinstance(text, str | bytes):
        raise InvalidArgument(f"{who} takes the text of a JSON file, got {echoed(text)}.")
    limits.require("explanation_bytes", len(text), f"{who}: the text has {len(text):,} bytes")

    def strange(constant: str) -> Any:
        raise ValueError(f"{constant} is no number of JSON")

    try:
        return json.loads(text, parse_constant=strange)
    except RecursionError:
        raise limits.exceeded("explanation_depth", f"{who}: the data are nested too deeply") from None
    except ValueError as error:  # also of bytes that are no text, and of numbers with thousands of digits
        raise InvalidArgument(
            f"{who} takes the text of a JSON file, and this is none: {error}. Was it written to the end?"
        ) from None
