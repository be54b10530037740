"""Find the numbers that a library holds for the codes of a category."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.tables.codebook import Coding


class LibraryColumn(NamedTuple):
    """How a library holds one column: by the numbers in it, or by a number for each of our codes."""

    nullable: bool  # whether a value may be missing there
    # (codes,) what stands for our code 0, 1, …, NaN for an unknown label; None for a column of numbers
    numbers: FloatArray | None = None


def library_codes(coding: Coding, known: Sequence[Any]) -> FloatArray:
    """Return the place of each of our labels among those that a library knows; NaN where it is none of them.

    Labels that only the library knows get codes of ours here, so that it is settled what they mean to it
    before a person turns up with one.
    """
    assert coding.labels is not None
    coding.encode(list(known))
    count = len(coding.labels) + len(coding.unseen)
    # pandas matches the labels, since libraries leave that to pandas.
    ours = pd.Categorical(coding.decode(np.arange(count, dtype=np.float64)))
    places = np.asarray(ours.set_categories(list(known)).codes, dtype=np.float64)
    return np.where(places < 0, np.nan, places)
