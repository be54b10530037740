"""Write numbers so that people read them easily and still see the true value."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from p2ce.tables.cells import is_missing

SCORE_DECIMALS = 3
MISSING = "missing"
MOST_DECIMALS = 17  # enough to separate any two doubles between 0.1 and 1


def readable(value: Any, dtype: str = "") -> str:
    """Write a value with thousands separators, never rounded to another value.

    No value at all is "missing"; a label that could be misread for it, or not be seen, is put in quotes.
    A value of a float32 column is written with the digits that column can hold: the double behind
    ``np.float32(0.1)`` is 0.10000000149011612, but no user typed that.

    >>> readable(7500), readable(1234567.25), readable(7500.0), readable(True)
    ('7,500', '1,234,567.25', '7,500', 'yes')
    >>> readable(float(np.float32(0.1)), "float32"), readable("own"), readable(None), readable("missing")
    ('0.1', 'own', 'missing', "'missing'")
    """
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{int(value):,}"
    if is_missing(value):
        return MISSING
    if isinstance(value, str):
        return repr(str(value)) if value in ("", MISSING) or value != value.strip() else value
    if not isinstance(value, float | np.floating):
        return str(value)
    if value == 0:
        return "0"  # -0.0 is the same value
    narrow = np.float32(value) if dtype == "float32" and np.isfinite(value) else None
    text = str(narrow) if narrow is not None and float(narrow) == value else repr(float(value))
    if not np.isfinite(value) or "e" in text:
        return text
    whole, _, fraction = text.partition(".")
    sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    return f"{sign}{int(digits):,}" + (f".{fraction}" if fraction not in ("", "0") else "")


def readable_score(score: float, *thresholds: float) -> str:
    """Write a score with few decimals, but enough that it stays on its side of every threshold.

    >>> readable_score(0.53142, 0.5), readable_score(0.49996, 0.5), readable_score(0.5, 0.5)
    ('0.531', '0.49996', '0.500')
    """
    for decimals in range(SCORE_DECIMALS, MOST_DECIMALS + 1):
        text = f"{score:.{decimals}f}"
        if _same_sides(float(text), score, thresholds):
            return text
    return repr(float(score))


def readable_prediction(value: Any, *ends: float) -> str:
    """Write what a model predicts to some four digits, more where the side of an end depends on them.

    >>> readable_prediction(152.13348, 100, 200), readable_prediction(99.9999, 100)
    ('152.1', '99.9999')
    >>> readable_prediction(12345.6)
    '12,346'
    """
    if not isinstance(value, float | np.floating) or not np.isfinite(value):
        return "–" if is_missing(value) else readable(value)
    number = float(value)
    if number and not 1e-3 <= abs(number) < 1e15:
        return readable(number)
    digits = len(str(int(abs(number))))
    for decimals in range(max(0, SCORE_DECIMALS + 1 - digits), MOST_DECIMALS + 1):
        text = f"{number:,.{decimals}f}"
        if _same_sides(float(text.replace(",", "")), number, ends):
            return text
    return readable(number)


def _same_sides(shown: float, value: float, marks: Iterable[float]) -> bool:
    return all((shown > mark) == (value > mark) and (shown < mark) == (value < mark) for mark in marks)


def readable_cost(cost: float) -> str:
    """Write a cost to four significant digits, whole costs as whole numbers.

    >>> readable_cost(2.0), readable_cost(0.123456), readable_cost(1234.5)
    ('2', '0.1235', '1,234')
    """
    if float(cost).is_integer():
        return f"{int(cost):,}"
    return f"{cost:,.4g}" if abs(cost) < 1000 else f"{cost:,.0f}"


def readable_count(count: int) -> str:
    """Write a count; one too long to take in is given by its order of magnitude.

    >>> readable_count(1234567), readable_count(3 * 10**40)
    ('1,234,567', 'about 3.0e40')
    """
    if count < 10**15:
        return f"{count:,}"
    # Through the logarithm, since Python does not write integers of more than 4,300 digits.
    exponent, rest = divmod(math.log10(count), 1.0)
    return f"about {10**rest:.1f}e{exponent:.0f}"
