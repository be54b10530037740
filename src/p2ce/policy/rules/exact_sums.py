"""Decide exactly whether a sum of columns times numbers stays within a limit.

Every float64 is a fraction, and so is every number of an inequality, so the sum of their products can be
compared exactly. A float64 sum almost always gives the same result. Fractions are computed only inside its
error band.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.tables.codebook import MISSING

# Smaller products lose digits, which the relative error band does not cover.
TINY = 1e-290


def compare_with(columns: Sequence[FloatArray], factors: Sequence[Fraction], limit: Fraction) -> FloatArray:
    """Return the sign of Σ factor · column − limit for each row, (n,): -1, 0 or 1.

    The sign is −1 for a row with a missing value, since nothing is known about it, and 1 for NaN, which no
    column holds.

    >>> compare_with([np.array([0.1, 3.0])], [Fraction(10)], Fraction(1)).tolist()
    [1.0, 1.0]
    """
    values = np.array(columns, dtype=np.float64)  # (terms, n)
    weights = np.array([float(factor) for factor in factors])[:, None]
    missing = (values == MISSING).any(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        products = weights * np.where(missing, 0.0, values)
        gap = products.sum(axis=0) - float(limit)
        # Each factor, product and addition is rounded once, and so is the limit. Each time the error is at
        # most 2⁻⁵³ of the sum of magnitudes. Twice that leaves room for rounding the band itself.
        magnitude = np.abs(products).sum(axis=0) + abs(float(limit))
        band = (len(factors) + 4) * 2.0**-52 * magnitude + TINY
        # Whole numbers below 2⁵³ are added exactly, and counts often equal their limit.
        whole = all(number.denominator == 1 for number in (*factors, limit))
        exact = whole & (values == np.floor(values)).all(axis=0) & (magnitude < 2.0**53)
    signs: FloatArray = np.sign(gap)
    for row in np.flatnonzero(~missing & ~exact & ~(np.abs(gap) > band)):
        signs[row] = _exactly(values[:, row], factors, limit)
    signs[missing] = -1.0
    return signs


def _exactly(row: FloatArray, factors: Sequence[Fraction], limit: Fraction) -> float:
    if not np.isfinite(row).all():
        return 1.0
    total = sum(
        (Fraction(value) * factor for value, factor in zip(row.tolist(), factors, strict=True)), -limit
    )
    return float((total > 0) - (total < 0))


def at_most(columns: Sequence[FloatArray], factors: Sequence[Fraction], limit: Fraction) -> BoolArray:
    """Return exactly which rows have Σ factor · column <= limit. Rows with a missing value count too."""
    within: BoolArray = compare_with(columns, factors, limit) <= 0
    return within
