"""Check the values that a rule names, translate them to codes of their column, and write them."""

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np

from p2ce.base.visible import echoed
from p2ce.base.whole_numbers import INEXACT, is_exact
from p2ce.errors import InvalidPolicy, nearest
from p2ce.policy.features.category_labels import place_of
from p2ce.policy.features.decimals import as_float, to_dtype
from p2ce.policy.features.feature import FeaturePolicy, shown_number
from p2ce.policy.rules.rule import Rule
from p2ce.tables.cells import is_missing
from p2ce.tables.codebook import MISSING, Coding


def plain_value(value: Any) -> Any:
    """Convert a value to plain Python, without NumPy types and with None for missing values."""
    if isinstance(value, np.generic):
        value = value.item()
    if is_missing(value):
        return None
    if not isinstance(value, str | bool | int | float) and isinstance(value, Real):
        return float(value)
    return value


def check_labels(rule: Rule, feature: FeaturePolicy, named: Iterable[Any]) -> None:
    """Raise if a rule names a value that the feature never has."""
    known = feature.labels if feature.order is None else (*feature.order, *(feature.labels or ()))
    for value in named:
        if value is None:
            continue
        if known is not None and place_of(value, known) is None:
            raise InvalidPolicy(
                f"The rule '{rule.text()}' names {echoed(value)}, which is not a value of "
                f"{echoed(feature.name)}. {nearest(value, known)}"
            )
        if known is None and isinstance(value, str):
            raise InvalidPolicy(
                f"The rule '{rule.text()}' names {echoed(value)} for {echoed(feature.name)}, which holds "
                "numbers. Use a number."
            )


def code_of(value: Any, coding: Coding, *, rule: Rule) -> float:
    """Return the code of a value, and raise if the column never has it."""
    if value is None:
        return MISSING
    if coding.is_category:
        code = coding.code_of(value)
        if code is None:
            raise InvalidPolicy(
                f"The rule '{rule.text()}' names {echoed(value)}, which is not a value of "
                f"{echoed(coding.name)}. {nearest(value, coding.labels or ())}"
            )
        return code
    return _number(value, coding, rule)


def _number(value: Any, coding: Coding, rule: Rule) -> float:
    if not isinstance(value, Real):
        raise InvalidPolicy(
            f"The rule '{rule.text()}' names {echoed(value)} for {echoed(coding.name)}, which holds numbers. "
            f"Use a number, or None for a missing value."
        )
    if not is_exact(value):
        raise InvalidPolicy(
            f"The rule '{rule}' names {echoed(value)} for {echoed(coding.name)}, {INEXACT}. Correct it."
        )
    number, dtype = as_float(value), coding.number_dtype
    if (dtype.kind in "iu" and not number.is_integer()) or (dtype.kind == "b" and number not in (0, 1)):
        raise InvalidPolicy(
            f"The rule '{rule.text()}' names {shown_number(number)} for {echoed(coding.name)}, whose type "
            f"{dtype} cannot hold it. Correct the value."
        )
    # In the column's precision: the float32 nearest to 0.1 is slightly above 0.1.
    return to_dtype(number, dtype) + 0.0


def value_text(value: Any) -> str:
    """Write a value in a sentence, with labels in quotes and numbers in short form."""
    if value is None:
        return "missing"
    if isinstance(value, float):
        return shown_number(value) if np.isfinite(value) else repr(value)
    return repr(value) if isinstance(value, str) else echoed(value)
