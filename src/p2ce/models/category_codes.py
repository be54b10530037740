"""Find the numbers that a library uses for the codes of a category."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.tables.codebook import Coding


class LibraryColumn(NamedTuple):
    """How a library stores one column: as its numbers, or as a number for each of our codes."""

    nullable: bool  # whether a value may be missing there
    # (codes,) the library's number for our code 0, 1, …, NaN for an unknown label; None for a numeric column
    numbers: FloatArray | None = None


def library_codes(coding: Coding, known: Sequence[Any]) -> FloatArray:
    """Return the index of each of our labels among those that a library knows; NaN for any other label.

    The coding must have codes for all of them (`Codebook.with_labels`), also for those that only the library
    knows. Otherwise an instance with one of these would pass for unknown.
    """
    # pandas matches the labels, as it does for the libraries.
    ours = pd.Categorical(coding.decode(np.arange(coding.count, dtype=np.float64)))
    places = np.asarray(ours.set_categories(list(known)).codes, dtype=np.float64)
    return np.where(places < 0, np.nan, places)
