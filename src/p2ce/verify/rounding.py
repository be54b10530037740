"""Round what people read, but only to rows that were verified as every other row is."""

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.problem.decimals import to_dtype
from p2ce.verify.rows import judge_rows
from p2ce.verify.setup import Setup


def rounded_rows(setup: Setup, before: FloatArray, after: FloatArray) -> FloatArray:
    """Give rows (n, d) as they may be told: rounded as displays ask for, where the rounded row holds too.

    A row whose rounding is refused, implausible or not allowed is told as it is, and so is a change that
    rounding would undo.
    """
    rounded = _rounded(setup, before, after)
    changed = np.flatnonzero((rounded != after).any(axis=1))
    if not len(changed):
        return after
    told = after.copy()
    holding = changed[judge_rows(setup, before[changed], rounded[changed]).hold]
    told[holding] = rounded[holding]
    return told


def _rounded(setup: Setup, before: FloatArray, after: FloatArray) -> FloatArray:
    rounded = after.copy()
    for column, name in enumerate(setup.names):
        feature = setup.actions[name]
        if feature.display.decimals is None or feature.is_category:
            continue
        for row in np.flatnonzero((after[:, column] != before[:, column]) & np.isfinite(after[:, column])):
            value = to_dtype(feature.display.rounded(float(after[row, column])), feature.dtype)
            if value != before[row, column]:
                rounded[row, column] = value
    return rounded
