"""Distinguish codes from numbers: values such as -9 or 999 that stand for "no record" and the like."""

import logging
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.errors import InvalidActions, UnknownFeature, nearest
from p2ce.problem.decimals import as_float
from p2ce.visible import echoed

SpecialValues: TypeAlias = Mapping[Any, Sequence[float]] | Literal["detect"]

log = logging.getLogger("p2ce")

DETECT = "detect"
FEWEST = 3  # rows that have it; one alone is an outlier
# How codes are usually written: nines, eights and sevens, and the small negative numbers.
USUAL = frozenset(
    [-float(small) for small in range(1, 10)]
    + [sign * float(digit * width) for sign in (1, -1) for digit in "789" for width in range(2, 10)]
    + [float("9" * width + last) for width in range(2, 6) for last in "678"]
)
WHOLE_STEP = 1.0
BEYOND = 0.5  # of the others' range: how far beyond them a large code lies at least


def settle_special(
    given: SpecialValues | None, numbers: Mapping[str, FloatArray], *, columns: Sequence[str]
) -> dict[str, tuple[float, ...]]:
    """Give the special values by column: those named, or those detected; what only looks like one is logged.

    ``numbers`` are the known values of the columns of numbers, ``columns`` the names of all.
    """
    if isinstance(given, Mapping):
        return {str(name): _codes(str(name), codes, numbers, columns) for name, codes in given.items()}
    if given is not None and not (isinstance(given, str) and given == DETECT):
        raise InvalidActions(
            "special_values is a dict of column → codes, or 'detect'; got "
            f"{repr(given) if isinstance(given, str) else type(given).__name__}. "
            "Write special_values={'Months': [-9, -8]}."
        )
    found, taken = detected(numbers), given == DETECT
    if found or taken:
        said = {"on_command_line": _for_command_line(found, taken=taken)}
        log.info("%s", proposal(found, taken=taken), extra=said)
    return found if taken else {}


def detected(numbers: Mapping[str, FloatArray]) -> dict[str, tuple[float, ...]]:
    """Find what looks like a code in each column: usual as one, shared by some, and apart from the rest.

    >>> months = np.array([-9.0] * 3 + [-8.0] * 4 + [1.0, 4.0, 12.0, 30.0])
    >>> detected({"Months": months, "Age": np.arange(99.0)})
    {'Months': (-9.0, -8.0)}
    """
    found = {name: _detected(values) for name, values in numbers.items()}
    return {name: codes for name, codes in found.items() if codes}


def _detected(values: FloatArray) -> tuple[float, ...]:
    known, counts = np.unique(values, return_counts=True)
    usual = np.array([value in USUAL for value in known.tolist()], dtype=np.bool_) & (counts >= FEWEST)
    others = known[~usual]
    if not usual.any() or len(others) < 2:
        return ()
    # What may be a number among the others is one: a count of 99 beside one of 98.
    low, high = float(others.min()), float(others.max())
    far = max(BEYOND * (high - low), WHOLE_STEP)
    apart = ((known < 0) & (low >= 0)) | (known > high + far) | (known < low - far)
    return tuple(known[usual & apart].tolist())


def proposal(found: Mapping[str, tuple[float, ...]], *, taken: bool) -> str:
    """Say in one sentence what was found, and what to write to confirm or deny it."""
    named = {name: [_plain(code) for code in codes] for name, codes in found.items()}
    if taken:
        return f"Taken for special values, which are no numbers: {named}."
    first = dict(list(named.items())[:3])
    more = f" and in {len(named) - 3} more columns" if len(named) > 3 else ""
    return (
        f"These values look like codes and not like numbers: {first}{more}. If they are, say so: "
        f"ActionSet.infer(X, special_values={echoed(first if not more else DETECT)})."
    )


def _for_command_line(found: Mapping[str, tuple[float, ...]], *, taken: bool) -> str:
    if not found:
        return "No value looks like a code."
    codes = {name: ", ".join(str(_plain(code)) for code in codes) for name, codes in found.items()}
    shown = "; ".join(f"{listed} in {echoed(name)}" for name, listed in list(codes.items())[:3])
    shown += f"; and {len(codes) - 3} more columns" if len(codes) > 3 else ""
    if taken:
        return f"Special values, which are no numbers: {shown}. Remove 'special' where they are."
    return (
        f"These values look like codes and not like numbers: {shown}. If they are, nobody should be advised "
        "to go there. Write a policy with: p2ce policy infer --special-values detect, or list them in the "
        f"policy: special: [{next(iter(codes.values()))}]"
    )


def _plain(code: float) -> int | float:
    return int(code) if code.is_integer() else code


def _codes(
    name: str, codes: Any, numbers: Mapping[str, FloatArray], columns: Sequence[str]
) -> tuple[float, ...]:
    if name not in columns:
        raise UnknownFeature(f"special_values names {echoed(name)}. {nearest(name, columns)}")
    if name not in numbers:
        raise InvalidActions(
            f"{echoed(name)} is a category, in which every label is one. Leave special_values out."
        )
    listed = [codes] if isinstance(codes, Real) else list(codes)
    if not all(isinstance(code, Real) and np.isfinite(as_float(code)) for code in listed):
        raise InvalidActions(f"special_values of {echoed(name)} must be numbers, got {echoed(codes)}.")
    values = tuple(sorted({float(code) for code in listed}))
    if np.isin(numbers[name], values).all():
        raise InvalidActions(
            f"Every value of {echoed(name)} is special, so that no number is left. Name fewer, or drop the "
            "column."
        )
    return values
