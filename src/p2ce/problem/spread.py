"""How far do the numbers of a column spread, with its tails and without them?"""

import numpy as np

from p2ce.arrays import FloatArray

BULK = (1.0, 99.0)  # percentiles, between which all but the tails lies
LARGEST_SQUARE = 1e150  # above it, squares leave float64


def plain_spread(known: FloatArray) -> float:
    """Return the population standard deviation of known numbers (n,); 0 if there is nothing that varies.

    >>> plain_spread(np.array([1.0, 1.0, 5.0, 5.0]))
    2.0
    """
    # By the values, since rounding gives a constant column a deviation of 1e-17 or so.
    if not len(known) or known.min() == known.max():
        return 0.0
    largest = float(np.abs(known).max())
    if largest > LARGEST_SQUARE:
        return float((known / largest).std() * largest)
    return float(known.std())


def robust_spread(known: FloatArray) -> float:
    """Return the same after clipping to the 1st and 99th percentile; the plain one where that leaves nothing.

    Percentiles are NumPy's usual ones, which interpolate linearly between neighbours. A column of two values
    has no tails, however rare one of them is: its percentiles could only lie between the two.

    >>> ages = np.append(np.arange(20.0, 70.0).repeat(20), 1e6)  # one of them is not an age
    >>> round(plain_spread(ages)), round(robust_spread(ages))
    (31590, 14)
    """
    plain = plain_spread(known)
    if plain == 0.0 or ((known == known.min()) | (known == known.max())).all():
        return plain
    low, high = np.percentile(known, BULK)
    return plain_spread(np.clip(known, low, high)) or plain
