"""Write single values as JSON with their types, and read untrusted values back."""

import math
from typing import Any

import numpy as np

from p2ce.base.visible import echoed
from p2ce.base.zip_parts import Damaged
from p2ce.errors import InvalidArgument
from p2ce.tables.json_values import LONG_INT, NOT_FINITE, to_plain

NUMPY = "numpy"
TUPLE = "tuple"
NOTHING = "missing"  # marks a missing value of any type
NUMBERS = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64"),
)
WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def write_value(value: Any, what: str) -> Any:
    """Return the JSON form of a value. ``what`` names it in the error if there is none.

    >>> write_value((1, float("inf"), "a"), "target")
    {'tuple': [1, {'float': 'inf'}, 'a']}
    """
    import pandas as pd

    kind = type(value)
    if value is None or kind in (bool, str, int, float):
        return to_plain(value)
    if kind is tuple:
        return {TUPLE: [write_value(part, what) for part in value]}
    if kind is list:
        return [write_value(part, what) for part in value]
    if isinstance(value, np.generic) and value.dtype.name in NUMBERS:
        return {NUMPY: [value.dtype.name, to_plain(value.item())]}
    if value is pd.NA or value is pd.NaT:
        return {NOTHING: str(value)}
    if isinstance(value, str):
        return str(value)
    raise InvalidArgument(
        f"{what} is {echoed(value, most=80)} ({kind.__name__}), which a file cannot store safely. "
        "Use numbers, text or bools, or save the explainer in another way (pickle, if you trust the file)."
    )


def read_value(plain: Any) -> Any:
    """Read a value that `write_value` wrote."""
    import pandas as pd

    if type(plain) is list:
        return [read_value(part) for part in plain]
    if type(plain) is not dict:
        return plain
    if len(plain) != 1:
        raise Damaged("a value has several forms")
    ((form, held),) = plain.items()
    if form == TUPLE and type(held) is list:
        return tuple(read_value(part) for part in held)
    if form == LONG_INT and type(held) is str:
        return int(held, 16)
    if form == NOT_FINITE and held in WORDS:
        return WORDS[held]
    if form == NUMPY and type(held) is list and len(held) == 2 and held[0] in NUMBERS:
        return np.dtype(held[0]).type(read_value(held[1]))
    if form == NOTHING and held in ("<NA>", "NaT"):
        return pd.NA if held == "<NA>" else pd.NaT
    raise Damaged(f"a value is written as {echoed(form, most=40)}")


def take(data: Any, key: str, *kinds: type) -> Any:
    """Return an entry of an object; raise if it has none of these types."""
    if type(data) is not dict or key not in data:
        raise Damaged(f"an entry {echoed(key)} is missing")
    value = data[key]
    if type(value) not in kinds:
        raise Damaged(f"the entry {echoed(key)} is {type(value).__name__}")
    return value
