"""Convert values to JSON-ready data without loss, and check data that is read back."""

import math
from collections.abc import Callable, Container, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

from msgspec import Meta, Struct, to_builtins

from p2ce.base.visible import echoed
from p2ce.tables.cells import is_missing

# JSON has neither infinities nor NaN. An object with this single key represents them, since a plain "inf"
# would be the same as the text "inf".
NOT_FINITE = "float"
FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
# Python neither writes nor parses integers of more than 4,300 decimal digits. Hexadecimal has no limit.
LONG_INT = "int"
LONGEST = 13_000  # bits; that is less than 4,000 digits
SIMPLE = frozenset([str, bool, type(None)])

Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**63 - 1)]

_names: dict[type, tuple[str, ...]] = {}  # of the fields of the records that were written


def to_plain(value: Any) -> Any:
    """Return the JSON form of values, and of records, mappings and sequences of them.

    Sequences become lists. Values that JSON cannot hold (dates, intervals, …) become text.

    >>> to_plain({"Income": (float("nan"), 42_000)})
    {'Income': [{'float': 'nan'}, 42000]}
    """
    kind = type(value)
    if kind in SIMPLE:
        return value
    if kind is float:
        return value if math.isfinite(value) else {NOT_FINITE: repr(value)}
    if kind is int:
        return value if value.bit_length() < LONGEST else {LONG_INT: hex(value)}
    if kind is dict:
        # Most of an explanation passes through here, so avoiding a call matters.
        return {name: one if type(one) in SIMPLE else to_plain(one) for name, one in value.items()}
    if kind is tuple or kind is list:
        return [to_plain(one) for one in value]
    if kind in _names or is_dataclass(value):
        return value.to_dict() if hasattr(value, "to_dict") else plain_fields(value)
    if isinstance(value, Struct):
        return to_builtins(value)
    if isinstance(value, str):  # a member of an enumeration, NumPy's text
        return str(value)
    if hasattr(value, "item") and not getattr(value, "ndim", 0):  # a NumPy scalar
        unwrapped = value.item()
        return str(value) if type(unwrapped) is kind else to_plain(unwrapped)
    if isinstance(value, float):
        return to_plain(float(value))
    return None if is_missing(value) else str(value)


def plain_fields(record: Any, without: Container[str] = ()) -> dict[str, Any]:
    """Return the fields of a record as JSON-ready data."""
    kind = type(record)
    if kind not in _names:
        _names[kind] = tuple(one.name for one in fields(record))
    return {name: to_plain(getattr(record, name)) for name in _names[kind] if name not in without}


class Checked(type):
    """The metaclass of types that msgspec does not know: `_decode` checks data, `_schema` describes them."""

    _schema: ClassVar[dict[str, Any]]
    _decode: Callable[[Any], Any]  # JSON-ready data → what they stand for, or a ValueError

    def __instancecheck__(cls, instance: object) -> bool:
        return True  # _decode checks the data


def decoded(kind: Any, data: Any) -> Any:
    """Decode a type that msgspec does not know: its `dec_hook`."""
    return kind._decode(data)


def misfit(expected: str, data: Any) -> ValueError:
    """Build the error for data of another form."""
    return ValueError(f"Expected {expected}, got {echoed(data)}")


def _special(data: Any) -> Any:
    """Return the number that an object with one key represents, or None."""
    if not isinstance(data, Mapping) or len(data) != 1:
        return None
    held = data.get(NOT_FINITE)
    return FLOATS.get(held) if isinstance(held, str) else None


# For the type checker, these are the values of fields. For msgspec, they are types that check their data.
if TYPE_CHECKING:
    Value: TypeAlias = bool | int | float | str | None
    Number: TypeAlias = float
    Finite: TypeAlias = float
    Whole: TypeAlias = int
    Pair: TypeAlias = tuple[float, float]
else:
    _NOT_FINITE = {
        "type": "object",
        "properties": {NOT_FINITE: {"enum": list(FLOATS)}},
        "required": [NOT_FINITE],
        "additionalProperties": False,
    }

    class Value(metaclass=Checked):
        """A cell, a label, or a tuple of those."""

        _schema: ClassVar = {
            "title": "Value",
            "description": "A value of a column. null and NaN are missing values; an array is a tuple.",
            "anyOf": [
                {"type": ["null", "boolean", "number", "string"]},
                _NOT_FINITE,
                {"type": "array", "items": {"$ref": "#/$defs/Value"}},
            ],
        }

        @classmethod
        def _decode(cls, data: Any) -> Any:
            if data is None or isinstance(data, str | bool | float):
                return data
            if isinstance(data, int) and data.bit_length() < LONGEST:
                return data
            if isinstance(data, list | tuple):
                return tuple(map(cls._decode, data))
            if (number := _special(data)) is not None:
                return number
            raise misfit("text, a number, true, false or null", data)

    class Number(metaclass=Checked):
        """A float64 number. A whole number stays whole."""

        _schema: ClassVar = {
            "title": "Number",
            "description": "A number; NaN and infinities, which JSON does not have, are objects.",
            "anyOf": [{"type": "number"}, _NOT_FINITE],
        }

        @staticmethod
        def _decode(data: Any) -> float:
            if type(data) is float or (type(data) is int and abs(data) < 1e308):
                return data
            if (number := _special(data)) is not None:
                return number
            raise misfit("a number", data)

    class Finite(metaclass=Checked):
        """A finite number, which JSON can hold."""

        _schema: ClassVar = {"type": "number"}

        @staticmethod
        def _decode(data: Any) -> float:
            number = float(Number._decode(data))
            if not math.isfinite(number):
                raise misfit("a finite number", data)
            return number

    class Whole(metaclass=Checked):
        """A count of any size."""

        _schema: ClassVar = {
            "title": "Whole",
            "description": "A whole number. From about 4,000 digits on, it is written in hexadecimal.",
            "anyOf": [
                {"type": "integer", "minimum": 0},
                {
                    "type": "object",
                    "properties": {LONG_INT: {"type": "string", "pattern": "^0x[0-9a-f]+$"}},
                    "required": [LONG_INT],
                    "additionalProperties": False,
                },
            ],
        }

        @staticmethod
        def _decode(data: Any) -> int:
            held = data.get(LONG_INT) if isinstance(data, Mapping) and len(data) == 1 else data
            if held is not data and isinstance(held, str):
                try:
                    held = int(held, 16)
                except ValueError:
                    raise misfit("a whole number", data) from None
            if type(held) is not int or held < 0:
                raise misfit("a whole number of at least 0", data)
            return held

    class Pair(metaclass=Checked):
        """Two finite numbers. msgspec 0.22 has a bug in unions with tuples of fixed length."""

        _schema: ClassVar = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}

        @staticmethod
        def _decode(data: Any) -> tuple[float, float]:
            if not isinstance(data, list | tuple) or len(data) != 2:
                raise misfit("two numbers", data)
            for one in data:
                Finite._decode(one)
            return data[0], data[1]
