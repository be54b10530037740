"""Measure the spread of a column's numbers, with and without its tails."""

import numpy as np

from p2ce.base.arrays import FloatArray

BULK = (1.0, 99.0)  # percentiles; values outside are tails
LARGEST_SQUARE = 1e150  # the squares of larger values overflow float64


def plain_spread(known: FloatArray) -> float:
    """Return the population standard deviation of known numbers (n,), or 0 if they do not vary.

    >>> plain_spread(np.array([1.0, 1.0, 5.0, 5.0]))
    2.0
    """
    # By comparing values, since rounding gives a constant column a deviation of about 1e-17.
    if not len(known) or known.min() == known.max():
        return 0.0
    largest = float(np.abs(known).max())
    if largest > LARGEST_SQUARE:
        return float((known / largest).std() * largest)
    return float(known.std())


def robust_spread(known: FloatArray) -> float:
    """Return the standard deviation after clipping to the 1st and 99th percentile.

    If clipping leaves nothing that varies, return `plain_spread`. Percentiles interpolate linearly, as
    NumPy's do by default. A column with two values has no tails, even if one of them is rare.

    >>> ages = np.append(np.arange(20.0, 70.0).repeat(20), 1e6)  # one of them is not an age
    >>> round(plain_spread(ages)), round(robust_spread(ages))
    (31590, 14)
    """
    plain = plain_spread(known)
    if plain == 0.0 or ((known == known.min()) | (known == known.max())).all():
        return plain
    low, high = np.percentile(known, BULK)
    return plain_spread(np.clip(known, low, high)) or plain
