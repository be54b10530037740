"""Turn values into what JSON can carry without losing a bit; `untrusted_json` turns them back."""

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

from p2ce.tables.cells import is_missing

Value: TypeAlias = bool | int | float | str | None

# JSON has no infinities and no NaN. An object with this one key stands for them, since a bare "inf"
# would look like the text "inf".
NOT_FINITE = "float"
# Python neither writes nor reads integers of more than 4,300 decimal digits; hexadecimal has no limit.
LONG_INT = "int"
LONGEST_INT = 10**4000
TUPLE = "tuple"  # a wanted range, or a label of several parts


def to_plain(value: Any) -> Any:
    """Give the JSON form of one value; what JSON has no form for (dates, intervals, …) becomes its text."""
    kind = type(value)
    if kind is float:
        return value if math.isfinite(value) else {NOT_FINITE: repr(value)}
    if kind is int:
        return value if -LONGEST_INT < value < LONGEST_INT else {LONG_INT: hex(value)}
    if kind is bool or kind is str or value is None:
        return value
    if kind is tuple:
        return {TUPLE: [to_plain(part) for part in value]}
    if hasattr(value, "item") and not getattr(value, "ndim", 0):  # a NumPy scalar
        unwrapped = value.item()
        return str(value) if type(unwrapped) is kind else to_plain(unwrapped)
    if isinstance(value, float):
        return to_plain(float(value))
    return None if is_missing(value) else str(value)


def plain_values(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: to_plain(value) for name, value in values.items()}
