"""Find the numbers that a library sees where we see the code of a category."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.scores.steps import Steps
from p2ce.tables.codebook import ABOVE_MISSING, Coding


class Seen(NamedTuple):
    """How a library sees one column: by the numbers in it, or by a number for each of our codes."""

    may_miss: bool  # whether a value may be missing there
    # (codes,) what stands for our code 0, 1, …, NaN for an unknown label; None for a column of numbers
    numbers: FloatArray | None = None


def library_codes(coding: Coding, known: Sequence[Any]) -> FloatArray:
    """Give the place of each of our labels among the ones that a library knows; NaN where it is none of them.

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


def steps_of_stretches(ends: Sequence[float], sides: Sequence[bool]) -> Steps:
    """Write down which stretches of a line go left: ``sides[i]`` up to and with ``ends[i]``, the last beyond.

    >>> steps_of_stretches([0.0, 1.0, 2.0], [True, True, False, True])
    Steps(cuts=array([1., 2.]), starts_left=True)
    """
    cuts = [end for end, here, after in zip(ends, sides, sides[1:], strict=False) if here != after]
    return Steps(np.array(cuts, dtype=np.float64), bool(sides[0]))


def with_missing(ends: list[float], sides: list[bool], *, missing_left: bool) -> Steps:
    """The same with a side of its own for a missing value, which lies below all numbers."""
    return steps_of_stretches([ABOVE_MISSING, *ends], [missing_left, *sides])
