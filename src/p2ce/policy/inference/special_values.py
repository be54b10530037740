"""Distinguish codes from numbers: values such as -9 or 999 that mean "no record", for example."""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.base.visible import echoed
from p2ce.base.whole_numbers import INEXACT, is_exact
from p2ce.errors import InvalidPolicy, nearest
from p2ce.policy.features.decimals import as_float

SpecialValues: TypeAlias = Mapping[Any, Sequence[float]] | Literal["detect"]

DETECT = "detect"
LOOKED_AT = 64  # values at either end of a column, where codes occur
MOST_LISTED = 6  # columns with codes to list in a message
FEWEST = 3  # rows with the value; a single one is an outlier
# How codes are usually written: nines, eights and sevens, and the small negative numbers.
USUAL = frozenset(
    [-float(small) for small in range(1, 10)]
    + [sign * float(digit * width) for sign in (1, -1) for digit in "789" for width in range(2, 10)]
    + [float("9" * width + last) for width in range(2, 6) for last in "678"]
)
WHOLE_STEP = 1.0
BEYOND = 0.5  # of the others' range: the smallest distance of a large code from the other values
MOST_BELOW_ZERO = 2  # codes such as -2 and -1 next to a scale from 0; more of them belong to the scale
# An unusual code, such as 96 or 365243, is one of a few repeated whole numbers at the end of the range. Its
# distance from the others is this many times their range.
MOST_ISOLATED, FEWEST_OTHERS = 3, 5
FAR, VERY_FAR = 1.5, 5.0


def settle_special(
    given: SpecialValues | None, numbers: Mapping[str, FloatArray], *, columns: Sequence[str]
) -> dict[str, tuple[float, ...]]:
    """Return the special values by column, either named or detected.

    ``numbers`` holds the known values of the numeric columns, ``columns`` the names of all columns.
    """
    if isinstance(given, Mapping):
        return {str(name): _codes(str(name), codes, numbers, columns) for name, codes in given.items()}
    if given is not None and not (isinstance(given, str) and given == DETECT):
        raise InvalidPolicy(
            "special_values must be a dict of column → codes, 'detect' or None; got "
            f"{repr(given) if isinstance(given, str) else type(given).__name__}. "
            "Write special_values={'Months': [-9, -8]}."
        )
    return {} if given is None else detected(numbers)


def detected(numbers: Mapping[str, FloatArray]) -> dict[str, tuple[float, ...]]:
    """Find values that look like codes: shared by several rows, and far from the other numbers.

    >>> months = np.array([-9.0] * 3 + [-8.0] * 4 + [1.0, 4.0, 12.0, 30.0])
    >>> late = np.array([0.0] * 90 + [1.0, 2.0, 3.0, 4.0, 5.0] + [96.0] * 3 + [98.0] * 4)
    >>> detected({"Months": months, "Age": np.arange(99.0), "Late": late})
    {'Months': (-9.0, -8.0), 'Late': (96.0, 98.0)}
    """
    found = {name: _detected(values) for name, values in numbers.items()}
    return {name: codes for name, codes in found.items() if codes}


def _detected(values: FloatArray) -> tuple[float, ...]:
    known, counts = np.unique(values, return_counts=True)
    codes = _usual_codes(known, counts)
    left = ~np.isin(known, codes)
    return tuple(sorted({*codes, *_isolated(known[left], counts[left])}))


def _usual_codes(known: FloatArray, counts: IntArray) -> list[float]:
    """Find the usual codes among distinct ascending values."""
    # Only the ends can be codes, and a column may have thousands of values between them.
    ends = np.unique(np.concatenate([known[:LOOKED_AT], known[-LOOKED_AT:]]))
    usual = np.isin(known, [value for value in ends.tolist() if value in USUAL]) & (counts >= FEWEST)
    others = known[~usual]
    if not usual.any() or len(others) < 2:
        return []
    # A value that may be an ordinary number is one: a count of 99 next to one of 98.
    low, high = float(others.min()), float(others.max())
    far = max(BEYOND * (high - low), WHOLE_STEP)
    below_zero = (known < 0) & (low >= 0)
    below = usual & below_zero
    if below.any() and low - known[below].max() <= WHOLE_STEP:  # a scale such as -2 … 2 has no codes
        least = -float(known[below].min())
        below &= below.sum() <= MOST_BELOW_ZERO and high > 2 * least
    apart = below | (known > high + far) | ((known < low - far) & ~below_zero)
    found: list[float] = known[usual & apart].tolist()
    return found


def _isolated(known: FloatArray, counts: IntArray) -> list[float]:
    """Find a few repeated whole numbers far from all others, at either end. 0 is never a code."""
    for sign in (1.0, -1.0):
        values, shares = (known, counts) if sign > 0 else (-known[::-1], counts[::-1])
        for size in range(min(MOST_ISOLATED, len(values) - FEWEST_OTHERS), 0, -1):
            tail, others = values[-size:], values[:-size]
            is_code = (tail == np.floor(tail)) & (shares[-size:] >= FEWEST) & (tail > 0)
            extent, gap = float(others[-1] - others[0]), float(tail[0] - others[-1])
            if not is_code.all() or gap < max(FAR * extent, WHOLE_STEP) or np.ptp(tail) > gap:
                continue
            # In an ordinary tail, the end is rarer than the values before it.
            before = shares[:-size][others > others[0] + extent / 2].sum()
            if gap >= VERY_FAR * extent or shares[-size:].sum() > before:
                return [sign * value for value in tail.tolist()]
    return []


def described_codes(found: Mapping[str, tuple[float, ...]]) -> str:
    """List codes with their columns.

    >>> described_codes({"Months": (-9.0, -8.0), "Late": (98.0,)})
    "-9, -8 in 'Months'; 98 in 'Late'"
    """
    codes = {name: ", ".join(str(_plain(code)) for code in codes) for name, codes in found.items()}
    shown = "; ".join(f"{listed} in {echoed(name)}" for name, listed in list(codes.items())[:MOST_LISTED])
    more = len(codes) - MOST_LISTED
    return shown + (f"; and in {more} more columns" if more > 0 else "")


def _plain(code: float) -> int | float:
    return int(code) if code.is_integer() else code


def _codes(
    name: str, codes: Any, numbers: Mapping[str, FloatArray], columns: Sequence[str]
) -> tuple[float, ...]:
    if name not in columns:
        raise InvalidPolicy(
            f"special_values names {echoed(name)}, which is not a column. {nearest(name, columns)}"
        )
    if name not in numbers:
        raise InvalidPolicy(
            f"{echoed(name)} is a category, which has no special values. Remove it from special_values."
        )
    listed = [codes] if isinstance(codes, Real) else list(codes)
    if not all(isinstance(code, Real) and np.isfinite(as_float(code)) for code in listed):
        raise InvalidPolicy(f"special_values of {echoed(name)} must be numbers, got {echoed(codes)}.")
    for code in listed:
        if not is_exact(code):
            raise InvalidPolicy(
                f"special_values of {echoed(name)} has {echoed(code)}, {INEXACT}. Correct it."
            )
    values = tuple(sorted({float(code) for code in listed}))
    if np.isin(numbers[name], values).all():
        raise InvalidPolicy(
            f"Every value of {echoed(name)} is special, so no number is left. List fewer, or drop the column."
        )
    return values
