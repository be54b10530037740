"""Write numbers in the form of a language, never rounded to another value."""

import math
from decimal import ROUND_DOWN, Decimal
from typing import Any

from p2ce.result.number_text import readable

LARGEST, MOST_PLACES = 1e15, 12  # of what is written with decimals
# Numbers are made in the English form first; elsewhere the point and the comma change places.
SWAPPED = str.maketrans(",.", ".,")


def in_language(english: str, language: str) -> str:
    """Give an English number in the form of a language.

    >>> in_language("7,500.25", "en"), in_language("7,500.25", "pt"), in_language("7,500.25", "es")
    ('7,500.25', '7.500,25', '7.500,25')
    """
    return english if language == "en" else english.translate(SWAPPED)


def rounded_down(number: float, decimals: int) -> str:
    """Write a number that is 0 or more in the English form, with so many decimals or more; never rounded up.

    >>> rounded_down(0.00967, 3), rounded_down(14.99999, 3), rounded_down(0.00002, 3)
    ('0.009', '14.999', '0.00002')
    >>> rounded_down(15342.7, 0), rounded_down(0.0, 3)
    ('15,342', '0.000')
    """
    if not math.isfinite(number) or number > LARGEST:
        return readable(number)
    exact = Decimal(repr(float(number)))
    for places in range(decimals, MOST_PLACES):
        shorter = exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_DOWN)
        if shorter or not exact:
            return f"{shorter:,f}"
    return readable(float(number))


def full_number(value: Any, *, dtype: str = "", style: str = "grouped", decimals: int | None = None) -> str:
    """Write a number in full in the English form.

    `decimals` only fills up a fraction that is there: 5.5 with two of them is 5.50, and 5 stays 5.

    >>> full_number(7500.5), full_number(7500.5, decimals=2), full_number(7500, decimals=2)
    ('7,500.5', '7,500.50', '7,500')
    >>> full_number(1998, style="plain"), full_number(0.07, style="percent")
    ('1998', '7')
    """
    text = readable(value, dtype)
    if not text.lstrip("-")[:1].isdigit() or "e" in text:
        return str((Decimal(text) * 100).normalize()).lower() if style == "percent" and "e" in text else text
    if style == "percent":
        text = _hundredfold(text)
    elif style == "plain":
        text = text.replace(",", "")
    whole, point, fraction = text.partition(".")
    return f"{whole}.{fraction.ljust(decimals, '0')}" if point and decimals is not None else text


def _hundredfold(text: str) -> str:
    """Move the point by two places, in decimal digits: as a double, 0.07 × 100 is 7.000000000000001."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    whole, _, fraction = digits.replace(",", "").partition(".")
    fraction = fraction.ljust(2, "0")
    rest = fraction[2:].rstrip("0")
    return f"{sign}{int(whole + fraction[:2]):,}" + (f".{rest}" if rest else "")
