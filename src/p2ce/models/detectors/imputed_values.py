"""Choose the number that replaces a missing value for a forest that is fitted here."""

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.errors import InvalidReference
from p2ce.tables.codebook import MISSING, Codebook

_LOWEST = float(np.finfo(np.float32).min)


def known_codes(codes: FloatArray, codebook: Codebook) -> FloatArray:
    """Replace every missing value by a number: codes (n, d) of the reference → (n, d).

    In a numeric column, the number is one standard deviation below the smallest known value. In a category,
    it is one rank before the first label. So a missing value is the lowest of its column, and it is as
    unusual as it is rare.

    >>> import pandas as pd
    >>> from p2ce.tables.codebook import codebook_of
    >>> frame = pd.DataFrame({"Income": [30.0, None, 10.0], "Housing": ["own", "own", None]})
    >>> book = codebook_of(frame)
    >>> known_codes(book.encode(frame), book).tolist()
    [[30.0, 0.0], [0.0, 0.0], [10.0, -1.0]]
    """
    known = np.array(codes, dtype=np.float64)
    for place, coding in enumerate(codebook):
        column = known[:, place]
        if np.isnan(column).any():
            raise InvalidReference(
                f"Column {echoed(coding.name)} of the reference data has values that are not finite. "
                "Drop those rows, or mark the values as missing."
            )
        missing = column == MISSING
        if missing.any():
            column[missing] = -1.0 if coding.is_category else _below(column[~missing])
    return known


def _below(values: FloatArray) -> float:
    """Return a number one standard deviation below the smallest value, and below it in single precision."""
    if not len(values):
        return 0.0  # all values are missing, so any number serves
    low = float(values.min())
    with np.errstate(over="ignore", invalid="ignore"):
        aside = low - (float(values.std()) or 1.0)
        next_below = float(np.nextafter(np.float32(low), np.float32(-np.inf)))
    return max(min(aside, next_below), _LOWEST)
